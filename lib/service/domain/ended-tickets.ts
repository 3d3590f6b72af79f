import * as z from 'zod';

/** How the tickets of a range left the pool. All numbers decay by a factor of e in ten minutes. */
export interface EndedTickets {
  /** The time of the last tick that was added. */
  readonly atMs: number;
  readonly matched: number;
  readonly timedOut: number;
  /** The searches that were cut short because their time was up. */
  readonly cut: number;
}

/** The schema of stored numbers. */
export const endedTickets = z.object({
  atMs: z.number(),
  matched: z.number(),
  timedOut: z.number(),
  // Earlier versions did not count them.
  cut: z.number().default(0),
}) satisfies z.ZodType<EndedTickets>;

const HORIZON_MS = 600_000;

/** The numbers of several ticks or ranges as one, at the time of the latest. All are 0 without any. */
export function mergedEnds(all: readonly EndedTickets[]): EndedTickets {
  const atMs = Math.max(0, ...all.map((one) => one.atMs));
  const sumOf = (key: 'matched' | 'timedOut' | 'cut') =>
    all.reduce((sum, one) => sum + Math.exp((one.atMs - atMs) / HORIZON_MS) * one[key], 0);
  return {
    atMs,
    matched: rounded(sumOf('matched')),
    timedOut: rounded(sumOf('timedOut')),
    cut: rounded(sumOf('cut')),
  };
}

const rounded = (value: number) => Number(value.toPrecision(4));
