import * as z from 'zod';
import type { QueueRecord } from './queue-record.ts';

/**
 * A range of a queue whose ticks fail, one after another, is set aside: it is searched again only after a pause, which grows
 * with every further failure. So a queue that cannot be searched takes little of the capacity that all queues share. Its
 * tickets still time out.
 *
 *     searched ──── 3 ticks in a row fail or are stopped ────▶ set aside for 5, 10, 20, 40, then 60 s
 *         ▲                                                      │        ▲
 *         │                                                      │        │ it fails
 *         ├── the tick after a pause succeeds ◀──────────────────┴────────┘
 *         └── the definition or the bucket layout changes
 *
 * The count is in the leases of the range's cells: a tick that fails leaves it there with the end of its lease, and one that
 * is stopped leaves a lease that expires without an end. So a tick that succeeds costs nothing for it. A cell with failures
 * passes them on to each range that contains it, and every success of one of those ends the count in its own cells.
 */

/** The number of failures in a row after which a range is set aside. */
const FAILURES_MAX = 3;
/** The first pause; each further failure doubles it, up to the longest. */
const PAUSE_MS = 5_000;
const PAUSE_MAX_MS = 60_000;

/** The ticks that have failed in a row in a cell. */
export interface FailedTicks {
  /** From 1. */
  readonly count: number;
  /** The slot of the last one, milliseconds since the epoch. */
  readonly atMs: number;
  /** `stopped`: the last one ended without a word, or ran out of time. `error`: it threw. */
  readonly how: 'stopped' | 'error';
}

/** Why a range is not searched, and until when. */
export interface SetAside {
  readonly failed: FailedTicks;
  /** The next tick from this time on searches again, milliseconds since the epoch. */
  readonly untilMs: number;
}

/** The schema of a stored one. */
export const setAside = z.object({
  failed: z.object({ count: z.number(), atMs: z.number(), how: z.enum(['stopped', 'error']) }),
  untilMs: z.number(),
}) satisfies z.ZodType<SetAside>;

/** The failures that count: those before the definition was changed do not. */
export function failuresInForce(
  failed: FailedTicks | undefined,
  { change }: QueueRecord,
): FailedTicks | undefined {
  if (failed === undefined || change?.at === undefined) return failed;
  return Date.parse(change.at) > failed.atMs ? undefined : failed;
}

/** Whether a range with these failures is set aside at a slot. */
export function setAsideAt(failed: FailedTicks | undefined, slotMs: number): SetAside | undefined {
  if (failed === undefined || failed.count < FAILURES_MAX) return undefined;
  const pauseMs = Math.min(PAUSE_MAX_MS, PAUSE_MS * 2 ** (failed.count - FAILURES_MAX));
  const untilMs = failed.atMs + pauseMs;
  return slotMs < untilMs ? { failed, untilMs } : undefined;
}

/** The same for an operator. */
export function whyOf({ failed: { count, how } }: SetAside): string {
  const last =
    how === 'stopped'
      ? 'was stopped, or did not end in time'
      : 'failed; the log of the function tick has the error';
  return `${count} ticks in a row have not succeeded; the last one ${last}`;
}

/** The failures after a tick that threw. */
export function oneMore(before: FailedTicks | undefined, slotMs: number): FailedTicks {
  return { count: (before?.count ?? 0) + 1, atMs: slotMs, how: 'error' };
}
