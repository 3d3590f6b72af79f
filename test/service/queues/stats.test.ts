import { describe, expect, it } from 'vitest';
import { type BucketLayout, rangeName, tickRanges } from '../../../lib/service/domain/buckets.ts';
import type { TickReport } from '../../../lib/service/domain/tick-report.ts';
import { getStats } from '../../../lib/service/queues/stats.ts';
import { bucketLayout, NOW_MS } from '../../aws/samples.ts';
import { definition } from '../definitions.ts';

/** The reports of a slot's ticks: the number of waiting tickets in each range of the layout. */
function reportsOf(
  layout: BucketLayout,
  odd: boolean,
  slotMs: number,
  waiting: readonly (number | undefined)[],
) {
  return tickRanges(layout, odd).flatMap((range, i): [string, TickReport][] =>
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

/** The statistics of a queue, computed from its layouts and the reports of its ticks alone. */
function stats(layouts: readonly BucketLayout[], ...reports: [string, TickReport][][]) {
  const stored = new Map(reports.flat());
  const record = { definition: definition(), version: 1, layouts, awakeUntilMs: 0, sentUntilMs: 0 };
  return getStats(
    {
      queues: { get: async () => record } as never,
      ranges: {
        reports: async (_: string, ranges: readonly string[]) =>
          new Map(ranges.flatMap((range) => (stored.has(range) ? [[range, stored.get(range)!]] : []))),
      } as never,
      deliveryRecords: { get: async () => undefined },
      receivers: { get: async () => undefined },
      outcomes: { add: async () => true, recent: async () => [] },
      failedShareMax: 0.25,
    },
    'duel',
    NOW_MS,
  );
}

const at = (slotMs: number) => new Date(slotMs).toISOString();
const SLOT_MS = NOW_MS;

describe('the number of waiting tickets', () => {
  it('is that of the last tick, with one bucket', async () => {
    const layout = bucketLayout(1);
    const found = await stats([layout], reportsOf(layout, false, SLOT_MS, [7]));
    expect(found).toMatchObject({ waiting: 7, waitingAt: at(SLOT_MS) });
  });

  it('is none before the first tick', async () => {
    expect(await stats([bucketLayout(1, 10)])).toMatchObject({ waiting: 0, waitingAt: null });
  });

  it('is the sum over all ranges of one slot, not of two that cover the same tickets', async () => {
    const layout = bucketLayout(1, 10, 20);
    const even = reportsOf(layout, false, SLOT_MS, [1, 2, 3]);
    const odd = reportsOf(layout, true, SLOT_MS + 1_000, [4, 1]);
    expect(await stats([layout], even, odd)).toMatchObject({ waiting: 5, waitingAt: at(SLOT_MS + 1_000) });
  });

  it('is that of the previous slot while ticks of the last slot run', async () => {
    const layout = bucketLayout(1, 10, 20);
    const older = reportsOf(layout, false, SLOT_MS - 1_000, [9, 2, 3]);
    const running = reportsOf(layout, false, SLOT_MS + 1_000, [1, undefined, undefined]);
    const odd = reportsOf(layout, true, SLOT_MS, [4, 1]);
    expect(await stats([layout], older, running, odd)).toMatchObject({ waiting: 5, waitingAt: at(SLOT_MS) });
  });

  it('takes the last report of a range that misses a slot, and says how old it is', async () => {
    const layout = bucketLayout(1, 10);
    const older = reportsOf(layout, false, SLOT_MS - 4_000, [9, 2]);
    const newer = reportsOf(layout, false, SLOT_MS, [1, undefined]);
    expect(await stats([layout], older, newer)).toMatchObject({ waiting: 3, waitingAt: at(SLOT_MS - 4_000) });
  });

  it('is that of the new layout once all of its ranges have been searched', async () => {
    const layouts = [bucketLayout(1, 10), bucketLayout(2, 20, 30)];
    const before = reportsOf(layouts[0]!, false, SLOT_MS, [3, 4]);
    const some = reportsOf(layouts[1]!, false, SLOT_MS + 2_000, [1, undefined, 1]);
    expect(await stats(layouts, before, some)).toMatchObject({ waiting: 7 });
    const all = reportsOf(layouts[1]!, false, SLOT_MS + 2_000, [1, 2, 1]);
    expect(await stats(layouts, before, all)).toMatchObject({ waiting: 4, waitingAt: at(SLOT_MS + 2_000) });
  });
});

describe('how tickets ended', () => {
  const ended = (atMs: number, matched: number, timedOut: number) => ({
    slotMs: atMs,
    durationMs: 5,
    waiting: 0,
    oldestWaitMs: 0,
    matches: 0,
    recent: [],
    counted: [{ minute: atMs / 60_000, counts: { found: 1, matched, timedOut } }],
  });
  const [low, high] = tickRanges(bucketLayout(1, 10), false).map(rangeName) as [string, string];

  it('is unknown before a ticket has ended', async () => {
    const found = await stats([bucketLayout(1)], reportsOf(bucketLayout(1), false, SLOT_MS, [7]));
    expect(found.recentEnds).toEqual({ tickets: 0, timedOutShare: null });
  });

  it('adds up the last minutes of all ranges', async () => {
    const reports: [string, TickReport][] = [
      [low, ended(SLOT_MS, 30, 10)],
      [high, ended(SLOT_MS - 300_000, 60, 0)],
    ];
    const { recentEnds, outcomes } = await stats([bucketLayout(1, 10)], reports);
    expect(recentEnds).toEqual({ tickets: 100, timedOutShare: 0.1 });
    expect(outcomes).toEqual({
      since: at(SLOT_MS - 300_000),
      tickets: { matched: 90, timedOut: 10, cancelled: 0, returned: 0 },
      matches: { found: 2, requeued: 0, ended: 0 },
    });
  });

  it('leaves out what is older', async () => {
    const found = await stats([bucketLayout(1, 10)], [[low, ended(SLOT_MS - 360_000, 100, 0)]]);
    expect(found.recentEnds).toEqual({ tickets: 0, timedOutShare: null });
  });
});
