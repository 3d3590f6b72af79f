import type { QueueStats } from '../../contract/queue-stats.ts';
import type { QueueStore } from '../ports/queue-store.ts';
import type { RangeStore } from '../ports/range-store.ts';
import { rangesOf } from '../ticks/buckets.ts';
import { quantile } from './quantile.ts';
import { openQueue } from './queues.ts';
import { waitingCount } from './waiting-count.ts';

/**
 * The statistics of a queue, from the reports of its last ticks. The pool itself is not read.
 * @throws Problem (404)
 */
export async function getStats(
  deps: { readonly queues: QueueStore; readonly ranges: RangeStore },
  queue: string,
): Promise<QueueStats> {
  const record = await openQueue(deps.queues, queue);
  const reports = await deps.ranges.reports(queue, [...new Set(record.layouts.flatMap(rangesOf))]);
  const waiting = waitingCount(record.layouts, reports);
  const all = [...reports.values()];
  const recent = all.flatMap((report) => report.recent);
  const waits = recent.flatMap(({ waitsMs }) => waitsMs).sort((a, b) => a - b);
  const lastSlotMs = Math.max(0, ...all.map(({ slotMs }) => slotMs));
  const last = all.filter(({ slotMs }) => slotMs === lastSlotMs);
  const oldestMs = Math.max(0, ...last.map(({ oldestWaitMs }) => oldestWaitMs));
  return {
    queue,
    waiting: waiting?.tickets ?? 0,
    waitingAt: waiting === undefined ? null : new Date(waiting.slotMs).toISOString(),
    oldestWaitSeconds: oldestMs > 0 ? oldestMs / 1_000 : null,
    lastTickAt: all.length > 0 ? new Date(lastSlotMs).toISOString() : null,
    tickMilliseconds: all.length > 0 ? Math.max(...last.map(({ durationMs }) => durationMs)) : null,
    recentMatches: {
      count: recent.length,
      imbalanceMean:
        recent.length > 0 ? recent.reduce((sum, { imbalance }) => sum + imbalance, 0) / recent.length : null,
      waitSecondsP50: quantileSeconds(waits, 0.5),
      waitSecondsP99: quantileSeconds(waits, 0.99),
    },
  };
}

function quantileSeconds(sortedMs: readonly number[], share: number): number | null {
  const ms = quantile(sortedMs, share);
  return ms === undefined ? null : ms / 1_000;
}
