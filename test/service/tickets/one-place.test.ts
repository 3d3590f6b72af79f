import { describe, expect, it } from 'vitest';
import type { QueueDefinition } from '../../../lib/contract/queue-definition.ts';
import { requestBackfill } from '../../../lib/service/backfills/request-backfill.ts';
import { endMatch } from '../../../lib/service/placement/end-match.ts';
import { provision } from '../../../lib/service/placement/provision.ts';
import { deleteQueue } from '../../../lib/service/queues/queue-definitions.ts';
import { answerMatch } from '../../../lib/service/tickets/acceptance.ts';
import { cancelTicket } from '../../../lib/service/tickets/cancel-ticket.ts';
import { enqueue } from '../../../lib/service/tickets/enqueue.ts';
import { enqueueBatch } from '../../../lib/service/tickets/enqueue-batch.ts';
import { getTicket } from '../../../lib/service/tickets/read-tickets.ts';
import { tick } from '../../../lib/service/ticks/tick.ts';
import { definition, putQueue } from '../definitions.ts';
import { withFaults } from '../faults.ts';
import { ownCloudForEachTest } from '../own-cloud.ts';
import type { Line, VirtualCloud } from '../virtual-cloud.ts';

describe('a queue in which a player has one place', () => {
  let cloud: VirtualCloud;
  let queue: string;
  const begin = ownCloudForEachTest('memory', (own) => {
    ({ cloud, queue } = own);
  });

  const id = (name: string) => `${queue}:${name}`;
  const define = (changes: Partial<QueueDefinition> = {}) =>
    putQueue(
      cloud.deps.queues,
      definition({ name: queue, onePlace: true, timeoutSeconds: 30, ...changes }),
      cloud.nowMs,
    );
  const body = (name: string, ...players: string[]) => ({
    ticketId: id(name),
    players: players.map((playerId) => ({ playerId, skill: 1 })),
  });
  const join = (name: string, ...players: string[]) =>
    enqueue(cloud.deps, queue, body(name, ...players), cloud.nowMs);
  const read = (name: string) => getTicket(cloud.deps, id(name));
  const nextTick = async () => {
    cloud.nowMs = Math.max(cloud.nowMs, Math.min(...cloud.tickMessages.map(({ dueMs }) => dueMs)));
    for (const message of cloud.dueTicks()) await tick(cloud.deps, message);
  };
  const expectTaken = (promise: Promise<unknown>, by: string, ticketStatus: string) =>
    expect(promise).rejects.toMatchObject({
      status: 409,
      message: expect.stringContaining(id(by)),
      extensions: { ticketId: id(by), ticketStatus },
    });
  /** A match of `ann`, in ticket `a`, and another player. */
  const matched = async (changes: Partial<QueueDefinition> = {}) => {
    await define(changes);
    await join('a', 'ann');
    await join('z', 'zoe');
    await nextTick();
    return (await read('a')).matchId!;
  };

  it('rejects a second ticket of a player, in any party, and names the first', async () => {
    await define({ teamSize: 3 });
    await join('a', 'ann', 'ben');
    await expectTaken(join('b', 'ben'), 'a', 'QUEUED');
    await expectTaken(join('c', 'cem', 'ann'), 'a', 'QUEUED');
    // A rejected party leaves nothing behind.
    expect((await join('d', 'cem')).created).toBe(true);
    expect(await cloud.deps.tickets.get(id('c'))).toBeUndefined();
  });

  it('does not matter in other queues, nor without the option', async () => {
    await define();
    await join('a', 'ann');
    await define({ onePlace: false });
    cloud.nowMs += 2_000;
    expect((await join('b', 'ann')).created).toBe(true);
  });

  describe('among all queues that say so', () => {
    /** The tests of this file share their tables. */
    const ann = () => `ann-of-${queue}`;
    const defineOther = (name: string, onePlace: QueueDefinition['onePlace']) =>
      putQueue(cloud.deps.queues, definition({ name, onePlace, timeoutSeconds: 30 }), cloud.nowMs);
    const joinOther = (other: string, name: string, player: string) =>
      enqueue(cloud.deps, other, body(name, player), cloud.nowMs);

    it('rejects a ticket of a player who waits in another of them, and names both', async () => {
      await define({ onePlace: 'service' });
      await defineOther(`${queue}-two`, 'service');
      await join('a', ann());
      await expect(joinOther(`${queue}-two`, 'b', ann())).rejects.toMatchObject({
        status: 409,
        message: expect.stringContaining('one place in all queues with onePlace "service"'),
        extensions: { ticketId: id('a'), queue, ticketStatus: 'QUEUED', playerId: ann() },
      });
      await cancelTicket(cloud.deps, id('a'), cloud.nowMs);
      expect((await joinOther(`${queue}-two`, 'b', ann())).created).toBe(true);
      await expectTaken(join('c', ann()), 'b', 'QUEUED');
    });

    it('counts no place of a queue that says only true, and no place among them counts there', async () => {
      await define({ onePlace: 'service' });
      await defineOther(`${queue}-own`, true);
      await join('a', ann());
      expect((await joinOther(`${queue}-own`, 'b', ann())).created).toBe(true);
      await expectTaken(joinOther(`${queue}-own`, 'c', ann()), 'b', 'QUEUED');
    });

    it('gives the place to one of many requests at once, in whatever queue', async () => {
      await define({ onePlace: 'service' });
      await defineOther(`${queue}-two`, 'service');
      const results = await Promise.allSettled(
        Array.from({ length: 6 }, (_, i) => joinOther(i % 2 === 0 ? queue : `${queue}-two`, `t${i}`, ann())),
      );
      expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    });
  });

  it('returns the stored ticket to a repeated request, and says that it has ended after the player has moved on', async () => {
    await define();
    await join('a', 'ann');
    expect(await join('a', 'ann')).toMatchObject({ created: false, ticket: { status: 'QUEUED' } });
    await cancelTicket(cloud.deps, id('a'), cloud.nowMs);
    await join('b', 'ann');
    await expect(join('a', 'ann')).rejects.toMatchObject({
      status: 409,
      extensions: { code: 'TICKET_ENDED', ticketStatus: 'CANCELLED' },
    });
    await expectTaken(join('c', 'ann'), 'b', 'QUEUED');
  });

  it('frees the place with a cancel', async () => {
    await define();
    await join('a', 'ann');
    await cancelTicket(cloud.deps, id('a'), cloud.nowMs);
    expect((await join('b', 'ann')).created).toBe(true);
  });

  it('frees the place with a time-out', async () => {
    await define();
    await join('a', 'ann');
    await cloud.run(60_000);
    expect(await read('a')).toMatchObject({ status: 'TIMED_OUT' });
    expect((await join('b', 'ann')).created).toBe(true);
  });

  it('keeps the place while a match is accepted, frees it for a party that declines, and not for one that waits again', async () => {
    const matchId = await matched({ acceptance: { timeoutSeconds: 20 } });
    await expectTaken(join('b', 'ann'), 'a', 'REQUIRES_ACCEPTANCE');
    await answerMatch(cloud.deps, id('a'), { accepted: false, matchId }, cloud.nowMs);
    expect((await join('b', 'ann')).created).toBe(true);
    await expectTaken(join('y', 'zoe'), 'z', 'QUEUED');
  });

  it('frees the place when the match fails, and keeps it when the ticket returns', async () => {
    for (const onFailure of ['fail', 'requeue'] as const) {
      await begin();
      cloud.host = () => ({ outcome: 'responded', status: 400, body: '' });
      const matchId = await matched({
        provisioner: { type: 'http', url: 'https://games.example', onFailure },
      });
      await expectTaken(join('b', 'ann'), 'a', 'PLACING');
      await provision(cloud.deps, matchId, cloud.nowMs);
      if (onFailure === 'requeue') await expectTaken(join('b', 'ann'), 'a', 'QUEUED');
      else expect((await join('b', 'ann')).created).toBe(true);
    }
  });

  it('frees the place with the end of the match, or a day after it', async () => {
    const matchId = await matched();
    await expectTaken(join('b', 'ann'), 'a', 'COMPLETED');
    await endMatch(cloud.deps, matchId, {}, cloud.nowMs);
    expect((await join('b', 'ann')).created).toBe(true);
    cloud.nowMs += 24 * 3_600_000 - 1_000;
    await expectTaken(join('y', 'zoe'), 'z', 'COMPLETED').catch(() => {});
    await begin();
    await matched();
    const foundMs = cloud.nowMs;
    cloud.nowMs = foundMs + 24 * 3_600_000 - 1_000;
    await expectTaken(join('b', 'ann'), 'a', 'COMPLETED');
    cloud.nowMs = foundMs + 24 * 3_600_000;
    expect((await join('b', 'ann')).created).toBe(true);
  });

  it('frees the place of a player whose seat a backfill has filled', async () => {
    const matchId = await matched({ backfill: {} });
    const players = [{ playerId: 'zoe', skill: 1, team: 0 }];
    await requestBackfill(cloud.deps, matchId, { backfillId: id('fill'), players }, cloud.nowMs);
    await join('n', 'noa');
    await nextTick();
    expect(await read('n')).toMatchObject({ status: 'COMPLETED', matchId });
    expect((await join('b', 'ann')).created).toBe(true);
    await expectTaken(join('m', 'noa'), 'n', 'COMPLETED');
    await expectTaken(join('y', 'zoe'), 'z', 'COMPLETED');
  });

  it('is not held by the tickets of a queue that was deleted and created again', async () => {
    await define();
    await join('a', 'ann');
    await deleteQueue(cloud.deps.queues, queue, cloud.nowMs);
    await cloud.run(60_000);
    await define();
    cloud.nowMs += 2_000;
    expect((await join('b', 'ann')).created).toBe(true);
  });

  it('gives the place to one of many requests at once', async () => {
    await define({ teamSize: 2 });
    const names = ['a', 'b', 'c', 'd'];
    const results = await Promise.allSettled(names.map((name, i) => join(name, 'ann', `friend-${i}`)));
    const created = results.filter(({ status }) => status === 'fulfilled');
    expect(created).toHaveLength(1);
    for (const one of results)
      if (one.status === 'rejected') expect(one.reason).toMatchObject({ status: 409 });
  });

  it('gives the place to the first ticket of a batch', async () => {
    await define({ teamSize: 2 });
    const tickets = [body('a', 'ann', 'ben'), body('b', 'ben'), body('c', 'cem'), body('d', 'dan', 'ann')];
    const outcomes = await enqueueBatch(
      cloud.deps,
      queue,
      { tickets: [...tickets, tickets[0]] },
      cloud.nowMs,
    );
    expect(outcomes.map(({ outcome }) => outcome)).toEqual([
      'enqueued',
      'refused',
      'enqueued',
      'refused',
      'enqueued',
    ]);
    expect(outcomes[3]).toMatchObject({ problem: { status: 409, extensions: { ticketId: id('a') } } });
  });

  it('loses no place and locks none, wherever a request is killed', async () => {
    await withFaults(1, async (run, label) => {
      await begin();
      await define({ teamSize: 2 });
      await join('old', 'ann');
      await cancelTicket(cloud.deps, id('old'), cloud.nowMs);
      await run((line: Line) => cloud.on(line, () => join('a', 'ann', 'ben')));
      const isStored = (await cloud.deps.tickets.get(id('a'))) !== undefined;
      for (const playerId of ['ann', 'ben']) {
        if (isStored) await expectTaken(join(`next-${playerId}`, playerId), 'a', 'QUEUED');
        else expect((await join(`next-${playerId}`, playerId)).created, label).toBe(true);
      }
    });
  });

  it('rejects a party that is too large for the transaction', async () => {
    await define({ teamSize: 100 });
    const party = Array.from({ length: 100 }, (_, i) => `p${i}`);
    await expect(join('a', ...party)).rejects.toMatchObject({ status: 400 });
    expect((await join('b', ...party.slice(1))).created).toBe(true);
  });
});
