import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { deliveryStore } from '../../lib/aws/delivery-store.ts';
import { type DeliveryStore, WAITING_SEEN_MS } from '../../lib/service/ports/delivery-store.ts';
import { memoryDeliveries } from '../service/events/memory-deliveries.ts';
import { type EmulatedTables, STORES, startTables } from './emulated-tables.ts';
import { NOW_MS } from './samples.ts';

const RECENT = { posted: 3, failed: 2 };

/** The store of the functions on all tables, and the one of the simulated traffic. */
const DELIVERIES = [...STORES, { emulator: 'no tables', skipped: undefined } as const];

describe.each(DELIVERIES)('deliveries in $emulator', ({ emulator, skipped }) => {
  describe.skipIf(skipped !== undefined)(skipped ?? 'as everywhere', () => {
    let tables: EmulatedTables | undefined;
    let store: DeliveryStore;
    let count = 0;
    let url: string;
    beforeAll(async () => {
      if (emulator === 'no tables') {
        store = memoryDeliveries();
        return;
      }
      tables = await startTables(emulator);
      store = deliveryStore(tables.client(), tables.names.receivers);
    });
    afterAll(() => tables?.stop());
    beforeEach(() => {
      url = `https://game.example/${++count}`;
    });
    const record = (nowMs = NOW_MS) => store.get('q', url, nowMs);

    it('have no record before the first, and none of another queue', async () => {
      await store.succeeded('other', url, RECENT, NOW_MS);
      expect(await record()).toBeUndefined();
    });

    it('count failures until a success', async () => {
      const failure = { atMs: NOW_MS, text: 'no response' };
      expect(await store.failed('q', url, RECENT, failure)).toBe(1);
      expect(await store.failed('q', url, RECENT, { ...failure, status: 500 })).toBe(2);
      expect(await record()).toEqual({
        failures: 2,
        recent: RECENT,
        lastFailure: { ...failure, status: 500 },
      });
      await store.succeeded('q', url, RECENT, NOW_MS + 1);
      expect(await record()).toMatchObject({ failures: 0, lastSuccessMs: NOW_MS + 1 });
      expect(await store.failed('q', url, RECENT, failure)).toBe(1);
    });

    it('know how many wait, and since when the first does', async () => {
      await store.waitStarted('q', url, NOW_MS, NOW_MS);
      await store.waitStarted('q', url, NOW_MS + 5, NOW_MS + 5);
      expect((await record())!.waiting).toEqual({ count: 2, sinceMs: NOW_MS });
      await store.stillWaiting('q', url, NOW_MS + 5, NOW_MS + 10);
      expect((await record())!.waiting!.sinceMs).toBe(NOW_MS);
      await store.waitEnded('q', url, NOW_MS, NOW_MS + 20);
      await store.stillWaiting('q', url, NOW_MS + 5, NOW_MS + 30);
      expect((await record())!.waiting).toEqual({ count: 1, sinceMs: NOW_MS + 5 });
      await store.waitEnded('q', url, NOW_MS + 5, NOW_MS + 40);
      expect(await record()).toEqual({ failures: 0 });
    });

    it('know that none waits as the first when the first of them ends at once', async () => {
      await store.waitStarted('q', url, NOW_MS - 30, NOW_MS);
      await store.waitEnded('q', url, NOW_MS - 30, NOW_MS + 5);
      await store.waitStarted('q', url, NOW_MS + 60_000, NOW_MS + 60_000);
      await store.stillWaiting('q', url, NOW_MS + 60_000, NOW_MS + 70_000);
      expect((await record())!.waiting).toEqual({ count: 1, sinceMs: NOW_MS + 60_000 });
    });

    it('count each of those that start at the same moment', async () => {
      const start = () =>
        Promise.all(Array.from({ length: 10 }, () => store.waitStarted('q', url, NOW_MS, NOW_MS)));
      await start();
      expect((await record())!.waiting).toEqual({ count: 10, sinceMs: NOW_MS });
      await start();
      expect((await record())!.waiting!.count).toBe(20);
    });

    it('forget those of a function that was stopped', async () => {
      await store.waitStarted('q', url, NOW_MS, NOW_MS);
      const laterMs = NOW_MS + WAITING_SEEN_MS + 1;
      expect(await record(laterMs)).toEqual({ failures: 0 });
      await store.waitStarted('q', url, laterMs, laterMs);
      expect((await record(laterMs))!.waiting).toEqual({ count: 1, sinceMs: laterMs });
    });

    it('take another as the first when the first is no longer reported', async () => {
      await store.waitStarted('q', url, NOW_MS, NOW_MS);
      await store.waitStarted('q', url, NOW_MS + 5, NOW_MS + 5);
      const laterMs = NOW_MS + WAITING_SEEN_MS + 1;
      await store.stillWaiting('q', url, NOW_MS + 5, laterMs);
      expect((await record(laterMs))!.waiting!.sinceMs).toBe(NOW_MS + 5);
    });
  });
});
