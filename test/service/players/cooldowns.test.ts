import { describe, expect, it } from 'vitest';
import type { QueueDefinition } from '../../../lib/contract/queue-definition.ts';
import { requestBackfill } from '../../../lib/service/backfills/request-backfill.ts';
import { checkDeadline } from '../../../lib/service/placement/deadline.ts';
import { endMatch } from '../../../lib/service/placement/end-match.ts';
import { endCooldown, getCooldown, listCooldowns } from '../../../lib/service/players/cooldown.ts';
import { getStats } from '../../../lib/service/queues/stats.ts';
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

describe('a queue with cooldowns', () => {
  let cloud: VirtualCloud;
  let queue: string;
  const begin = ownCloudForEachTest('memory', (own) => {
    ({ cloud, queue } = own);
  });

  const id = (name: string) => `${queue}:${name}`;
  const COOLDOWN: NonNullable<QueueDefinition['cooldown']> = {
    decline: [
      { times: 1, seconds: 60 },
      { times: 2, seconds: 600 },
    ],
    leave: [{ times: 1, seconds: 900 }],
    forgetAfterSeconds: 3_600,
  };
  const define = (changes: Partial<QueueDefinition> = {}) =>
    putQueue(
      cloud.deps.queues,
      definition({
        name: queue,
        acceptance: { timeoutSeconds: 20 },
        cooldown: COOLDOWN,
        timeoutSeconds: 3_600,
        ...changes,
      }),
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
  /** A match of the tickets `a` of ann and `z` of zoe, or of other parties. */
  const matched = async (a: readonly string[] = ['ann'], z: readonly string[] = ['zoe']) => {
    await join('a', ...a);
    await join('z', ...z);
    await nextTick();
    return (await read('a')).matchId!;
  };
  const answer = (name: string, matchId: string, accepted: boolean) =>
    answerMatch(cloud.deps, id(name), { accepted, matchId }, cloud.nowMs);
  const cooldown = (playerId: string) => getCooldown(cloud.deps, queue, playerId, cloud.nowMs);
  const untilOf = async (playerId: string) => {
    const { until } = await cooldown(playerId);
    return until === undefined ? undefined : (Date.parse(until) - cloud.nowMs) / 1_000;
  };
  const expectCooling = (promise: Promise<unknown>, playerId: string, seconds: number, kind = 'decline') =>
    expect(promise).rejects.toMatchObject({
      status: 429,
      headers: { 'retry-after': String(seconds) },
      extensions: {
        code: 'COOLDOWN',
        kind,
        playerId,
        until: new Date(cloud.nowMs + 1_000 * seconds).toISOString(),
      },
    });

  /** Runs two requests, the second as a whole before each call of the first and after it, and the other way round. */
  const overtaken = async (
    scenario: (
      both: (first: () => Promise<unknown>, second: () => Promise<unknown>) => Promise<void>,
      label: string,
    ) => Promise<void>,
  ) => {
    for (const isSwapped of [false, true]) {
      const run = async (at: number) => {
        let calls = 0;
        await scenario(async (first, second) => {
          const [slow, fast] = isSwapped ? [second, first] : [first, second];
          const line: Line = async (_, effect) => {
            if (calls++ === at) await cloud.on((__, go) => go(), fast);
            return effect();
          };
          await cloud.on(line, slow);
          if (calls <= at) await fast();
        }, `before call ${at}, swapped: ${isSwapped}`);
        return calls;
      };
      const calls = await run(Number.POSITIVE_INFINITY);
      expect(calls).toBeGreaterThan(5);
      for (let at = 0; at < calls; at++) await run(at);
    }
  };

  describe('after a match that is not accepted', () => {
    it('rejects the next ticket of the player who declined, and of no other', async () => {
      await define();
      const matchId = await matched();
      await answer('z', matchId, true);
      await answer('a', matchId, false);
      await expectCooling(join('b', 'ann'), 'ann', 60);
      await expect(join('b', 'ann')).rejects.toThrow(
        'Player ann declined, or did not answer, a match and gets no ticket for 1 minute. The player can queue again then: post the ticket again after Retry-After.',
      );
      expect((await read('z')).status).toBe('QUEUED');
      expect((await join('y', 'yan')).created).toBe(true);
      cloud.nowMs += 60_000;
      expect((await join('b', 'ann')).created).toBe(true);
    });

    it('rejects those who did not answer in time, each for a longer time when it happens again', async () => {
      await define();
      const first = await matched();
      await answer('z', first, true);
      cloud.nowMs += 20_000;
      await checkDeadline(cloud.deps, first, cloud.nowMs);
      expect(await untilOf('ann')).toBe(60);
      expect(await untilOf('zoe')).toBeUndefined();
      cloud.nowMs += 60_000;
      await join('b', 'ann');
      await nextTick();
      await answer('b', (await read('b')).matchId!, false);
      await expectCooling(join('c', 'ann'), 'ann', 600);
      expect((await cooldown('ann')).offences.map(({ kind }) => kind)).toEqual(['decline', 'decline']);
    });

    it('lets the whole party wait with its member, for the longest of their cooldowns', async () => {
      await define({ teamSize: 2 });
      const matchId = await matched(['ann', 'ben'], ['zoe', 'zed']);
      await answer('a', matchId, false);
      await expectCooling(join('b', 'cem', 'ben'), 'ben', 60);
      await answer('z', matchId, true).catch(() => {});
      cloud.nowMs += 10_000;
      await expectCooling(join('b', 'cem', 'ben'), 'ben', 50);
      await expect(join('b', 'cem', 'ben')).rejects.toThrow(/ben .* 50 seconds\. The party can queue again/);
      expect((await join('b', 'cem')).created).toBe(true);
    });

    it('counts a party in which two decline once for each of them', async () => {
      await define({ teamSize: 2 });
      const matchId = await matched(['ann', 'ben'], ['zoe', 'zed']);
      await answer('a', matchId, false);
      await answer('a', matchId, false);
      expect((await cooldown('ann')).offences).toHaveLength(1);
      expect((await cooldown('ben')).offences).toHaveLength(1);
      expect(await untilOf('zoe')).toBeUndefined();
    });

    it('notes each decline once, wherever its function is killed', async () => {
      for (const isLate of [false, true]) {
        const calls = await withFaults(1, async (run, label) => {
          await begin();
          await define({ teamSize: 2, tickSeconds: 60 });
          const matchId = await matched(['ann', 'ben'], ['zoe', 'zed']);
          await answer('z', matchId, true);
          if (isLate) cloud.nowMs += 20_000;
          const act = (): Promise<unknown> =>
            isLate ? checkDeadline(cloud.deps, matchId, cloud.nowMs) : answer('a', matchId, false);
          await run((line) => cloud.on(line, act));
          // The function that finds the match overdue does the rest.
          await cloud.run(150_000);
          expect((await cloud.deps.matches.get(matchId))!.status, label).toBe('FAILED');
          for (const playerId of ['ann', 'ben']) {
            const { offences } = await cooldown(playerId);
            expect(
              offences.map((one) => one.matchId),
              label,
            ).toEqual([matchId]);
          }
          expect((await cooldown('zoe')).offences, label).toEqual([]);
        });
        // Each player is read and written.
        expect(calls.filter((call) => call === 'GetItem').length).toBeGreaterThanOrEqual(3);
      }
    });

    it('notes one offence when a decline and the deadline come at once, in every order', async () => {
      await overtaken(async (both, label) => {
        await begin();
        await define();
        const matchId = await matched();
        await answer('z', matchId, true);
        cloud.nowMs += 20_000;
        await both(
          () => answer('a', matchId, false),
          () => checkDeadline(cloud.deps, matchId, cloud.nowMs),
        );
        await cloud.run(0);
        expect((await cooldown('ann')).offences, label).toMatchObject([{ kind: 'decline', matchId }]);
        expect((await cooldown('zoe')).offences, label).toEqual([]);
        expect((await read('z')).status).toBe('QUEUED');
      });
    });

    it('keeps both of two matches of one player that end at once, in every order', async () => {
      await overtaken(async (both, label) => {
        await begin();
        await define();
        const first = await matched();
        await join('b', 'ann');
        await join('y', 'yan');
        await nextTick();
        const second = (await read('b')).matchId!;
        await both(
          () => answer('a', first, false),
          () => answer('b', second, false),
        );
        expect((await cooldown('ann')).offences, label).toHaveLength(2);
        expect(await untilOf('ann'), label).toBe(600);
      });
    });
  });

  describe('is not dodged', () => {
    it('by a cancel of the ticket once its match is found', async () => {
      await define();
      const matchId = await matched();
      await expect(cancelTicket(cloud.deps, id('a'), cloud.nowMs)).rejects.toMatchObject({ status: 409 });
      cloud.nowMs += 20_000;
      await checkDeadline(cloud.deps, matchId, cloud.nowMs);
      expect(await untilOf('ann')).toBe(60);
    });

    it('by a ticket that replaces another, whether this one has a match or waits', async () => {
      await define({ teamSize: 2 });
      await join('w', 'cem');
      const matchId = await matched(['ann', 'ben'], ['zoe', 'zed']);
      const instead = (name: string, of: string, ...players: string[]) =>
        enqueue(cloud.deps, queue, { ...body(name, ...players), replaces: id(of) }, cloud.nowMs);
      await expect(instead('b', 'a', 'ann')).rejects.toMatchObject({ status: 409 });
      await answer('a', matchId, false);
      await expectCooling(instead('b', 'a', 'ann'), 'ann', 60);
      await expectCooling(instead('b', 'w', 'cem', 'ann'), 'ann', 60);
      // The ticket that would have been replaced waits on.
      expect((await read('w')).status).toBe('QUEUED');
    });

    it('by a batch, which gets the status and the problem of each ticket', async () => {
      await define();
      await answer('a', await matched(), false);
      const tickets = [body('b', 'ann'), body('c', 'cem')];
      const outcomes = await enqueueBatch(cloud.deps, queue, { tickets }, cloud.nowMs);
      expect(outcomes).toMatchObject([
        { outcome: 'refused', problem: { status: 429 } },
        { outcome: 'enqueued' },
      ]);
    });

    it('by a definition that is put again', async () => {
      await define();
      await answer('a', await matched(), false);
      await define({ cooldown: { ...COOLDOWN, decline: [{ times: 1, seconds: 50 }] } });
      cloud.nowMs += 2_000;
      await expectCooling(join('b', 'ann'), 'ann', 48);
    });
  });

  it('says that the ticket has ended to a request that is repeated while the player cools down', async () => {
    await define();
    await answer('a', await matched(), false);
    await expect(join('a', 'ann')).rejects.toMatchObject({
      status: 409,
      extensions: { code: 'TICKET_ENDED', ticketStatus: 'CANCELLED' },
    });
  });

  it('lets a player go when its cooldown is removed, and reads nothing more of the player', async () => {
    await define();
    await answer('a', await matched(), false);
    await define({ cooldown: undefined });
    cloud.nowMs += 2_000;
    const reads: string[] = [];
    const line: Line = (what, effect) => {
      reads.push(what);
      return effect();
    };
    expect((await cloud.on(line, () => join('b', 'ann'))).created).toBe(true);
    // The queue and its state, and the ticket.
    expect(reads.filter((what) => what === 'GetItem').length).toBeLessThanOrEqual(1);
    expect(await cooldown('ann')).toEqual({ queue, playerId: 'ann', offences: [] });
    expect(await listCooldowns(cloud.deps, queue, cloud.nowMs)).toEqual([]);
  });

  it('counts in its own queue alone', async () => {
    await define();
    await answer('a', await matched(), false);
    const other = `${queue}-other`;
    await putQueue(
      cloud.deps.queues,
      definition({ name: other, cooldown: { leave: COOLDOWN.leave } }),
      cloud.nowMs,
    );
    const there = { ...body('b', 'ann'), ticketId: id('other') };
    expect((await enqueue(cloud.deps, other, there, cloud.nowMs)).created).toBe(true);
    await expectCooling(join('b', 'ann'), 'ann', 60);
  });

  describe('after a match that a player has left', () => {
    const played = async () => {
      await define({ acceptance: undefined, cooldown: { leave: COOLDOWN.leave }, backfill: {} });
      return matched();
    };
    const end = (matchId: string, ...leavers: string[]) =>
      endMatch(cloud.deps, matchId, { leavers }, cloud.nowMs);

    it('rejects the next ticket of the leaver, from the end of the match on', async () => {
      const matchId = await played();
      await end(matchId, 'ann');
      await expectCooling(join('b', 'ann'), 'ann', 900, 'leave');
      await expect(join('b', 'ann')).rejects.toThrow(
        /Player ann left a match and gets no ticket for 15 minutes/,
      );
      expect((await join('y', 'zoe')).created).toBe(true);
    });

    it('counts a leaver once when the end is repeated, and leavers that are named later from the same time', async () => {
      const matchId = await played();
      await end(matchId, 'ann', 'ann');
      cloud.nowMs += 300_000;
      const ended = await end(matchId, 'ann', 'zoe');
      expect(ended.endedAt).toBe(new Date(cloud.nowMs - 300_000).toISOString());
      expect((await cooldown('ann')).offences).toHaveLength(1);
      expect(await untilOf('ann')).toBe(600);
      expect(await untilOf('zoe')).toBe(600);
    });

    it('counts a leaver whose seat a backfill has filled, and not the newcomer', async () => {
      const matchId = await played();
      const here = {
        playerId: 'zoe',
        skill: 1,
        team: (await cloud.deps.matches.get(matchId))!.teams[0]!.players[0]!.playerId === 'zoe' ? 0 : 1,
      };
      await requestBackfill(cloud.deps, matchId, { backfillId: id('fill'), players: [here] }, cloud.nowMs);
      await join('n', 'nia');
      await nextTick();
      expect((await read('n')).matchId).toBe(matchId);
      await end(matchId, 'ann');
      expect(await untilOf('ann')).toBe(900);
      expect(await untilOf('nia')).toBeUndefined();
    });

    it('notes all leavers when the request is repeated, wherever its function was killed', async () => {
      await withFaults(1, async (run, label) => {
        await begin();
        const matchId = await played();
        await run((line) => cloud.on(line, () => end(matchId, 'ann', 'zoe')));
        await end(matchId, 'ann', 'zoe');
        for (const playerId of ['ann', 'zoe'])
          expect((await cooldown(playerId)).offences, label).toHaveLength(1);
      });
    });

    it('ends a match with leavers in a queue without cooldowns, and stores nothing of them', async () => {
      await define({ acceptance: undefined, cooldown: undefined });
      const matchId = await matched();
      expect((await end(matchId, 'ann')).endedAt).toBeDefined();
      await define();
      cloud.nowMs += 2_000;
      expect((await cooldown('ann')).offences).toEqual([]);
    });

    it('rejects names that are no ids, and ends nothing', async () => {
      const matchId = await played();
      await expect(endMatch(cloud.deps, matchId, { leavers: ['a b', 7] }, cloud.nowMs)).rejects.toMatchObject(
        {
          status: 400,
          errors: [{ pointer: '#/leavers/0' }, { pointer: '#/leavers/1' }],
        },
      );
      expect((await cloud.deps.matches.get(matchId))!.endedAt).toBeUndefined();
    });
  });

  describe('for support', () => {
    it('says until when and why a player waits, and nothing of one without offences', async () => {
      await define();
      const matchId = await matched();
      await answer('a', matchId, false);
      const at = new Date(cloud.nowMs).toISOString();
      cloud.nowMs += 15_000;
      expect(await cooldown('ann')).toEqual({
        queue,
        playerId: 'ann',
        until: new Date(cloud.nowMs + 45_000).toISOString(),
        kind: 'decline',
        reason: 'player ann declined, or did not answer, a match and gets no ticket for 45 seconds',
        offences: [{ kind: 'decline', matchId, at }],
      });
      cloud.nowMs += 45_000;
      expect(await cooldown('ann')).toEqual({
        queue,
        playerId: 'ann',
        offences: [{ kind: 'decline', matchId, at }],
      });
      cloud.nowMs += 3_600_000;
      expect(await cooldown('ann')).toEqual({ queue, playerId: 'ann', offences: [] });
      await expect(getCooldown(cloud.deps, 'none', 'ann', cloud.nowMs)).rejects.toMatchObject({
        status: 404,
      });
    });

    it('forgives earlier offences of a player, even if a crashed function records them later, and counts new ones', async () => {
      await define();
      const matchId = await matched();
      await answer('a', matchId, false);
      const failed = (await cloud.deps.matches.get(matchId))!;
      cloud.nowMs += 1_000;
      await endCooldown(cloud.deps, queue, 'ann', cloud.nowMs);
      await endCooldown(cloud.deps, queue, 'zoe', cloud.nowMs);
      expect((await join('b', 'ann')).created).toBe(true);
      const late = { kind: 'decline', matchId: 'another', atMs: cloud.nowMs - 500 } as const;
      await cloud.deps.cooldowns.add(queue, 'zoe', late, 3_600_000);
      expect(await untilOf('zoe')).toBeUndefined();
      expect(await listCooldowns(cloud.deps, queue, cloud.nowMs)).toEqual([]);
      expect(failed.status).toBe('FAILED');
      cloud.nowMs += 1_000;
      await nextTick();
      await answer('b', (await read('b')).matchId!, false);
      expect(await untilOf('ann')).toBe(60);
    });

    it('lists who is cooling down, the latest first', async () => {
      await define({ teamSize: 2 });
      await answer('a', await matched(['ann', 'ben'], ['zoe', 'zed']), false);
      cloud.nowMs += 30_000;
      await cloud.deps.cooldowns.add(
        queue,
        'zoe',
        { kind: 'leave', matchId: 'm', atMs: cloud.nowMs },
        3_600_000,
      );
      const listed = async (limit?: number) =>
        (await listCooldowns(cloud.deps, queue, cloud.nowMs, limit)).map(({ playerId }) => playerId);
      const [first, ...others] = await listed();
      expect([first, others.sort()]).toEqual(['zoe', ['ann', 'ben']]);
      expect(await listed(1)).toEqual(['zoe']);
      cloud.nowMs += 40_000;
      expect(await listed()).toEqual(['zoe']);
    });

    it('counts the cooldowns that begin', async () => {
      await define({ teamSize: 2, cooldown: { ...COOLDOWN, decline: [{ times: 2, seconds: 60 }] } });
      const matchId = await matched(['ann', 'ben'], ['zoe', 'zed']);
      await answer('a', matchId, false);
      const counted = async () => (await getStats(cloud.deps, queue, cloud.nowMs)).outcomes.cooldowns;
      expect(await counted()).toEqual({ declined: 0, left: 0 });
      await join('b', 'ann', 'ben');
      await nextTick();
      await answer('b', (await read('b')).matchId!, false);
      expect(await counted()).toEqual({ declined: 2, left: 0 });
    });
  });
});
