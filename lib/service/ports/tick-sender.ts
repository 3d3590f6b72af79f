import type { TickMessage } from '../ticks/tick-message.ts';

export interface TickSender {
  /** Sends messages that arrive when they are due. */
  send(messages: readonly TickMessage[], nowMs: number): Promise<void>;
}
