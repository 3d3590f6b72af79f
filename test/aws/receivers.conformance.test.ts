import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { receiverStore } from '../../lib/aws/receiver-store.ts';
import type { ReceiverStore } from '../../lib/service/ports/receiver-store.ts';
import { memoryReceivers } from '../service/events/memory-receivers.ts';
import { type EmulatedTables, STORES, startTables } from './emulated-tables.ts';
import { NOW_MS } from './samples.ts';

/** The store of the functions on all tables, and the one of the simulated traffic. */
const RECEIVERS = [...STORES, { emulator: 'no tables', skipped: undefined } as const];

describe.each(RECEIVERS)('receivers in $emulator', ({ emulator, skipped }) => {
  describe.skipIf(skipped !== undefined)(skipped ?? 'as everywhere', () => {
    let tables: EmulatedTables | undefined;
    let store: ReceiverStore;
    let count = 0;
    const newUrl = () => `https://game.example/${++count}?${'x'.repeat(3_000)}`;
    beforeAll(async () => {
      if (emulator === 'no tables') {
        store = memoryReceivers();
        return;
      }
      tables = await startTables(emulator);
      store = receiverStore(tables.client(), tables.names.receivers);
    });
    afterAll(() => tables?.stop());

    it('have no record without a failure, even when they are cleared or marked as down', async () => {
      const url = newUrl();
      await store.clearFailures(url);
      expect(await store.markDown(url, NOW_MS, undefined)).toBe(false);
      expect(await store.markDown(url, NOW_MS, NOW_MS)).toBe(false);
      expect(await store.get(url)).toBeUndefined();
    });

    it('count failures since the first one', async () => {
      const url = newUrl();
      await store.addFailure(url, NOW_MS, slow(5));
      const second = await store.addFailure(url, NOW_MS + 1, slow(6));
      expect(second).toEqual({ failures: 2, failingSinceMs: NOW_MS, ...slow(6) });
      expect(await store.get(url)).toEqual(second);
    });

    it('count every one of many concurrent failures', async () => {
      const url = newUrl();
      const all = await Promise.all(Array.from({ length: 8 }, () => store.addFailure(url, NOW_MS, slow(0))));
      expect(all.map(({ failures }) => failures).sort()).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    });

    it('are marked as down by one of many callers that have read the same record', async () => {
      const url = newUrl();
      await store.addFailure(url, NOW_MS, slow(0));
      for (const [expected, untilMs] of [
        [undefined, NOW_MS + 1],
        [NOW_MS + 1, NOW_MS + 2],
      ] as const) {
        const taken = await Promise.all(
          Array.from({ length: 4 }, () => store.markDown(url, untilMs, expected)),
        );
        expect(taken.filter(Boolean)).toHaveLength(1);
        expect((await store.get(url))!.downUntilMs).toBe(untilMs);
      }
    });

    it('are neither failing nor down after their failures are cleared, but still slow', async () => {
      const url = newUrl();
      await store.markSlow(url, NOW_MS, slow(9));
      expect(await store.get(url)).toEqual({ failures: 0, ...slow(9) });
      await store.addFailure(url, NOW_MS, slow(10));
      await store.markDown(url, NOW_MS + 5, undefined);
      await store.clearFailures(url);
      expect(await store.get(url)).toEqual({ failures: 0, ...slow(10) });
      expect(await store.markDown(url, NOW_MS + 6, undefined)).toBe(false);
    });

    it('have one trial at a time while they are new', async () => {
      const url = newUrl();
      const begun = await Promise.all(
        Array.from({ length: 4 }, () => store.beginTrial(url, NOW_MS, NOW_MS + 5)),
      );
      expect(begun.filter(Boolean)).toHaveLength(1);
      expect(await store.get(url)).toEqual({ failures: 0, ...never, trialUntilMs: NOW_MS + 5 });
      expect(await store.beginTrial(url, NOW_MS + 4, NOW_MS + 9)).toBe(false);
      expect(await store.beginTrial(url, NOW_MS + 5, NOW_MS + 9)).toBe(true);
      await store.markFast(url, NOW_MS + 6, 0);
      expect(await store.get(url)).toEqual({ failures: 0, ...never, fastAtMs: NOW_MS + 6 });
      expect(await store.beginTrial(url, NOW_MS + 6, NOW_MS + 9)).toBe(true);
      await store.endTrial(url);
      expect(await store.get(url)).toEqual({ failures: 0, ...never, fastAtMs: NOW_MS + 6 });
    });

    it('are marked as fast when their slowness is over and they are not down, and lose the mark when they are slow again', async () => {
      const url = newUrl();
      await store.markFast(url, NOW_MS, 0);
      const fast = { failures: 0, slowUntilMs: 0, slowTimes: 0, fastAtMs: NOW_MS };
      expect(await store.get(url)).toEqual(fast);
      await store.markSlow(url, NOW_MS, slow(5, 1));
      await store.markFast(url, NOW_MS + 4, 1);
      expect(await store.get(url)).toEqual({ failures: 0, ...slow(5, 1) });
      await store.markFast(url, NOW_MS + 5, 1);
      expect(await store.get(url)).toEqual({ failures: 0, ...slow(5, 1), fastAtMs: NOW_MS + 5 });
      await store.addFailure(url, NOW_MS + 6, slow(6, 2));
      expect(await store.get(url)).toEqual({ failures: 1, failingSinceMs: NOW_MS + 6, ...slow(6, 2) });
      await store.markDown(url, NOW_MS + 7, undefined);
      await store.markFast(url, NOW_MS + 9, 2);
      expect(await store.get(url)).not.toHaveProperty('fastAtMs');
      await store.clearFailures(url);
      await store.markFast(url, NOW_MS + 9, 0);
      expect(await store.get(url)).toEqual({ failures: 0, ...slow(6, 0), fastAtMs: NOW_MS + 9 });
    });
  });
});

const never = { slowUntilMs: 0, slowTimes: 0 };

function slow(forMs: number, slowTimes = 0) {
  return { slowUntilMs: NOW_MS + forMs, slowTimes };
}
