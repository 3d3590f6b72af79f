import { expect, it } from 'vitest';
import type { QueueRecord } from '../../../lib/service/domain/queue-record.ts';
import { DEFINITION_AGE_MS } from '../../../lib/service/domain/timing.ts';
import { UnreadableQueue } from '../../../lib/service/domain/unreadable.ts';
import type { QueueStore } from '../../../lib/service/ports/queue-store.ts';
import { cachedQueues, untilInForce } from '../../../lib/service/queues/read-queues.ts';
import { definition } from '../definitions.ts';

const setUp = () => {
  const clock = { nowMs: 100_000, now: () => clock.nowMs };
  let record: QueueRecord | undefined;
  let reads = 0;
  const store = {
    get: async () => {
      reads++;
      return record;
    },
    put: async () => true,
  } as unknown as QueueStore;
  const put = (version: number, changes: Partial<QueueRecord> = {}) => {
    record = { definition: definition(), version, layouts: [], awakeUntilMs: 0, sentUntilMs: 0, ...changes };
    return record;
  };
  return { clock, put, queues: cachedQueues(store, clock), reads: () => reads };
};

it('a queue is read once within the age that the caller allows', async () => {
  const { clock, put, queues, reads } = setUp();
  put(1);
  for (let i = 0; i < 5; i++) {
    expect((await queues.get('duel', 5_000))!.version).toBe(1);
    clock.nowMs += 999;
  }
  expect(reads()).toBe(1);
  put(2);
  clock.nowMs += 5;
  expect((await queues.get('duel', 5_000))!.version).toBe(2);
  expect(reads()).toBe(2);
});

it('a caller without a maximum age reads the queue, and later callers get its result', async () => {
  const { put, queues, reads } = setUp();
  put(1);
  await queues.get('duel', 5_000);
  put(2);
  expect((await queues.get('duel'))!.version).toBe(2);
  expect((await queues.get('duel', 5_000))!.version).toBe(2);
  expect(reads()).toBe(2);
});

it('a missing or deleted queue is read every time', async () => {
  const { put, queues } = setUp();
  expect(await queues.get('duel', 5_000)).toBeUndefined();
  put(1, { deletedAt: '2026-01-01T00:00:00.000Z' });
  expect((await queues.get('duel', 5_000))!.deletedAt).toBeDefined();
  put(2);
  expect((await queues.get('duel', 5_000))!.version).toBe(2);
});

it('a queue that cannot be read is read once within the age that the caller allows', async () => {
  const clock = { nowMs: 100_000, now: () => clock.nowMs };
  let reads = 0;
  const get = async (): Promise<QueueRecord> => {
    reads++;
    throw new UnreadableQueue('duel', 'a definition of a later version');
  };
  const queues = cachedQueues({ get } as unknown as QueueStore, clock);
  for (let i = 0; i < 3; i++) await expect(queues.get('duel', 5_000)).rejects.toThrow('of a later version');
  expect(reads).toBe(1);
  clock.nowMs += 5_000;
  await expect(queues.get('duel', 5_000)).rejects.toThrow('of a later version');
  expect(reads).toBe(2);
});

it('a change through the same store is visible immediately', async () => {
  const { put, queues } = setUp();
  put(1);
  await queues.get('duel', 5_000);
  await queues.put(put(2));
  expect((await queues.get('duel', 5_000))!.version).toBe(2);
});

it('after the response to a change no function uses the definition from before', async () => {
  const { clock, put, queues } = setUp();
  put(1);
  await queues.get('duel', DEFINITION_AGE_MS);
  put(2, { deletedAt: '2026-01-01T00:00:00.000Z' });
  await untilInForce({
    ...clock,
    sleep: async (ms) => {
      expect((await queues.get('duel', DEFINITION_AGE_MS))!.version).toBe(1);
      clock.nowMs += ms;
    },
  });
  expect((await queues.get('duel', DEFINITION_AGE_MS))!.version).toBe(2);
});

it('forgets queues once it has read a thousand, because names of deleted ones never come again', async () => {
  const { put, queues, reads } = setUp();
  put(1);
  const asked = async (name: string) => {
    const before = reads();
    await queues.get(name, 5_000);
    return reads() - before;
  };
  expect([await asked('first'), await asked('first')]).toEqual([1, 0]);
  for (let i = 0; i < 1_000; i++) await asked(`queue-${i}`);
  expect(await asked('first')).toBe(1);
});
