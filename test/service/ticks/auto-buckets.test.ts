import { describe, expect, it } from 'vitest';
import type { QueueDefinition } from '../../../lib/contract/queue-definition.ts';
import { estimatesOf } from '../../../lib/policies/memory.ts';
import { BUCKET_LIMITS } from '../../../lib/service/domain/bucket-limits.ts';
import type { BucketLoad } from '../../../lib/service/domain/bucket-load.ts';
import type { Edge } from '../../../lib/service/domain/buckets.ts';
import type { TickReport } from '../../../lib/service/domain/tick-report.ts';
import { balance } from '../../../lib/service/ticks/rebalance.ts';
import { seededRandom } from '../../../lib/simulation/random.ts';
import { NOW_MS } from '../../aws/samples.ts';
import { IS_LONG, sample } from '../../long.ts';
import { DYNAMODB_LIMITS } from '../../memory-dynamodb/aws-limits.ts';
import { AutoRun } from '../auto-run.ts';
import { definition, putQueue } from '../definitions.ts';
import { TimedCloud } from '../timed-cloud.ts';

const load = (share: number, changes: Partial<BucketLoad> = {}): BucketLoad => ({
  share,
  ticketShare: share,
  peak: share,
  lately: share,
  readAtMs: NOW_MS,
  waiting: 0,
  left: 0,
  busy: 0,
  cuts: [],
  ...(share > 1 && { overSinceMs: NOW_MS - 10_000 }),
  ...changes,
});
const balanced = (boundaries: readonly Edge[], loads: readonly (BucketLoad | undefined)[], isCalm = false) =>
  balance(boundaries, loads, isCalm ? 'old' : 'new', NOW_MS, BUCKET_LIMITS);

describe('the boundaries', () => {
  it('stay while no bucket is overloaded', () => {
    expect(balanced([], [load(1)], true)).toBeUndefined();
    expect(balanced([1000], [load(0.4), load(0.4)], true)).toBeUndefined();
    expect(balanced([1000], [undefined, undefined])).toBeUndefined();
  });

  it('split an overloaded bucket at the cuts that its last tick reported', () => {
    expect(balanced([], [load(1.5, { cuts: [900, [1500, 0.25]] })])).toEqual([900, [1500, 0.25]]);
    expect(balanced([1000, 2000], [load(0.1), load(3, { cuts: [1200] }), load(0.1)])).toEqual([
      1000, 1200, 2000,
    ]);
  });

  it('do not split for a burst', () => {
    expect(balanced([], [load(5, { cuts: [900], overSinceMs: NOW_MS - 1_000 })])).toBeUndefined();
  });

  it('split for a slow tick in calm times only', () => {
    const slow = load(1.5, { ticketShare: 0.2, cuts: [900] });
    expect(balanced([], [slow])).toBeUndefined();
    expect(balanced([], [slow], true)).toEqual([900]);
  });

  it('merge quiet neighbours in calm times while their total load is low', () => {
    const quiet = [load(0.1), load(0.1), load(0.1), load(0.6), undefined, load(0.01)];
    expect(balanced([1, 2, 3, 4, 5], quiet)).toBeUndefined();
    expect(balanced([1, 2, 3, 4, 5], quiet, true)).toEqual([2, 3, 4]);
    expect(balanced([1, 2, 3], [undefined, undefined, undefined, undefined], true)).toEqual([]);
  });

  it('merge starved neighbours once the boundaries are settled', () => {
    const starved = (lately: number) => load(0, { peak: 0.9, lately });
    const settled = (loads: BucketLoad[]) => balance([1, 2, 3], loads, 'settled', NOW_MS, BUCKET_LIMITS);
    expect(settled([starved(0.01), starved(0.01), starved(0.02), starved(0.04)])).toEqual([3]);
    expect(settled([starved(0.01), starved(0.03), starved(0.02), starved(0.04)])).toBeUndefined();
    expect(settled([load(0.1), load(0.1), load(0.1), load(0.1)])).toBeUndefined();
    expect(balance([1], [starved(0), starved(0)], 'new', NOW_MS, BUCKET_LIMITS)).toBeUndefined();
  });

  it('use the highest recent load when they merge', () => {
    expect(balanced([1000], [load(0.01, { peak: 0.3 }), load(0.01)], true)).toBeUndefined();
  });

  it('never exceed the maximum of a queue', () => {
    const cuts = Array.from({ length: 200 }, (_, i) => i + 1);
    const both = balanced([1000], [load(50, { cuts }), load(50, { cuts: cuts.map((cut) => 1000 + cut) })])!;
    expect(both.length).toBeLessThan(BUCKET_LIMITS.bucketsMax);
    expect(both.length).toBeGreaterThan(BUCKET_LIMITS.bucketsMax - 4);
    expect([...both].sort((a, b) => Number(a) - Number(b))).toEqual(both);
  });
});

