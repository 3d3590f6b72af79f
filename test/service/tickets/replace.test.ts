import { describe, expect, it } from 'vitest';
import type { QueueDefinition } from '../../../lib/contract/queue-definition.ts';
import { checkDeadline } from '../../../lib/service/placement/deadline.ts';
import { provision } from '../../../lib/service/placement/provision.ts';
import { cancelTicket } from '../../../lib/service/tickets/cancel-ticket.ts';
import { enqueue } from '../../../lib/service/tickets/enqueue.ts';
import { enqueueBatch } from '../../../lib/service/tickets/enqueue-batch.ts';
import { getTicket } from '../../../lib/service/tickets/read-tickets.ts';
import { tick } from '../../../lib/service/ticks/tick.ts';
import { definition, putQueue } from '../definitions.ts';
import { withFaults } from '../faults.ts';
import { ownCloudForEachTest } from '../own-cloud.ts';
import type { Line, VirtualCloud } from '../virtual-cloud.ts';

describe('a ticket that replaces another', () => {
  let cloud: VirtualCloud;
  let queue: string;
  const begin = ownCloudForEachTest('memory', (own) => {
    ({ cloud, queue } = own);
  });

  const id = (name: string) => `${queue}:${name}`;
  const define = (changes: Partial<QueueDefinition> = {}) =>
    putQueue(
      cloud.deps.queues,
      definition({ name: queue, teamSize: 2, timeoutSeconds: 300, tickSeconds: 10, ...changes }),
      cloud.nowMs,
    );
  const body = (name: string, players: readonly string[], replaces?: string) => ({
    ticketId: id(name),
    players: players.map((playerId) => ({ playerId, skill: 1 })),
    ...(replaces !== undefined && { replaces: id(replaces) }),
  });
  const post = (name: string, players: readonly string[], replaces?: string) =>
    enqueue(cloud.deps, queue, body(name, players, replaces), cloud.nowMs);
  const read = (name: string) => getTicket(cloud.deps, id(name));
  const nextTick = async () => {
    cloud.nowMs = Math.max(cloud.nowMs, Math.min(...cloud.tickMessages.map(({ dueMs }) => dueMs)));
    for (const message of cloud.dueTicks()) await tick(cloud.deps, message);
  };
  const expectRefused = (promise: Promise<unknown>, extensions: object, text = '') =>
    expect(promise).rejects.toMatchObject({
      status: 409,
      message: expect.stringContaining(text),
      extensions,
    });
  /** A party of two that has waited a minute, and another party, which a tick can match with it. */
  const waited = async (changes: Partial<QueueDefinition> = {}) => {
    await define(changes);
    const { ticket } = await post('old', ['ann', 'ben']);
    cloud.nowMs += 60_000;
    return ticket.enqueuedAt;
  };

  it('is refused with its rule when its players break one, by POST, in a batch and in a later definition', async () => {
    const rules = [{ name: 'Skill', type: 'within' as const, attribute: 'skill', max: 10 }];
    const apart = (name: string, replaces?: string) => ({
      ...body(name, ['ann', 'ben'], replaces),
      players: [1, 50].map((skill, i) => ({ playerId: ['ann', 'ben'][i], skill })),
    });
    await waited();
    await enqueue(cloud.deps, queue, apart('apart'), cloud.nowMs);
    await define({ rules });
    cloud.nowMs += 2_000;
    const [named] = [/#\/players: .* under the rule Skill .*"max":10.*skill \[1,50\]/];
    await expect(enqueue(cloud.deps, queue, apart('new', 'old'), cloud.nowMs)).rejects.toMatchObject({
      status: 400,
      message: expect.stringMatching(named),
    });
    const [outcome] = await enqueueBatch(cloud.deps, queue, { tickets: [apart('new')] }, cloud.nowMs);
    expect(outcome).toMatchObject({ outcome: 'refused', problem: { status: 400 } });
    expect(await read('old')).toMatchObject({ status: 'QUEUED' });
    await nextTick();
    expect(await read('apart')).toMatchObject({ status: 'CANCELLED', reason: expect.stringMatching(named) });
  });

  it('is no new search under the id of a ticket that has ended, alone and in a batch', async () => {
    await waited();
    await cancelTicket(cloud.deps, id('old'), cloud.nowMs);
    const ended = { code: 'TICKET_ENDED', ticketStatus: 'CANCELLED' };
    await expectRefused(post('old', ['ann', 'ben']), ended, 'Use a new ticketId');
    const [outcome] = await enqueueBatch(
      cloud.deps,
      queue,
      { tickets: [body('old', ['ann', 'ben'])] },
      cloud.nowMs,
    );
    expect(outcome).toMatchObject({ outcome: 'refused', problem: { status: 409, extensions: ended } });
    await expectRefused(post('new', ['ann'], 'old'), {
      code: 'TICKET_NOT_QUEUED',
      ticketStatus: 'CANCELLED',
    });
  });

  it('has the wait and the failures of the one that it cancels, in one step', async () => {
    const since = await waited();
    const { created, ticket } = await post('new', ['ann'], 'old');
    expect(created).toBe(true);
    expect(ticket).toMatchObject({ status: 'QUEUED', enqueuedAt: since, replaces: id('old') });
    expect(await read('new')).toMatchObject({ status: 'QUEUED', enqueuedAt: since });
    expect(await read('old')).toMatchObject({
      status: 'CANCELLED',
      reason: `replaced by ticket ${id('new')}`,
      reasonCode: 'REPLACED',
      replacedBy: id('new'),
    });
    // The wait goes on along a chain.
    expect((await post('newer', ['ann', 'cem'], 'new')).ticket.enqueuedAt).toBe(since);
  });

  it('is returned to a repeated request until it has ended, and to no other body', async () => {
    await waited();
    await post('new', ['ann'], 'old');
    expect(await post('new', ['ann'], 'old')).toMatchObject({ created: false, ticket: { status: 'QUEUED' } });
    await cancelTicket(cloud.deps, id('new'), cloud.nowMs);
    await expectRefused(post('new', ['ann'], 'old'), { code: 'TICKET_ENDED', ticketStatus: 'CANCELLED' });
    await expect(post('new', ['ann'])).rejects.toMatchObject({ status: 409 });
  });

  it('is refused when the other one has a match, has ended, is missing, is of other players or of another queue', async () => {
    await waited();
    await post('rival', ['cem', 'dan']);
    await nextTick();
    expect(await read('old')).toMatchObject({ status: 'COMPLETED' });
    await expectRefused(
      post('new', ['ann'], 'old'),
      { ticketId: id('old'), ticketStatus: 'COMPLETED' },
      'only a QUEUED ticket can be replaced',
    );
    await post('gone', ['eve']);
    await cancelTicket(cloud.deps, id('gone'), cloud.nowMs);
    await expectRefused(post('new', ['eve'], 'gone'), { ticketStatus: 'CANCELLED' });
    await expectRefused(post('new', ['eve'], 'never'), { ticketId: id('never') }, 'no ticket');
    await post('solo', ['flo']);
    await expectRefused(post('new', ['gus'], 'solo'), { ticketId: id('solo') }, 'at least one player');
    const other = `${queue}-other`;
    await putQueue(cloud.deps.queues, definition({ name: other }), cloud.nowMs);
    const elsewhere = enqueue(cloud.deps, other, body('new', ['flo'], 'solo'), cloud.nowMs);
    await expectRefused(elsewhere, { ticketId: id('solo') }, `waits in queue ${queue}`);
    expect(await cloud.deps.tickets.get(id('new'))).toBeUndefined();
    expect(await read('solo')).toMatchObject({ status: 'QUEUED' });
    await expect(post('self', ['ann'], 'self')).rejects.toMatchObject({ status: 400 });
  });

  it('takes the places of the players that stay, and frees that of the one that leaves', async () => {
    await waited({ onePlace: true });
    await post('new', ['ann', 'cem'], 'old');
    expect((await post('leaver', ['ben'])).created).toBe(true);
    await expectRefused(post('again', ['cem']), { ticketId: id('new') });
    await expectRefused(post('thief', ['ann', 'ben'], 'new'), { ticketId: id('leaver') });
    expect(await read('new')).toMatchObject({ status: 'QUEUED' });
  });

  it('wins or loses as a whole against others that replace the same one at the same time', async () => {
    await waited();
    const names = ['one', 'two', 'three'];
    const results = await Promise.allSettled(names.map((name) => post(name, ['ann', name], 'old')));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const stored = await Promise.all(names.map((name) => cloud.deps.tickets.get(id(name))));
    expect(stored.filter((one) => one !== undefined)).toHaveLength(1);
  });

  it('follows in a batch after the one that it replaces', async () => {
    await define();
    const tickets = [body('a', ['ann', 'ben']), body('b', ['ann'], 'a'), body('c', ['cem'])];
    const outcomes = await enqueueBatch(cloud.deps, queue, { tickets }, cloud.nowMs);
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(['enqueued', 'enqueued', 'enqueued']);
    expect(await read('a')).toMatchObject({ status: 'CANCELLED', replacedBy: id('b') });
  });

  it('replaces one that has returned from a match that was not placed, and fails as early as that would', async () => {
    cloud.host = () => ({ outcome: 'responded', status: 400, body: '' });
    await waited({ provisioner: { type: 'http', url: 'https://games.example', onFailure: 'requeue' } });
    await post('rival', ['cem', 'dan']);
    await nextTick();
    const { matchId } = (await cloud.deps.tickets.get(id('old')))!;
    await provision(cloud.deps, matchId!, cloud.nowMs);
    // It is QUEUED for its players already, although it has not been written back to the pool.
    expect((await cloud.deps.tickets.get(id('old')))!.status).toBe('MATCHED');
    await post('new', ['ann'], 'old');
    await checkDeadline(cloud.deps, matchId!, cloud.nowMs);
    expect(await read('old')).toMatchObject({ status: 'CANCELLED', replacedBy: id('new') });
    expect(await cloud.deps.tickets.get(id('new'))).toMatchObject({ status: 'QUEUED', failures: 1 });
  });

  describe('while a tick forms a match of that one', () => {
    /** Runs a tick, and the request just before each of its calls in turn. */
    const duringEachCall = async (check: (outcome: 'created' | 'refused') => Promise<void>) => {
      let calls = 1;
      for (let at = 0; at < calls; at++) {
        await begin();
        await waited();
        await post('rival', ['cem', 'dan']);
        cloud.nowMs = Math.min(...cloud.tickMessages.map(({ dueMs }) => dueMs));
        const [message] = cloud.dueTicks();
        let seen = 0;
        let outcome: 'created' | 'refused' | undefined;
        const line: Line = async (_, effect) => {
          if (seen++ === at)
            outcome = await cloud.on(
              (__, go) => go(),
              () =>
                post('new', ['ann'], 'old').then(
                  () => 'created' as const,
                  (error) => {
                    expect(error).toMatchObject({ status: 409 });
                    return 'refused' as const;
                  },
                ),
            );
          return effect();
        };
        await cloud.on(line, () => tick(cloud.deps, message!));
        calls = seen;
        if (outcome !== undefined) await check(outcome);
      }
      return calls;
    };

    it('either takes its place, or leaves the match as it is', async () => {
      const outcomes = new Set<string>();
      const calls = await duringEachCall(async (outcome) => {
        outcomes.add(outcome);
        const [old, fresh] = await Promise.all(
          ['old', 'new'].map((name) => cloud.deps.tickets.get(id(name))),
        );
        const match = old?.matchId === undefined ? undefined : await cloud.deps.matches.get(old.matchId);
        if (outcome === 'created') {
          expect(old).toMatchObject({ status: 'CANCELLED', replacedBy: id('new') });
          expect(fresh).toMatchObject({ enqueuedAt: old!.enqueuedAt });
          expect(match).toBeUndefined();
        } else {
          expect(fresh).toBeUndefined();
          expect(match).toMatchObject({ ticketIds: expect.arrayContaining([id('old')]) });
        }
        const rival = await read('rival');
        expect(rival.status).toBe(outcome === 'created' ? 'QUEUED' : 'COMPLETED');
      });
      expect(calls).toBeGreaterThan(5);
      expect([...outcomes].sort()).toEqual(['created', 'refused']);
    });
  });

  it('leaves one of the two waiting, wherever the request is killed, and the request can be repeated', async () => {
    for (const onePlace of [false, true])
      await withFaults(1, async (run, label) => {
        await begin();
        const since = await waited({ onePlace });
        await run((line: Line) => cloud.on(line, () => post('new', ['ann'], 'old')));
        const statuses = await Promise.all(
          ['old', 'new'].map(async (name) => (await cloud.deps.tickets.get(id(name)))?.status),
        );
        expect(
          [
            ['QUEUED', undefined],
            ['CANCELLED', 'QUEUED'],
          ],
          label,
        ).toContainEqual(statuses);
        expect((await post('new', ['ann'], 'old')).ticket, label).toMatchObject({
          status: 'QUEUED',
          enqueuedAt: since,
        });
        cloud.nowMs += 1_000;
        await post('rival', ['cem']);
        await post('third', ['dan', 'eve']);
        await cloud.run(60_000);
        expect((await read('new')).status, label).toBe('COMPLETED');
      });
  });
});
