import * as z from 'zod';
import { readWith } from '../ports/unreadable.ts';

/**
 * One tick, as it travels. The message of a slot names no range: it is sent minutes before, and the layout in force
 * when it is due decides which ranges there are. With several ranges it becomes a message for each of them.
 */
export interface TickMessage {
  readonly queue: string;
  /** When it is due, milliseconds since the epoch, a multiple of tickSeconds. */
  readonly slotMs: number;
  /** The version of the bucket layout whose range is meant. */
  readonly layout?: number | undefined;
  /** Index of the range in `tickRanges` of that layout and slot. */
  readonly range?: number | undefined;
}

/** A message names the layout `plan`, as in version 0.1. */
const tickMessage = z
  .object({
    queue: z.string(),
    slotMs: z.number(),
    plan: z.number().optional(),
    range: z.number().optional(),
  })
  .transform(({ plan, ...rest }): TickMessage => ({ ...rest, ...(plan !== undefined && { layout: plan }) }));

/** A tick as a message carries it. */
export function toWire({ layout, ...rest }: TickMessage): z.input<typeof tickMessage> {
  return { ...rest, ...(layout !== undefined && { plan: layout }) };
}

/**
 * Reads a tick that this or another version of Muster has sent.
 * @throws Unreadable
 */
export function readTickMessage(value: unknown): TickMessage {
  return readWith(tickMessage, value, 'a tick');
}
