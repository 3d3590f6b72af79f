/** A waiting ticket of a sample: no ids and no names. */
export interface WaitingTicket {
  /** The mean of its players. */
  readonly skill: number;
  readonly size: number;
  /** The roles that its players accept; absent when they accept every role. */
  readonly roles?: readonly string[];
  readonly region?: string;
  readonly ageSeconds: number;
}

/** The waiting tickets of a queue in order of skill, or some of them. */
export interface WaitingSample {
  readonly waiting: readonly WaitingTicket[];
  readonly isComplete: boolean;
}
