/** The time, for use cases that wait. Tests use a virtual clock. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  sleep(ms: number): Promise<void>;
}
