export interface Secrets {
  /**
   * The value of a secret for a queue. `refused`: the queue may not use it; `why` is for the log.
   * @throws when there is no such secret
   */
  get(name: string, queue: string): Promise<SecretResult>;
}

export type SecretResult =
  | { readonly outcome: 'found'; readonly value: string }
  | { readonly outcome: 'refused'; readonly why: string };
