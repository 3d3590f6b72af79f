import * as z from 'zod';
import type { QueueStore, TicketStore } from '../ports.ts';
import { rangesOf } from '../ticks/buckets.ts';
import { quantile } from './quantile.ts';
import { openQueue } from './queues.ts';

const seconds = z.number().nullable();

export const queueStats = z
  .object({
    queue: z.string(),
    waiting: z.number().int().meta({ description: 'Tickets that wait now' }),
    oldestWaitSeconds: seconds.meta({ description: 'As of the last tick; null when nobody waited' }),
    lastTickAt: z.iso.datetime().nullable(),
    tickMilliseconds: z
      .number()
      .nullable()
      .meta({ description: 'How long the last tick took; of several buckets, the longest' }),
    recentMatches: z
      .object({
        count: z.number().int(),
        imbalanceMean: z.number().nullable(),
        waitSecondsP50: seconds,
        waitSecondsP99: seconds,
      })
      .meta({ description: 'Over the last matches of each bucket, 20 at most' }),
  })
  .meta({ id: 'QueueStats' });
export type QueueStats = z.output<typeof queueStats>;

/**
 * How a queue is doing.
 * @throws Problem (404)
 */
export async function getStats(
  deps: { readonly queues: QueueStore; readonly tickets: TicketStore },
  queue: string,
): Promise<QueueStats> {
  const record = await openQueue(deps.queues, queue);
  const [counts, reports] = await Promise.all([
    Promise.all(record.plans.map((plan) => deps.tickets.count(queue, plan))),
    deps.queues.reports(queue, [...new Set(record.plans.flatMap(rangesOf))]),
  ]);
  const all = [...reports.values()];
  const recent = all.flatMap((report) => report.recent);
  const waits = recent.flatMap(({ waitsMs }) => waitsMs).sort((a, b) => a - b);
  const lastSlotMs = Math.max(0, ...all.map(({ slotMs }) => slotMs));
  const last = all.filter(({ slotMs }) => slotMs === lastSlotMs);
  const oldestMs = Math.max(0, ...last.map(({ oldestWaitMs }) => oldestWaitMs));
  return {
    queue,
    waiting: counts.reduce((a, b) => a + b, 0),
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