/**
 * A tenth of a bucket's capacity, so that a tenth of the players give the same result. A page of DynamoDB has a tenth of its
 * tickets too, because a pool that is too large to read is cut where pages end.
 */
const A_TENTH = {
  limits: {
    ...BUCKET_LIMITS,
    readTickets: BUCKET_LIMITS.readTickets / 10,
    commitsPerSecond: BUCKET_LIMITS.commitsPerSecond / 10,
    drainsPerSecond: BUCKET_LIMITS.drainsPerSecond / 10,
    endsPerSecond: BUCKET_LIMITS.endsPerSecond / 10,
    arrivalsPerSecond: BUCKET_LIMITS.arrivalsPerSecond / 10,
    waitingTickets: BUCKET_LIMITS.waitingTickets / 10,
    busyTickets: BUCKET_LIMITS.busyTickets / 10,
  },
  pageBytesMax: DYNAMODB_LIMITS.pageBytesMax / 10,
};
const WHOLE = { limits: BUCKET_LIMITS };

describe('a queue with buckets "auto"', () => {
  it('keeps one bucket under a long load within its capacity', async () => {
    const run = await AutoRun.start(seededRandom(1), { teamSize: 5, ...A_TENTH });
    await run.seconds(sample(70, 120), () => 12);
    expect(run.layouts).toEqual([0]);
    expect(run.missed).toEqual([]);
  });

  it('keeps one bucket after a single burst of players', async () => {
    const run = await AutoRun.start(seededRandom(2), { teamSize: 5, ...A_TENTH });
    await run.seconds(60, (second) => (second === 10 ? 90 : 4));
    expect(run.layouts).toEqual([0]);
  });

  it('splits within seconds when a launch brings many times a bucket’s capacity, and then keeps its buckets', async () => {
    const run = await AutoRun.start(seededRandom(3), { teamSize: 5, ...A_TENTH });
    const rate = sample(60, 300);
    await run.seconds(sample(30, 40), () => rate);
    expect(run.firstChangeMs).toBeLessThan(15_000);
    const settled = run.layouts.length;
    run.cloud.keyWritesMax = 0;
    await run.seconds(sample(10, 40), () => rate);
    expect(run.layouts).toHaveLength(settled);
    expect(run.buckets).toBeGreaterThan(rate / 20);
    expect(run.cloud.keyWritesMax).toBeLessThan(50);
    expect(run.missed).toEqual([]);
    expect(run.waitMs(0.5)).toBeLessThan(2_000);
    run.expectNobodyTwice();
  });

  it.runIf(IS_LONG)('uses the arrivals of all buckets together', async () => {
    const run = await AutoRun.start(seededRandom(7), { teamSize: 5, ...A_TENTH });
    const rate = async () => {
      const arrivals = await run.cloud.time.run(() => run.cloud.deps.ranges.arrivals('auto'));
      return estimatesOf(arrivals!, 1).arrivalRate;
    };
    await run.seconds(60, () => 100);
    expect(run.buckets).toBeGreaterThan(5);
    expect((await rate()) / 100).toBeGreaterThan(0.85);
    expect((await rate()) / 100).toBeLessThan(1.15);
  });

  it.runIf(IS_LONG)('splits among players who all have the same skill', async () => {
    const run = await AutoRun.start(seededRandom(4), { teamSize: 5, skill: () => 1500, ...A_TENTH });
    await run.seconds(40, () => 100);
    run.cloud.keyWritesMax = 0;
    await run.seconds(20, () => 100);
    expect(run.buckets).toBeGreaterThan(5);
    expect(run.cloud.keyWritesMax).toBeLessThan(50);
    run.expectNobodyTwice();
  });

  it.runIf(IS_LONG)(
    'follows a load that rises in a minute and falls again, and returns to one bucket later',
    async () => {
      const run = await AutoRun.start(seededRandom(5), { teamSize: 5, ...A_TENTH });
      await run.seconds(60, (second) => 1 + 3 * second);
      const top = run.buckets;
      expect(top).toBeGreaterThan(7);
      await run.seconds(60, (second) => 180 - 3 * second);
      await run.minutes(25, () => 1);
      expect(run.buckets).toBe(1);
      expect(run.missed).toEqual([]);
      expect(run.changesWithin(10 * 60_000)).toBeLessThan(12);
    },
  );

  it.each(sample([A_TENTH], [A_TENTH, WHOLE]))(
    'splits a pool of which one tick reads $limits.readTickets until each part is read whole, and matches it meanwhile',
    async (scale) => {
      const { readTickets, drainsPerSecond } = scale.limits;
      const run = await AutoRun.start(seededRandom(6), { teamSize: 5, ...scale });
      await run.fill(1.5 * readTickets);
      await run.seconds(1, () => 0);
      const isWhole = ({ next, waiting }: TickReport) => next === undefined && waiting <= readTickets;
      expect((await run.reports()).map(isWhole)).toEqual([false]);

      let reports: readonly TickReport[] = [];
      const isSplit = () => reports.length === run.buckets && reports.every(isWhole);
      for (let seconds = 0; seconds < 20 && !isSplit(); seconds++) {
        await run.seconds(1, () => 0);
        reports = await run.reports();
      }
      expect(reports.map(isWhole)).toEqual(Array.from({ length: run.buckets }, () => true));
      // One tick could not read them all yet.
      expect(reports.reduce((sum, { waiting }) => sum + waiting, 0)).toBeGreaterThan(readTickets);

      await run.seconds(20, () => 0);
      const players = 10;
      expect(run.cloud.waiting).toBeLessThan(players * run.buckets);
      // All have the key of the first bucket. No second has more than 1.5 times its rate, but for a game of each range.
      expect(run.cloud.keyWritesMax).toBeLessThan(1.5 * drainsPerSecond + players * (run.buckets + 1));
      run.expectNobodyTwice();
    },
  );
});

describe('a definition with buckets "auto"', () => {
  const put = async (old: readonly Edge[] | undefined, buckets: 'auto' | number[] | undefined) => {
    const cloud = new TimedCloud(NOW_MS);
    const { queues } = cloud.deps;
    const set = (changes: Partial<QueueDefinition>) =>
      cloud.time.run(() => putQueue(queues, definition({ name: 'q', ...changes }), cloud.time.nowMs));
    if (old !== undefined) await set({ buckets: [...old] as number[] });
    await set(buckets === undefined ? { tickSeconds: 2 } : { tickSeconds: 2, buckets });
    return (await cloud.record('q')).layouts.map(({ boundaries }) => boundaries);
  };

  it('starts with one bucket', async () => {
    expect(await put(undefined, 'auto')).toEqual([[]]);
    expect(await put(undefined, undefined)).toEqual([[]]);
  });

  it('continues with the existing buckets', async () => {
    expect(await put([1000, 2000], 'auto')).toEqual([[1000, 2000]]);
  });

  it('is replaced by a list', async () => {
    expect(await put([1000], [500])).toEqual([[1000], [500]]);
    expect(await put([1000], [])).toEqual([[1000], []]);
  });
});
