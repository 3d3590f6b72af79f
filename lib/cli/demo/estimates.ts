import type { TicketView } from '../../contract/ticket.ts';

/** The estimate of a ticket when it was posted, and its wait. */
export interface Told {
  readonly atMs: number;
  readonly p50Ms: number;
  /** Undefined when it got only the median. */
  readonly p90Ms: number | undefined;
  /** Its wait; undefined while it has no match. */
  waitedMs: number | undefined;
}

/** The estimate in the response to a new ticket; undefined when there is none yet. */
export function toldOf({ enqueuedAt, estimatedWaitSeconds }: TicketView): Told | undefined {
  if (estimatedWaitSeconds === undefined) return undefined;
  const { p50, p90 } = estimatedWaitSeconds;
  return {
    atMs: Date.parse(enqueuedAt),
    p50Ms: 1_000 * p50,
    p90Ms: p90 === undefined ? undefined : 1_000 * p90,
    waitedMs: undefined,
  };
}

/**
 * The share that was matched within its estimated time, of the tickets whose time is over: those that still wait would
 * be counted as matched only once they are.
 */
export function shareInTime(
  told: readonly Told[],
  timeOf: (one: Told) => number | undefined,
  nowMs: number,
): number | undefined {
  let due = 0;
  let inTime = 0;
  for (const one of told) {
    const timeMs = timeOf(one);
    if (timeMs === undefined || one.atMs + timeMs > nowMs) continue;
    due++;
    if (one.waitedMs !== undefined && one.waitedMs <= timeMs) inTime++;
  }
  return due === 0 ? undefined : inTime / due;
}
