import type { EventType } from './event-type.ts';

/** An event as the bus and webhooks carry it. */
export interface MusterEvent {
  readonly type: EventType;
  /** The same for every delivery of the same event. */
  readonly eventId: string;
  readonly time: string;
  readonly queue: string;
  readonly ticket?: unknown;
  readonly match?: unknown;
}
