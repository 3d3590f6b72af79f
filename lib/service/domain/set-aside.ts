import * as z from 'zod';
import type { QueueRecord } from './queue-record.ts';
import { type Read, Unreadable } from './unreadable.ts';

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
 * is stopped leaves a lease that expires without an end. So a tick that succeeds writes nothing for the count. Ranges of even and of
 * odd slots share cells, so the count names the ranges that have failed: it sets aside only these, and only their own success
 * ends it.
 */

/** The number of failures in a row after which a range is set aside. */
const FAILURES_MAX = 3;
/** The first pause; each further failure doubles it, up to the longest. */
const PAUSE_MS = 5_000;
const PAUSE_MAX_MS = 60_000;

/** The ticks that have failed in a row in a cell. */
export const failedTicks = z.object({
  /** From 1. */
  count: z.number(),
  /** The slot of the last one, milliseconds since the epoch. */
  atMs: z.number(),
  /** `stopped`: the last one ended without an error, or ran out of time. `error`: it threw. */
  how: z.enum(['stopped', 'error']),
  /** The names of the ranges whose ticks have failed. @default every range that has the cell */
  ranges: z.array(z.string()).optional(),
});
export type FailedTicks = Read<typeof failedTicks>;

/** Why a range is not searched, and until when. */
export const setAside = z.object({
  failed: failedTicks,
  /** The next tick from this time on searches again, milliseconds since the epoch. */
  untilMs: z.number(),
  /** The reason for an operator. @default the failures */
  why: z.string().exactOptional(),
});
export type SetAside = Read<typeof setAside>;

/** The failures that count. Those from before the last change of the definition do not. */
export function failuresInForce(
  failed: FailedTicks | undefined,
  { change }: QueueRecord,
): FailedTicks | undefined {
  if (failed === undefined || change?.at === undefined) return failed;
  return Date.parse(change.at) > failed.atMs ? undefined : failed;
}

/** Whether a range is set aside at a slot, with the failures of its cells. */
export function setAsideAt(
  failed: FailedTicks | undefined,
  slotMs: number,
  range: string,
): SetAside | undefined {
  if (failed === undefined || failed.count < FAILURES_MAX) return undefined;
  if (failed.ranges?.includes(range) === false) return undefined;
  const pauseMs = Math.min(PAUSE_MAX_MS, PAUSE_MS * 2 ** (failed.count - FAILURES_MAX));
  const untilMs = failed.atMs + pauseMs;
  return slotMs < untilMs ? { failed, untilMs } : undefined;
}

/**
 * A range is also set aside while this version cannot read the journal of a crashed tick, or does not have the function of a
 * custom rule, for example after a rollback. Only the journal names the tickets that the tick has claimed. Every tick tries again.
 */
export function setAsideBy(
  cause: Unreadable | string,
  failed: FailedTicks | undefined,
  slotMs: number,
): SetAside {
  return {
    failed: failed ?? { count: 1, atMs: slotMs, how: 'stopped' },
    untilMs: slotMs,
    why:
      cause instanceof Unreadable
        ? `a tick was stopped, and this version cannot read its journal: ${cause.message}`
        : cause,
  };
}

/** Why a range is set aside, in words for an operator. */
export function whyOf({ failed: { count, how }, why }: SetAside): string {
  if (why !== undefined) return why;
  const last =
    how === 'stopped'
      ? 'was stopped, or did not end in time'
      : 'failed; the log of the function tick has the error';
  return `${count} ticks in a row have not succeeded; the last one ${last}`;
}

/** The failures after one more tick has failed. @param range undefined when an earlier version has not recorded it */
export function withFailure(
  before: FailedTicks | undefined,
  slotMs: number,
  how: FailedTicks['how'],
  range: string | undefined,
): FailedTicks {
  const count = (before?.count ?? 0) + 1;
  if (range === undefined || (before !== undefined && before.ranges === undefined))
    return { count, atMs: slotMs, how };
  return { count, atMs: slotMs, how, ranges: [...othersIn(before, range), range] };
}

/** The failures after a tick that succeeded. Those of other ranges with the same cells remain. */
export function failuresLeft(before: FailedTicks | undefined, range: string): FailedTicks | undefined {
  const ranges = othersIn(before, range);
  return before === undefined || ranges.length === 0 ? undefined : { ...before, ranges };
}

/** The other ranges that have failed and share a cell with a range: at most two. */
function othersIn(failed: FailedTicks | undefined, range: string): string[] {
  const cells = range.split('+');
  return (failed?.ranges ?? []).filter(
    (other) => other !== range && other.split('+').some((cell) => cells.includes(cell)),
  );
}
