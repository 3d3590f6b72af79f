import { type BucketLayout, rangeName, tickRanges } from '../domain/buckets.ts';
import type { TickReport } from '../domain/tick-report.ts';

/** The number of tickets that were waiting after a queue's last ticks. */
export interface WaitingCount {
  readonly tickets: number;
  /** The slot of the oldest report counted, milliseconds since the epoch. */
  readonly slotMs: number;
}

/**
 * Counts waiting tickets from the reports of ticks. The ranges of one layout at even slots contain every ticket once, and so do
 * those at odd slots. Of these sets, the one whose oldest report is the newest is counted. So a slot whose ticks are still
 * running is never counted if there is another.
 * @returns undefined without reports
 */
export function waitingCount(
  layouts: readonly BucketLayout[],
  reports: ReadonlyMap<string, TickReport>,
): WaitingCount | undefined {
  const sets = layouts
    .flatMap((layout) => [tickRanges(layout, false), tickRanges(layout, true)])
    .map((ranges) => {
      const found = ranges.flatMap((range) => reports.get(rangeName(range)) ?? []);
      return { found, isComplete: found.length === ranges.length, slotMs: oldestSlotMs(found) };
    })
    .filter(({ found }) => found.length > 0)
    .sort((a, b) => Number(b.isComplete) - Number(a.isComplete) || b.slotMs - a.slotMs);
  const [best] = sets;
  return best && { tickets: best.found.reduce((sum, { waiting }) => sum + waiting, 0), slotMs: best.slotMs };
}

function oldestSlotMs(reports: readonly TickReport[]): number {
  return reports.reduce((oldest, { slotMs }) => Math.min(oldest, slotMs), Number.POSITIVE_INFINITY);
}
