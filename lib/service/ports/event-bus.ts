import type { MusterEvent } from '../../contract/events.ts';

export interface EventBus {
  /** Publishes events; answers the indexes of those the bus refused. `marks` route an event inside Muster. */
  publish(events: readonly { event: MusterEvent; marks: readonly string[] }[]): Promise<number[]>;
}
