import type { ParkedEvent } from '../domain/parked-event.ts';
import type { UnreadableQueue } from '../domain/unreadable.ts';

/** Keeps the events of queues that cannot be read, until they can. */
export interface EventParking {
  /**
   * Keeps events of one queue and reports it.
   * @throws StoreBusy
   */
  park(events: readonly ParkedEvent[], why: UnreadableQueue): Promise<void>;
}
