import type { PushRetry } from '../domain/push-retry.ts';

/** Queues tickets whose players could not be reached, for a later try. */
export interface PushRetries {
  /** @throws StoreBusy */
  send(retries: readonly PushRetry[]): Promise<void>;
}
