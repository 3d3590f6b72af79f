import { describe, expect, it } from 'vitest';
import type { Problem } from '../../lib/contract/problem.ts';
import type { QueueDefinition } from '../../lib/contract/queue-definition.ts';
import {
  cancelBackfill,
  getBackfill,
  requestBackfill,
} from '../../lib/service/backfills/request-backfill.ts';
import { toMatchView } from '../../lib/service/domain/stored-match.ts';
import { endMatch } from '../../lib/service/placement/end-match.ts';
import { getStats } from '../../lib/service/queues/stats.ts';
import { cancelTicket } from '../../lib/service/tickets/cancel-ticket.ts';
import { enqueue } from '../../lib/service/tickets/enqueue.ts';
import { withMatchStatus } from '../../lib/service/tickets/ticket-status.ts';
import { tick } from '../../lib/service/ticks/tick.ts';
import { suiteName, USE_CASE_STORES } from '../aws/emulated-tables.ts';
import { definition, putQueue } from './definitions.ts';
import { withFaults as withEvery } from './faults.ts';
import { ownCloudForEachTest } from './own-cloud.ts';
import type { Line, VirtualCloud } from './virtual-cloud.ts';

/** Whatever order backfills, ticks, cancels and the end of a match come in, a seat is promised to one ticket only. */
describe.each(USE_CASE_STORES)('$emulator', ({ emulator, skipped }) => {
  describe.skipIf(skipped !== undefined)(suiteName('a backfill', emulator, skipped), () => {
    let cloud: VirtualCloud;
    let queue: string;
    let joined: string[] = [];
    const restart = ownCloudForEachTest(emulator, (own) => {
      ({ cloud, queue } = own);
      joined = [];
    });
    const withFaults = (scenario: Parameters<typeof withEvery>[1]) =>
      withEvery(emulator === 'dynamodb-local' ? 4 : 1, scenario);

    const id = (name: string) => `${queue}:${name}`;
    /** A queue of 2v2 and a match of a, b against c, d; `gone` have left. */
    const running = async (changes: Partial<QueueDefinition> = {}) => {
      await restart();
      const rules = {
        name: queue,
        teamSize: 2,
        tickSeconds: 10,
        timeoutSeconds: 60,
        backfill: {},
        ...changes,
      };
      await putQueue(cloud.deps.queues, definition(rules), cloud.nowMs);
      for (const name of ['a', 'b', 'c', 'd']) await join(name);
      await nextTick();
      return (await cloud.deps.tickets.get(id('a')))!.matchId!;
    };
    const join = async (name: string, skill = 1500) => {
      const players = [{ playerId: id(name), skill }];
      await enqueue(cloud.deps, queue, { ticketId: id(name), players }, cloud.nowMs);
      joined.push(id(name));
    };
    const dueTick = () => {
      cloud.nowMs = Math.min(...cloud.tickMessages.map(({ dueMs }) => dueMs));
      return cloud.dueTicks()[0]!;
    };
    const nextTick = () => tick(cloud.deps, dueTick());
    const body = (name: string, there: readonly string[], skill = 1500) => ({
      backfillId: id(name),
      players: there.map((who, i) => ({ playerId: id(who), skill, team: i < 2 ? 0 : 1 })),
    });
    const ask = (matchId: string, name = 'backfill', there: readonly string[] = ['a', 'b', 'c']) =>
      requestBackfill(cloud.deps, matchId, body(name, there), cloud.nowMs);
    const read = (name = 'backfill') => getBackfill(cloud.deps, id(name), cloud.nowMs);
    const stats = () => getStats(cloud.deps, queue, cloud.nowMs);
    const match = async (matchId: string) => (await cloud.deps.matches.get(matchId))!;
    const statusOf = async (name: string) => {
      const stored = (await cloud.deps.tickets.get(id(name)))!;
      const { status, matchId } = await withMatchStatus(cloud.deps, stored);
      return [status, matchId];
    };
    const rejection = async (task: Promise<unknown>): Promise<Pick<Problem, 'status' | 'message'>> =>
      task.then(
        () => ({ status: 200 as never, message: '' }),
        ({ status, message }) => ({ status, message }),
      );
    /** Expects that no match has two tickets on a seat, or more players than seats, and that every newcomer is in its match. */
    const expectKept = async (matchId: string, label = '') => {
      const { teams, ticketIds } = await match(matchId);
      for (const { players } of teams) expect(players.length, label).toBeLessThanOrEqual(2);
      const seated = teams.flatMap(({ players }) => players.map(({ playerId }) => playerId));
      expect(new Set(seated).size, label).toBe(seated.length);
      for (const ticketId of joined) {
        const ticket = (await cloud.deps.tickets.get(ticketId))!;
        if (ticket.matchId !== matchId) expect(ticketIds, label).not.toContain(ticketId);
        else if (!['a', 'b', 'c', 'd'].includes(ticketId.split(':')[1]!))
          expect(ticketIds, label).toContain(ticketId);
      }
    };

    it('gets the next roster with its newcomer, who has the status and the assignment of the match', async () => {
      const rules = [{ name: 'Near', type: 'within', attribute: 'skill', max: 1000 }] as const;
      const matchId = await running({ provisioner: { type: 'external' }, rules: [...rules] });
      await cloud.deps.matches.assign(matchId, { address: 'game.example' });
      const askedMs = cloud.nowMs;
      expect(await ask(matchId)).toMatchObject({ created: true, backfill: { status: 'QUEUED' } });
      expect((await stats()).backfills).toMatchObject({
        open: 0,
        filled: { count: 0, secondsToFillP50: null },
      });
      await join('far', 9_000_000);
      await nextTick();
      expect((await stats()).backfills).toMatchObject({ open: 1, filled: { count: 0 } });
      expect((await stats()).backfills!.oldestWaitSeconds).toBeGreaterThan(0);
      await join('e');
      await nextTick();
      const { filled, ...open } = (await stats()).backfills!;
      expect(open).toEqual({ open: 0, oldestWaitSeconds: null });
      expect(filled).toMatchObject({ count: 1, players: 1 });
      expect(filled.secondsToFillMax).toBe((cloud.nowMs - askedMs) / 1_000);
      expect(await read()).toMatchObject({ status: 'COMPLETED', roster: 2 });
      const after = toMatchView(await match(matchId));
      expect(after).toMatchObject({ status: 'COMPLETED', roster: 2, newTicketIds: [id('e')], imbalance: 0 });
      expect(after.assignment).toEqual({ address: 'game.example' });
      expect(after.teams.map(({ players }) => players.map(({ playerId }) => playerId))).toEqual([
        [id('a'), id('b')],
        [id('c'), id('e')],
      ]);
      expect(after.teams[0]!.players[0]!.ticketId).toBe(id('a'));
      expect(await statusOf('e')).toEqual(['COMPLETED', matchId]);
      await cloud.run(0);
      expect(cloud.events.filter(({ type }) => type === 'MatchBackfilled')).toMatchObject([
        { match: { matchId, roster: 2, newTicketIds: [id('e')] } },
      ]);
      // The players who are there no longer name the one who left: a further backfill takes the next roster.
      await ask(matchId, 'second', ['a', 'b', 'e']);
      await join('f');
      await nextTick();
      expect(await match(matchId)).toMatchObject({ roster: 3, newTicketIds: [id('f')] });
    });

    it('is repeatable, and another body under its id is a conflict', async () => {
      const matchId = await running();
      await ask(matchId);
      expect(await ask(matchId)).toMatchObject({ created: false, backfill: { status: 'QUEUED' } });
      expect(await rejection(ask(matchId, 'backfill', ['a', 'b']))).toMatchObject({ status: 409 });
    });

    it('is refused for a queue without backfills, an unknown or unplaced match, and wrong players', async () => {
      const plain = await running({ backfill: undefined as never });
      expect((await rejection(ask(plain))).message).toMatch('takes no backfills');
      const waiting = await running({ acceptance: { timeoutSeconds: 60 } });
      expect((await rejection(ask(waiting))).message).toMatch('it is REQUIRES_ACCEPTANCE');
      const matchId = await running();
      expect(await rejection(ask('nobody'))).toMatchObject({ status: 404 });
      expect((await rejection(ask(matchId, 'x', ['a', 'a']))).message).toMatch('each player once');
      expect((await rejection(ask(matchId, 'x', ['a', 'b', 'c', 'd']))).message).toMatch('empty seats');
      const lost = { backfillId: id('x'), players: [{ playerId: id('a'), skill: 1, team: 7 }] };
      expect((await rejection(requestBackfill(cloud.deps, matchId, lost, cloud.nowMs))).message).toMatch(
        '0 to 1, got 7',
      );
      expect(await rejection(read('x'))).toMatchObject({ status: 404 });
    });

    it('is replaced by a newer one of its match, and repeating the older one changes nothing', async () => {
      const matchId = await running();
      await ask(matchId, 'old', ['a', 'b']);
      await ask(matchId, 'new');
      expect(await read('old')).toMatchObject({
        status: 'CANCELLED',
        reason: expect.stringMatching('newer'),
      });
      await ask(matchId, 'old', ['a', 'b']);
      await join('e');
      await join('f');
      await nextTick();
      expect(await read('new')).toMatchObject({ status: 'COMPLETED', roster: 2 });
      expect((await match(matchId)).newTicketIds).toHaveLength(1);
      expect(await rejection(cancelBackfill(cloud.deps, id('new'), cloud.nowMs))).toMatchObject({
        status: 409,
      });
    });

    it('is refused when its server has not heard of the newest newcomers, whose seats it would promise again', async () => {
      const matchId = await running();
      await ask(matchId);
      await join('e');
      await nextTick();
      const unaware = rejection(ask(matchId, 'unaware', ['a', 'b']));
      expect(await unaware).toMatchObject({ status: 409, message: expect.stringMatching('roster 2') });
      const outdated = requestBackfill(
        cloud.deps,
        matchId,
        { ...body('outdated', ['a', 'e']), roster: 1 },
        cloud.nowMs,
      );
      expect(await rejection(outdated)).toMatchObject({ status: 409 });
      // The repeated request for the backfill that has been filled is none.
      expect(await ask(matchId)).toMatchObject({ created: false, backfill: { status: 'COMPLETED' } });
      const aware = { ...body('aware', ['a', 'b']), roster: 2 };
      expect(await requestBackfill(cloud.deps, matchId, aware, cloud.nowMs)).toMatchObject({ created: true });
    });

    it('is refused when another backfill is filled between its reads and its write', async () => {
      const matchId = await running();
      await ask(matchId);
      await join('e');
      const message = dueTick();
      const late = cloud.on(
        justBefore('TransactWriteItems', () => tick(cloud.deps, message)),
        () => ask(matchId, 'late', ['a', 'b']),
      );
      expect(await rejection(late)).toMatchObject({ status: 409 });
      expect(await match(matchId)).toMatchObject({ roster: 2, newTicketIds: [id('e')] });
    });

    it('is not filled after a cancel, the end of its match or its time-out', async () => {
      for (const over of ['cancel', 'end', 'time-out'] as const) {
        const matchId = await running();
        await ask(matchId);
        if (over === 'cancel') await cancelBackfill(cloud.deps, id('backfill'), cloud.nowMs);
        if (over === 'end') await endMatch(cloud.deps, matchId, {}, cloud.nowMs);
        if (over === 'time-out') cloud.nowMs += 60_000;
        const status = over === 'time-out' ? 'TIMED_OUT' : 'CANCELLED';
        expect(await read()).toMatchObject({ status });
        cloud.dueTicks();
        await join('e');
        await nextTick();
        expect(await statusOf('e'), over).toEqual(['QUEUED', undefined]);
        expect(await read(), over).toMatchObject({ status });
        expect((await cloud.deps.backfills.open(queue, {}, 1)).backfills, over).toEqual([]);
      }
    });

    it('ends once: a second end changes nothing, and an ended match takes no backfill', async () => {
      const matchId = await running();
      const { endedAt } = await endMatch(cloud.deps, matchId, {}, cloud.nowMs);
      cloud.nowMs += 1_000;
      expect(await endMatch(cloud.deps, matchId, {}, cloud.nowMs)).toMatchObject({ endedAt });
      expect((await rejection(ask(matchId))).message).toMatch('it has ended');
      await cloud.run(0);
      expect(cloud.events.filter(({ type }) => type === 'MatchEnded')).toHaveLength(1);
      const placing = await running({ provisioner: { type: 'external' } });
      expect((await rejection(endMatch(cloud.deps, placing, {}, cloud.nowMs))).message).toMatch(
        'it is PLACING',
      );
    });

    describe('promises a seat once, and loses no ticket', () => {
      it('when the tick is killed at any call', async () => {
        const calls = await withFaults(async (run, label) => {
          const matchId = await running();
          await ask(matchId);
          await join('e');
          const message = dueTick();
          await run((line) => cloud.on(line, () => tick(cloud.deps, message)));
          await cloud.run(30_000);
          await expectKept(matchId, label);
          expect(await read(), label).toMatchObject({ status: 'COMPLETED', roster: 2 });
          expect(await statusOf('e'), label).toEqual(['COMPLETED', matchId]);
          expect(
            cloud.events.filter(({ type }) => type === 'MatchBackfilled').map(({ eventId }) => eventId)
              .length,
            label,
          ).toBe(1);
        });
        expect(calls).toContain('TransactWriteItems');
      });

      it('when a request is killed at any call and repeated', async () => {
        await withFaults(async (run, label) => {
          const matchId = await running();
          await run((line) => cloud.on(line, () => ask(matchId)));
          expect(await ask(matchId), label).toMatchObject({ backfill: { status: 'QUEUED' } });
          await join('e');
          await nextTick();
          expect(await read(), label).toMatchObject({ status: 'COMPLETED' });
        });
      });

      const rivals: Readonly<Record<string, (matchId: string) => Promise<unknown>>> = {
        'a newer backfill': (matchId) => ask(matchId, 'newer', ['a', 'b', 'c']),
        'a cancel of the backfill': () => cancelBackfill(cloud.deps, id('backfill'), cloud.nowMs),
        'the end of the match': (matchId) => endMatch(cloud.deps, matchId, {}, cloud.nowMs),
        'a cancel of the ticket': () => cancelTicket(cloud.deps, id('e'), cloud.nowMs),
        'the same backfill, filled by another tick': async (matchId) => {
          const [open] = (await cloud.deps.backfills.open(queue, {}, 1)).backfills;
          if (!open) return;
          const stored = await match(matchId);
          const newcomer = { playerId: id('f'), ticketId: id('f') };
          const teams = [stored.teams[0]!, { players: [stored.teams[1]!.players[0]!, newcomer] }];
          const ticketIds = ['a', 'b', 'c', 'f'].map(id);
          const filled = { ...stored, teams, ticketIds, roster: 2, newTicketIds: [id('f')] };
          await cloud.deps.backfills.fill(open, { match: filled, before: undefined }, cloud.nowMs, []);
        },
      };
      it.each(Object.entries(rivals))('when %s comes before any call of a tick', async (name, rival) => {
        await withCallsBefore(async (call) => {
          const matchId = await running({ timeoutSeconds: 600 });
          await ask(matchId);
          await join('e', 1500);
          if (name.startsWith('the same')) await join('f', 9000);
          const message = dueTick();
          let calls = 0;
          let rejected: number | undefined;
          await cloud.on(
            async (_what, effect) => {
              if (++calls === call)
                await cloud.on(
                  (_, pass) => pass(),
                  async () => {
                    rejected = (await rejection(rival(matchId))).status;
                  },
                );
              return effect();
            },
            () => tick(cloud.deps, message),
          );
          const label = `${name}, before call ${call} of ${calls}`;
          await expectKept(matchId, label);
          const backfill = await read();
          const now = await match(matchId);
          const isFilled = backfill.status === 'COMPLETED';
          const isNewerFilled = (await read('newer').catch(() => undefined))?.status === 'COMPLETED';
          expect(isFilled && isNewerFilled, label).toBe(false);
          expect(now.roster, label).toBe(isFilled || isNewerFilled ? 2 : undefined);
          const [status] = await statusOf('e');
          if (name === 'a cancel of the ticket')
            expect(status, label).toBe(rejected === 200 ? 'CANCELLED' : 'COMPLETED');
          if (name === 'a cancel of the backfill' && rejected === 200 && !isFilled)
            expect(backfill.status, label).toBe('CANCELLED');
          if (name === 'a cancel of the backfill' && rejected === 409) expect(isFilled, label).toBe(true);
          return calls;
        });
      });
    });

    /** A line that runs a task before the first call of this name. */
    function justBefore(name: string, task: () => Promise<unknown>): Line {
      let isDone = false;
      return async (what, effect) => {
        if (what === name && !isDone) {
          isDone = true;
          await cloud.on((_, pass) => pass(), task);
        }
        return effect();
      };
    }

    /** Runs a scenario for every call, until it has fewer. */
    async function withCallsBefore(scenario: (call: number) => Promise<number>): Promise<void> {
      const step = emulator === 'dynamodb-local' ? 4 : 1;
      for (let call = 1; ; call += step) if ((await scenario(call)) < call) return;
    }
  });
});
