/** Reads the secrets that queue definitions name. */
export interface Secrets {
  /**
   * Returns the value of a secret for a queue. `refused`: the queue may not use it; `missing`: there is no such secret. `why` is
   * for the log.
   */
  get(name: string, queue: string): Promise<SecretResult>;
}

export type SecretResult =
  | { readonly outcome: 'found'; readonly value: string }
  | { readonly outcome: 'refused'; readonly why: string }
  | { readonly outcome: 'missing'; readonly why: string };
