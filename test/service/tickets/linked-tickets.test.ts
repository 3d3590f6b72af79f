import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { beforeEach, describe, expect, it } from 'vitest';
import { ticketStore } from '../../../lib/aws/ticket-store.ts';
import type { QueueDefinition } from '../../../lib/contract/queue-definition.ts';
import { requestBackfill } from '../../../lib/service/backfills/request-backfill.ts';
import type { StoredTicket } from '../../../lib/service/domain/stored-ticket.ts';
import { checkDeadline } from '../../../lib/service/placement/deadline.ts';
import { StoreBusy } from '../../../lib/service/ports/store-busy.ts';
import { getStats } from '../../../lib/service/queues/stats.ts';
import { answerMatch } from '../../../lib/service/tickets/acceptance.ts';
import { cancelTicket } from '../../../lib/service/tickets/cancel-ticket.ts';
import { enqueue } from '../../../lib/service/tickets/enqueue.ts';
import { enqueueBatch } from '../../../lib/service/tickets/enqueue-batch.ts';
import { getTicket } from '../../../lib/service/tickets/read-tickets.ts';
import { WaitEstimates } from '../../../lib/service/tickets/wait-estimates.ts';
import { tick } from '../../../lib/service/ticks/tick.ts';
import type { EmulatedTables } from '../../aws/emulated-tables.ts';
import { CHAOS_LADDER } from '../chaos-results.ts';
import { definition, putLadder, putQueue } from '../definitions.ts';
import { ownCloudForEachTest } from '../own-cloud.ts';
import type { VirtualCloud } from '../virtual-cloud.ts';

