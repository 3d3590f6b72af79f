import * as z from 'zod';
import { type MusterEvent, musterEvent } from '../../contract/events.ts';
import { withPresentNames } from './earlier-names.ts';
import { readWith } from './unreadable.ts';

/**
 * Parses an event in a message of this or an earlier version of Muster.
 * @throws Unreadable
 */
export function readEvent(value: unknown): MusterEvent {
  return readWith(storedEvent, value, 'an event');
}

/** The schema of an event in a message. It renames fields of earlier versions. */
export const storedEvent = z.preprocess(
  (event) =>
    typeof event === 'object' && event !== null && 'match' in event
      ? { ...event, match: withPresentNames(event.match) }
      : event,
  musterEvent,
);
