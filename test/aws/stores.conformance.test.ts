import { GetCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { backfillStore } from '../../lib/aws/backfill-store.ts';
import { cooldownStore } from '../../lib/aws/cooldown-store.ts';
import { overdueMatches } from '../../lib/aws/deadline-index.ts';
import { experimentStore } from '../../lib/aws/experiment-store.ts';
import { latestMatches } from '../../lib/aws/latest-index.ts';
import { matchStore } from '../../lib/aws/match-store.ts';
import { meetingStore } from '../../lib/aws/meeting-store.ts';
import { poolSample } from '../../lib/aws/pool-sample.ts';
import { presenceStore } from '../../lib/aws/presence-store.ts';
import { queueStore } from '../../lib/aws/queue-store.ts';
import { rangeStore } from '../../lib/aws/range-store.ts';
import { ticketStore } from '../../lib/aws/ticket-store.ts';
import { LIMITS } from '../../lib/contract/queue-definition.ts';
import { addWait, noTotals } from '../../lib/experiments/block-totals.ts';
import {
  type KeyRange,
  rangeName,
  rangesOf,
  skillKey,
  tickRanges,
} from '../../lib/service/domain/buckets.ts';
import type { QueueRecord } from '../../lib/service/domain/queue-record.ts';
import type { StoredBackfill } from '../../lib/service/domain/stored-backfill.ts';
import type { StoredMatch } from '../../lib/service/domain/stored-match.ts';
import type { TickReport } from '../../lib/service/domain/tick-report.ts';
import type { BackfillStore } from '../../lib/service/ports/backfill-store.ts';
import type { CooldownStore } from '../../lib/service/ports/cooldown-store.ts';
import type { OverdueMatches } from '../../lib/service/ports/deadlines.ts';
import type { MatchStore } from '../../lib/service/ports/match-store.ts';
import type { MeetingStore } from '../../lib/service/ports/meeting-store.ts';
import type { PresenceStore } from '../../lib/service/ports/presence-store.ts';
import type { QueueStore } from '../../lib/service/ports/queue-store.ts';
import type { Lease, RangeStore } from '../../lib/service/ports/range-store.ts';
import type { TicketStore } from '../../lib/service/ports/ticket-store.ts';
import { IS_LONG } from '../long.ts';
import { definition } from '../service/definitions.ts';
import { type EmulatedTables, STORES, startTables, suiteName, type Wire } from './emulated-tables.ts';
import { bucketLayout, match, NOW_MS, notAccepted, ticket, unplaced, why } from './samples.ts';

describe.each(STORES)('$emulator', ({ emulator, skipped }) => {
  describe.skipIf(skipped !== undefined)(suiteName('the stores', emulator, skipped), () => {
    let tables: EmulatedTables;
    let tickets: TicketStore;
    let matches: MatchStore;
    let meetings: MeetingStore;
    let cooldowns: CooldownStore;
    let presence: PresenceStore;
    let backfills: BackfillStore;
    let overdue: OverdueMatches;
    let queues: QueueStore;
    let ranges: RangeStore;
    let queue: string;
    let count = 0;
    const oneLayout = bucketLayout(1);

    beforeAll(async () => {
      tables = await startTables(emulator);
      const client = tables.client();
      tickets = ticketStore(client, tables.names);
      matches = matchStore(client, tables.names);
      backfills = backfillStore(client, tables.names);
      meetings = meetingStore(client, tables.names.ranges);
      cooldowns = cooldownStore(client, tables.names.ranges);
      presence = presenceStore(client, tables.names.ranges);
      overdue = overdueMatches(client, tables.names.matches, () => 0.5);
      queues = queueStore(client, tables.names.queues);
      ranges = rangeStore(client, tables.names.ranges);
    });
    afterAll(() => tables?.stop());

    /** Gives each test its own queue, and ids that begin with the queue's name. */
    const newQueue = () => {
      queue = `queue-${++count}`;
      return queue;
    };
    const id = (name: string) => `${queue}:${name}`;
    const put = async (name: string, skills: number | readonly number[], layout = oneLayout) => {
      const stored = ticket(queue, id(name), skills);
      expect(await tickets.create(stored, layout)).toEqual({ created: true });
      return stored;
    };
    const namesWaiting = async (layouts = [oneLayout], range = {}) =>
      (await tickets.waiting(queue, layouts, range)).tickets.map(({ ticketId }) =>
        ticketId.slice(queue.length + 1),
      );
    const statusOf = async (name: string) => (await tickets.get(id(name)))?.status;

    describe('a ticket store', () => {
      it('returns the stored ticket with every number exact', async () => {
        newQueue();
        const skills = [1e-300, 5e-324, 0.1 + 0.2, 1 / 3, 999_999_999.999_999_9, 0, 123_456_789.123_456_78];
        const stored = await put('a', skills);
        expect(await tickets.get(stored.ticketId)).toEqual(stored);
        expect(await tickets.waiting(queue, [oneLayout], {})).toMatchObject({
          tickets: [stored],
          unreadable: [],
        });
      });

      it('keeps ids, roles and queues that are names of the store’s own fields', async () => {
        newQueue();
        const stored = {
          ...ticket('status', id('pool'), 1),
          players: [
            { playerId: '#status', skill: 1, roles: ['ticketId', ':queued'] },
            { playerId: '__proto__', skill: 2 },
            { playerId: 'ünïcode 東京 🎮', skill: 3 },
          ],
        };
        await tickets.create(stored, oneLayout);
        expect(await tickets.get(stored.ticketId)).toEqual(stored);
        expect(await tickets.waiting('status', [oneLayout], {})).toMatchObject({
          tickets: [stored],
          unreadable: [],
        });
      });

      it('returns undefined for a missing ticket', async () => {
        newQueue();
        expect(await tickets.get(id('nobody'))).toBeUndefined();
        expect(await tickets.end(id('nobody'), 'CANCELLED', why('x'), NOW_MS)).toBeUndefined();
      });

      it('reads many tickets at once, and omits missing ones', async () => {
        newQueue();
        const stored = await Promise.all(Array.from({ length: 30 }, (_, i) => put(`t${i}`, i)));
        const found = await tickets.getMany([...stored.map(({ ticketId }) => ticketId), id('nobody')]);
        expect(found).toEqual(new Map(stored.map((one) => [one.ticketId, one])));
        expect(await tickets.getMany([])).toEqual(new Map());
      });

      it('returns the first ticket and changes nothing when its id is created again', async () => {
        newQueue();
        const first = await put('a', 10);
        const again = await tickets.create(ticket(queue, id('a'), 20), bucketLayout(2));
        expect(again).toEqual({ created: false, existing: first });
        expect(await tickets.get(first.ticketId)).toEqual(first);
        expect(await namesWaiting([oneLayout, bucketLayout(2)])).toEqual(['a']);
      });

      it('cancels the ticket that a new one replaces in the same write, or changes nothing', async () => {
        newQueue();
        const old = await put('a', 10);
        const by = (name: string) => ({ ...ticket(queue, id(name), 20), replaces: old.ticketId });
        const beside = { replaced: { ticket: old, nowMs: NOW_MS } };
        expect(await tickets.create(by('b'), oneLayout, false, beside)).toEqual({ created: true });
        expect(await tickets.get(old.ticketId)).toMatchObject({
          status: 'CANCELLED',
          reason: `replaced by ticket ${id('b')}`,
          replacedBy: id('b'),
        });
        expect(await tickets.get(id('b'))).toEqual(by('b'));
        expect(await tickets.create(by('c'), oneLayout, false, beside)).toEqual({
          created: false,
          isStale: true,
        });
        expect(await tickets.create(by('b'), oneLayout, false, beside)).toEqual({
          created: false,
          existing: by('b'),
        });
        expect(await namesWaiting()).toEqual(['b']);
      });

      it('creates a ticket once when many create the same id at once', async () => {
        newQueue();
        const results = await Promise.all(
          Array.from({ length: 8 }, (_, i) => tickets.create(ticket(queue, id('a'), i), oneLayout)),
        );
        expect(results.filter(({ created }) => created)).toHaveLength(1);
        expect(await namesWaiting()).toEqual(['a']);
      });

      it.each(['CANCELLED', 'TIMED_OUT'] as const)('ends a QUEUED ticket as %s, once', async (status) => {
        newQueue();
        const stored = await put('a', 10);
        const ended = { ...stored, status, ...why('why') };
        expect(await tickets.end(id('a'), status, why('why'), NOW_MS)).toEqual({
          ended: true,
          ticket: ended,
        });
        expect(await tickets.end(id('a'), 'CANCELLED', why('again'), NOW_MS)).toEqual({
          ended: false,
          ticket: ended,
        });
        expect(await tickets.get(id('a'))).toEqual(ended);
        expect(await namesWaiting()).toEqual([]);
        expect(await tickets.hasWaiting(queue, oneLayout)).toBe(false);
      });

      it('applies either a cancel or a time-out, never both', async () => {
        newQueue();
        await put('a', 10);
        const ends = await Promise.all([
          tickets.end(id('a'), 'CANCELLED', why('c'), NOW_MS),
          tickets.end(id('a'), 'TIMED_OUT', why('t'), NOW_MS),
        ]);
        expect(ends.filter((end) => end!.ended)).toHaveLength(1);
        expect(new Set(ends.map((end) => end!.ticket.status))).toEqual(new Set([await statusOf('a')]));
      });

      it('reads a pool in order of mean skill', async () => {
        newQueue();
        await put('z', 10);
        await put('b', 2);
        await put('party', [1, 3, 5]);
        await put('a', 9.5);
        await put('high', 1e9);
        await put('low', 1e-300);
        expect(await namesWaiting()).toEqual(['low', 'b', 'party', 'a', 'z', 'high']);
      });

      it('returns each ticket in exactly one of the ranges between bucket boundaries', async () => {
        newQueue();
        const layout = bucketLayout(1, 10, 20);
        const skills = [0, 9.999999, 9.9999996, 10, 10.000001, 15, 19.999999, 20, 20.000001, 1e9];
        for (const [i, skill] of skills.entries()) await put(`t${i}`, skill, layout);
        const ranges = [
          { to: skillKey(10) },
          { from: skillKey(10), to: skillKey(20) },
          { from: skillKey(20) },
        ];
        const found = await Promise.all(ranges.map((range) => namesWaiting([layout], range)));
        // The skills of t2 and t3 are the same when they are rounded, so their order is that of hashes of their ids.
        expect(found.map((names) => names.toSorted())).toEqual([
          ['t0', 't1'],
          ['t2', 't3', 't4', 't5', 't6'],
          ['t7', 't8', 't9'],
        ]);
        expect(await namesWaiting([layout], { from: skillKey(15), to: skillKey(20.000001) })).toEqual([
          't5',
          't6',
          't7',
        ]);
      });

      it('reads tickets of all current layouts in order of skill, none twice', async () => {
        newQueue();
        const layouts = [bucketLayout(1, 50), bucketLayout(2), bucketLayout(3, 20, 80)];
        for (const [i, layout] of layouts.entries()) {
          for (const skill of [10, 49, 50, 90]) await put(`v${i}-${skill}`, skill + i / 10, layout);
        }
        expect(await namesWaiting(layouts)).toEqual(
          [10, 49, 50, 90].flatMap((skill) => [`v0-${skill}`, `v1-${skill}`, `v2-${skill}`]),
        );
        expect(await namesWaiting(layouts, { from: skillKey(49.1), to: skillKey(50.2) })).toEqual([
          'v1-49',
          'v2-49',
          'v0-50',
          'v1-50',
        ]);
        expect(await namesWaiting(layouts.slice(1), { to: skillKey(20) })).toEqual(['v1-10', 'v2-10']);
      });

      it('reads and looks for neighbours over more than one page of a megabyte', async () => {
        newQueue();
        const name = (i: number) => `t${String(i).padStart(3, '0')}`;
        const big = 'x'.repeat(20_000);
        await Promise.all(
          Array.from({ length: 70 }, (_, i) =>
            tickets.create(
              { ...ticket(queue, id(name(i)), i), players: [{ playerId: `${big}${i}`, skill: i }] },
              oneLayout,
            ),
          ),
        );
        expect(await namesWaiting()).toEqual(Array.from({ length: 70 }, (_, i) => name(i)));
        expect(await namesWaiting([oneLayout], { from: skillKey(3), to: skillKey(66) })).toHaveLength(63);
      });

      it.each([1, 2, 5, 100])('reads a range %i at a time, each ticket once', async (limit) => {
        newQueue();
        const layouts = [bucketLayout(1, 15), bucketLayout(2, [15, 0.5], 30)];
        for (let i = 0; i < 24; i++) await put(`t${i}`, [4, 15, 15, 15, 29, 30][i % 6]!, layouts[i % 2]);
        const all = await namesWaiting(layouts);
        expect(all).toHaveLength(24);
        const found: string[] = [];
        let from: string | undefined = skillKey(0);
        for (let reads = 0; from !== undefined; reads++) {
          expect(reads).toBeLessThan(30);
          const read = await tickets.waiting(queue, layouts, { from }, { limit, hasTime: () => true });
          expect(read.tickets.length).toBeLessThanOrEqual(limit);
          found.push(...read.tickets.map(({ ticketId }) => ticketId.slice(queue.length + 1)));
          from = read.next;
        }
        expect(found).toEqual(all);
      });

      it('reads at least one page when there is no time, and returns where it ended', async () => {
        newQueue();
        const layouts = [bucketLayout(1), bucketLayout(2)];
        for (let i = 0; i < 20; i++) await put(`t${i}`, i, layouts[i < 15 ? 0 : 1]);
        const first = await tickets.waiting(queue, layouts, {}, { limit: 12, hasTime: () => false });
        expect(first.tickets.length).toBeGreaterThan(0);
        expect(first.tickets.length).toBeLessThan(12);
        expect(first.next).toBeDefined();
        const rest = await tickets.waiting(queue, layouts, { from: first.next! });
        expect(first.tickets.length + rest.tickets.length).toBe(20);
      });

      it('surveys a pool of more than one page of a megabyte', async () => {
        newQueue();
        const big = 'x'.repeat(20_000);
        await Promise.all(
          Array.from({ length: 120 }, (_, i) =>
            tickets.create(
              { ...ticket(queue, id(`t${i}`), i), players: [{ playerId: `${big}${i}`, skill: i }] },
              oneLayout,
            ),
          ),
        );
        const { waiting, cuts } = await tickets.survey(
          queue,
          [oneLayout],
          { from: skillKey(10) },
          () => true,
        );
        expect(waiting).toBe(110);
        expect(cuts.length).toBeGreaterThan(0);
        const edges = [skillKey(10), ...cuts, undefined];
        const sizes = await Promise.all(
          edges.slice(1).map((to, i) => namesWaiting([oneLayout], { from: edges[i]!, ...(to && { to }) })),
        );
        expect(sizes.flat()).toHaveLength(110);
        expect(Math.max(...sizes.map(({ length }) => length))).toBeLessThan(70);
      });

      it('holds at most 160 bytes of a solo ticket with UUIDs in its index', async () => {
        newQueue();
        const ticketId = '0190a6f2-7c3e-7b4d-9a51-2f6c0d8e4b17';
        const players = [{ playerId: '7d9f2c41-5a0e-4c0b-8f6d-b1e2a3c4d5e6', skill: 1523.25 }];
        await tickets.create({ ...ticket('duel', ticketId, 1), players }, oneLayout);
        const { Items = [] } = await tables.client().send(
          new QueryCommand({
            TableName: tables.names.tickets,
            IndexName: 'pool',
            KeyConditionExpression: '#pool = :pool',
            ExpressionAttributeNames: { '#pool': 'pool' },
            ExpressionAttributeValues: { ':pool': 'duel#1.0' },
          }),
        );
        // A name and a string count their bytes; a number counts one byte for two digits, and one more.
        const bytes = Object.entries(Items[0]!).map(
          ([name, value]) => name.length + (typeof value === 'number' ? 8 : String(value).length),
        );
        expect(bytes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(160);
        await tickets.end(ticketId, 'CANCELLED', why('x'), NOW_MS);
      });

      it('finds the waiting tickets of a layout in all of its buckets', async () => {
        newQueue();
        const layout = bucketLayout(4, 10, 20);
        expect(await tickets.hasWaiting(queue, layout)).toBe(false);
        await put('a', 25, layout);
        expect(await tickets.hasWaiting(queue, layout)).toBe(true);
        expect(await tickets.hasWaiting(queue, oneLayout)).toBe(false);
        await put('b', 5, layout);
        await put('c', 26, layout);
      });

      it('finds the nearest neighbours on each side and the ticket itself, over all layouts', async () => {
        newQueue();
        const layouts = [oneLayout, bucketLayout(2)];
        for (let skill = 1; skill <= 9; skill++) await put(`s${skill}`, skill, layouts[skill % 2]);
        const middle = (await tickets.get(id('s5')))!;
        const near = await tickets.neighbours(middle, layouts, 2);
        expect(near.map(({ ticketId }) => ticketId.slice(queue.length + 1))).toEqual([
          's3',
          's4',
          's5',
          's6',
          's7',
        ]);
        const lowest = (await tickets.get(id('s1')))!;
        expect(await tickets.neighbours(lowest, layouts, 1)).toHaveLength(2);
      });

      it('finds the tickets of a bucket with shards under all of its keys, including those from before the shards', async () => {
        newQueue();
        const sharded = { ...bucketLayout(1, 100), shards: { count: 4, sinceMs: NOW_MS } };
        const before = bucketLayout(1, 100);
        for (let i = 0; i < 30; i++) await put(`t${i}`, i, i < 6 ? before : sharded);
        const { tickets: found, pools } = await tickets.waiting(queue, [sharded], {});
        expect(found.map(({ ticketId }) => ticketId)).toEqual(
          Array.from({ length: 30 }, (_, i) => id(`t${i}`)),
        );
        expect([...pools.keys()].sort()).toEqual(
          ['', '.1', '.2', '.3'].map((shard) => `${queue}#1.0${shard}`),
        );
        expect([...pools.values()].reduce((sum, count) => sum + count, 0)).toBe(30);
        expect(pools.get(`${queue}#1.0`)).toBeGreaterThanOrEqual(6);
        const near = await tickets.neighbours(found[15]!, [sharded], 3);
        expect(near.map(({ ticketId }) => ticketId)).toEqual(
          [12, 13, 14, 15, 16, 17, 18].map((i) => id(`t${i}`)),
        );
        const survey = await tickets.survey(queue, [sharded], {}, () => true);
        expect(survey.waiting).toBe(30);
        for (const one of found) await tickets.end(one.ticketId, 'CANCELLED', why('x'), NOW_MS);
        expect(await tickets.hasWaiting(queue, sharded)).toBe(false);
        await put('last', 7, sharded);
        expect(await tickets.hasWaiting(queue, sharded)).toBe(true);
      });

      it('surveys a bucket with shards by a sample, whose cuts are spread over all tickets', async () => {
        newQueue();
        const sharded = { ...oneLayout, shards: { count: 32, sinceMs: NOW_MS } };
        await Promise.all(
          Array.from({ length: 300 }, (_, i) => tickets.create(ticket(queue, id(`t${i}`), i), sharded)),
        );
        const { waiting, cuts } = await tickets.survey(queue, [sharded], {}, () => true);
        expect(waiting).toBe(300);
        expect(cuts.length).toBeGreaterThanOrEqual(2);
        expect([...cuts].sort()).toEqual(cuts);
        const counts = await Promise.all(
          [undefined, ...cuts].map((from, i) => namesWaiting([sharded], { from, to: cuts[i] })),
        );
        expect(Math.max(...counts.map(({ length }) => length))).toBeLessThan(220);
      });
    });

    /** Commits a match by the steps of a tick, when all of its tickets are QUEUED. */
    const commit = async (made: StoredMatch): Promise<void> => {
      for (const ticketId of made.ticketIds)
        expect(await tickets.claim(ticketId, made.matchId, NOW_MS)).toBe(true);
      expect(await matches.create(made, NOW_MS)).toBe('created');
    };

    describe('a claim', () => {
      it('removes a ticket from the pool for one match, even when it is repeated', async () => {
        newQueue();
        const stored = await put('a', 1);
        await put('b', 1);
        expect(await tickets.claim(id('a'), id('m'), NOW_MS)).toBe(true);
        expect(await tickets.claim(id('a'), id('m'), NOW_MS)).toBe(true);
        expect(await tickets.claim(id('a'), id('other'), NOW_MS)).toBe(false);
        expect(await tickets.claim(id('nobody'), id('m'), NOW_MS)).toBe(false);
        expect(await tickets.get(id('a'))).toEqual({ ...stored, status: 'MATCHED', matchId: id('m') });
        expect(await tickets.get(id('nobody'))).toBeUndefined();
        expect(await namesWaiting()).toEqual(['b']);
      });

      it('that arrives again after its match has released the ticket changes nothing', async () => {
        newQueue();
        const stored = await put('a', 1);
        await tickets.claim(id('a'), id('m'), NOW_MS);
        await tickets.release(stored, id('m'), oneLayout, false, NOW_MS);
        expect(await tickets.claim(id('a'), id('m'), NOW_MS)).toBe(false);
        expect(await tickets.get(id('a'))).toEqual({ ...stored, releasedFrom: id('m') });
        expect(await namesWaiting()).toEqual(['a']);
        expect(await tickets.claim(id('a'), id('other'), NOW_MS)).toBe(true);
      });

      it('or a cancel, or a claim for another match succeeds, exactly one of them', async () => {
        newQueue();
        for (let i = 0; i < 6; i++) {
          await put(`t${i}`, 1);
          const [one, other, end] = await Promise.all([
            tickets.claim(id(`t${i}`), id('one'), NOW_MS),
            tickets.claim(id(`t${i}`), id('other'), NOW_MS),
            tickets.end(id(`t${i}`), 'CANCELLED', why('x'), NOW_MS),
          ]);
          expect([one, other, end!.ended].filter(Boolean)).toHaveLength(1);
          const now = (await tickets.get(id(`t${i}`)))!;
          expect(now.status).toBe(end!.ended ? 'CANCELLED' : 'MATCHED');
          expect(now.matchId).toBe(one ? id('one') : other ? id('other') : undefined);
        }
      });

      it('is released only while the ticket is in this match, and under the layout that is given', async () => {
        newQueue();
        const stored = await put('a', 1);
        const layout = bucketLayout(7, 1);
        await tickets.claim(id('a'), id('m'), NOW_MS);
        const claimed = (await tickets.get(id('a')))!;
        await tickets.release(claimed, id('other'), layout, false, NOW_MS);
        expect(await tickets.get(id('a'))).toEqual(claimed);
        await tickets.release(claimed, id('m'), layout, false, NOW_MS);
        const released = { ...stored, releasedFrom: id('m') };
        expect(await tickets.get(id('a'))).toEqual(released);
        expect(await namesWaiting([layout])).toEqual(['a']);
        await tickets.claim(id('a'), id('n'), NOW_MS);
        await tickets.release(claimed, id('m'), layout, false, NOW_MS);
        expect(await tickets.get(id('a'))).toEqual({ ...released, status: 'MATCHED', matchId: id('n') });
        await tickets.release(claimed, id('n'), oneLayout, true, NOW_MS);
        // Its players knew of this match.
        const returned = { ...stored, releasedFrom: id('n'), returns: 1 };
        expect(await tickets.get(id('a'))).toEqual(returned);
        expect(await namesWaiting()).toEqual(['a']);
      });

      it.each([false, true])(
        'is refused when its copy arrives after the release (announced: %s)',
        async (announced) => {
          newQueue();
          await put('a', 1);
          await tickets.claim(id('a'), id('m'), NOW_MS);
          await tickets.release((await tickets.get(id('a')))!, id('m'), oneLayout, announced, NOW_MS);
          expect(await tickets.claim(id('a'), id('m'), NOW_MS)).toBe(false);
          expect(await tickets.get(id('a'))).toMatchObject({ status: 'QUEUED', releasedFrom: id('m') });
        },
      );

      it('ends with the ticket when the caller knows that it is free of the match', async () => {
        newQueue();
        const stored = await put('a', 1);
        await tickets.claim(id('a'), id('m'), NOW_MS);
        expect(await tickets.end(id('a'), 'CANCELLED', why('x'), NOW_MS)).toMatchObject({ ended: false });
        expect(await tickets.end(id('a'), 'CANCELLED', why('x'), NOW_MS, id('n'))).toMatchObject({
          ended: false,
        });
        const ended = { ...stored, status: 'CANCELLED', ...why('x') };
        expect(await tickets.end(id('a'), 'CANCELLED', why('x'), NOW_MS, id('m'))).toEqual({
          ended: true,
          ticket: ended,
        });
        await tickets.release(stored, id('m'), oneLayout, false, NOW_MS);
        expect(await tickets.get(id('a'))).toEqual(ended);
        await put('b', 1);
        expect(await tickets.end(id('b'), 'CANCELLED', why('x'), NOW_MS, id('m'))).toMatchObject({
          ended: true,
        });
      });
    });

    describe('the offences of a player', () => {
      const offence = (matchId: string, atMs: number) => ({ kind: 'decline', matchId, atMs }) as const;
      const ofAnn = async () => (await cooldowns.of(queue, [id('ann'), id('bob')])).get(id('ann'));

      it('are added once each, in order of time, and read for each queue alone', async () => {
        newQueue();
        expect(await ofAnn()).toBeUndefined();
        const [first, second] = [offence('m1', NOW_MS), offence('m2', NOW_MS - 1)];
        expect(await cooldowns.add(queue, id('ann'), first, 60_000)).toEqual({ offences: [first] });
        expect(await cooldowns.add(queue, id('ann'), first, 60_000)).toBeUndefined();
        expect(await cooldowns.add(queue, id('ann'), second, 60_000)).toEqual({ offences: [second, first] });
        expect(await ofAnn()).toEqual({ offences: [second, first] });
        expect((await cooldowns.of(`${queue}x`, [id('ann')])).size).toBe(0);
        expect((await cooldowns.of(queue, [id('bob'), id('ann')])).size).toBe(1);
      });

      it('are all kept when several are added at once', async () => {
        newQueue();
        const some = Array.from({ length: 3 }, (_, i) => offence(`m${i}`, NOW_MS + i));
        const added = await Promise.all(some.map((one) => cooldowns.add(queue, id('ann'), one, 60_000)));
        expect(added.every((one) => one !== undefined)).toBe(true);
        expect(await ofAnn()).toEqual({ offences: some });
      });

      it('are kept until the last is forgotten, and the latest 20 of them', async () => {
        newQueue();
        for (let i = 0; i < 22; i++)
          await cooldowns.add(queue, id('ann'), offence(`m${i}`, NOW_MS + 1_000 * i), 60_000);
        expect(await cooldowns.add(queue, id('ann'), offence('m1', NOW_MS + 1_000), 60_000)).toBeUndefined();
        const record = (await ofAnn())!;
        expect(record.offences.map(({ matchId }) => matchId)).toEqual(
          Array.from({ length: 20 }, (_, i) => `m${i + 2}`),
        );
        const { Item } = await tables.client().send(
          new GetCommand({
            TableName: tables.names.ranges,
            Key: { item: `${queue}#cooldown#${id('ann')}` },
          }),
        );
        expect(Item!.expiresAt).toBe(Math.ceil((NOW_MS + 21_000 + 60_000) / 1_000));
      });

      it('are forgiven up to a time, and begin again after it', async () => {
        newQueue();
        const [first, second] = [offence('m1', NOW_MS), offence('m2', NOW_MS + 2)];
        await cooldowns.add(queue, id('ann'), first, 60_000);
        await cooldowns.forgive(queue, id('ann'), NOW_MS + 1, 60_000);
        await cooldowns.forgive(queue, id('bob'), NOW_MS + 1, 60_000);
        expect(await ofAnn()).toEqual({ offences: [first], forgivenAtMs: NOW_MS + 1 });
        expect(await cooldowns.latest(queue, 10)).toEqual([]);
        await cooldowns.add(queue, id('ann'), second, 60_000);
        expect(await ofAnn()).toEqual({ offences: [first, second], forgivenAtMs: NOW_MS + 1 });
      });

      it('are listed by player, the latest first', async () => {
        newQueue();
        for (let i = 0; i < 12; i++)
          await cooldowns.add(queue, id(`p${i}`), offence(`m${i}`, NOW_MS + i), 60_000);
        await cooldowns.add(queue, id('p0'), offence('again', NOW_MS + 100), 60_000);
        const names = async (limit: number) =>
          (await cooldowns.latest(queue, limit)).map(({ playerId }) => playerId);
        expect(await names(3)).toEqual(['p0', 'p11', 'p10'].map(id));
        expect(await names(100)).toHaveLength(12);
        expect(await cooldowns.latest(`${queue}x`, 10)).toEqual([]);
      });
    });

    describe('the presence of players', () => {
      const ofOne = async (name: string) => {
        const record = (await presence.of(queue, [id(name)])).get(id(name));
        return [...(record ?? [])].sort(([a], [b]) => a - b);
      };

      it('is what the latest sign of life says, in whatever order they arrive', async () => {
        newQueue();
        expect(await ofOne('a')).toEqual([]);
        // Asked for only if the player is known.
        await presence.seen(queue, id('a'), 0, { by: 'early', silentFromMs: NOW_MS }, true);
        expect(await ofOne('a')).toEqual([]);
        await presence.seen(queue, id('a'), 0, { by: 'one', silentFromMs: NOW_MS + 1 });
        await presence.seen(queue, id('a'), 0, { by: 'one', silentFromMs: NOW_MS + 2 }, true);
        await presence.seen(queue, id('a'), 0, { by: 'late', silentFromMs: NOW_MS + 1 });
        await presence.seen(queue, id('a'), 12, { by: 'two', silentFromMs: NOW_MS });
        expect(await ofOne('a')).toEqual([
          [0, { by: 'one', silentFromMs: NOW_MS + 2 }],
          [12, { by: 'two', silentFromMs: NOW_MS }],
        ]);
        await presence.seen(queue, id('a'), 0, { by: 'other', silentFromMs: NOW_MS + 2 });
        expect((await ofOne('a'))[0]).toEqual([0, { by: 'other', silentFromMs: NOW_MS + 2 }]);
      });

      it('ends with the connection that was the last to say so, and with no other', async () => {
        newQueue();
        const gone = { by: 'one', silentFromMs: NOW_MS };
        await presence.left(queue, id('a'), 0, 'one', gone);
        expect(await ofOne('a')).toEqual([]);
        await presence.seen(queue, id('a'), 0, { by: 'one', silentFromMs: NOW_MS + 9 });
        await presence.left(queue, id('a'), 0, 'two', gone);
        expect(await ofOne('a')).toEqual([[0, { by: 'one', silentFromMs: NOW_MS + 9 }]]);
        for (let i = 0; i < 2; i++) await presence.left(queue, id('a'), 0, 'one', gone);
        expect(await ofOne('a')).toEqual([[0, gone]]);
      });

      it('is expected of all players of a ticket, but of none who is known', async () => {
        newQueue();
        await presence.seen(queue, id('a'), 1, { by: 'one', silentFromMs: NOW_MS + 9 });
        for (const atMs of [NOW_MS, NOW_MS + 5]) await presence.expect(queue, id('a'), 2, atMs);
        expect(await ofOne('a')).toEqual([
          [0, { by: '', silentFromMs: NOW_MS }],
          [1, { by: 'one', silentFromMs: NOW_MS + 9 }],
        ]);
      });

      it('is expected of the players of the largest party', async () => {
        newQueue();
        await presence.expect(queue, id('a'), LIMITS.teamSizeMax, NOW_MS);
        expect(await ofOne('a')).toHaveLength(LIMITS.teamSizeMax);
      });

      it('is read for many tickets of one queue, and kept for two days', async () => {
        newQueue();
        const ids = Array.from({ length: 120 }, (_, i) => id(`t${i}`));
        for (const ticketId of ids.slice(0, 110)) await presence.expect(queue, ticketId, 1, NOW_MS);
        expect([...(await presence.of(queue, ids)).keys()].sort()).toEqual(ids.slice(0, 110).sort());
        expect((await presence.of(`${queue}x`, ids)).size).toBe(0);
        const { Item } = await tables
          .client()
          .send(
            new GetCommand({ TableName: tables.names.ranges, Key: { item: `${queue}#presence#${ids[0]}` } }),
          );
        expect(Item!.expiresAt).toBe(NOW_MS / 1_000 + 2 * 86_400);
      });
    });

    describe('the creation of a match', () => {
      it('stores it with its meetings, even when it is repeated', async () => {
        newQueue();
        const made = match(queue, id('m'), [id('a'), id('b')], {
          status: 'PLACING',
          deadline: '2026-01-01T12:05:00.000Z',
        });
        // More records than a transaction has room for.
        const records = Array.from({ length: 200 }, (_, i) => ({
          playerId: id(`p${i}`),
          met: [[id(`q${i}`), NOW_MS] as const],
          expiresAtMs: NOW_MS + 1_000,
        })) as unknown as Parameters<typeof matches.create>[2];
        expect(await matches.create(made, NOW_MS, records)).toBe('created');
        expect(await matches.create(made, NOW_MS, records)).toBe('created');
        expect(await matches.create(made, NOW_MS)).toBe('created');
        expect(await matches.get(made.matchId)).toEqual(made);
        const met = await meetings.of(queue, [id('p0'), id('p98'), id('p199')], NOW_MS);
        expect([...met.values()].map((one) => one.length)).toEqual([1, 1, 1]);
      });

      it('is refused when no item can hold it, with and without meetings', async () => {
        newQueue();
        const one = match(queue, id('m'), ['a', 'b'].map(id));
        const name = 'r'.repeat(410_000);
        const made = { ...one, rules: { [name]: {} } };
        const records = [{ playerId: id('p'), met: [], expiresAtMs: NOW_MS + 1_000 }];
        expect(await matches.create(made, NOW_MS)).toBe('too-large');
        expect(await matches.create(made, NOW_MS, records)).toBe('too-large');
        expect(await matches.get(made.matchId)).toBeUndefined();
      });

      it('fails with its meetings after the match was abandoned, and the match counts as missing', async () => {
        newQueue();
        const made = match(queue, id('m'), [id('a')], { status: 'REQUIRES_ACCEPTANCE' });
        expect(await matches.abandon(queue, made, NOW_MS)).toBe('abandoned');
        expect(await matches.abandon(queue, { ...made, ticketIds: [id('b')] }, NOW_MS)).toBe('abandoned');
        const record = {
          playerId: id('p'),
          met: [[id('q'), NOW_MS] as [string, number]],
          expiresAtMs: NOW_MS,
        };
        expect(await matches.create(made, NOW_MS)).toBe('abandoned');
        expect(await matches.create(made, NOW_MS, [record])).toBe('abandoned');
        expect((await meetings.of(queue, [id('p')], 0)).get(id('p')) ?? []).toEqual([]);
        expect(await matches.get(id('m'))).toBeUndefined();
        expect(await matches.getMany([id('m')])).toEqual(new Map());
        expect(await matches.answers(id('m'))).toBeUndefined();
        expect(await matches.assign(id('m'), { address: 'x' })).toBeUndefined();
        expect(await matches.advance(id('m'), 'PLACING', 'FAILED', unplaced('no'))).toBe(false);
        expect(await matches.dissolve(made, [], notAccepted('no'), NOW_MS)).toBe('lost-race');
        expect(await matches.abandoned(id('m'))).toEqual({
          matchId: id('m'),
          queue,
          ticketIds: [id('a'), id('b')],
        });
        await matches.ticketsReturned(id('m'));
        expect(await matches.abandoned(id('m'))).toBeUndefined();
        expect(await matches.create(made, NOW_MS)).toBe('abandoned');
      });

      it('or its abandonment succeeds, never both', async () => {
        newQueue();
        for (let i = 0; i < 6; i++) {
          const made = match(queue, id(`m${i}`), [id(`a${i}`)]);
          const [created, abandoned] = await Promise.all([
            matches.create(made, NOW_MS),
            matches.abandon(queue, made, NOW_MS),
          ]);
          expect([created, abandoned]).toEqual(
            created === 'created' ? ['created', 'exists'] : ['abandoned', 'abandoned'],
          );
          expect(await matches.get(made.matchId)).toEqual(created === 'created' ? made : undefined);
          expect(await matches.abandoned(id('nobody'))).toBeUndefined();
        }
      });
    });

    describe('a match', () => {
      const pending = async (...names: string[]) => {
        newQueue();
        const stored = [];
        for (const name of names) stored.push(await put(name, 1));
        const made = match(queue, id('m'), names.map(id).sort(), {
          status: 'REQUIRES_ACCEPTANCE',
          deadline: '2026-01-01T12:00:30.000Z',
        });
        await commit(made);
        return { made, stored };
      };

      it('is read together with others, and missing matches are omitted', async () => {
        newQueue();
        for (const name of ['m', 'n']) {
          await put(`${name}-ticket`, 1);
          await commit(match(queue, id(name), [id(`${name}-ticket`)]));
        }
        const found = await matches.getMany(['m', 'nobody', 'n'].map(id));
        expect([...found.keys()].sort()).toEqual(['m', 'n'].map(id));
        expect(found.get(id('m'))).toEqual(await matches.get(id('m')));
      });

      const answer = (made: StoredMatch, write: 'accept' | 'decline' | 'expire', ...seats: number[]) =>
        matches.answer(made, write, seats, NOW_MS);

      it('has the seats that have accepted, each once', async () => {
        const { made } = await pending('a', 'b', 'c');
        expect(await matches.answers(made.matchId)).toBeUndefined();
        await answer(made, 'accept', 2);
        await answer(made, 'accept', 2);
        expect(await answer(made, 'accept', 0)).toEqual({ status: 'OPEN', accepted: [0, 2] });
        expect(await matches.answers(made.matchId)).toEqual({ status: 'OPEN', accepted: [0, 2] });
        const read = { ...made, accepted: [0, 2] };
        expect(await matches.get(made.matchId)).toEqual(read);
        expect(await matches.get(made.matchId, 'eventual')).toEqual(read);
        expect((await matches.getMany([made.matchId])).get(made.matchId)).toEqual(read);
      });

      it('is read with the answers to it among others', async () => {
        const { made } = await pending('a', 'b');
        const other = { ...made, matchId: id('n') };
        const plain = { ...made, matchId: id('o'), status: 'PLACING' as const };
        for (const one of [other, plain]) await matches.create(one, NOW_MS);
        await answer(other, 'accept', 1);
        const found = await matches.getMany(['m', 'n', 'o'].map(id));
        expect(found).toEqual(
          new Map(
            [made, { ...other, accepted: [1] }, plain].map((one) => [
              one.matchId,
              expect.objectContaining(one),
            ]),
          ),
        );
      });

      it('has all seats that accept at the same time, up to 200, in an item below a kilobyte', async () => {
        const { made: plain } = await pending('a');
        const seats = Array.from({ length: 200 }, (_, i) => ({ playerId: `p${i}`, ticketId: id('a') }));
        const made = { ...plain, teams: [{ players: seats }], matchId: `${id('m')}-200` };
        const cost = { units: 0, ofKey: new Map<string, number>() };
        const metered = matchStore(tables.client(metering(cost)), tables.names);
        await Promise.all(seats.map((_, seat) => metered.answer(made, 'accept', [seat], NOW_MS)));
        expect((await matches.answers(made.matchId))!.accepted).toEqual(seats.map((_, seat) => seat));
        expect(cost.units).toBe(200);
      });

      it.each([
        ['decline', { status: 'DECLINED', accepted: [0], declined: [1] }],
        ['expire', { status: 'EXPIRED', accepted: [0] }],
      ] as const)('changes no answer after %s', async (write, closed) => {
        const { made } = await pending('a', 'b');
        await answer(made, 'accept', 0);
        expect(await answer(made, write, ...(write === 'decline' ? [1] : []))).toEqual(closed);
        expect(await answer(made, 'accept', 1)).toEqual(closed);
        expect(await answer(made, 'decline', 0)).toEqual(closed);
        expect(await answer(made, 'expire')).toEqual(closed);
        expect(await matches.answers(made.matchId)).toEqual(closed);
      });

      it.each(['decline', 'expire'] as const)(
        'changes no answer by %s when all have accepted',
        async (write) => {
          const { made } = await pending('a', 'b');
          await answer(made, 'accept', 0, 1);
          expect(await answer(made, write, ...(write === 'decline' ? [1] : []))).toEqual({
            status: 'OPEN',
            accepted: [0, 1],
          });
        },
      );

      it('needs no answer of bots', async () => {
        const { made: plain } = await pending('a');
        const bot = { playerId: 'bot~1', bot: true as const };
        const made = { ...plain, teams: [{ players: [bot, ...plain.teams[0]!.players] }] };
        await answer(made, 'accept', 1);
        expect(await answer(made, 'expire')).toEqual({ status: 'OPEN', accepted: [1] });
      });

      it('is accepted by all, declined or expired: exactly one of the three', async () => {
        for (let i = 0; i < 6; i++) {
          const { made } = await pending(`a${i}`, `b${i}`);
          await answer(made, 'accept', 0);
          const [accepted, declined, expired] = await Promise.all([
            answer(made, 'accept', 1),
            answer(made, 'decline', 1),
            answer(made, 'expire'),
          ]);
          const last = (await matches.answers(made.matchId))!;
          const outcomes = [
            accepted.accepted.length === 2,
            declined.status === 'DECLINED',
            expired.status === 'EXPIRED',
          ];
          expect(outcomes.filter(Boolean).length).toBeGreaterThan(0);
          expect(last.accepted.length === 2).toBe(last.status === 'OPEN');
          expect(last.declined).toEqual(last.status === 'DECLINED' ? [1] : undefined);
        }
      });

      it('advances only from its current status', async () => {
        const { made } = await pending('a');
        const later = '2026-01-01T12:09:00.000Z';
        expect(await matches.advance(made.matchId, 'PLACING', 'FAILED', unplaced('no'))).toBe(false);
        expect(await matches.get(made.matchId)).toEqual(made);
        expect(
          await matches.advance(made.matchId, 'REQUIRES_ACCEPTANCE', 'PLACING', { deadline: later }),
        ).toBe(true);
        expect(await matches.get(made.matchId)).toMatchObject({ status: 'PLACING', deadline: later });
        expect(await matches.advance(made.matchId, 'REQUIRES_ACCEPTANCE', 'PLACING', {})).toBe(false);
        expect(await matches.advance(made.matchId, 'PLACING', 'FAILED', unplaced('late'))).toBe(true);
        const failed = (await matches.get(made.matchId))!;
        expect(failed).toMatchObject({ status: 'FAILED', reason: 'late' });
        expect(failed.deadline).toBeUndefined();
        expect(await matches.advance(id('nobody'), 'PLACING', 'FAILED', unplaced('no'))).toBe(false);
      });

      it('accepts one assignment while PLACING, and its repetition', async () => {
        const { made } = await pending('a');
        const here = { address: '10.0.0.1', port: 7777, tokens: { 'a.0': 'secret', name: 'x' } };
        expect(await matches.assign(made.matchId, here)).toEqual({ outcome: 'conflict', match: made });
        await matches.advance(made.matchId, 'REQUIRES_ACCEPTANCE', 'PLACING', {});
        const { deadline: acceptBy, ...rest } = made;
        const assigned = { ...rest, status: 'COMPLETED', assignment: here };
        expect(await matches.assign(made.matchId, here)).toEqual({ outcome: 'assigned', match: assigned });
        expect(await matches.assign(made.matchId, here)).toEqual({ outcome: 'assigned', match: assigned });
        expect(await matches.assign(made.matchId, { address: 'elsewhere' })).toEqual({
          outcome: 'conflict',
          match: assigned,
        });
        expect(await matches.assign(id('nobody'), here)).toBeUndefined();
      });

      it('accepts one of several concurrent assignments', async () => {
        const { made } = await pending('a');
        await matches.advance(made.matchId, 'REQUIRES_ACCEPTANCE', 'PLACING', {});
        const results = await Promise.all(
          ['a', 'b', 'c', 'd'].map((address) => matches.assign(made.matchId, { address })),
        );
        expect(results.filter((result) => result!.outcome === 'assigned')).toHaveLength(1);
        const winner = ['a', 'b', 'c', 'd'][results.findIndex((result) => result!.outcome === 'assigned')];
        expect((await matches.get(made.matchId))!.assignment).toEqual({ address: winner });
      });

      it('that completed without a provisioner accepts a later assignment', async () => {
        newQueue();
        await put('a', 1);
        await commit(match(queue, id('m'), [id('a')]));
        expect(await matches.assign(id('m'), { address: 'x' })).toMatchObject({ outcome: 'assigned' });
      });

      it('that is dissolved names the tickets to cancel, and keeps a deadline until its tickets are returned', async () => {
        const { made } = await pending('a', 'b', 'c');
        const why = { reason: 'b said no', reasonCode: 'DECLINED' } as const;
        const declined = { ...why, accepted: [0], declined: [1] };
        expect(await matches.dissolve(made, [id('b')], declined, NOW_MS)).toBe('dissolved');
        const { deadline: acceptBy, ...rest } = made;
        const failed = { ...rest, ...declined, status: 'FAILED', acceptBy, cancelled: [id('b')] };
        const deadline = new Date(NOW_MS).toISOString();
        expect(await matches.get(made.matchId)).toEqual({ ...failed, deadline });
        expect(await matches.dissolve(made, [id('a')], notAccepted('again'), NOW_MS)).toBe('lost-race');
        await matches.ticketsReturned(made.matchId);
        expect(await matches.get(made.matchId)).toEqual(failed);
      });

      it('that is dissolved cancels tickets that are still in it', async () => {
        const { made, stored } = await pending('a', 'b');
        await tickets.release((await tickets.get(id('b')))!, made.matchId, oneLayout, true, NOW_MS);
        for (const name of ['a', 'b'])
          await tickets.cancelWithMatch(id(name), made.matchId, why('no'), NOW_MS);
        expect(await tickets.get(id('a'))).toEqual({
          ...stored[0],
          status: 'CANCELLED',
          matchId: made.matchId,
          ...why('no'),
        });
        expect(await tickets.get(id('b'))).toEqual({ ...stored[1], returns: 1, releasedFrom: made.matchId });
        await tickets.release((await tickets.get(id('a')))!, made.matchId, oneLayout, true, NOW_MS);
        expect(await statusOf('a')).toBe('CANCELLED');
      });

      it('either advances or is dissolved', async () => {
        for (let i = 0; i < 4; i++) {
          const { made } = await pending(`a${i}`, `b${i}`);
          const [advanced, dissolved] = await Promise.all([
            matches.advance(made.matchId, 'REQUIRES_ACCEPTANCE', 'COMPLETED', {}),
            matches.dissolve(made, [], notAccepted('no'), NOW_MS),
          ]);
          expect(advanced).toBe(dissolved === 'lost-race');
          expect((await matches.get(made.matchId))!.status).toBe(advanced ? 'COMPLETED' : 'FAILED');
        }
      });
    });

    describe('the latest matches of a queue', () => {
      const form = async (name: string, atMs: number, ...matchIds: string[]) => {
        const forming = matchIds.map((matchId) => ({
          matchId: id(matchId),
          ticketIds: [id(`${matchId}-t`)],
        }));
        await ranges.putJournal(queue, id(name), 0, forming, atMs);
        for (const { matchId, ticketIds } of forming)
          await matches.create(
            match(queue, matchId, ticketIds, { createdAt: new Date(atMs).toISOString() }),
            atMs,
          );
      };
      const names = async (limit: number) =>
        (await latestMatches(tables.client(), tables.names).of(queue, limit)).map(({ matchId }) =>
          matchId.slice(queue.length + 1),
        );

      it('are listed newest first, without those of other queues and those that do not exist', async () => {
        newQueue();
        await form('other', NOW_MS + 99_000, 'elsewhere');
        newQueue();
        expect(await names(10)).toEqual([]);
        for (let i = 10; i < 35; i++) await form(`tick-${i}`, NOW_MS + i * 1_000, `m${i}a`, `m${i}b`);
        await ranges.journalUntilClosed(queue, id('tick-34'), 1, NOW_MS + 90_000);
        const abandoned = { matchId: id('gone'), ticketIds: [id('gone-t')] };
        await ranges.putJournal(queue, id('tick-35'), 0, [abandoned], NOW_MS + 35_000);
        await matches.abandon(queue, abandoned, NOW_MS + 35_000);
        const unformed = { matchId: id('never'), ticketIds: [id('never-t')] };
        await ranges.putJournal(queue, id('tick-36'), 0, [unformed], NOW_MS + 36_000);
        expect(await names(3)).toEqual(['m34a', 'm34b', 'm33a']);
        expect(await names(100)).toHaveLength(50);
      });
    });

    describe('a sample of a pool', () => {
      const sampled = (limit: number, layouts = [oneLayout]) =>
        poolSample(tables.client(), tables.names).of(queue, layouts, limit);

      it('is the whole pool in order of skill, over all layouts, while it is small', async () => {
        newQueue();
        const layouts = [oneLayout, bucketLayout(2, 3)];
        for (const skill of [4, 1, 3, 2]) await put(`s${skill}`, skill, layouts[skill % 2]);
        const { tickets: found, isComplete } = await sampled(4, layouts);
        expect(found.map(({ players }) => players[0]!.skill)).toEqual([1, 2, 3, 4]);
        expect(isComplete).toBe(true);
        expect(await sampled(3, layouts)).toMatchObject({ tickets: { length: 3 }, isComplete: false });
      });

      it('reaches from the lowest to the highest skills of a large pool, at a cost that depends on its limit only', async () => {
        newQueue();
        await Promise.all(Array.from({ length: 200 }, (_, i) => put(`t${i}`, i)));
        const queries: number[] = [];
        const counted = tables.client((call, send) => {
          queries.push(call.input.Limit);
          return send();
        });
        const { tickets: found, isComplete } = await poolSample(counted, tables.names).of(
          queue,
          [oneLayout],
          16,
        );
        const skills = found.map(({ players }) => players[0]!.skill);
        expect(isComplete).toBe(false);
        expect(skills).toHaveLength(16);
        expect(skills).toEqual([...skills].sort((a, b) => a - b));
        for (const place of [0, 1, 2, 3])
          expect(skills.filter((skill) => Math.floor(skill / 50) === place)).toHaveLength(4);
        expect(queries.reduce((sum, limit) => sum + limit, 0)).toBeLessThan(3 * 16);
      });

      it('of players with the same skill is some of them', async () => {
        newQueue();
        await Promise.all(Array.from({ length: 30 }, (_, i) => put(`t${i}`, 7)));
        const { tickets: found, isComplete } = await sampled(10);
        expect(new Set(found.map(({ ticketId }) => ticketId)).size).toBe(10);
        expect(isComplete).toBe(false);
      });

      it('of a queue with many keys reads only as many as it needs, spread over all skills', async () => {
        newQueue();
        const edges = Array.from({ length: 63 }, (_, i) => i + 1);
        const layout = bucketLayout(1, ...edges);
        await Promise.all(Array.from({ length: 64 }, (_, i) => put(`t${i}`, i + 0.5, layout)));
        const { tickets: found, isComplete } = await sampled(16, [layout]);
        expect(found.map(({ players }) => Math.floor(players[0]!.skill))).toEqual(
          Array.from({ length: 16 }, (_, i) => 4 * i),
        );
        expect(isComplete).toBe(false);
      });

      it('of a queue with many keys finds the only ticket, whichever key it has', async () => {
        newQueue();
        const layout = { ...bucketLayout(1), shards: { count: 32, sinceMs: NOW_MS } };
        for (let i = 0; i < 8; i++) {
          await put(`t${i}`, 5, layout);
          expect(await sampled(8, [layout])).toMatchObject({ tickets: { length: i + 1 }, isComplete: true });
        }
      });
    });

    describe('a backfill', () => {
      /** A match of a and b, of which a is still there, and a ticket c that waits. */
      const running = async () => {
        newQueue();
        await put('a', 1);
        await put('b', 1);
        const made = match(queue, id('m'), ['a', 'b'].map(id));
        await commit(made);
        await put('c', 1);
        return made;
      };
      const asked = (name: string, skill = 1): StoredBackfill => ({
        backfillId: id(name),
        matchId: id('m'),
        queue,
        status: 'QUEUED',
        enqueuedAt: new Date(NOW_MS).toISOString(),
        timesOutAt: new Date(NOW_MS + 60_000).toISOString(),
        players: [{ playerId: `${id('a')}.0`, ticketId: id('a'), skill, team: 0 }],
      });
      const withNewcomer = (made: StoredMatch, roster: number) => ({
        match: {
          ...made,
          ...match(queue, id('m'), ['a', 'c'].map(id)),
          roster,
          newTicketIds: [id('c')],
        },
        before: roster === 2 ? undefined : roster - 1,
      });

      it('is stored once, replaces the older one of its match, and is found in its range until it ends', async () => {
        await running();
        expect(await backfills.create(asked('old'), undefined)).toEqual({ outcome: 'created' });
        expect(await backfills.create(asked('old'), undefined)).toEqual({
          outcome: 'exists',
          existing: asked('old'),
        });
        expect(await backfills.create(asked('new', 900), undefined)).toEqual({ outcome: 'created' });
        expect(await matches.get(id('m'))).toMatchObject({ backfillId: id('new') });
        const found = async (range: KeyRange) =>
          (await backfills.open(queue, range, 10)).backfills.map(({ backfillId }) => backfillId);
        expect(await found({})).toEqual([id('old'), id('new')]);
        const { backfills: first, next } = await backfills.open(queue, {}, 1);
        expect(first).toEqual([asked('old')]);
        expect((await backfills.open(queue, { from: next! }, 10)).backfills).toEqual([asked('new', 900)]);
        expect(await found({ from: skillKey(500) })).toEqual([id('new')]);
        expect(await found({ to: skillKey(500) })).toEqual([id('old')]);
        expect(await found({ from: skillKey(0), to: skillKey(500) })).toEqual([id('old')]);
        expect(await backfills.end(id('old'), 'CANCELLED', 'over', NOW_MS)).toMatchObject({ ended: true });
        expect(await backfills.end(id('old'), 'TIMED_OUT', 'late', NOW_MS)).toMatchObject({
          ended: false,
          backfill: { status: 'CANCELLED', reason: 'over' },
        });
        expect(await found({})).toEqual([id('new')]);
        expect(await backfills.end(id('nobody'), 'CANCELLED', 'over', NOW_MS)).toBeUndefined();
      });

      it('is refused for a match that is missing, over, not yet placed or of another roster', async () => {
        const made = await running();
        expect(await backfills.create(asked('b'), 2)).toEqual({ outcome: 'refused' });
        expect(await backfills.create({ ...asked('b'), matchId: id('n') }, undefined)).toEqual({
          outcome: 'refused',
        });
        await backfills.create(asked('first'), undefined);
        expect(await backfills.fill(asked('first'), withNewcomer(made, 2), NOW_MS, [])).toBe('committed');
        expect(await backfills.create(asked('b'), undefined)).toEqual({ outcome: 'refused' });
        expect(await backfills.create(asked('b'), 2)).toEqual({ outcome: 'created' });
        await matches.end(id('m'), NOW_MS);
        expect(await backfills.create(asked('c'), 2)).toEqual({ outcome: 'refused' });
        expect(await backfills.get(id('c'))).toBeUndefined();
      });

      it('is filled with more meetings than a transaction has room for, and not when no item can hold the match', async () => {
        const made = await running();
        await backfills.create(asked('new'), undefined);
        const filled = withNewcomer(made, 2);
        const large = { ...filled, match: { ...filled.match, rules: { ['r'.repeat(410_000)]: {} } } };
        expect(await backfills.fill(asked('new'), large, NOW_MS, [])).toBe('too-large');
        const met = Array.from({ length: 120 }, (_, i) => ({
          playerId: id(`p${i}`),
          met: [[id(`q${i}`), NOW_MS] as const],
          expiresAtMs: NOW_MS + 1_000,
        }));
        expect(await backfills.fill(asked('new'), filled, NOW_MS, met)).toBe('committed');
        expect((await meetings.of(queue, [id('p0'), id('p119')], NOW_MS)).size).toBe(2);
      });

      it('is filled with its newcomers all at once, and only while it is the newest one of its match', async () => {
        const made = await running();
        await backfills.create(asked('old'), undefined);
        await backfills.create(asked('new'), undefined);
        expect(await backfills.fill(asked('old'), withNewcomer(made, 2), NOW_MS, [])).toBe('lost-race');
        expect([await statusOf('c'), (await matches.get(id('m')))?.roster]).toEqual(['QUEUED', undefined]);
        expect(await backfills.fill(asked('new'), withNewcomer(made, 2), NOW_MS, [])).toBe('committed');
        expect(await backfills.get(id('new'))).toMatchObject({ status: 'COMPLETED', roster: 2 });
        expect(await matches.get(id('m'))).toMatchObject({
          roster: 2,
          newTicketIds: [id('c')],
          ticketIds: ['a', 'c'].map(id),
        });
        expect(await tickets.get(id('c'))).toMatchObject({ status: 'MATCHED', matchId: id('m') });
        expect(await backfills.fill(asked('new'), withNewcomer(made, 3), NOW_MS, [])).toBe('lost-race');
      });
    });

    it('the totals of an experiment add up when one addition has every wait up to a day', async () => {
      const store = experimentStore(tables.client(), tables.names.ranges);
      const key = { queue: newQueue(), startMs: NOW_MS };
      const totals = noTotals();
      for (let seconds = 0.5; seconds < 86_400; seconds *= 1.02)
        for (const end of ['matched', 'cancelled', 'timedOut'] as const) addWait(totals, 1, end, seconds, 1);
      expect(Object.keys(totals.waits).length).toBeGreaterThan(230);
      for (let times = 0; times < 2; times++) await store.add(key, 3, totals, NOW_MS);
      const stored = (await store.totals(key, [3])).get(3)!;
      expect(stored.matched).toBe(2 * totals.matched);
      for (const [bin, players] of Object.entries(totals.waits))
        expect(stored.waits[Number(bin)]).toBe(2 * players);
    });

    describe('matches that are overdue', () => {
      const dueMs = NOW_MS + 60_000;
      const deadline = new Date(dueMs).toISOString();
      const commitOne = async (name: string, changes: Partial<StoredMatch>) => {
        await put(`${name}-ticket`, 1);
        const made = match(queue, id(name), [id(`${name}-ticket`)], { deadline, ...changes });
        await commit(made);
        return made;
      };
      const found = async (byMs: number) =>
        (await overdue.findOverdue(byMs))
          .filter((matchId) => matchId.startsWith(`${queue}:`))
          .map((matchId) => matchId.slice(queue.length + 1))
          .sort();

      it('are all found from their deadline on', async () => {
        newQueue();
        const names = Array.from({ length: 40 }, (_, i) => `m${i}`).sort();
        await Promise.all(names.map((name) => commitOne(name, { status: 'PLACING' })));
        await put('other', 1);
        await commit(match(queue, id('none'), [id('other')]));
        expect(await found(dueMs - 1)).toEqual([]);
        expect(await found(dueMs)).toEqual(names);
      });

      it('are no longer found after they have ended in any way', async () => {
        newQueue();
        const placing = ['assigned', 'failed'];
        for (const name of placing) await commitOne(name, { status: 'PLACING' });
        await commitOne('accepted', { status: 'REQUIRES_ACCEPTANCE' });
        const dissolved = await commitOne('dissolved', { status: 'REQUIRES_ACCEPTANCE' });
        expect(await found(dueMs)).toEqual(['accepted', 'assigned', 'dissolved', 'failed']);
        await matches.assign(id('assigned'), { address: 'game.example' });
        await matches.advance(id('failed'), 'PLACING', 'FAILED', unplaced('why'));
        await matches.advance(id('accepted'), 'REQUIRES_ACCEPTANCE', 'COMPLETED', {});
        await matches.dissolve(dissolved, [], notAccepted('why'), NOW_MS);
        await matches.abandon(queue, { matchId: id('abandoned'), ticketIds: [id('a')] }, NOW_MS);
        // Their tickets are not returned yet.
        expect(await found(dueMs + 3_600_000)).toEqual(['abandoned', 'dissolved']);
        await matches.ticketsReturned(id('dissolved'));
        await matches.ticketsReturned(id('abandoned'));
        expect(await found(dueMs + 3_600_000)).toEqual([]);
      });

      it('are found by their new deadline after they advance', async () => {
        newQueue();
        await commitOne('m', { status: 'REQUIRES_ACCEPTANCE' });
        const later = new Date(dueMs + 1_000).toISOString();
        await matches.advance(id('m'), 'REQUIRES_ACCEPTANCE', 'PLACING', { deadline: later });
        expect(await found(dueMs)).toEqual([]);
        expect(await found(dueMs + 1_000)).toEqual(['m']);
      });
    });

    describe('a queue store', () => {
      const record = (changes: Partial<QueueRecord> = {}): QueueRecord => ({
        definition: definition({ name: queue, imbalance: { alpha: 0.1 + 0.2, p: 'inf', q: 2.5 } }),
        version: 1,
        layouts: [{ version: 1, boundaries: [0.1 + 0.2, 1e-300 + 1], fromMs: 0 }],
        awakeUntilMs: 0,
        sentUntilMs: 0,
        ...changes,
      });

      it('returns a stored queue, and undefined for a missing one', async () => {
        newQueue();
        expect(await queues.get(queue)).toBeUndefined();
        expect(await queues.put(record())).toBe(true);
        expect(await queues.get(queue)).toEqual(record());
        const closed = record({ version: 2, deletedAt: '2026-01-01T00:00:00.000Z' });
        expect(await queues.put(closed)).toBe(true);
        expect(await queues.get(queue)).toEqual(closed);
        expect(await queues.put(record({ version: 3 }))).toBe(true);
        expect(await queues.get(queue)).toEqual(record({ version: 3 }));
      });

      it('keeps what a deployment notes until another deployment changes it', async () => {
        newQueue();
        const deployed = { digest: 'a', version: 1 };
        const noted = async () => (await queues.get(queue))?.deployed;
        await queues.put(record(), deployed);
        expect(await noted()).toEqual(deployed);
        // A change through the API, which has read the queue before another note.
        const next = { digest: 'b', version: 1 };
        expect(await queues.recordDeployed(record(), queue, next)).toBe(true);
        expect(await queues.put({ ...record({ version: 2 }), deployed })).toBe(true);
        expect(await noted()).toEqual(next);
        expect(await queues.recordDeployed(record(), queue, deployed)).toBe(false);
        const closed = record({ version: 3, deletedAt: '2026-01-01T00:00:00.000Z' });
        expect(await queues.put(closed, null)).toBe(true);
        expect(await queues.get(queue)).toEqual(closed);
      });

      it('stores each version once, including the first', async () => {
        newQueue();
        const firsts = await Promise.all([queues.put(record()), queues.put(record())]);
        expect(firsts.sort()).toEqual([false, true]);
        const seconds = await Promise.all(
          [1, 2, 3].map((tickSeconds) =>
            queues.put(record({ version: 2, definition: definition({ name: queue, tickSeconds }) })),
          ),
        );
        expect(seconds.filter(Boolean)).toHaveLength(1);
        expect((await queues.get(queue))!.definition.tickSeconds).toBe(seconds.indexOf(true) + 1);
        expect(await queues.put(record({ version: 4 }))).toBe(false);
      });

      it('rejects a change by a caller that has not read until when ticks are scheduled', async () => {
        newQueue();
        await queues.put(record());
        await queues.extendAwake(record(), 5_000);
        expect(await queues.put(record({ version: 2 }))).toBe(false);
        expect(await queues.put(record({ version: 2, awakeUntilMs: 5_000 }))).toBe(true);
      });

      it('lets one of several callers schedule the next ticks', async () => {
        newQueue();
        await queues.put(record());
        const extended = await Promise.all([1, 2, 3, 4].map((n) => queues.extendAwake(record(), n * 1_000)));
        expect(extended.filter(Boolean)).toHaveLength(1);
        const awakeUntilMs = (extended.indexOf(true) + 1) * 1_000;
        expect((await queues.get(queue))!.awakeUntilMs).toBe(awakeUntilMs);
        expect(await queues.extendAwake(record(), 9_000)).toBe(false);
        expect(await queues.extendAwake(record({ awakeUntilMs }), 9_000)).toBe(true);
      });

      it('records sent ticks for a caller that has read the previous record, and keeps them when the definition changes', async () => {
        newQueue();
        await queues.put(record());
        await queues.confirmSent(record({ sentUntilMs: 1_000 }), 9_000);
        expect((await queues.get(queue))!.sentUntilMs).toBe(0);
        await queues.confirmSent(record(), 5_000);
        await queues.put(record({ version: 2 }));
        expect((await queues.get(queue))!.sentUntilMs).toBe(5_000);
      });

      it('holds presence for every caller, through a change of the definition, but not in a queue that does not exist', async () => {
        newQueue();
        await queues.extend(record(), 'presenceHeldUntilMs', NOW_MS);
        expect(await queues.get(queue)).toBeUndefined();
        await queues.put(record());
        for (const untilMs of [NOW_MS, NOW_MS + 5])
          await queues.extend(record({ version: 9 }), 'presenceHeldUntilMs', untilMs);
        expect(await queues.put(record({ version: 2 }))).toBe(true);
        expect(await queues.get(queue)).toEqual(record({ version: 2, presenceHeldUntilMs: NOW_MS + 5 }));
      });

      it('schedules no ticks for a caller that has read an earlier definition', async () => {
        newQueue();
        await queues.put(record());
        await queues.put(record({ version: 2 }));
        expect(await queues.extendAwake(record(), 1_000)).toBe(false);
        expect(await queues.extendAwake(record({ version: 2 }), 1_000)).toBe(true);
      });

      it('drops layouts only for a caller that has read the current version', async () => {
        newQueue();
        const two = record({ layouts: [bucketLayout(1), bucketLayout(2, 10)] });
        await queues.put(two);
        expect(await queues.dropLayouts(record({ ...two, version: 2 }), two.layouts.slice(1))).toBe(false);
        expect(await queues.dropLayouts(two, two.layouts.slice(1))).toBe(true);
        expect(await queues.get(queue)).toEqual({ ...two, layouts: two.layouts.slice(1) });
      });

      it('removes a queue only in the version that was read, and returns the same when it is already removed', async () => {
        newQueue();
        await queues.put(record());
        expect(await queues.remove(record({ version: 2 }))).toBe(false);
        expect(await queues.get(queue)).toBeDefined();
        expect(await queues.remove(record())).toBe(true);
        expect(await queues.get(queue)).toBeUndefined();
        expect(await queues.remove(record())).toBe(true);
        expect(await queues.put(record())).toBe(true);
      });

      it('keeps the last 50 definitions that were replaced, and removes them with their queue', async () => {
        newQueue();
        const replaced = (version: number, tickSeconds = 2) => ({
          definition: definition({ name: queue, tickSeconds }),
          change: { version, at: new Date(NOW_MS + version * 1_000).toISOString(), by: 'ann' },
        });
        const versions = async () => (await queues.kept(queue)).map(({ change }) => change.version);
        expect(await versions()).toEqual([]);
        const { definition: oldest } = replaced(1);
        await queues.keep({ definition: oldest, change: { version: 1 } });
        expect(await queues.kept(queue)).toEqual([{ definition: oldest, change: { version: 1 } }]);
        for (let version = 1; version <= 55; version++) await queues.keep(replaced(version));
        const last50 = Array.from({ length: 50 }, (_, i) => i + 6);
        expect((await versions()).sort((a, b) => a - b)).toEqual(last50);
        // A write that arrives late does not bring an earlier definition back.
        await queues.keep(replaced(3, 9));
        await queues.keep(replaced(55, 9));
        const kept = await queues.kept(queue);
        expect(kept.map(({ change }) => change.version).sort((a, b) => a - b)).toEqual(last50);
        expect(kept.find(({ change }) => change.version === 55)).toEqual(replaced(55));

        const current = record({ change: { version: 56, at: new Date(NOW_MS).toISOString(), restored: 7 } });
        await queues.put(current);
        expect(await queues.get(queue)).toEqual(current);
        expect(await queues.remove(current)).toBe(true);
        expect(await versions()).toEqual([]);
      });

      it('lists all queues by name', async () => {
        const first = newQueue();
        await queues.put(record());
        newQueue();
        await queues.put(record({ version: 1, deletedAt: '2026-01-01T00:00:00.000Z' }));
        const listed = (await queues.list()).records.map(({ definition: { name } }) => name);
        expect(listed).toEqual([...listed].sort());
        expect(listed).toEqual(expect.arrayContaining([first, queue]));
        expect(new Set(listed).size).toBe(listed.length);
      });

      it('lists more queues than fit into one batch', async () => {
        const names = Array.from({ length: 130 }, () => {
          newQueue();
          return queue;
        });
        await Promise.all(
          names.map((name) => queues.put(record({ definition: { ...record().definition, name } }))),
        );
        const listed = (await queues.list()).records.map(({ definition: { name } }) => name);
        expect(listed).toEqual([...listed].sort());
        expect(listed).toEqual(expect.arrayContaining(names));
      });
    });

    describe('a range store', () => {
      const lease = (owner: string, slotMs: number, nowMs = slotMs): Lease => ({
        owner,
        slotMs,
        nowMs,
        untilMs: nowMs + 10_000,
      });
      const report = (slotMs: number): TickReport => ({
        slotMs,
        durationMs: 0.1 + 0.2,
        waiting: 1,
        oldestWaitMs: 2,
        matches: 3,
        recent: [{ imbalance: 1e-300, waitsMs: [1, 2] }],
      });
      const stopped = (count: number, atMs: number, ...ranges: string[]) =>
        ({ count, atMs, how: 'stopped', ...(ranges.length > 0 && { ranges }) }) as const;
      const outcomeOf = (cells: readonly string[], wanted: Lease, settled: readonly string[] = []) =>
        ranges.takeLease(queue, cells, wanted, settled);

      it('leases cells to one tick at a time', async () => {
        newQueue();
        const outcomes = await Promise.all(
          ['a', 'b', 'c', 'd'].map((owner, i) => outcomeOf(['1.0', '1.1'], lease(owner, 1_000 + i))),
        );
        expect(outcomes.filter((outcome) => outcome === 'leased')).toHaveLength(1);
      });

      it('reports whether a slot is already searched or another tick is running', async () => {
        newQueue();
        expect(await outcomeOf(['1.0'], lease('a', 5_000))).toBe('leased');
        expect(await outcomeOf(['1.0'], lease('b', 5_000))).toBe('done');
        expect(await outcomeOf(['1.0'], lease('b', 4_000))).toBe('done');
        expect(await outcomeOf(['1.0'], lease('b', 6_000))).toBe('held');
        await ranges.endLease(queue, ['1.0'], lease('a', 5_000));
        expect(await outcomeOf(['1.0'], lease('b', 5_000))).toBe('done');
        expect(await outcomeOf(['1.0'], lease('b', 6_000))).toBe('leased');
      });

      it('grants a lease to another tick only after it has expired', async () => {
        newQueue();
        await ranges.takeLease(queue, ['1.0'], lease('a', 1_000));
        expect(await outcomeOf(['1.0'], lease('b', 2_000, 10_999))).toBe('held');
        expect(await outcomeOf(['1.0'], lease('b', 2_000, 11_000), ['a'])).toBe('leased');
      });

      it('names the owners of leases that expired without an end, until they are settled', async () => {
        newQueue();
        await ranges.takeLease(queue, ['1.0'], lease('a', 1_000));
        await ranges.takeLease(queue, ['1.1'], lease('b', 1_000));
        expect(await ranges.crashed(queue, ['1.0', '1.1', '1.2'], 10_999)).toEqual(new Map());
        expect(await ranges.crashed(queue, ['1.0', '1.1', '1.2'], 11_000)).toEqual(
          new Map([
            ['a', { cells: ['1.0'], failed: stopped(1, 1_000, '1.0') }],
            ['b', { cells: ['1.1'], failed: stopped(1, 1_000, '1.1') }],
          ]),
        );
        const next = lease('next', 2_000, 11_000);
        const failed = stopped(1, 1_000, '1.0');
        expect(await outcomeOf(['1.0'], next)).toEqual({ crashed: ['a'], failed });
        expect(await outcomeOf(['1.0', '1.1'], next)).toEqual({ crashed: ['a', 'b'], failed });
        expect(await outcomeOf(['1.0', '1.1'], next, ['a'])).toEqual({
          crashed: ['b'],
          failed: stopped(1, 1_000, '1.1'),
        });
        expect(await ranges.close(queue, ['1.0', '1.1'], 11_000, ['b'])).toEqual({ crashed: ['a'] });
        expect(await outcomeOf(['1.1'], next)).toBe('done');
        expect(await outcomeOf(['1.0', '1.2'], next, ['b', 'a'])).toBe('leased');
        expect(await ranges.crashed(queue, ['1.0', '1.1', '1.2'], 12_000)).toEqual(new Map());
        await ranges.endLease(queue, ['1.0', '1.2'], next);
        expect(await ranges.crashed(queue, ['1.0', '1.1', '1.2'], 99_000)).toEqual(new Map());
      });

      it('finds crashed ticks among more cells than one batch has', async () => {
        newQueue();
        await ranges.takeLease(queue, ['1.250'], lease('a', 1_000));
        const cells = Array.from({ length: 511 }, (_, i) => `1.${i}`);
        expect(await ranges.crashed(queue, cells, 11_000)).toEqual(
          new Map([['a', { cells: ['1.250'], failed: stopped(1, 1_000, '1.250') }]]),
        );
      });

      it('counts the ticks in a row that failed or were stopped, until one succeeds', async () => {
        newQueue();
        const failed = (count: number, atMs: number) => ({ count, atMs, how: 'error' }) as const;
        await ranges.takeLease(queue, ['1.0'], lease('a', 1_000));
        await ranges.endLease(queue, ['1.0'], lease('a', 1_000), failed(1, 1_000));
        await ranges.endLease(queue, ['1.0'], lease('a', 1_000), failed(1, 1_000));
        // Only a caller that knows the failures gets the lease.
        const second = lease('b', 2_000);
        expect(await outcomeOf(['1.0', '1.1'], second)).toEqual({ crashed: [], failed: failed(1, 1_000) });
        const known = { ...second, failed: failed(1, 1_000) };
        expect(await outcomeOf(['1.0', '1.1'], known)).toBe('leased');
        expect(await outcomeOf(['1.0', '1.1'], known)).toBe('leased');
        // It is stopped.
        const third = lease('c', 3_000, 12_000);
        expect(await outcomeOf(['1.1'], third)).toEqual({ crashed: ['b'], failed: stopped(2, 2_000) });
        const { cells, failed: ofB } = (await ranges.crashed(queue, ['1.0', '1.1'], 12_000)).get('b')!;
        expect([[...cells].sort(), ofB]).toEqual([['1.0', '1.1'], stopped(2, 2_000)]);
        // Another function settles and ends it.
        await ranges.endLease(queue, ['1.0', '1.1'], { owner: 'b' }, stopped(2, 2_000));
        expect(await outcomeOf(['1.1'], third)).toEqual({ crashed: [], failed: stopped(2, 2_000) });
        expect(await outcomeOf(['1.1', '1.2'], { ...third, failed: stopped(2, 2_000) })).toBe('leased');
        await ranges.endLease(queue, ['1.1', '1.2'], third);
        // The cells of the success have no failures any more, the other one has.
        expect(await outcomeOf(['1.1', '1.2'], lease('d', 4_000, 13_000))).toBe('leased');
        expect(await outcomeOf(['1.0'], lease('e', 4_000, 13_000))).toEqual({
          crashed: [],
          failed: stopped(2, 2_000),
        });
      });

      it('keeps the journal of a tick page by page', async () => {
        newQueue();
        const page = [
          { matchId: '9b2f6a0c-2c63-4c5e-8d8e-0123456789ab', ticketIds: ['=odd', 'plain'] },
          { matchId: 'm', ticketIds: ['9b2f6a0c-2c63-4c5e-8d8e-0123456789ac'] },
        ];
        expect(await ranges.putJournal(queue, 'a', 0, page, NOW_MS)).toBe('stored');
        expect(await ranges.putJournal(queue, 'a', 0, page, NOW_MS)).toBe('stored');
        expect(await ranges.journalUntilClosed(queue, 'a', 0, NOW_MS)).toEqual(page);
        expect(await ranges.journalUntilClosed(queue, 'b', 0, NOW_MS)).toBe('closed');
        expect(await ranges.putJournal(queue, 'a', 1, page, NOW_MS)).toBe('stored');
        expect(await ranges.journalUntilClosed(queue, 'a', 1, NOW_MS)).toEqual(page);
        expect(await ranges.journalUntilClosed(queue, 'a', 2, NOW_MS)).toBe('closed');
        expect(await ranges.journalUntilClosed(queue, 'a', 2, NOW_MS)).toBe('closed');
        expect(await ranges.putJournal(queue, 'a', 2, page, NOW_MS)).toBe('closed');
      });

      it('stores a page or closes the journal, never both', async () => {
        newQueue();
        for (let i = 0; i < 6; i++) {
          const page = [{ matchId: `m${i}`, ticketIds: ['t'] }];
          const [put, read] = await Promise.all([
            ranges.putJournal(queue, `a${i}`, 0, page, NOW_MS),
            ranges.journalUntilClosed(queue, `a${i}`, 0, NOW_MS),
          ]);
          expect(read).toEqual(put === 'stored' ? page : 'closed');
        }
      });

      it('leases all cells of a range or none', async () => {
        newQueue();
        expect(await outcomeOf(['1.1'], lease('a', 1_000))).toBe('leased');
        expect(await outcomeOf(['1.0', '1.1'], lease('b', 2_000))).toBe('held');
        expect(await outcomeOf(['1.0'], lease('c', 2_000))).toBe('leased');
        expect(await outcomeOf(['1.0', '1.1'], lease('d', 2_000))).toBe('done');
        expect(await outcomeOf(['1.2', '1.3'], lease('e', 1_000))).toBe('leased');
      });

      it('grants a lease again to the tick that holds it, because the first response may be lost', async () => {
        newQueue();
        expect(await outcomeOf(['1.0', '1.1'], lease('a', 1_000))).toBe('leased');
        expect(await outcomeOf(['1.0', '1.1'], lease('a', 1_000))).toBe('leased');
        await ranges.endLease(queue, ['1.0', '1.1'], lease('a', 1_000));
        expect(await outcomeOf(['1.0', '1.1'], lease('a', 1_000))).toBe('done');
      });

      it('lets only the owner end a lease', async () => {
        newQueue();
        await ranges.takeLease(queue, ['1.0', '1.1'], lease('a', 1_000));
        await ranges.endLease(queue, ['1.0', '1.1'], lease('b', 1_000));
        expect(await outcomeOf(['1.0', '1.1'], lease('c', 2_000))).toBe('held');
      });

      it('does not end leases that another tick has taken over', async () => {
        newQueue();
        await ranges.takeLease(queue, ['1.1', '1.2'], lease('slow', 1_000));
        expect(await outcomeOf(['1.2', '1.3'], lease('next', 2_000, 11_000), ['slow'])).toBe('leased');
        await ranges.endLease(queue, ['1.1', '1.2'], lease('slow', 1_000));
        expect(await outcomeOf(['1.2'], lease('third', 3_000, 11_500))).toBe('held');
      });

      it('closes cells whose leases have ended, permanently', async () => {
        newQueue();
        expect(await outcomeOf(['1.1'], lease('a', 5_000))).toBe('leased');
        expect(await ranges.close(queue, ['1.0', '1.1'], 5_000)).toBe('held');
        expect(await outcomeOf(['1.0'], lease('b', 9_000))).toBe('done');
        expect(await outcomeOf(['1.1'], lease('b', 9_000))).toBe('held');
        await ranges.endLease(queue, ['1.1'], lease('a', 5_000));
        expect(await ranges.close(queue, ['1.0', '1.1'], 5_000)).toBe('closed');
        expect(await ranges.close(queue, ['1.0', '1.1'], 5_000)).toBe('closed');
        expect(await outcomeOf(['1.1', '1.2'], lease('c', 99_000))).toBe('done');
        expect(await outcomeOf(['1.2'], lease('c', 99_000))).toBe('leased');
      });

      it('keeps the report of the latest slot of every range', async () => {
        newQueue();
        await ranges.putReport(queue, '1.0', report(1_000), NOW_MS);
        await ranges.putReport(queue, '1.0+1.1', report(2_000), NOW_MS);
        await ranges.putReport(queue, '1.0', report(3_000), NOW_MS);
        await ranges.putReport(queue, '1.0', report(2_000), NOW_MS);
        expect(await ranges.reports(queue, ['1.0', '1.0+1.1', '1.2'])).toEqual(
          new Map([
            ['1.0', report(3_000)],
            ['1.0+1.1', report(2_000)],
          ]),
        );
      });

      it('removes the given leases and reports', async () => {
        newQueue();
        await ranges.takeLease(queue, ['1.0', '1.1'], lease('x', 1_000));
        await ranges.putReport(queue, '1.0+1.1', report(1_000), NOW_MS);
        await ranges.remove(queue, ['1.0'], ['1.0+1.1']);
        expect(await ranges.reports(queue, ['1.0+1.1'])).toEqual(new Map());
        expect(await outcomeOf(['1.0'], lease('y', 1_000))).toBe('leased');
        expect(await outcomeOf(['1.1'], lease('y', 1_000))).toBe('done');
      });

      it('stores the last arrivals of a queue', async () => {
        newQueue();
        expect(await ranges.arrivals(queue)).toBeUndefined();
        const arrivals = {
          version: 2 as const,
          tickedAtMs: NOW_MS,
          newestSeenMs: NOW_MS,
          players: 1 / 3,
          seconds: 5e-324,
          seen: 1e15 / 3,
          skills: { means: [0.1 + 0.2], weights: [1 / 3] },
        };
        await ranges.putArrivals(queue, { ...arrivals, players: 2 }, NOW_MS);
        await ranges.putArrivals(queue, arrivals, NOW_MS);
        expect(await ranges.arrivals(queue)).toEqual(arrivals);
      });

      it.runIf(IS_LONG || emulator !== 'memory')(
        'costs the same after any number of layout changes, and spreads its writes over keys',
        async () => {
          newQueue();
          const cost = { units: 0, ofKey: new Map<string, number>() };
          const metered = rangeStore(tables.client(metering(cost)), tables.names.ranges);
          const boundaries = Array.from({ length: 8 }, (_, i) => i + 1);
          const unitsOfSecond = async (version: number) => {
            cost.units = 0;
            cost.ofKey.clear();
            const slotMs = NOW_MS + version * 1_000;
            for (const { cells } of tickRanges(bucketLayout(version, ...boundaries), version % 2 === 1)) {
              const mine = lease(`tick-${version}`, slotMs);
              expect(await metered.takeLease(queue, cells, mine)).toBe('leased');
              await metered.endLease(queue, cells, mine);
            }
            return cost.units;
          };
          const first = await unitsOfSecond(2);
          for (let version = 3; version < 10; version++) await unitsOfSecond(version);
          expect(await unitsOfSecond(10)).toBe(first);
          expect(first).toBeLessThanOrEqual(6 * (boundaries.length + 1));
          expect(Math.max(...cost.ofKey.values())).toBeLessThanOrEqual(4);
        },
      );

      it.runIf(IS_LONG || emulator === 'memory')(
        'stores leases and reports for the maximum number of buckets',
        async () => {
          newQueue();
          const layout = bucketLayout(1, ...Array.from({ length: LIMITS.boundariesMax }, (_, i) => i + 1));
          const recent = Array.from({ length: 20 }, () => ({
            imbalance: 1 / 3,
            waitsMs: Array.from({ length: 2 * LIMITS.teamSizeMax }, () => 12_345),
          }));
          const memory = {
            version: 2 as const,
            tickedAtMs: NOW_MS,
            newestSeenMs: NOW_MS,
            players: 1 / 3,
            seconds: 1 / 3,
            seen: 1e15 / 3,
            skills: {
              means: Array.from({ length: 64 }, (_, i) => 1_000.25 + i),
              weights: Array.from({ length: 64 }, (_, i) => 1_000.25 + i),
            },
          };
          const big = { ...report(1_000), recent, memory };
          const all = [false, true].flatMap((odd) =>
            tickRanges(layout, odd).map((range) => ({ range, odd })),
          );
          for (const { range, odd } of all) {
            const mine = lease(rangeName(range), odd ? 2_000 : 1_000);
            expect(await outcomeOf(range.cells, mine)).toBe('leased');
            // One report is as large as can be: to read all of them so takes long.
            const own = range.index === 0 ? big : { ...big, recent: recent.slice(0, 2) };
            await ranges.putReport(queue, rangeName(range), own, NOW_MS);
            await ranges.endLease(queue, range.cells, mine);
          }
          const names = all.map(({ range }) => rangeName(range));
          const kept = await ranges.reports(queue, names);
          expect([...kept.keys()]).toEqual(names);
          expect(JSON.stringify([...kept.values()]).length).toBeGreaterThan(400 * 1_024);
          expect(new Set(rangesOf(layout))).toEqual(new Set(names));
        },
      );
    });
  });
});

/** Adds up the write units of calls, and of each key, taking a write in a transaction as two. */
function metering(cost: { units: number; ofKey: Map<string, number> }): Wire {
  return async (call, send) => {
    const input = { ...call.input, ReturnConsumedCapacity: 'TOTAL' };
    const reply = await send({ ...call, input, body: JSON.stringify(input) });
    const consumed = [JSON.parse(reply.body).ConsumedCapacity].flat() as { CapacityUnits: number }[];
    for (const { CapacityUnits } of consumed) cost.units += CapacityUnits;
    const writes: { Update: { Key: unknown } }[] = call.input.TransactItems ?? [];
    const keys = writes.length > 0 ? writes.flatMap(({ Update: { Key } }) => [Key, Key]) : [call.input.Key];
    for (const key of keys.map((one) => JSON.stringify(one)))
      cost.ofKey.set(key, (cost.ofKey.get(key) ?? 0) + 1);
    return reply;
  };
}