describe('a ticket in several queues', () => {
  let cloud: VirtualCloud;
  let duel: string;
  let arena: string;
  let raid: string;
  let tables: EmulatedTables;
  ownCloudForEachTest('memory', (own) => {
    ({ cloud, tables } = own);
    duel = own.queue;
    arena = `${own.queue}-arena`;
    raid = `${own.queue}-raid`;
  });

  const id = (name: string) => `${duel}:${name}`;
  const define = (name: string, changes: Partial<QueueDefinition> = {}) =>
    putQueue(
      cloud.deps.queues,
      definition({ name, group: 'casual', timeoutSeconds: 300, tickSeconds: 5, ...changes }),
      cloud.nowMs,
    );
  const body = (name: string, also: readonly object[] = [{ queue: arena }, { queue: raid }]) => ({
    ticketId: id(name),
    players: [{ playerId: `p-${name}`, skill: 10 }],
    ...(also.length > 0 && { also }),
  });
  const post = (name: string, also?: readonly object[], queue = duel) =>
    enqueue(cloud.deps, queue, body(name, also), cloud.nowMs);
  const read = (name: string) => getTicket(cloud.deps, id(name));
  const tickOf = async (queue: string, afterMs = 5_000) => {
    cloud.nowMs += afterMs;
    const slotMs = Math.floor(cloud.nowMs / 5_000) * 5_000;
    const result = await tick(cloud.deps, { queue, slotMs });
    if (result.outcome !== 'searched') throw new Error(`Expected a search, got ${JSON.stringify(result)}`);
    return result;
  };
  /** The entries in the pool of a queue. */
  const entriesIn = async (queue: string): Promise<StoredTicket[]> => {
    const { layouts } = (await cloud.deps.queues.get(queue))!;
    const { tickets } = await cloud.deps.tickets.waiting(queue, layouts, {}, undefined, true);
    return tickets.filter(({ entry }) => entry !== undefined);
  };
  const counts = async () =>
    Promise.all([duel, arena, raid].map(async (queue) => (await entriesIn(queue)).length));

  beforeEach(async () => {
    await define(duel);
    await define(arena);
    await define(raid);
  });

  it('waits in each of them, and says so', async () => {
    const { created, ticket } = await post('a');
    expect(created).toBe(true);
    expect(ticket).toMatchObject({ status: 'QUEUED', queue: duel });
    expect(await counts()).toEqual([0, 1, 1]);
    const view = await new WaitEstimates(cloud.deps).view(await read('a'));
    expect(view).toMatchObject({ queue: duel, queues: [{ queue: duel }, { queue: arena }, { queue: raid }] });
    for (const queue of [duel, arena, raid])
      expect(cloud.tickMessages.some(({ what }) => what.queue === queue)).toBe(true);
  });

  it('has ticks at the interval of each queue, which begins at a second of its own', async () => {
    const names = Array.from({ length: 12 }, (_, i) => `${duel}-${i}`);
    for (const name of names) await define(name);
    for (const [i, name] of names.entries()) await post(`a${i}`, [], name);
    const shifts = names.map((name) => {
      const slots = cloud.tickMessages
        .filter(({ what }) => what.queue === name)
        .map(({ what }) => what.slotMs);
      for (const [i, slotMs] of slots.entries()) expect(slotMs - slots[0]!).toBe(5_000 * i);
      return slots[0]! % 5_000;
    });
    for (const shift of shifts) expect(shift % 1_000).toBe(0);
    expect(new Set(shifts).size).toBeGreaterThan(2);
  });

  it('is matched by whichever queue has a game first, and leaves the others', async () => {
    await post('a');
    await post('b', [], raid);
    const { matches } = await tickOf(raid);
    expect(matches).toMatchObject([{ ticketIds: [id('a'), id('b')], queue: raid }]);
    expect(await read('a')).toMatchObject({ status: 'COMPLETED', queue: raid, matchId: matches[0]!.matchId });
    expect(await counts()).toEqual([0, 0, 0]);
    await post('c', []);
    expect((await tickOf(duel)).matches).toEqual([]);
  });

  it('is counted in each other queue of its own when one has matched it', async () => {
    for (const name of ['a', 'b', 'c']) await post(name);
    await post('d', [{ queue: raid }]);
    expect((await tickOf(raid)).matches).toHaveLength(2);
    const stats = await Promise.all([duel, arena, raid].map((one) => getStats(cloud.deps, one, cloud.nowMs)));
    expect(stats.map(({ outcomes }) => outcomes.tickets)).toMatchObject([
      { matched: 0, elsewhere: 4 },
      { matched: 0, elsewhere: 3 },
      { matched: 4, elsewhere: 0 },
    ]);
  });

  it('is counted among the waiting tickets of each of its queues', async () => {
    await post('a', [{ queue: arena }]);
    const stats = [];
    for (const queue of [duel, arena, raid]) {
      await tickOf(queue);
      const { waiting, linked } = await getStats(cloud.deps, queue, cloud.nowMs);
      stats.push({ waiting, linked });
    }
    const one = { waiting: 1, linked: 1 };
    expect(stats).toEqual([one, one, { waiting: 0, linked: undefined }]);
  });

  it('has in each queue the players of that queue', async () => {
    await post('a', [{ queue: arena, players: [{ playerId: 'p-a', skill: 77 }] }]);
    await enqueue(
      cloud.deps,
      arena,
      { ticketId: id('b'), players: [{ playerId: 'p-b', skill: 75 }] },
      cloud.nowMs,
    );
    expect((await read('a')).players).toMatchObject([{ skill: 10 }]);
    const { matches } = await tickOf(arena);
    expect(matches).toMatchObject([{ teamGap: 2 }]);
    expect((await read('a')).players).toMatchObject([{ skill: 77 }]);
  });

  it('has its home in the queue with the longest time-out, and leaves another one at its time-out there', async () => {
    await define(raid, { timeoutSeconds: 600 });
    await define(arena, { timeoutSeconds: 100 });
    cloud.nowMs += 2_000;
    await post('a');
    expect(await counts()).toEqual([1, 1, 0]);
    await tickOf(arena, 101_000);
    expect(await counts()).toEqual([1, 0, 0]);
    expect(await read('a')).toMatchObject({ status: 'QUEUED', queue: duel });
    await tickOf(duel, 200_000);
    expect(await read('a')).toMatchObject({ status: 'QUEUED' });
    await tickOf(raid, 300_000);
    expect(await read('a')).toMatchObject({ status: 'TIMED_OUT', queue: duel });
    expect(await counts()).toEqual([0, 0, 0]);
  });

  it('leaves all queues when it is cancelled, and its id begins no other search', async () => {
    await post('a');
    await cancelTicket(cloud.deps, id('a'), cloud.nowMs);
    expect(await counts()).toEqual([0, 0, 0]);
    await expect(post('a')).rejects.toMatchObject({ status: 409, extensions: { code: 'TICKET_ENDED' } });
    expect(await counts()).toEqual([0, 0, 0]);
  });

  it.each([
    ['alone', () => [arena]],
    ['with another one', () => [arena, raid]],
    ['with its home', () => [duel, arena]],
  ])('waits under further keys of a queue whose key is throttled, %s', async (_, queues) => {
    const throttled = queues().map((queue) => `"${queue}#1.0"`);
    const client = tables.client((call, send) =>
      call.operation === 'PutItem' && throttled.some((key) => JSON.stringify(call.input).includes(key))
        ? Promise.reject(new StoreBusy('throttled'))
        : send(),
    );
    const tickets = ticketStore(client, tables.names);
    await enqueue({ ...cloud.deps, tickets }, duel, body('a'), cloud.nowMs);
    cloud.nowMs += 2_000;
    for (const queue of [duel, arena, raid]) {
      const { layouts } = (await cloud.deps.queues.get(queue))!;
      expect(layouts[0]!.shards?.count).toBe(queues().includes(queue) ? 32 : undefined);
    }
    expect(await counts()).toEqual([0, 1, 1]);
    await post('b', [], arena);
    expect((await tickOf(arena)).matches).toMatchObject([{ ticketIds: [id('a'), id('b')] }]);
    expect(await counts()).toEqual([0, 0, 0]);
  });

  it('is the same when it is posted again, and gets back entries that were lost', async () => {
    await post('a');
    for (const entry of await entriesIn(arena)) await cloud.deps.tickets.removeEntry(entry);
    expect(await counts()).toEqual([0, 0, 1]);
    const again = await post('a');
    expect(again).toMatchObject({ created: false, ticket: { status: 'QUEUED', queue: duel } });
    expect(await counts()).toEqual([0, 1, 1]);
    await expect(post('a', [{ queue: arena }])).rejects.toMatchObject({
      status: 409,
      extensions: { code: 'TICKET_ID_TAKEN' },
    });
    await expect(post('a', [])).rejects.toMatchObject({ status: 409 });
    expect(await counts()).toEqual([0, 1, 1]);
  });

  it('returns to all of its queues when its match is dissolved, with the wait that it had', async () => {
    await define(raid, { acceptance: { timeoutSeconds: 30 } });
    cloud.nowMs += 2_000;
    const { ticket } = await post('a');
    await post('b', [], raid);
    const { matches } = await tickOf(raid);
    const { matchId } = matches[0]!;
    await answerMatch(cloud.deps, id('a'), { accepted: true, matchId }, cloud.nowMs);
    cloud.nowMs += 31_000;
    await checkDeadline(cloud.deps, matchId, cloud.nowMs);
    expect(await read('b')).toMatchObject({ status: 'CANCELLED' });
    expect(await read('a')).toMatchObject({ status: 'QUEUED', queue: duel, enqueuedAt: ticket.enqueuedAt });
    expect((await entriesIn(raid)).map(({ entry }) => entry!.n)).toEqual([1]);
    await post('c', [], arena);
    const next = await tickOf(arena);
    expect(next.matches).toMatchObject([{ ticketIds: [id('a'), id('c')] }]);
    expect(await counts()).toEqual([0, 0, 0]);
  });

  it('keeps its entries when a game is lost, and is matched by the next tick', async () => {
    await post('a');
    await post('b', [], raid);
    const lost = { ...cloud.deps, tickets: { ...cloud.deps.tickets, claim: async () => false } };
    cloud.nowMs += 5_000;
    const first = await tick(lost, { queue: raid, slotMs: cloud.nowMs });
    expect(first).toMatchObject({ matches: [] });
    expect(await read('a')).toMatchObject({ status: 'QUEUED', queue: duel });
    expect((await tickOf(raid)).matches).toHaveLength(1);
  });

  it('leaves its entries to the ticks when its post crashes before the ticket, which remove them after a minute', async () => {
    await post('a');
    await cloud.client.send(
      new DeleteCommand({ TableName: tables.names.tickets, Key: { ticketId: id('a') } }),
    );
    for (let ticks = 0; ticks < 11; ticks++) await tickOf(raid);
    expect(await counts()).toEqual([0, 1, 1]);
    for (let ticks = 0; ticks < 12; ticks++) await tickOf(raid);
    expect(await counts()).toEqual([0, 1, 0]);
  });

  it('is replaced by a ticket with a queue in common, which keeps its wait in other queues too', async () => {
    const { ticket } = await post('a', [{ queue: arena }]);
    cloud.nowMs += 30_000;
    const changed = { ...body('b', [{ queue: raid }]), players: [{ playerId: 'p-a', skill: 10 }] };
    const next = await enqueue(cloud.deps, duel, { ...changed, replaces: id('a') }, cloud.nowMs);
    expect(next.ticket.enqueuedAt).toBe(ticket.enqueuedAt);
    expect(await read('a')).toMatchObject({ status: 'CANCELLED', replacedBy: id('b') });
    expect(await counts()).toEqual([0, 0, 1]);
    const alone = { ticketId: id('c'), players: changed.players, replaces: id('b') };
    await expect(enqueue(cloud.deps, arena, alone, cloud.nowMs)).rejects.toMatchObject({
      status: 409,
      extensions: { code: 'TICKET_NOT_REPLACEABLE' },
    });
  });

  it('has a place in each queue with onePlace while it waits, and then in the queue of its match alone', async () => {
    await define(duel, { onePlace: true });
    await define(raid, { onePlace: true });
    cloud.nowMs += 2_000;
    await post('a');
    const again = (queue: string) =>
      enqueue(
        cloud.deps,
        queue,
        { ticketId: id(`again-${queue}`), players: [{ playerId: 'p-a', skill: 1 }] },
        cloud.nowMs,
      );
    for (const queue of [duel, raid])
      await expect(again(queue)).rejects.toMatchObject({
        extensions: { code: 'PLAYER_IN_TICKET', queue: duel },
      });
    await post('b', [], raid);
    await tickOf(raid);
    expect(await read('a')).toMatchObject({ status: 'COMPLETED', queue: raid });
    await expect(again(raid)).rejects.toMatchObject({ extensions: { queue: raid } });
    expect((await again(duel)).ticket.status).toBe('QUEUED');
  });

  it.each([
    ['its home', 'duel', 'b declines'],
    ['its home', 'duel', 'the time is up'],
    ['the queue of its match', 'raid', 'b declines'],
    ['the queue of its match', 'raid', 'the time is up'],
  ])('returns to the queues that are left when %s (%s) was removed and %s', async (_, which, event) => {
    const removed = which === 'duel' ? duel : raid;
    const left = [duel, arena, raid].filter((name) => name !== removed);
    await define(duel, { timeoutSeconds: 600 });
    await define(raid, { acceptance: { timeoutSeconds: 30 } });
    cloud.nowMs += 2_000;
    await post('a');
    await post('b', [], raid);
    const { matchId } = (await tickOf(raid)).matches[0]!;
    const { queues } = cloud.deps;
    const without = { ...cloud.deps, queues: { ...queues, get: gone } };
    async function gone(name: string, ageMs?: number) {
      return name === removed ? undefined : queues.get(name, ageMs);
    }
    if (event === 'b declines')
      await answerMatch(without, id('b'), { accepted: false, matchId }, cloud.nowMs);
    else {
      await answerMatch(without, id('a'), { accepted: true, matchId }, cloud.nowMs);
      cloud.nowMs += 31_000;
      await checkDeadline(without, matchId, cloud.nowMs);
    }
    expect(await read('b')).toMatchObject({
      status: 'CANCELLED',
      reasonCode: event === 'b declines' ? 'DECLINED' : 'NOT_ACCEPTED',
    });
    expect(await read('a')).toMatchObject({ status: 'QUEUED', queue: left[0] });
    const entries = await Promise.all(left.map(entriesIn));
    expect(entries.flat().filter(({ entry }) => entry!.n === 1)).toHaveLength(1);
    await post('c', [], arena);
    await tickOf(arena);
    expect(await read('a')).toMatchObject({ status: 'COMPLETED', queue: arena });
  });

  it('is cancelled in all queues when it no longer fits one of them, with the queue in the reason', async () => {
    await post('a');
    await define(arena, {
      rules: [{ name: 'High', type: 'within', attribute: 'skill', max: 1 }],
      teamSize: 1,
    });
    await define(raid, {
      roles: { tank: 1 },
      attributes: { level: { type: 'number', required: true } },
    } as never);
    cloud.nowMs += 2_000;
    await tickOf(raid);
    const { status, reason } = await read('a');
    expect(status).toBe('CANCELLED');
    expect(reason).toContain(raid);
    expect(await counts()).toEqual([0, 0, 0]);
  });

  it('joins a running match of a further queue, and leaves all queues', async () => {
    await define(raid, { teamSize: 2, backfill: { priority: 'high' } });
    cloud.nowMs += 2_000;
    for (const name of ['1', '2', '3', '4']) await post(name, [], raid);
    const { matchId } = (await tickOf(raid)).matches[0]!;
    const players = ['1', '2', '3'].map((name, i) => ({
      playerId: `p-${name}`,
      skill: 10,
      team: i < 2 ? 0 : 1,
    }));
    await requestBackfill(cloud.deps, matchId, { backfillId: id('seat'), players }, cloud.nowMs);
    await post('a');
    await tickOf(raid);
    expect(await read('a')).toMatchObject({ status: 'COMPLETED', queue: raid, matchId });
    expect(await counts()).toEqual([0, 0, 0]);
    expect((await getStats(cloud.deps, arena, cloud.nowMs)).outcomes.tickets.elsewhere).toBe(1);
    await post('b', [], arena);
    expect((await tickOf(arena)).matches).toEqual([]);
  });

  it('explains why it waits in each queue', async () => {
    await post('a');
    const ticket = await getTicket(cloud.deps, id('a'), { explain: true });
    const view = await new WaitEstimates(cloud.deps).view(ticket);
    expect(view.queues!.map(({ queue }) => queue)).toEqual([duel, arena, raid]);
    for (const { reason } of view.queues!) expect(reason).toMatch(/match/);
  });

  it('keeps the skill of each queue, of which one has a ladder', async () => {
    await putLadder(cloud.deps.ladders, { ...CHAOS_LADDER, name: duel }, cloud.nowMs);
    await define(raid, { ladder: duel });
    cloud.nowMs += 2_000;
    await post('a');
    const [entry] = await entriesIn(raid);
    expect(entry!.players[0]!.skill).toBe(CHAOS_LADDER.initial.mean);
    expect((await read('a')).players[0]!.skill).toBe(10);
    expect((await post('a')).created).toBe(false);
  });

  describe('is refused', () => {
    const refused = async (posted: object, status: number, ...texts: string[]) => {
      const error = await enqueue(cloud.deps, duel, posted, cloud.nowMs).catch((one) => one);
      expect(error).toMatchObject({ status });
      const document = JSON.stringify(error.toDocument());
      for (const text of texts) expect(document).toContain(text);
      expect(await counts()).toEqual([0, 0, 0]);
      await expect(read('x')).rejects.toMatchObject({ status: 404 });
    };

    it('with queues that are unknown, closed, of another group, named twice or too many', async () => {
      await refused(body('x', [{ queue: 'nothing' }]), 404, '#/also/0/queue', 'nothing');
      await define(arena, { group: 'ranked' });
      cloud.nowMs += 2_000;
      await refused(
        body('x', [{ queue: raid }, { queue: arena }]),
        400,
        '#/also/1/queue',
        'ranked',
        'casual',
      );
      await refused(body('x', [{ queue: raid }, { queue: raid }]), 400, '#/also/1/queue', 'again');
      await refused(body('x', [{ queue: duel }]), 400, '#/also/0/queue', 'again');
      const many = Array.from({ length: 8 }, (_, i) => ({ queue: `q${i}` }));
      await refused(body('x', many), 400, '#/also');
      await define(raid, { group: undefined } as never);
      cloud.nowMs += 2_000;
      await refused(body('x', [{ queue: raid }]), 400, '#/also/0/queue', 'no group');
    });

    it('with other players, and with players who do not fit a queue, which it names', async () => {
      const other = [{ playerId: 'zed', skill: 1 }];
      await refused(body('x', [{ queue: arena, players: other }]), 400, '#/also/0/players', arena, 'zed');
      await refused(
        body('x', [{ queue: arena, players: [{ playerId: 'p-x' }] }]),
        400,
        '#/also/0/players/0/skill',
        arena,
      );
      await refused(
        body('x', [{ queue: raid, players: [{ playerId: 'p-x', skill: 1, roles: ['tank'] }] }]),
        400,
        '#/also/0/players/0/roles/0',
        raid,
      );
      for (const extra of ['extra', 'ticketId', 'replaces', 'also'])
        await refused(body('x', [{ queue: raid, [extra]: 'y' }]), 400, `#/also/0/${extra}`);
      for (const also of [null, {}, [], [null], [{}], [{ queue: raid, players: null }]])
        await refused({ ...body('x'), also }, 400, '#/also');
    });

    it('alone in a batch', async () => {
      const outcomes = await enqueueBatch(
        cloud.deps,
        duel,
        { tickets: [body('x', [{ queue: 'nothing' }]), body('y')] },
        cloud.nowMs,
      );
      expect(outcomes).toMatchObject([
        { outcome: 'refused', problem: { status: 404 } },
        { outcome: 'enqueued', created: true },
      ]);
      expect(await counts()).toEqual([0, 1, 1]);
    });
  });
});
