import type { PushRetry } from '../domain/push-retry.ts';

/** Keeps what could not be sent to sockets, until it is tried again. */
export interface PushRetries {
  /** @throws StoreBusy */
  send(retries: readonly PushRetry[]): Promise<void>;
}
