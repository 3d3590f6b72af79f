import * as z from 'zod';
import { readWith } from './unreadable.ts';

/**
 * The message of one tick. The message of a slot is sent minutes earlier and has no range, because the layout in force when it is
 * due determines the ranges. With several ranges it becomes a message for each of them.
 */
export interface TickMessage {
  readonly queue: string;
  /** When it is due, milliseconds since the epoch, a multiple of tickSeconds. */
  readonly slotMs: number;
  /** The version of the bucket layout that `range` refers to. */
  readonly layout?: number | undefined;
  /** Index of the range in `tickRanges` of that layout and slot. */
  readonly range?: number | undefined;
}

const tickMessage = z.object({
  queue: z.string(),
  slotMs: z.number(),
  layout: z.number().optional(),
  range: z.number().optional(),
}) satisfies z.ZodType<TickMessage>;

/**
 * Parses a tick that this or another version of Muster has sent.
 * @throws Unreadable
 */
export function readTickMessage(value: unknown): TickMessage {
  return readWith(tickMessage, value, 'a tick');
}
