import type { Provision } from '../service/ports/provisioner.ts';

/** The result of a failed request for an assignment. */
export type Failure = Extract<Provision, { outcome: 'retry' | 'refused' }>;

export function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

/**
 * The meaning of an unsuccessful status: client errors are final, and all others are retried.
 * @param who the server, for the reason
 * @param retried client errors after which a retry may succeed
 */
export function failureOf(status: number, who: string, retried: readonly number[]): Failure {
  const why = `${who} returned status ${status}`;
  const isFinal = status >= 400 && status < 500 && !retried.includes(status);
  return isFinal ? { outcome: 'refused', why } : { outcome: 'retry', why };
}
