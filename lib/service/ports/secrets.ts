export interface Secrets {
  /** @throws when there is no such secret */
  get(name: string): Promise<string>;
}
