import * as z from 'zod';
import { type Read, readWith } from './unreadable.ts';

/**
 * The message of one tick. The message of a slot is sent minutes earlier and has no range, because the layout in force when it is
 * due determines the ranges. With several ranges it becomes a message for each of them.
 */
const tickMessage = z.object({
  queue: z.string(),
  /** When it is due, milliseconds since the epoch, a multiple of tickSeconds. */
  slotMs: z.number(),
  /** The version of the bucket layout that `range` refers to. */
  layout: z.number().optional(),
  /** Index of the range in `tickRanges` of that layout and slot. */
  range: z.number().optional(),
});
export type TickMessage = Read<typeof tickMessage>;

/**
 * Parses a tick that this or another version of Muster has sent.
 * @throws Unreadable
 */
export function readTickMessage(value: unknown): TickMessage {
  return readWith(tickMessage, value, 'a tick');
}
