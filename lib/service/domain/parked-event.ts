import * as z from 'zod';
import type { MusterEvent } from '../../contract/events.ts';
import { storedEvent } from './read-event.ts';
import { readWith } from './unreadable.ts';

/** An event whose queue could not be read, so that its receivers were not known. */
export interface ParkedEvent {
  readonly event: MusterEvent;
  /** Whether `deadline` needs it. */
  readonly hasDeadline: boolean;
}

const parkedEvent = z.object({ event: storedEvent, hasDeadline: z.boolean() });

/**
 * Parses a parked event of this or another version of Muster.
 * @throws Unreadable
 */
export function readParkedEvent(value: unknown): ParkedEvent {
  return readWith(parkedEvent, value, 'a parked event');
}
