import { describe, expect, it } from 'vitest';
import type { QueueDefinition } from '../../../lib/contract/queue-definition.ts';
import { cancelBackfill, requestBackfill } from '../../../lib/service/backfills/request-backfill.ts';
import { assignMatch } from '../../../lib/service/placement/assign-match.ts';
import { checkDeadline } from '../../../lib/service/placement/deadline.ts';
import { provision } from '../../../lib/service/placement/provision.ts';
import { StoreBusy } from '../../../lib/service/ports/store-busy.ts';
import { deleteQueue } from '../../../lib/service/queues/queue-definitions.ts';
import { cancelTicket } from '../../../lib/service/tickets/cancel-ticket.ts';
import { enqueue } from '../../../lib/service/tickets/enqueue.ts';
import { getTicket } from '../../../lib/service/tickets/read-tickets.ts';
import { tick } from '../../../lib/service/ticks/tick.ts';
import { ticket } from '../../aws/samples.ts';
import { definition, putQueue } from '../definitions.ts';
import { ownCloudForEachTest } from '../own-cloud.ts';
import type { VirtualCloud } from '../virtual-cloud.ts';

const HTTP = { type: 'http', url: 'https://games.example', onFailure: 'requeue' } as const;
const REFUSED = { outcome: 'responded', status: 400, body: '' } as const;

