import { beforeEach, describe, expect, it } from 'vitest';
import { pollSlots } from '../../../lib/aws/poll-slots.ts';
import type { Caller } from '../../../lib/contract/callers.ts';
import { ConcurrencyLimit, REQUESTS_MAX } from '../../../lib/service/players/concurrency-limit.ts';
import type { PollSlots } from '../../../lib/service/ports/poll-slots.ts';
import { StoreBusy } from '../../../lib/service/ports/store-busy.ts';
import { startTables } from '../../aws/emulated-tables.ts';
import { NOW_MS } from '../../aws/samples.ts';

const ANN: Caller = { scope: 'player', playerId: 'ann' };
const BOB: Caller = { scope: 'player', playerId: 'bob' };
const WAIT_MS = 20_000;

describe('the long requests of a player', () => {
  let nowMs: number;
  let writes: number;
  let slots: PollSlots;
  beforeEach(async () => {
    nowMs = NOW_MS;
    writes = 0;
    const tables = await startTables('memory');
    const client = tables.client(async (_, send) => {
      writes++;
      return send();
    });
    slots = pollSlots(client, tables.names.ranges);
  });

  const clock = { now: () => nowMs, sleep: async () => {} };
  /** A function of its own, as API Gateway starts one for each request that arrives at the same time. */
  const cold = (store = slots) => new ConcurrencyLimit({ slots: store, clock });

  /** A request that ends when it is told to. */
  function begin(caller: Caller, at = cold()) {
    const { promise, resolve } = Promise.withResolvers<string>();
    const begun = Promise.withResolvers<'begun'>();
    const response = at.run(caller, WAIT_MS, () => {
      begun.resolve('begun');
      return promise;
    });
    const outcome = Promise.race([begun.promise, response.catch(({ status }) => status as number)]);
    return { outcome, response, end: () => resolve('done') };
  }

  it('are as many as a player may have, and the others are rejected with the time to wait', async () => {
    const all = Array.from({ length: 40 }, () => begin(ANN));
    const outcomes = await Promise.all(all.map(({ outcome }) => outcome));
    expect(outcomes.filter((one) => one === 'begun')).toHaveLength(REQUESTS_MAX);
    expect(outcomes.filter((one) => one === 429)).toHaveLength(40 - REQUESTS_MAX);
    await expect(begin(ANN).response).rejects.toMatchObject({
      headers: { 'retry-after': expect.stringMatching(/^[1-5]$/) },
    });
    expect(await begin(BOB).outcome).toBe('begun');
  });

  it('free their slots when they end, and at their time when their function has ended', async () => {
    const all = Array.from({ length: REQUESTS_MAX }, () => begin(ANN));
    await Promise.all(all.map(({ outcome }) => outcome));
    all[0]!.end();
    expect(await all[0]!.response).toBe('done');
    expect(await begin(ANN).outcome).toBe('begun');
    expect(await begin(ANN).outcome).toBe(429);
    nowMs += WAIT_MS + 2_000;
    expect(await begin(ANN).outcome).toBe('begun');
  });

  it('that wait to their end cost one write, and rejected ones none in a function that knows', async () => {
    const warm = cold();
    const one = begin(ANN, warm);
    await one.outcome;
    nowMs += WAIT_MS;
    one.end();
    await one.response;
    expect(writes).toBe(1);
    nowMs += 10_000;
    for (let i = 0; i < REQUESTS_MAX; i++) await begin(ANN).outcome;
    expect(await begin(ANN, warm).outcome).toBe(429);
    writes = 0;
    for (let i = 0; i < 100; i++) expect(await begin(ANN, warm).outcome).toBe(429);
    expect(writes).toBe(0);
    // It asks again after a second, because a slot may have been freed.
    nowMs += 1_000;
    expect(await begin(ANN, warm).outcome).toBe(429);
    expect(writes).toBe(1);
  });

  it('are rejected when the table does not keep up with the requests of one player', async () => {
    const busy: PollSlots = { ...slots, take: () => Promise.reject(new StoreBusy('throttled')) };
    expect(await begin(ANN, cold(busy)).outcome).toBe(429);
  });

  it('of backends are not bounded and cost nothing', async () => {
    const all = Array.from({ length: 20 }, () => begin({ scope: 'backend' }));
    expect(await Promise.all(all.map(({ outcome }) => outcome))).toEqual(Array(20).fill('begun'));
    expect(writes).toBe(0);
  });

  it('leave no slot taken after a failure', async () => {
    for (let i = 0; i < 2 * REQUESTS_MAX; i++)
      await expect(
        cold().run(ANN, WAIT_MS, () => Promise.reject(new Error('no such ticket'))),
      ).rejects.toThrow('no such ticket');
  });
});
