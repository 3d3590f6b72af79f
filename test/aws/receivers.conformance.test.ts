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

    it('have no record while they are new', async () => {
      expect(await store.get(newUrl())).toBeUndefined();
    });

    it('count every one of many concurrent failures', async () => {
      const url = newUrl();
      const all = await Promise.all(Array.from({ length: 8 }, () => store.addFailure(url, NOW_MS)));
      expect(all.map(({ failures }) => failures).sort()).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
      expect(await store.get(url)).toEqual({ failures: 8 });
    });

    it('are marked as down by one of many callers, and again when the time is over', async () => {
      const url = newUrl();
      for (const nowMs of [NOW_MS, NOW_MS + 5]) {
        const taken = await Promise.all(
          Array.from({ length: 4 }, () => store.markDown(url, nowMs, nowMs + 5)),
        );
        expect(taken.filter(Boolean)).toHaveLength(1);
        expect(await store.markDown(url, nowMs + 4, NOW_MS + 99)).toBe(false);
        expect(await store.get(url)).toEqual({ failures: 0, downUntilMs: nowMs + 5 });
      }
    });

    it('are neither failing nor down after they are marked as up, and fast or not', async () => {
      const url = newUrl();
      await store.addFailure(url, NOW_MS);
      await store.markDown(url, NOW_MS, NOW_MS + 5);
      await store.markUp(url, NOW_MS, undefined);
      expect(await store.get(url)).toEqual({ failures: 0 });
      await store.markUp(url, NOW_MS, NOW_MS + 7);
      expect(await store.get(url)).toEqual({ failures: 0, fastAtMs: NOW_MS + 7 });
      await store.markUp(url, NOW_MS, undefined);
      expect(await store.get(url)).toEqual({ failures: 0 });
    });

    it('are neither fast nor marked as down after a failure', async () => {
      const url = newUrl();
      await store.markUp(url, NOW_MS, NOW_MS);
      await store.markDown(url, NOW_MS, NOW_MS + 5);
      expect(await store.addFailure(url, NOW_MS)).toEqual({ failures: 1 });
      expect(await store.get(url)).toEqual({ failures: 1 });
    });
  });
});
