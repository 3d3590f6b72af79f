import type { TickMessage } from '../domain/tick-message.ts';

/** Sends ticks to the function `tick`. */
export interface TickSender {
  /**
   * Sends messages that arrive when they are due, or up to a second early.
   * @throws StoreBusy when some cannot be sent
   */
  send(messages: readonly TickMessage[], nowMs: number): Promise<void>;
}
