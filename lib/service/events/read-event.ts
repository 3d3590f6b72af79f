import * as z from 'zod';
import { type MusterEvent, musterEvent } from '../../contract/events.ts';
import { withPresentNames } from '../placement/earlier-names.ts';
import { readWith } from '../ports/unreadable.ts';

/**
 * Reads an event that this or an earlier version of Muster has put into a message.
 * @throws Unreadable
 */
export function readEvent(value: unknown): MusterEvent {
  return readWith(storedEvent, value, 'an event');
}

/** An event in a message, its match with the names of today. */
export const storedEvent = z.preprocess(
  (event) =>
    typeof event === 'object' && event !== null && 'match' in event
      ? { ...event, match: withPresentNames(event.match) }
      : event,
  musterEvent,
);
