import { describe, expect, it } from 'vitest';
import { getStats } from '../../../lib/service/queues/stats.ts';
import { type BucketPlan, rangeName, tickRanges } from '../../../lib/service/ticks/buckets.ts';
import type { TickReport } from '../../../lib/service/ticks/tick-report.ts';
import { bucketPlan, NOW_MS } from '../../aws/samples.ts';
import { definition } from '../definitions.ts';

/** The reports of a slot's ticks: for each range of the plan how many waited. */
function reportsOf(plan: BucketPlan, odd: boolean, slotMs: number, waiting: readonly (number | undefined)[]) {
  return tickRanges(plan, odd).flatMap((range, i): [string, TickReport][] =>
    waiting[i] === undefined
      ? []
      : [
          [
            rangeName(range),
            { slotMs, durationMs: 5, waiting: waiting[i], oldestWaitMs: 0, matches: 0, recent: [] },
          ],
        ],
  );
}

/** The statistics of a queue, from its plans and the reports of its ticks alone. */
function stats(plans: readonly BucketPlan[], ...reports: [string, TickReport][][]) {
  const stored = new Map(reports.flat());
  const record = { definition: definition(), version: 1, plans, awakeUntilMs: 0, sentUntilMs: 0 };
  return getStats(
    {
      queues: { get: async () => record } as never,
      ranges: {
        reports: async (_: string, ranges: readonly string[]) =>
          new Map(ranges.flatMap((range) => (stored.has(range) ? [[range, stored.get(range)!]] : []))),
      } as never,
    },
    'duel',
  );
}

const at = (slotMs: number) => new Date(slotMs).toISOString();
const SLOT_MS = NOW_MS;

describe('the number of waiting tickets', () => {
  it('is that of the last tick, with one bucket', async () => {
    const plan = bucketPlan(1);
    const found = await stats([plan], reportsOf(plan, false, SLOT_MS, [7]));
    expect(found).toMatchObject({ waiting: 7, waitingAt: at(SLOT_MS) });
  });

  it('is none before the first tick', async () => {
    expect(await stats([bucketPlan(1, 10)])).toMatchObject({ waiting: 0, waitingAt: null });
  });

  it('is the sum over all ranges of one slot, not of two that cover the same tickets', async () => {
    const plan = bucketPlan(1, 10, 20);
    const even = reportsOf(plan, false, SLOT_MS, [1, 2, 3]);
    const odd = reportsOf(plan, true, SLOT_MS + 1_000, [4, 1]);
    expect(await stats([plan], even, odd)).toMatchObject({ waiting: 5, waitingAt: at(SLOT_MS + 1_000) });
  });

  it('is that of the slot before while ticks of the last slot still run', async () => {
    const plan = bucketPlan(1, 10, 20);
    const older = reportsOf(plan, false, SLOT_MS - 1_000, [9, 2, 3]);
    const running = reportsOf(plan, false, SLOT_MS + 1_000, [1, undefined, undefined]);
    const odd = reportsOf(plan, true, SLOT_MS, [4, 1]);
    expect(await stats([plan], older, running, odd)).toMatchObject({ waiting: 5, waitingAt: at(SLOT_MS) });
  });

  it('takes the last report of a range that misses a slot, and says how old it is', async () => {
    const plan = bucketPlan(1, 10);
    const older = reportsOf(plan, false, SLOT_MS - 4_000, [9, 2]);
    const newer = reportsOf(plan, false, SLOT_MS, [1, undefined]);
    expect(await stats([plan], older, newer)).toMatchObject({ waiting: 3, waitingAt: at(SLOT_MS - 4_000) });
  });

  it('is that of the new plan once all of its ranges were searched', async () => {
    const plans = [bucketPlan(1, 10), bucketPlan(2, 20, 30)];
    const before = reportsOf(plans[0]!, false, SLOT_MS, [3, 4]);
    const some = reportsOf(plans[1]!, false, SLOT_MS + 2_000, [1, undefined, 1]);
    expect(await stats(plans, before, some)).toMatchObject({ waiting: 7 });
    const all = reportsOf(plans[1]!, false, SLOT_MS + 2_000, [1, 2, 1]);
    expect(await stats(plans, before, all)).toMatchObject({ waiting: 4, waitingAt: at(SLOT_MS + 2_000) });
  });
});