describe('a match that is not placed, in a queue that requeues', () => {
  let cloud: VirtualCloud;
  let queue: string;
  ownCloudForEachTest('memory', (own) => {
    ({ cloud, queue } = own);
  });

  const id = (name: string) => `${queue}:${name}`;
  const read = (name: string) => getTicket(cloud.deps, id(name));
  const join = async (name: string) => {
    const { ticketId, players } = ticket(queue, id(name), 1);
    await enqueue(cloud.deps, queue, { ticketId, players }, cloud.nowMs);
  };
  /** A match of `a` and `b` that is PLACING; the provisioner will refuse it. */
  const found = async (changes: Partial<QueueDefinition> = {}) => {
    const rules = definition({ name: queue, provisioner: HTTP, timeoutSeconds: 3_600, ...changes });
    await putQueue(cloud.deps.queues, rules, cloud.nowMs);
    cloud.host = () => REFUSED;
    await join('a');
    cloud.nowMs += 400;
    await join('b');
    return nextMatch();
  };
  /** Ticks until `a` is in a match that is PLACING. */
  const nextMatch = async () => {
    for (let i = 0; i < 10; i++) {
      const now = await read('a');
      if (now.status === 'PLACING') return now.matchId!;
      cloud.placements.length = 0;
      await tickOnce();
    }
    throw new Error('no match was found');
  };
  const tickOnce = async () => {
    cloud.nowMs = Math.max(cloud.nowMs, Math.min(...cloud.tickMessages.map(({ dueMs }) => dueMs)));
    for (const message of cloud.dueTicks()) await tick(cloud.deps, message);
  };
  const refused = (matchId: string) => provision(cloud.deps, matchId, cloud.nowMs);
  const returned = (matchId: string) => checkDeadline(cloud.deps, matchId, cloud.nowMs);

  it('tells the log what was refused, and the players only that it was', async () => {
    const matchId = await found();
    cloud.host = () => ({
      outcome: 'forbidden',
      error: 'studio.example: expected a public address, got 10.0.0.7',
    });
    expect(await refused(matchId)).toEqual({
      outcome: 'refused',
      why: 'its provisioner may not be called: studio.example: expected a public address, got 10.0.0.7',
    });
    expect((await cloud.deps.matches.get(matchId))?.reason).toBe('its provisioner may not be called');
  });

  it('returns its tickets with the wait they had, as every reader sees at once', async () => {
    const matchId = await found();
    const before = [await read('a'), await read('b')];
    await refused(matchId);
    for (const [i, name] of ['a', 'b'].entries())
      expect(await read(name)).toMatchObject({ status: 'QUEUED', enqueuedAt: before[i]!.enqueuedAt });
    expect(await read('a')).not.toHaveProperty('matchId');
    await returned(matchId);
    for (const [i, name] of ['a', 'b'].entries()) {
      const stored = await cloud.deps.tickets.get(id(name));
      expect(stored).toMatchObject({ status: 'QUEUED', failures: 1, enqueuedAt: before[i]!.enqueuedAt });
    }
    const next = await nextMatch();
    expect(next).not.toBe(matchId);
    cloud.host = () => ({ outcome: 'responded', status: 200, body: '{"address":"game.example"}' });
    await refused(next);
    expect(await read('b')).toMatchObject({ status: 'COMPLETED', matchId: next });
  });

  it('fails a ticket with its third unplaced match, and publishes the outcome of each ticket', async () => {
    const events = ['TicketQueued', 'TicketFailed', 'MatchFound', 'MatchFailed'] as const;
    await found({ events: [...events] });
    await cloud.run(60_000);
    expect(await read('a')).toMatchObject({
      status: 'FAILED',
      reason: '3 of its matches were not placed; the last: the provisioner returned status 400',
    });
    const own = cloud.events.filter((event) => event.queue === queue);
    const types = new Map(own.map(({ eventId, type }) => [eventId, type]));
    const count = (type: string) => [...types.values()].filter((one) => one === type).length;
    expect(events.map(count)).toEqual([6, 2, 3, 3]);
    const failed = own.find(({ type }) => type === 'MatchFailed');
    expect(failed).toMatchObject({ match: { status: 'FAILED', requeued: true } });
  });

  it('ends in a bounded number of requests when every match is refused at ticks of a second', async () => {
    let requests = 0;
    await found({ tickSeconds: 1 });
    cloud.host = () => {
      requests++;
      return REFUSED;
    };
    for (let i = 0; i < 20; i++) await join(`more-${i}`);
    await cloud.run(120_000);
    // 22 tickets, three matches each, two tickets a match. The first was found before the provisioner was replaced.
    expect(requests).toBe(33);
    for (let i = 0; i < 20; i++) expect(await read(`more-${i}`)).toMatchObject({ status: 'FAILED' });
  });

  it('does not bring back a ticket that is cancelled while the tickets return', async () => {
    const matchId = await found();
    await refused(matchId);
    expect(await cancelTicket(cloud.deps, id('a'), cloud.nowMs)).toMatchObject({ status: 'CANCELLED' });
    await returned(matchId);
    await returned(matchId);
    expect(await read('a')).toMatchObject({ status: 'CANCELLED', reason: 'cancelled by the client' });
    expect(await read('b')).toMatchObject({ status: 'QUEUED' });
  });

  it('does not give a ticket back to the match by a claim that arrives late', async () => {
    const matchId = await found();
    await refused(matchId);
    await returned(matchId);
    expect(await cloud.deps.tickets.claim(id('a'), matchId, cloud.nowMs)).toBe(false);
    expect(await read('a')).toMatchObject({ status: 'QUEUED' });
  });

  it('rejects an assignment that arrives late', async () => {
    const matchId = await found();
    await refused(matchId);
    await expect(assignMatch(cloud.deps, matchId, { address: 'late.example' })).rejects.toMatchObject({
      status: 409,
    });
    await returned(matchId);
    await expect(assignMatch(cloud.deps, matchId, { address: 'late.example' })).rejects.toMatchObject({
      status: 409,
    });
    expect(await read('a')).toMatchObject({ status: 'QUEUED' });
  });

  it('counts a failure once, however often and late its messages arrive', async () => {
    const matchId = await found();
    for (let i = 0; i < 3; i++) await refused(matchId);
    for (let i = 0; i < 3; i++) await returned(matchId);
    const next = await nextMatch();
    await returned(matchId);
    await refused(matchId);
    expect(await read('a')).toMatchObject({ status: 'PLACING', matchId: next });
    expect(await cloud.deps.tickets.get(id('a'))).toMatchObject({ failures: 1 });
  });

  it('finishes the return after an outage of the store', async () => {
    const matchId = await found();
    await refused(matchId);
    let isDown = true;
    const { tickets } = cloud.deps;
    const deps = {
      ...cloud.deps,
      tickets: {
        ...tickets,
        requeue: async (...call: Parameters<typeof tickets.requeue>) => {
          if (isDown && call[0].ticketId === id('b')) throw new StoreBusy('out of order');
          return tickets.requeue(...call);
        },
      },
    };
    await expect(checkDeadline(deps, matchId, cloud.nowMs)).rejects.toThrow(StoreBusy);
    expect(await read('b')).toMatchObject({ status: 'QUEUED' });
    // The match is found overdue, although no message about it is left.
    cloud.deadlineMessages.length = 0;
    isDown = false;
    await cloud.run(180_000);
    expect(await cloud.deps.matches.get(matchId)).not.toHaveProperty('deadline');
    expect(await read('b')).toMatchObject({ status: 'FAILED' });
    expect(await cloud.deps.tickets.get(id('b'))).toMatchObject({ failures: 2 });
  });

  it('returns the tickets when the clock of the deadline is a second behind', async () => {
    const matchId = await found({
      provisioner: { type: 'external', timeoutSeconds: 5, onFailure: 'requeue' },
    });
    cloud.nowMs += 6_000;
    await checkDeadline(cloud.deps, matchId, cloud.nowMs - 2_000);
    expect(await read('a')).toMatchObject({ status: 'PLACING' });
    await checkDeadline(cloud.deps, matchId, cloud.nowMs - 1_000);
    expect(await cloud.deps.tickets.get(id('a'))).toMatchObject({ status: 'QUEUED', failures: 1 });
    await nextMatch();
  });

  it('cancels its tickets when the queue is gone', async () => {
    const matchId = await found();
    await refused(matchId);
    await deleteQueue(cloud.deps.queues, queue, cloud.nowMs);
    const record = (await cloud.deps.queues.list()).records.find(
      ({ definition: { name } }) => name === queue,
    );
    if (record !== undefined) await cloud.deps.queues.remove(record);
    cloud.nowMs += 5_000;
    await returned(matchId);
    expect(await read('a')).toMatchObject({ status: 'CANCELLED', reason: 'its queue was deleted' });
  });

  it('returns the newcomers of a backfill too, and fails the ticket of those who had left', async () => {
    const matchId = await found({ backfill: {} });
    const backfillId = `${queue}-backfill`;
    const players = [{ playerId: `${id('a')}.0`, skill: 1, team: 0 }];
    await requestBackfill(cloud.deps, matchId, { backfillId, players }, cloud.nowMs);
    await join('c');
    await tickOnce();
    expect((await cloud.deps.matches.get(matchId))?.newTicketIds).toEqual([id('c')]);
    await refused(matchId);
    expect(await read('c')).toMatchObject({ status: 'QUEUED' });
    expect(await read('b')).toMatchObject({ status: 'FAILED', matchId });
    await returned(matchId);
    expect(await read('a')).toMatchObject({ status: 'QUEUED' });
    expect(await read('c')).toMatchObject({ status: 'QUEUED' });
    expect(await read('b')).toMatchObject({ status: 'FAILED', matchId });
    await expect(cancelBackfill(cloud.deps, backfillId, cloud.nowMs)).rejects.toMatchObject({ status: 409 });
  });

  it('fails its tickets with it by default', async () => {
    const matchId = await found({ provisioner: { type: 'http', url: 'https://games.example' } });
    await refused(matchId);
    await returned(matchId);
    expect(await read('a')).toMatchObject({ status: 'FAILED', matchId });
  });
});
