import { describe, expect, it } from 'vitest';
import type { QueueDefinition } from '../../../lib/contract/queue-definition.ts';
import { askedSeats } from '../../../lib/service/domain/answers.ts';
import { toMatchView } from '../../../lib/service/domain/stored-match.ts';
import { type CurrentTicket, toTicketView } from '../../../lib/service/domain/stored-ticket.ts';
import { checkDeadline } from '../../../lib/service/placement/deadline.ts';
import { answerMatch } from '../../../lib/service/tickets/acceptance.ts';
import { enqueue } from '../../../lib/service/tickets/enqueue.ts';
import { getTicket } from '../../../lib/service/tickets/read-tickets.ts';
import { withMatchStatus } from '../../../lib/service/tickets/ticket-status.ts';
import { suiteName, USE_CASE_STORE } from '../../aws/emulated-tables.ts';
import { ticket } from '../../aws/samples.ts';
import { definition, putQueue } from '../definitions.ts';
import { ownCloudForEachTest } from '../own-cloud.ts';
import type { VirtualCloud } from '../virtual-cloud.ts';

const { emulator, skipped } = USE_CASE_STORE;
describe.skipIf(skipped !== undefined)(suiteName('an answer to a match', emulator, skipped), () => {
  let cloud: VirtualCloud;
  let queue: string;
  const restart = ownCloudForEachTest(emulator, (own) => {
    ({ cloud, queue } = own);
  });

  const id = (name: string) => `${queue}:${name}`;
  const playerOf = (name: string) => `${id(name)}.0`;
  const define = (changes: Partial<QueueDefinition> = {}) =>
    putQueue(
      cloud.deps.queues,
      definition({ name: queue, timeoutSeconds: 300, acceptance: { timeoutSeconds: 60 }, ...changes }),
      cloud.nowMs,
    );
  const join = (name: string) => {
    const { ticketId, players } = ticket(queue, id(name), 1);
    return enqueue(cloud.deps, queue, { ticketId, players }, cloud.nowMs);
  };
  const stored = async (name: string) => (await cloud.deps.tickets.get(id(name)))!;
  const matchOf = async (name: string) => (await stored(name)).matchId!;
  const answer = (name: string, matchId: string, accepted = true) =>
    answerMatch(cloud.deps, id(name), { accepted, matchId }, cloud.nowMs);

  /** `a` has accepted a match that `b` then declined, and is in the next one, with `c`. */
  const rematched = async () => {
    await define();
    await join('a');
    await join('b');
    await cloud.run(2_000);
    const first = await matchOf('a');
    await answer('a', first);
    await answer('b', first, false);
    await join('c');
    await cloud.run(2_000);
    return { first, second: await matchOf('a') };
  };

  it('names its match, so that a repeated request does not accept the next match', async () => {
    const { first, second } = await rematched();
    expect(second).not.toBe(first);
    await expect(answer('a', first)).rejects.toMatchObject({
      status: 409,
      extensions: { ticketStatus: 'REQUIRES_ACCEPTANCE' },
    });
    expect((await cloud.deps.matches.get(second))!.accepted).toBeUndefined();
    expect((await answer('a', second)).status).toBe('REQUIRES_ACCEPTANCE');
    expect((await cloud.deps.matches.get(second))!.accepted).toHaveLength(1);
  });

  it('that declines an earlier match leaves the next match as it is', async () => {
    const { first, second } = await rematched();
    await expect(answer('a', first, false)).rejects.toMatchObject({ status: 409 });
    expect((await cloud.deps.matches.get(second))!.status).toBe('REQUIRES_ACCEPTANCE');
  });

  it('is rejected while the ticket waits again', async () => {
    await define();
    await join('a');
    await join('b');
    await cloud.run(2_000);
    const matchId = await matchOf('a');
    await answer('a', matchId);
    await answer('b', matchId, false);
    await expect(answer('a', matchId)).rejects.toMatchObject({
      status: 409,
      extensions: { ticketStatus: 'QUEUED' },
    });
  });

  it('that declines is kept in the match with the answers of the others', async () => {
    const { first } = await rematched();
    expect(toMatchView((await cloud.deps.matches.get(first))!)).toMatchObject({
      status: 'FAILED',
      reasonCode: 'DECLINED',
      acceptance: { accepted: [playerOf('a')], declined: [playerOf('b')], unanswered: [] },
    });
    expect(toTicketView((await cloud.deps.tickets.get(id('b'))) as CurrentTicket)).toMatchObject({
      status: 'CANCELLED',
      reasonCode: 'DECLINED',
    });
  });

  it('that never comes is kept in the match, with the deadline', async () => {
    await define();
    await join('a');
    await join('b');
    await cloud.run(2_000);
    const matchId = await matchOf('a');
    await answer('a', matchId);
    const { acceptance } = toMatchView((await cloud.deps.matches.get(matchId))!);
    await cloud.run(70_000);
    expect(toMatchView((await cloud.deps.matches.get(matchId))!)).toMatchObject({
      status: 'FAILED',
      reasonCode: 'NOT_ACCEPTED',
      acceptance: {
        deadline: acceptance!.deadline,
        accepted: [playerOf('a')],
        declined: [],
        unanswered: [playerOf('b')],
      },
    });
    expect((await stored('b')).reasonCode).toBe('NOT_ACCEPTED');
    expect(await stored('a')).not.toHaveProperty('reasonCode');
  });

  it('that declines in a queue that is deleted cancels the others with a code of their own', async () => {
    await define();
    await join('a');
    await join('b');
    await cloud.run(2_000);
    const matchId = await matchOf('a');
    cloud.deps.queues.get = async () => undefined;
    await answer('b', matchId, false);
    expect((await stored('a')).reasonCode).toBe('QUEUE_DELETED');
    expect((await stored('b')).reasonCode).toBe('DECLINED');
  });

  it.each(['the deadline', 'the answer of another party', 'its repetition'])(
    'that stops after its write to the answers is followed by %s',
    async (by) => {
      for (const isAccept of [true, false]) {
        await restart();
        await define();
        await join('a');
        await join('b');
        await cloud.run(2_000);
        const matchId = await matchOf('a');
        await answer('a', matchId);
        const match = (await cloud.deps.matches.get(matchId))!;
        const [seat] = askedSeats(match).filter(({ ticketId }) => ticketId === id('b'));
        await cloud.deps.matches.answer(match, isAccept ? 'accept' : 'decline', [seat!.seat], cloud.nowMs);
        expect((await cloud.deps.matches.get(matchId))!.status).toBe('REQUIRES_ACCEPTANCE');
        if (by === 'the deadline') await cloud.run(70_000);
        else if (by === 'its repetition') await answer('b', matchId, isAccept);
        else await answer('a', matchId);
        const { status, reasonCode } = (await cloud.deps.matches.get(matchId))!;
        expect([status, reasonCode]).toEqual(isAccept ? ['COMPLETED', undefined] : ['FAILED', 'DECLINED']);
        expect((await stored('b')).status).toBe(isAccept ? 'MATCHED' : 'CANCELLED');
        expect((await stored('a')).status).toBe(isAccept ? 'MATCHED' : 'QUEUED');
      }
    },
  );

  it('may be repeated for the same match, but not changed', async () => {
    const { second } = await rematched();
    await answer('c', second);
    expect((await answer('c', second)).status).toBe('REQUIRES_ACCEPTANCE');
    await answer('a', second);
    expect((await answer('c', second)).status).toBe('COMPLETED');
    await expect(answer('c', second, false)).rejects.toMatchObject({
      status: 409,
      extensions: { ticketStatus: 'COMPLETED' },
    });
    const refused = await rematchedAgain();
    expect((await answer('x', refused, false)).status).toBe('CANCELLED');
    expect((await answer('x', refused, false)).status).toBe('CANCELLED');
    await expect(answer('x', refused)).rejects.toMatchObject({
      status: 409,
      extensions: { ticketStatus: 'CANCELLED' },
    });
    await expect(answer('y', refused)).rejects.toMatchObject({ status: 409 });
  });

  const rematchedAgain = async () => {
    await join('x');
    await join('y');
    await cloud.run(2_000);
    return matchOf('x');
  };

  describe('of a player, in a queue by player,', () => {
    const STEPS = [{ times: 1, seconds: 60 }];
    const BY_PLAYER = { timeoutSeconds: 60, by: 'player' } as const;
    const player = (name: string, at: number) => `${id(name)}.${at}`;
    const told = (name: string, matchId: string, more: object = {}, speaker?: string) =>
      answerMatch(cloud.deps, id(name), { accepted: true, matchId, ...more }, cloud.nowMs, speaker);
    const offenders = async () => {
      const all = ['a', 'b'].flatMap((name) => [player(name, 0), player(name, 1)]);
      const records = await cloud.deps.cooldowns.of(queue, all);
      return all.filter((playerId) => (records.get(playerId)?.offences.length ?? 0) > 0);
    };
    /** A match of two parties, `a` and `b`, of two players each. */
    const found = async (changes: Partial<QueueDefinition> = {}) => {
      await define({ teamSize: 2, acceptance: BY_PLAYER, cooldown: { decline: STEPS }, ...changes });
      for (const name of ['a', 'b']) {
        const { ticketId, players } = ticket(queue, id(name), [1, 1]);
        await enqueue(cloud.deps, queue, { ticketId, players }, cloud.nowMs);
      }
      await cloud.run(2_000);
      return matchOf('a');
    };
    const viewOf = async (matchId: string) => toMatchView((await cloud.deps.matches.get(matchId))!);
    const nothingChanged = async (matchId: string) => {
      expect(await cloud.deps.matches.answers(matchId)).toBeUndefined();
      expect((await cloud.deps.matches.get(matchId))!.status).toBe('REQUIRES_ACCEPTANCE');
    };

    it('counts for this player alone, and the match moves on with the last one', async () => {
      const matchId = await found();
      const { deadline } = (await viewOf(matchId)).acceptance!;
      expect((await told('a', matchId, {}, player('a', 1))).acceptance).toEqual({
        deadline,
        ready: 1,
        of: 4,
        players: [player('a', 1)],
      });
      expect((await told('b', matchId)).acceptance).toMatchObject({
        ready: 3,
        players: [player('b', 0), player('b', 1)],
      });
      expect((await viewOf(matchId)).acceptance!.accepted).toHaveLength(3);
      const last = await told('a', matchId, { playerIds: [player('a', 0)] });
      expect(last.status).toBe('COMPLETED');
      expect(last.acceptance).toBeUndefined();
      expect(await viewOf(matchId)).not.toHaveProperty('acceptance');
      expect(await told('a', matchId, {}, player('a', 1))).toMatchObject({ status: 'COMPLETED' });
      await expect(told('a', matchId, { accepted: false }, player('a', 1))).rejects.toMatchObject({
        status: 409,
      });
    });

    it('that declines cancels the party, and only this player gets a cooldown', async () => {
      const matchId = await found();
      await told('a', matchId, {}, player('a', 0));
      await told('b', matchId);
      const declined = await told('a', matchId, { accepted: false }, player('a', 1));
      expect(declined).toMatchObject({ status: 'CANCELLED', reasonCode: 'DECLINED' });
      expect(await told('a', matchId, { accepted: false }, player('a', 1))).toEqual(declined);
      expect(await stored('b')).toMatchObject({ status: 'QUEUED', returns: 1 });
      expect(await offenders()).toEqual([player('a', 1)]);
      expect(await viewOf(matchId)).toMatchObject({
        reason: `a player of ticket ${id('a')} did not accept`,
        acceptance: {
          accepted: [player('a', 0), player('b', 0), player('b', 1)],
          declined: [player('a', 1)],
          unanswered: [],
        },
      });
      await expect(told('a', matchId, { accepted: false }, player('a', 0))).rejects.toMatchObject({
        status: 409,
        extensions: { ticketStatus: 'CANCELLED' },
      });
    });

    it('may be changed to a decline while not all have accepted', async () => {
      const matchId = await found();
      await told('a', matchId);
      await told('a', matchId, { accepted: false, playerIds: [player('a', 0)] });
      expect(await offenders()).toEqual([player('a', 0)]);
      expect((await viewOf(matchId)).acceptance).toMatchObject({
        accepted: [player('a', 1)],
        declined: [player('a', 0)],
        unanswered: [player('b', 0), player('b', 1)],
      });
    });

    it('that never comes cancels the party at the deadline, and only this player gets a cooldown', async () => {
      const matchId = await found();
      await told('a', matchId, {}, player('a', 0));
      await told('b', matchId);
      await cloud.run(70_000);
      expect(await stored('a')).toMatchObject({ status: 'CANCELLED', reasonCode: 'NOT_ACCEPTED' });
      expect(await stored('b')).toMatchObject({ status: 'QUEUED' });
      expect(await offenders()).toEqual([player('a', 1)]);
      const failed = cloud.events.find(
        (event) => event.type === 'MatchFailed' && event.match.matchId === matchId,
      );
      expect(failed).toMatchObject({
        match: {
          acceptance: {
            accepted: [player('a', 0), player('b', 0), player('b', 1)],
            declined: [],
            unanswered: [player('a', 1)],
          },
        },
      });
      await expect(told('a', matchId, {}, player('a', 1))).rejects.toMatchObject({ status: 409 });
    });

    it('is refused for another player, for one who is not in the ticket, and twice for one', async () => {
      const matchId = await found();
      const foreign = { playerIds: [player('a', 1)] };
      await expect(told('a', matchId, foreign, player('a', 0))).rejects.toMatchObject({ status: 403 });
      const both = { playerIds: [player('a', 0), player('a', 1)] };
      await expect(told('a', matchId, both, player('a', 0))).rejects.toMatchObject({ status: 403 });
      const unknown = { playerIds: [player('a', 0), player('b', 0)] };
      await expect(told('a', matchId, unknown)).rejects.toMatchObject({
        status: 400,
        errors: [expect.objectContaining({ pointer: '#/playerIds/1' })],
      });
      for (const playerIds of [[], ['x', 'x'], 'x', [7], null])
        await expect(told('a', matchId, { playerIds })).rejects.toMatchObject({ status: 400 });
      await nothingChanged(matchId);
    });

    it('is refused where tickets answer as a whole, also after the queue was changed', async () => {
      const matchId = await found({ acceptance: { timeoutSeconds: 60 } });
      await define({ teamSize: 2, acceptance: BY_PLAYER });
      await expect(told('a', matchId, { playerIds: [player('a', 0)] })).rejects.toMatchObject({
        status: 400,
        errors: [expect.objectContaining({ pointer: '#/playerIds' })],
      });
      await nothingChanged(matchId);
      expect((await told('a', matchId, {}, player('a', 0))).acceptance).toMatchObject({
        ready: 2,
        players: [player('a', 0), player('a', 1)],
      });
    });

    it('is required of each player of a match that began so, also after the queue was changed', async () => {
      const matchId = await found();
      await define({ teamSize: 2, acceptance: { timeoutSeconds: 60 } });
      await cloud.run(2_000);
      expect((await told('a', matchId, {}, player('a', 0))).acceptance).toMatchObject({ ready: 1, of: 4 });
    });

    it('is not asked of bots', async () => {
      await define({ teamSize: 2, acceptance: BY_PLAYER, fill: 'bots', timeoutSeconds: 10 });
      await join('a');
      await cloud.run(12_000);
      const matchId = await matchOf('a');
      const { acceptance } = await cloud.deps.tickets
        .get(id('a'))
        .then((one) => withMatchStatus(cloud.deps, one!));
      expect(acceptance).toMatchObject({ ready: 0, of: 1 });
      expect((await told('a', matchId)).status).toBe('COMPLETED');
    });

    it('counts although the player has left since, and the match ends without a cooldown', async () => {
      const matchId = await found({ presence: { graceSeconds: 5 } });
      const gone = { by: 'one', silentFromMs: cloud.nowMs };
      await cloud.deps.presence.seen(queue, id('a'), 0, gone);
      cloud.nowMs += 6_000;
      await told('a', matchId);
      await told('b', matchId);
      expect(await viewOf(matchId)).toMatchObject({ status: 'FAILED', reasonCode: 'PLAYER_LEFT' });
      expect(await stored('a')).toMatchObject({ status: 'CANCELLED', reasonCode: 'PLAYER_LEFT' });
      expect(await stored('b')).toMatchObject({ status: 'QUEUED' });
      expect(await offenders()).toEqual([]);
    });

    it('that is missing counts as silence although the player has left', async () => {
      const matchId = await found({ presence: { graceSeconds: 5 } });
      await cloud.deps.presence.seen(queue, id('a'), 0, { by: 'one', silentFromMs: cloud.nowMs });
      await told('b', matchId);
      await told('a', matchId, {}, player('a', 1));
      cloud.nowMs += 60_000;
      await checkDeadline(cloud.deps, matchId, cloud.nowMs);
      expect(await offenders()).toEqual([player('a', 0)]);
    });

    it('ends a poll that has seen another number of players who are ready', async () => {
      const matchId = await found();
      const read = (options: object) => getTicket(cloud.deps, id('a'), { waitMs: 20_000, ...options });
      const startMs = cloud.nowMs;
      // Without a number it is asked for at once.
      expect((await read({ seen: 'REQUIRES_ACCEPTANCE' })).acceptance!.ready).toBe(0);
      expect(cloud.nowMs).toBe(startMs);
      await told('a', matchId, {}, player('a', 0));
      expect((await read({ seen: 'REQUIRES_ACCEPTANCE', ready: 0 })).acceptance!.ready).toBe(1);
      expect((await read({ seen: 'REQUIRES_ACCEPTANCE', playerId: player('a', 1) })).acceptance!.ready).toBe(
        1,
      );
      expect(cloud.nowMs).toBe(startMs);
      const waiting = read({ seen: 'REQUIRES_ACCEPTANCE', ready: 1 });
      await told('b', matchId, {}, player('b', 0));
      expect((await waiting).acceptance!.ready).toBe(2);
      expect(cloud.nowMs).toBeLessThan(startMs + 20_000);
      // Who is ready waits for the others.
      await read({ seen: 'REQUIRES_ACCEPTANCE', playerId: player('a', 0) });
      expect(cloud.nowMs).toBeGreaterThanOrEqual(startMs + 20_000);
    });
  });
});
