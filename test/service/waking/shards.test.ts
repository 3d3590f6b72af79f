import { describe, expect, it } from 'vitest';
import { BUCKET_LIMITS } from '../../../lib/service/domain/bucket-limits.ts';
import type { BucketLoad } from '../../../lib/service/domain/bucket-load.ts';
import { type BucketLayout, poolKeys, tickRanges } from '../../../lib/service/domain/buckets.ts';
import type { QueueRecord } from '../../../lib/service/domain/queue-record.ts';
import { StoreBusy } from '../../../lib/service/ports/store-busy.ts';
import { commitRate } from '../../../lib/service/ticks/pace.ts';
import { addShards, endShards, poolWriter } from '../../../lib/service/waking/shards.ts';
import { bucketLayout, NOW_MS, ticket } from '../../aws/samples.ts';
import { definition } from '../definitions.ts';

const MINUTE = 60_000;

/** A queue whose record is put on the condition that its version is as read. */
function queueOf(...layouts: BucketLayout[]) {
  const queue = {
    record: {
      definition: definition({ name: 'q' }),
      version: 1,
      layouts,
      awakeUntilMs: 0,
      sentUntilMs: 0,
    } as QueueRecord,
    get byName() {
      return new Map([['q', queue.record]]);
    },
    /** Called before each put. */
    beforePut: () => {},
    puts: 0,
    store: {
      get: async () => queue.record,
      put: async (record: QueueRecord) => {
        queue.beforePut();
        queue.puts++;
        if (record.version !== queue.record.version + 1) return false;
        queue.record = record;
        return true;
      },
    } as never,
  };
  return queue;
}

const shardsOf = (queue: { record: QueueRecord }) => queue.record.layouts.map(({ shards }) => shards?.count);

describe('a queue whose key is throttled', () => {
  it('gets shards in its layout in force at once, more for fewer buckets', async () => {
    for (const [buckets, count] of [
      [1, 32],
      [8, 32],
      [64, 4],
      [256, 2],
    ] as const) {
      const layout = bucketLayout(3, ...Array.from({ length: buckets - 1 }, (_, i) => i + 1));
      const queue = queueOf(bucketLayout(2), layout);
      const changed = await addShards(queue.store, { queue: 'q', layout }, NOW_MS);
      expect(changed).toEqual({ ...layout, shards: { count, sinceMs: NOW_MS } });
      expect(queue.record.layouts).toEqual([bucketLayout(2), changed]);
    }
  });

  it('gets them once when many callers are throttled', async () => {
    const layout = bucketLayout(1);
    const queue = queueOf(layout);
    const known = { queue: 'q', layout };
    const changed = await Promise.all([1, 2, 3].map(() => addShards(queue.store, known, NOW_MS)));
    expect(new Set(changed.map((one) => JSON.stringify(one))).size).toBe(1);
    expect(queue.record.version).toBe(2);
    expect(await addShards(queue.store, { queue: 'q', layout: changed[0]! }, NOW_MS)).toBeUndefined();
  });

  it('keeps the changes that others make at the same time', async () => {
    const layout = bucketLayout(1);
    const queue = queueOf(layout);
    const next = { ...bucketLayout(2, 1000), fromMs: NOW_MS + 3_000 };
    queue.beforePut = () => {
      queue.beforePut = () => {};
      queue.record = { ...queue.record, version: 2, layouts: [layout, next] };
    };
    await addShards(queue.store, { queue: 'q', layout }, NOW_MS);
    expect(shardsOf(queue)).toEqual([32, undefined]);
    expect(queue.record.layouts[1]).toEqual(next);
  });

  it('stores the tickets of the request under the new keys, and adds them once', async () => {
    const queue = queueOf(bucketLayout(1));
    const stored: (number | undefined)[] = [];
    const tickets = {
      create: async (_: unknown, { shards }: BucketLayout) => {
        if (shards === undefined) throw new StoreBusy('throttled');
        stored.push(shards.count);
        return { created: true };
      },
    } as never;
    const write = poolWriter({ tickets, queues: queue.store }, NOW_MS);
    const results = await Promise.all(
      [1, 2, 3].map((i) => write(ticket('q', `t${i}`, i), queue.byName, false)),
    );
    expect(results).toEqual([{ created: true }, { created: true }, { created: true }]);
    expect(stored).toEqual([32, 32, 32]);
    expect(queue.puts).toBe(1);
  });

  it('rejects the ticket when the new keys are throttled too', async () => {
    const queue = queueOf(bucketLayout(1));
    const tickets = { create: () => Promise.reject(new StoreBusy('throttled')) } as never;
    const write = poolWriter({ tickets, queues: queue.store }, NOW_MS);
    await expect(write(ticket('q', 't', 1), queue.byName, false)).rejects.toThrow(StoreBusy);
    const again = poolWriter({ tickets, queues: queue.store }, NOW_MS);
    await expect(again(ticket('q', 't', 1), queue.byName, false)).rejects.toThrow(StoreBusy);
    expect(queue.puts).toBe(1);
  });
});

