import * as z from 'zod';
import { readWith } from '../ports/unreadable.ts';

/** One tick of one range, as it travels. */
export interface TickMessage {
  readonly queue: string;
  /** When it is due, milliseconds since the epoch, a multiple of tickSeconds. */
  readonly slotMs: number;
  /** The version of the bucket plan whose range is meant. */
  readonly plan: number;
  /** Index of the range in `tickRanges` of that plan and slot. */
  readonly range: number;
}

const tickMessage = z.object({
  queue: z.string(),
  slotMs: z.number(),
  plan: z.number(),
  range: z.number(),
}) satisfies z.ZodType<TickMessage>;

/**
 * Reads a tick that this or another version of Muster has sent.
 * @throws Unreadable
 */
export function readTickMessage(value: unknown): TickMessage {
  return readWith(tickMessage, value, 'a tick');
}
