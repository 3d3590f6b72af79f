import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { connectionStore } from '../../lib/aws/connection-store.ts';
import type { Connection } from '../../lib/service/domain/connection.ts';
import { type ConnectionStore, FRAMES_COUNTED_MS } from '../../lib/service/ports/connection-store.ts';
import { type EmulatedTables, STORES, startTables, suiteName } from './emulated-tables.ts';
import { NOW_MS } from './samples.ts';

describe.each(STORES)('$emulator', ({ emulator, skipped }) => {
  describe.skipIf(skipped !== undefined)(suiteName('a connection store', emulator, skipped), () => {
    let tables: EmulatedTables;
    let store: ConnectionStore;
    let count = 0;
    let ticketId: string;
    beforeAll(async () => {
      tables = await startTables(emulator);
      store = connectionStore(tables.client(), tables.names.connections);
    });
    afterAll(() => tables?.stop());
    beforeEach(() => {
      ticketId = `ticket-${++count}`;
    });
    const connection = (connectionId: string, connectedAtMs = NOW_MS, ofTicket = ticketId): Connection => ({
      ticketId: ofTicket,
      connectionId,
      queue: 'duel',
      player: 1,
      enqueuedAtMs: NOW_MS,
      status: 'CONNECTED',
      connectedAtMs,
      shownFromMs: connectedAtMs + 1_500,
    });

    it('returns all connections of a ticket as they were stored, the oldest first, and no others', async () => {
      expect(await store.of(ticketId)).toEqual([]);
      const [older, newer] = [connection('z=', NOW_MS), connection('a=', NOW_MS + 1)];
      await store.add(newer);
      await store.add(older);
      await store.add(connection('b=', NOW_MS, `${ticketId}0`));
      expect(await store.of(ticketId)).toEqual([older, newer]);
    });

    it('leaves out a connection that another version has stored, and returns the others', async () => {
      await store.add(connection('a='));
      await store.add({ ...connection('b='), player: 'first' as unknown as number });
      expect(await store.of(ticketId)).toEqual([connection('a=')]);
    });

    it('keeps a connection as it was first stored when a function is repeated', async () => {
      const first = connection('a=');
      await store.add(first);
      await store.add({ ...first, connectedAtMs: NOW_MS + 60_000, shownFromMs: NOW_MS + 60_000 });
      expect(await store.of(ticketId)).toEqual([first]);
    });

    it('removes one connection, even a second time, and stores it again if it is added after its end', async () => {
      const [one, other] = [connection('a='), connection('b=', NOW_MS + 1)];
      await store.add(one);
      await store.add(other);
      await store.remove(ticketId, 'a=');
      await store.remove(ticketId, 'a=');
      expect(await store.of(ticketId)).toEqual([other]);
      await store.add(one);
      expect(await store.of(ticketId)).toEqual([one, other]);
    });

    it('counts the frames of a connection in each interval, and none of a connection without a record', async () => {
      const one = connection('a=');
      const startMs = NOW_MS - (NOW_MS % FRAMES_COUNTED_MS);
      const counts = async (...atMs: number[]) => {
        const found: unknown[] = [];
        for (const ms of atMs) found.push(await store.countFrame(ticketId, 'a=', startMs + ms));
        return found;
      };
      expect(await counts(0, 1)).toEqual([undefined, undefined]);
      expect(await store.of(ticketId)).toEqual([]);
      await store.add(one);
      expect(await counts(0, 1, FRAMES_COUNTED_MS - 1)).toEqual([1, 2, 3]);
      expect(await counts(FRAMES_COUNTED_MS, FRAMES_COUNTED_MS + 1)).toEqual([1, 2]);
      // A function whose clock is behind counts with the others.
      expect(await counts(FRAMES_COUNTED_MS - 1, FRAMES_COUNTED_MS + 2)).toEqual([3, 4]);
      // Of those that begin an interval at the same moment each is counted.
      const nextMs = startMs + 2 * FRAMES_COUNTED_MS;
      const together = Array.from({ length: 5 }, () => store.countFrame(ticketId, 'a=', nextMs));
      expect((await Promise.all(together)).sort()).toEqual([1, 2, 3, 4, 5]);
      expect(await store.of(ticketId)).toEqual([one]);
    });
  });
});
