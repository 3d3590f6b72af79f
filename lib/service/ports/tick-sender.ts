import type { TickMessage } from '../ticks/tick-message.ts';

export interface TickSender {
  /** Sends messages, each to arrive when it is due. */
  send(messages: readonly TickMessage[], nowMs: number): Promise<void>;
}
