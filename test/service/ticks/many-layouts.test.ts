import { describe, expect, it } from 'vitest';
import { Problem } from '../../../lib/contract/problem.ts';
import type { QueueDefinition } from '../../../lib/contract/queue-definition.ts';
import type { BucketLayout } from '../../../lib/service/domain/buckets.ts';
import { enqueue } from '../../../lib/service/tickets/enqueue.ts';
import { dispatch } from '../../../lib/service/ticks/dispatch.ts';
import { ticket } from '../../aws/samples.ts';
import { definition, putQueue } from '../definitions.ts';
import { ownCloudForEachTest } from '../own-cloud.ts';
import type { Line, VirtualCloud } from '../virtual-cloud.ts';

describe('a queue whose buckets change without end', () => {
  let cloud: VirtualCloud;
  let queue: string;
  ownCloudForEachTest('memory', (own) => {
    ({ cloud, queue } = own);
  });

  /** 256 buckets, different ones each time. */
  const manyBuckets = (i: number) => Array.from({ length: 255 }, (_, k) => 10 * (k + 1) + i / 1_000);
  const define = (changes: Partial<QueueDefinition>, name = queue) =>
    putQueue(cloud.deps.queues, definition({ name, timeoutSeconds: 3_600, ...changes }), cloud.nowMs);
  const layouts = async () => (await cloud.deps.queues.get(queue))!.layouts;
  const join = (to: string, name: string, skill: number) => {
    const { ticketId, players } = ticket(to, `${queue}:${name}`, [skill]);
    return enqueue(cloud.deps, to, { ticketId, players }, cloud.nowMs);
  };
  /** Changes the buckets until this is refused. */
  const untilRefused = async () => {
    for (let i = 0; i < 90; i++) {
      try {
        await define({ buckets: manyBuckets(i) });
      } catch (error) {
        if (error instanceof Problem) return error;
        throw error;
      }
      cloud.nowMs += 1_100;
    }
    throw new Error('Expected a refusal');
  };

  it('gets the time of the next try, and can be changed then', async () => {
    await define({ buckets: manyBuckets(100) });
    const refusal = await untilRefused();
    expect(refusal.status).toBe(409);
    expect(refusal.message).toMatch(/^Expected fewer changes of buckets: the 8 earlier bucket layouts/);
    expect(await layouts()).toHaveLength(8);
    // Other changes are possible.
    await define({ buckets: manyBuckets(6), beta: 2 });
    cloud.nowMs += 1_000 * Number(refusal.headers['retry-after']);
    await dispatch(cloud.deps, cloud.nowMs);
    await define({ buckets: manyBuckets(101) });
    expect((await layouts()).at(-1)!.boundaries[0]).toBe(10.101);
  });

  it('keeps the layouts that have tickets, and drops the others', async () => {
    await define({ buckets: manyBuckets(100) });
    await join(queue, 'first', 5);
    await untilRefused();
    cloud.nowMs += 10 * 60_000;
    await dispatch(cloud.deps, cloud.nowMs);
    expect((await layouts()).map(({ version }) => version)).toEqual([1, 8]);
  });

  it('gets no new buckets under load before older ones are dropped', async () => {
    await define({ buckets: manyBuckets(100) });
    await untilRefused();
    await define({ buckets: 'auto' });
    cloud.nowMs += 60_000;
    const before = await layouts();
    await dispatch(cloud.deps, cloud.nowMs);
    expect(await layouts()).toEqual(before);
  });

  it('has more layouts than a run has time for: each minute drops some, and other queues are still woken', async () => {
    for (const record of (await cloud.deps.queues.list()).records) await cloud.deps.queues.remove(record);
    await define({ buckets: manyBuckets(29) });
    const stored = (await cloud.deps.queues.get(queue))!;
    const all = Array.from({ length: 30 }, (_, i): BucketLayout => {
      return { version: i + 1, boundaries: manyBuckets(i), fromMs: cloud.nowMs - 3_600_000 + i };
    });
    await cloud.deps.queues.put({ ...stored, version: stored.version + 1, layouts: all });
    const others = [`a-${queue}`, `z-${queue}`];
    for (const name of others) {
      await define({ name }, name);
      await join(name, name, 1_500);
    }
    // A call takes a millisecond, one after another.
    const slow: Line = async (_, effect) => {
      cloud.nowMs += 1;
      return effect();
    };
    let minutes = 0;
    for (; (await layouts()).length > 1 && minutes < 60; minutes++) {
      const startMs = cloud.nowMs;
      const { awake, cut, failed } = await cloud.on(slow, () => dispatch(cloud.deps, startMs));
      expect(awake).toEqual(expect.arrayContaining(others));
      expect([cut, failed]).toEqual([cut.length > 0 ? [queue] : [], []]);
      if (minutes === 0) expect(cut).toEqual([queue]);
      expect(cloud.nowMs - startMs).toBeLessThan(25_000);
      cloud.nowMs = startMs + 60_000;
    }
    expect(minutes).toBeGreaterThan(3);
    expect((await layouts()).map(({ version }) => version)).toEqual([30]);
  });
});
