import type { MusterEvent } from '../../contract/events.ts';

/** The bus that delivers events to Muster's own consumers and to the studio's rules. */
export interface EventBus {
  /**
   * Publishes events. Returns the indexes of those that the bus rejected.
   * @param events `destinations`: the consumers inside Muster that receive the event
   */
  publish(
    events: readonly { readonly event: MusterEvent; readonly destinations: readonly string[] }[],
  ): Promise<number[]>;
}