describe('shards', () => {
  const sharded = { ...bucketLayout(4, 1000), shards: { count: 32, sinceMs: NOW_MS } };
  const endWith = async (ticketShare: number | undefined, nowMs: number) => {
    const queue = queueOf(sharded);
    const load = { ticketShare } as BucketLoad;
    const reports = async () => new Map(ticketShare === undefined ? [] : [['4.0', { load }]]);
    await endShards({ queues: queue.store, ranges: { reports } as never }, queue.record, nowMs);
    return shardsOf(queue);
  };

  it('end with a new layout of the same buckets when these have been quiet', async () => {
    const queue = queueOf(sharded);
    const nowMs = NOW_MS + 11 * MINUTE;
    await endShards(
      { queues: queue.store, ranges: { reports: async () => new Map() } as never },
      queue.record,
      nowMs,
    );
    expect(queue.record.layouts).toEqual([
      sharded,
      { version: 5, boundaries: [1000], fromMs: nowMs + 3_000 },
    ]);
  });

  it('stay for ten minutes, and while a bucket has more load than one key can take', async () => {
    expect(await endWith(0.1, NOW_MS + 9 * MINUTE)).toEqual([32]);
    expect(await endWith(1.5, NOW_MS + 11 * MINUTE)).toEqual([32]);
    expect(await endWith(0.9, NOW_MS + 11 * MINUTE)).toEqual([32, undefined]);
    expect(await endWith(undefined, NOW_MS + 11 * MINUTE)).toEqual([32, undefined]);
  });
});

describe('the rate of commits', () => {
  const rateOf = (layouts: BucketLayout[], odd: boolean, pools: Record<string, number>, index = 0) => {
    const ranges = tickRanges(layouts.at(-1)!, odd);
    const counts = new Map(Object.entries(pools));
    return commitRate('q', layouts, layouts.at(-1)!, ranges[index]!, ranges, counts, BUCKET_LIMITS);
  };
  const { commitsPerSecond, drainsPerSecond } = BUCKET_LIMITS;

  it('is that of one key in a queue with one bucket', () => {
    expect(rateOf([bucketLayout(1)], false, { 'q#1.0': 50 })).toBe(commitsPerSecond);
    expect(rateOf([bucketLayout(1)], false, {})).toBe(commitsPerSecond);
  });

  it('grows with the shards among which the tickets are spread', () => {
    const sharded = { ...bucketLayout(1), shards: { count: 4, sinceMs: 0 } };
    const keys = poolKeys('q', sharded);
    const even = Object.fromEntries(keys.map((key) => [key, 25]));
    expect(rateOf([sharded], false, even)).toBe(4 * commitsPerSecond);
    expect(rateOf([sharded], false, { ...even, [keys[0]!]: 75 })).toBe(2 * commitsPerSecond);
  });

  it('is shared by the ranges of an odd slot that meet in a bucket', () => {
    const layout = bucketLayout(1, 10, 20, 30);
    expect(rateOf([layout], true, { 'q#1.1': 50, 'q#1.2': 50 }, 1)).toBe(commitsPerSecond);
    expect(rateOf([layout], true, { 'q#1.1': 100 }, 1)).toBe(commitsPerSecond / 2);
  });

  it('is shared by all ranges when the tickets are in the only bucket of an earlier layout', () => {
    const layouts = [bucketLayout(1), bucketLayout(2, 10, 20, 30)];
    expect(rateOf(layouts, false, { 'q#1.0': 100 })).toBe(drainsPerSecond / 4);
    expect(rateOf(layouts, false, { 'q#1.0': 50, 'q#2.0': 50 })).toBe(drainsPerSecond / 2);
  });
});
