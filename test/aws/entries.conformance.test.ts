import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { backfillStore } from '../../lib/aws/backfill-store.ts';
import { matchStore } from '../../lib/aws/match-store.ts';
import { ticketStore } from '../../lib/aws/ticket-store.ts';
import { placedViews, postDigest } from '../../lib/service/domain/linked-ticket.ts';
import type { QueueRecord } from '../../lib/service/domain/queue-record.ts';
import type { QueuedTicket, StoredTicket } from '../../lib/service/domain/stored-ticket.ts';
import type { BackfillStore } from '../../lib/service/ports/backfill-store.ts';
import type { MatchStore } from '../../lib/service/ports/match-store.ts';
import { StoreBusy } from '../../lib/service/ports/store-busy.ts';
import type { TicketStore } from '../../lib/service/ports/ticket-store.ts';
import { definition } from '../service/definitions.ts';
import { type EmulatedTables, STORES, startTables } from './emulated-tables.ts';
import { bucketLayout, match, NOW_MS, ticket, unplaced, why } from './samples.ts';

describe.each(STORES)('entries of linked tickets in $emulator', ({ emulator, skipped }) => {
  describe.skipIf(skipped !== undefined)(skipped ?? 'as everywhere', () => {
    let tables: EmulatedTables;
    let tickets: TicketStore;
    let matches: MatchStore;
    let backfills: BackfillStore;
    let count = 0;
    let queues: readonly string[];
    let home: string;
    let arena: string;
    const layout = bucketLayout(1);

    beforeAll(async () => {
      tables = await startTables(emulator);
      const client = tables.client();
      tickets = ticketStore(client, tables.names);
      matches = matchStore(client, tables.names);
      backfills = backfillStore(client, tables.names);
    });
    afterAll(() => tables?.stop());
    beforeEach(() => {
      queues = ['home', 'arena', 'raid'].map((name) => `${name}-${++count}`);
      [home, arena] = queues as [string, string];
    });

    const id = (name: string) => `${home}:${name}`;
    /** A ticket that waits in all queues of a test, with a skill of its own in each. */
    const linkedTicket = (name: string, among = queues): QueuedTicket => {
      const one = ticket(home, id(name), 10);
      const views = among.map((queue, i) => ({ ...ticket(queue, id(name), 10 * (i + 1)), queue }));
      const parties = views.map(({ queue, players }) => ({ queue, players }));
      const records = among.map((queue): [string, QueueRecord] => [
        queue,
        { definition: definition({ name: queue }), layouts: [layout] } as never,
      ]);
      return {
        ...one,
        linked: postDigest(one.ticketId, parties),
        views: placedViews(one.ticketId, parties, new Map(records), NOW_MS),
      };
    };
    const beside = { nowMs: NOW_MS };
    const put = async (one: StoredTicket, store = tickets) =>
      expect(await store.create(one, layout, false, beside)).toEqual({ created: true });
    const posted = async (name = 'a', among = queues) => {
      const one = linkedTicket(name, among);
      await put(one);
      return one;
    };
    const waitingIn = async (queue: string, linked = true) =>
      (await tickets.waiting(queue, [layout], {}, undefined, linked)).tickets;
    /** The entry of a ticket that is read in a queue: the newest one, if it has several. */
    const entryIn = async (queue: string) => (await waitingIn(queue)).find(({ entry }) => entry)!;
    const numbers = async () => {
      const read = await Promise.all(queues.map((queue) => waitingIn(queue)));
      return read.map((all) => all.flatMap(({ entry }) => entry?.n ?? []));
    };
    const claimedFor = async (read: StoredTicket, matchId = id('m')) =>
      (await tickets.claimLinked(read, matchId, NOW_MS)).claimed;
    /** A store on tables in which writes of entries are throttled. */
    const throttled = () =>
      ticketStore(
        tables.client((call, send) =>
          JSON.stringify(call.input).includes(`"${tables.names.entries}"`)
            ? Promise.reject(new StoreBusy('throttled'))
            : send(),
        ),
        tables.names,
      );

    describe('a post', () => {
      it('puts one into each further queue, with the players of that queue', async () => {
        const one = await posted();
        expect(await numbers()).toEqual([[], [0], [0]]);
        const { ticketId, linked, enqueuedAt, views } = one;
        const { pool, ...view } = views![1]!;
        expect(await waitingIn(arena)).toEqual([
          {
            ...view,
            ticketId,
            linked,
            enqueuedAt,
            status: 'QUEUED',
            entry: { pool, poolOrder: expect.stringContaining(linked!), n: 0 },
          },
        ]);
        expect(await waitingIn(arena, false)).toEqual([]);
        expect(await tickets.get(id('a'))).toEqual(one);
      });

      it('puts them before the ticket, so a ticket never waits without them', async () => {
        const one = linkedTicket('a');
        const put = throttled().create(one, layout, false, beside);
        await expect(put).rejects.toMatchObject({
          name: 'StoreBusy',
          queue: expect.stringMatching(/are|rai/),
        });
        expect(await tickets.get(id('a'))).toBeUndefined();
      });

      it('puts them again when it is repeated while the ticket is QUEUED, and not later', async () => {
        const one = await posted();
        await tickets.removeEntries(one);
        const again = () => tickets.create(linkedTicket('a'), layout, false, beside);
        expect(await again()).toEqual({ created: false, existing: one });
        expect(await numbers()).toEqual([[], [0], [0]]);
        await claimedFor(await entryIn(arena));
        await tickets.removeEntries(one);
        expect(await again()).toMatchObject({ created: false, existing: { status: 'MATCHED' } });
        await tickets.failWithMatch(id('a'), id('m'), unplaced('x'), NOW_MS);
        expect(await again()).toMatchObject({ created: false, existing: { status: 'FAILED' } });
        expect(await numbers()).toEqual([[], [], []]);
      });

      it('removes those of the ticket that it replaces, in the same step as that ticket ends', async () => {
        const old = await posted('old');
        const next = { ...linkedTicket('new', [home, arena]), replaces: old.ticketId };
        const replaced = { ...beside, replaced: { ticket: old, nowMs: NOW_MS } };
        expect(await tickets.create(next, layout, false, replaced)).toEqual({ created: true });
        expect(await tickets.get(old.ticketId)).toMatchObject({ status: 'CANCELLED' });
        expect((await waitingIn(arena)).map(({ ticketId }) => ticketId)).toEqual([next.ticketId]);
        expect(await waitingIn(queues[2]!)).toEqual([]);
      });
    });

    it('are counted, sampled as neighbours and found as waiting, if asked for', async () => {
      await posted();
      await put(ticket(arena, id('other'), 21));
      const survey = (linked: boolean) => tickets.survey(arena, [layout], {}, () => true, linked);
      expect([(await survey(true)).waiting, (await survey(false)).waiting]).toEqual([2, 1]);
      const other = (await tickets.get(id('other')))!;
      const near = async (linked: boolean) =>
        (await tickets.neighbours(other, [layout], 3, linked)).map(({ ticketId }) => ticketId);
      expect(await near(true)).toEqual([id('a'), id('other')]);
      expect(await near(false)).toEqual([id('other')]);
      expect(await tickets.hasWaiting(queues[2]!, layout, true)).toBe(true);
      expect(await tickets.hasWaiting(queues[2]!, layout)).toBe(false);
    });

    describe('a claim by an entry', () => {
      it('takes the ticket out of all queues in one write, with the queue and the players of the match', async () => {
        await posted();
        const entry = await entryIn(arena);
        const { claimed, ticket: one } = await tickets.claimLinked(entry, id('m'), NOW_MS);
        expect(claimed).toBe(true);
        expect(one).toMatchObject({ status: 'MATCHED', matchId: id('m'), queue: arena });
        expect(one!.players[0]!.skill).toBe(20);
        expect(await tickets.get(id('a'))).toEqual(one);
        expect(await waitingIn(home)).toEqual([]);
        // The entries stay until the match exists.
        expect(await numbers()).toEqual([[], [0], [0]]);
        expect(await claimedFor(entry)).toBe(true);
        expect(await claimedFor(await entryIn(queues[2]!), id('other'))).toBe(false);
      });

      it.each(['CANCELLED', 'TIMED_OUT'] as const)('is refused when the ticket is %s', async (status) => {
        await posted();
        const entry = await entryIn(arena);
        await tickets.end(id('a'), status, why('x'), NOW_MS);
        const { claimed, ticket: now } = await tickets.claimLinked(entry, id('m'), NOW_MS);
        expect({ claimed, status: now?.status }).toEqual({ claimed: false, status });
      });

      it('is refused by the entry of another post, and without a ticket', async () => {
        await posted();
        const entry = await entryIn(arena);
        expect(await claimedFor({ ...entry, linked: 'of-another-post' })).toBe(false);
        expect(await tickets.get(id('a'))).toMatchObject({ status: 'QUEUED' });
        const nobody = await tickets.claimLinked({ ...entry, ticketId: id('nobody') }, id('m'), NOW_MS);
        expect(nobody).toEqual({ claimed: false, ticket: undefined });
      });

      it('is refused by the entry of an earlier or later wait', async () => {
        await posted();
        const first = await entryIn(arena);
        await claimedFor(first);
        await tickets.release((await tickets.get(id('a')))!, id('m'), layout, true, NOW_MS);
        const second = await entryIn(arena);
        expect([first.entry!.n, second.entry!.n]).toEqual([0, 1]);
        expect(await claimedFor(first, id('n'))).toBe(false);
        expect(await claimedFor({ ...second, entry: { ...second.entry!, n: 2 } }, id('n'))).toBe(false);
        expect(await claimedFor(second, id('m'))).toBe(false);
        expect(await claimedFor(second, id('n'))).toBe(true);
      });

      it('is made in the home without them', async () => {
        await posted();
        await claimedFor(await entryIn(arena));
        await tickets.release((await tickets.get(id('a')))!, id('m'), layout, true, NOW_MS);
        const [atHome] = await waitingIn(home);
        expect(atHome!.entry).toBeUndefined();
        expect(await claimedFor(atHome!, id('n'))).toBe(true);
        expect(await tickets.get(id('a'))).toMatchObject({ queue: home, players: [{ skill: 10 }] });
      });

      it('or two at once by entries of two queues: one match gets the ticket', async () => {
        for (let i = 0; i < 8; i++) {
          await posted(`t${i}`);
          const entries = await Promise.all(
            queues
              .slice(1)
              .map(
                async (queue) => (await waitingIn(queue)).find(({ ticketId }) => ticketId === id(`t${i}`))!,
              ),
          );
          const claims = await Promise.all(entries.map((entry, at) => claimedFor(entry, id(`m${i}.${at}`))));
          expect(claims.filter((isClaimed) => isClaimed)).toHaveLength(1);
        }
      });
    });

    describe('a return', () => {
      const claimed = async () => {
        await posted();
        await claimedFor(await entryIn(arena));
        return (await tickets.get(id('a')))!;
      };

      it('from a match that never existed leaves them as they are', async () => {
        const one = await claimed();
        await tickets.release(one, id('m'), layout, false, NOW_MS);
        expect(await numbers()).toEqual([[], [0], [0]]);
        expect(await tickets.get(id('a'))).toEqual({ ...linkedTicket('a'), releasedFrom: id('m') });
        expect(await claimedFor(await entryIn(arena), id('n'))).toBe(true);
      });

      it.each([
        [
          'a dissolved match',
          (store: TicketStore, one: StoredTicket) => store.release(one, id('m'), layout, true, NOW_MS),
        ],
        [
          'a match that was not placed',
          (store: TicketStore, one: StoredTicket) => store.requeue(one, id('m'), layout, NOW_MS),
        ],
      ])('from %s puts those of the next wait, and then returns the ticket to its home', async (_, back) => {
        const one = await claimed();
        await expect(back(throttled(), one)).rejects.toThrow(StoreBusy);
        expect(await tickets.get(id('a'))).toEqual(one);
        await back(tickets, one);
        expect(await tickets.get(id('a'))).toMatchObject({
          status: 'QUEUED',
          queue: home,
          returns: 1,
          releasedFrom: id('m'),
        });
        expect(await numbers()).toEqual([[], [1], [1]]);
        // A repetition, after the ticket has another match, puts the same entries and changes nothing else.
        await claimedFor(await entryIn(arena), id('n'));
        const now = await tickets.get(id('a'));
        await back(tickets, one);
        expect(await tickets.get(id('a'))).toEqual(now);
      });

      it('is of the next wait, so that a late removal of the earlier one leaves its entries', async () => {
        const one = await claimed();
        const first = await entryIn(arena);
        await tickets.release(one, id('m'), layout, true, NOW_MS);
        await tickets.removeEntries(one);
        await tickets.removeEntry(first);
        expect(await numbers()).toEqual([[], [1], [1]]);
      });
    });

    it('are removed with the end of the ticket', async () => {
      await posted();
      expect(await tickets.end(id('a'), 'CANCELLED', why('x'), NOW_MS)).toMatchObject({ ended: true });
      expect(await numbers()).toEqual([[], [], []]);
      await claimedFor(linkedTicket('a'));
      expect(await tickets.get(id('a'))).toMatchObject({ status: 'CANCELLED' });
    });

    it('stay when the ticket could not end, because it is in a match', async () => {
      await posted();
      await claimedFor(await entryIn(arena));
      expect(await tickets.end(id('a'), 'CANCELLED', why('x'), NOW_MS)).toMatchObject({ ended: false });
      expect(await numbers()).toEqual([[], [0], [0]]);
    });

    it('that were put after a time are kept by a removal that asks for older ones', async () => {
      await posted();
      const entry = await entryIn(arena);
      await tickets.removeEntry(entry, NOW_MS);
      expect(await numbers()).toEqual([[], [0], [0]]);
      await tickets.removeEntry(entry, NOW_MS + 1);
      expect(await numbers()).toEqual([[], [], [0]]);
    });

    it('let a ticket join a running match on the conditions of a claim', async () => {
      await posted();
      const made = match(arena, id('m'), [id('x')]);
      await matches.create(made, NOW_MS);
      const asked = {
        backfillId: id('seat'),
        matchId: made.matchId,
        queue: arena,
        status: 'QUEUED',
        enqueuedAt: new Date(NOW_MS).toISOString(),
        timesOutAt: new Date(NOW_MS + 60_000).toISOString(),
        players: [{ playerId: `${id('x')}.0`, ticketId: id('x'), skill: 1, team: 0 }],
      } as const;
      await backfills.create(asked, undefined);
      const both = match(arena, id('m'), ['x', 'a'].map(id));
      const filled = { match: { ...both, roster: 2, newTicketIds: [id('a')] }, before: undefined };
      const entry = await entryIn(arena);
      const later = { ...entry, entry: { ...entry.entry!, n: 1 } };
      const join = (by: StoredTicket) => backfills.fill(asked, filled, NOW_MS, [], [by]);
      expect(await join(later)).toBe('lost-race');
      expect(await join({ ...entry, linked: 'of-another-post' })).toBe('lost-race');
      expect(await tickets.get(id('a'))).toMatchObject({ status: 'QUEUED', queue: home });
      expect(await join(entry)).toBe('committed');
      expect(await tickets.get(id('a'))).toMatchObject({
        status: 'MATCHED',
        queue: arena,
        players: [{ skill: 20 }],
      });
      expect(await waitingIn(home)).toEqual([]);
    });
  });
});
