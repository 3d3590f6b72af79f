import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { beforeEach, describe, expect, it } from 'vitest';
import type { QueueDefinition } from '../../../lib/contract/queue-definition.ts';
import type { StoredTicket } from '../../../lib/service/domain/stored-ticket.ts';
import { checkDeadline } from '../../../lib/service/placement/deadline.ts';
import { answerMatch } from '../../../lib/service/tickets/acceptance.ts';
import { cancelTicket } from '../../../lib/service/tickets/cancel-ticket.ts';
import { enqueue } from '../../../lib/service/tickets/enqueue.ts';
import { enqueueBatch } from '../../../lib/service/tickets/enqueue-batch.ts';
import { getTicket } from '../../../lib/service/tickets/read-tickets.ts';
import { WaitEstimates } from '../../../lib/service/tickets/wait-estimates.ts';
import { tick } from '../../../lib/service/ticks/tick.ts';
import type { EmulatedTables } from '../../aws/emulated-tables.ts';
import { definition, putQueue } from '../definitions.ts';
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
      await refused(body('x', [{ queue: raid, extra: true }]), 400, '#/also/0/extra', raid);
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
