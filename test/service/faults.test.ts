import { GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import { connectionStore } from '../../lib/aws/connection-store.ts';
import { EVENT_TYPES } from '../../lib/contract/event-type.ts';
import { Problem } from '../../lib/contract/problem.ts';
import type { QueueDefinition } from '../../lib/contract/queue-definition.ts';
import { block } from '../../lib/experiments/schedule.ts';
import type { Delivery } from '../../lib/service/domain/delivery.ts';
import { DEFINITION_AGE_MS } from '../../lib/service/domain/timing.ts';
import { UnreadableQueue } from '../../lib/service/domain/unreadable.ts';
import { countUnmatched } from '../../lib/service/events/count-unmatched.ts';
import { deliver } from '../../lib/service/events/notify.ts';
import { publish } from '../../lib/service/events/publish.ts';
import { assignMatch } from '../../lib/service/placement/assign-match.ts';
import { checkDeadline } from '../../lib/service/placement/deadline.ts';
import { provision } from '../../lib/service/placement/provision.ts';
import { deleteExperiment, putExperiment } from '../../lib/service/queues/experiments.ts';
import { deleteQueue } from '../../lib/service/queues/queue-definitions.ts';
import { OddsLearner } from '../../lib/service/ratings/odds-learner.ts';
import { postResult } from '../../lib/service/ratings/post-result.ts';
import { rateResult } from '../../lib/service/ratings/rate-result.ts';
import { answerMatch } from '../../lib/service/tickets/acceptance.ts';
import { cancelTicket } from '../../lib/service/tickets/cancel-ticket.ts';
import { enqueue } from '../../lib/service/tickets/enqueue.ts';
import { keepAlive } from '../../lib/service/tickets/keep-alive.ts';
import { dispatch } from '../../lib/service/ticks/dispatch.ts';
import { tick } from '../../lib/service/ticks/tick.ts';
import { answerFrame } from '../../lib/service/watching/answer-frame.ts';
import { connect } from '../../lib/service/watching/connect.ts';
import { type EmulatedTables, suiteName, USE_CASE_STORES } from '../aws/emulated-tables.ts';
import { ticket } from '../aws/samples.ts';
import { CHAOS_LADDER } from './chaos-results.ts';
import { violations } from './checker.ts';
import { definition, putLadder, putQueue } from './definitions.ts';
import { type Scenario, withFaults as withEvery } from './faults.ts';
import { ownCloudForEachTest } from './own-cloud.ts';
import type { VirtualCloud } from './virtual-cloud.ts';
import { OPEN_SOCKETS } from './watching/open-sockets.ts';
import { watcherOf } from './watching/watcher-of.ts';

/** A function killed at any of its calls loses no ticket, matches no ticket twice, and leaves no ticket waiting. */
describe.each(USE_CASE_STORES)('$emulator', ({ emulator, skipped }) => {
  describe.skipIf(skipped !== undefined)(
    suiteName('a function killed at any call', emulator, skipped),
    () => {
      let tables: EmulatedTables;
      let cloud: VirtualCloud;
      let accepted: string[] = [];
      let queue: string;
      const restart = ownCloudForEachTest(emulator, (own) => {
        ({ cloud, queue, tables } = own);
        accepted = [];
      });
      /** All faults on the tables in memory, and some on the emulators. */
      const withFaults = (scenario: Scenario) =>
        withEvery({ memory: 1, dynoxide: 3, 'dynamodb-local': 9 }[emulator], scenario);

      /** Starts a run with its own cloud and one queue, whose tickets wait at most 30 seconds. */
      const begin = async (changes: Partial<QueueDefinition> = {}) => {
        await restart();
        await putQueue(
          cloud.deps.queues,
          definition({ name: queue, tickSeconds: 10, timeoutSeconds: 30, ...changes }),
          cloud.nowMs,
        );
      };
      const id = (name: string) => `${queue}:${name}`;
      const body = (name: string, skills: readonly number[]) => {
        const { ticketId, players } = ticket(queue, id(name), skills);
        return { ticketId, players };
      };
      const join = async (name: string, ...skills: number[]) => {
        await enqueue(cloud.deps, queue, body(name, skills), cloud.nowMs);
        accepted.push(id(name));
      };
      const nextTick = () => {
        cloud.nowMs = Math.min(...cloud.tickMessages.map(({ dueMs }) => dueMs));
        const [message] = cloud.dueTicks();
        return message!;
      };
      /** Waits until everything has ended, and expects no violation. */
      const expectAllWell = async (label: string) => {
        let outcome = await look();
        for (let i = 0; i < 6 && violations(outcome).length > 0; i++) {
          await cloud.run(30_000);
          outcome = await look();
        }
        expect(violations(outcome), `killed ${label}`).toEqual([]);
        return outcome;
      };
      const look = async () => {
        const found = await Promise.all(accepted.map((ticketId) => cloud.deps.tickets.get(ticketId)));
        const made = await Promise.all(cloud.ids.map((matchId) => cloud.deps.matches.get(matchId)));
        const { changes, events } = cloud;
        return {
          accepted,
          tickets: new Map(found.flatMap((ticket) => (ticket ? [[ticket.ticketId, ticket]] : []))),
          matches: new Map(made.flatMap((match) => (match ? [[match.matchId, match]] : []))),
          changes,
          events,
        };
      };

      it('tick: whole games, parties, time-outs and misfits', async () => {
        const calls = await withFaults(async (run, label) => {
          await begin({ teamSize: 5, timeoutSeconds: 60 });
          await join('late', 9_000);
          cloud.nowMs += 60_000;
          for (const [i, size] of [3, 2, 1, 1, 1, 2, 4, 1, 5, 5, 3].entries()) {
            await join(`t${i}`, ...Array.from({ length: size }, (_, j) => 1_000 + 10 * i + j));
          }
          const misfit = ticket(queue, id('misfit'), [1, 2, 3, 4, 5, 6]);
          await cloud.deps.tickets.create(misfit, { version: 1, boundaries: [], fromMs: 0 });
          accepted.push(misfit.ticketId);
          cloud.dueTicks();
          const message = nextTick();
          await run((line) => cloud.on(line, () => tick(cloud.deps, message)));
          await tick(cloud.deps, message);
          const { matches, tickets } = await expectAllWell(label);
          expect(matches.size, label).toBe(2);
          expect(tickets.get(id('misfit'))!.status).toBe('CANCELLED');
          expect(tickets.get(id('late'))!.status).toBe('TIMED_OUT');
        });
        // The lease, a page of the journal, nine claims, two ends, the report and the end of the lease; two matches.
        expect(calls.filter((call) => call === 'UpdateItem')).toHaveLength(15);
        expect(calls.filter((call) => call === 'PutItem')).toHaveLength(2);
      });

      it('enqueue: a ticket whose request got no response is matched or was never stored', async () => {
        for (const repeats of [false, true]) {
          await withFaults(async (run, label) => {
            await begin({ timeoutSeconds: 100 });
            await run((line) =>
              cloud.on(line, () => enqueue(cloud.deps, queue, body('a', [1]), cloud.nowMs)),
            );
            if (repeats) await enqueue(cloud.deps, queue, body('a', [1]), cloud.nowMs);
            if ((await cloud.deps.tickets.get(id('a'))) !== undefined) accepted.push(id('a'));
            cloud.nowMs += 1_000;
            await join('b', 2);
            const { matches } = await expectAllWell(`${label}, repeated: ${repeats}`);
            expect(matches.size, label).toBe(accepted.length - 1);
          });
        }
      });

      it('cancel: a ticket is cancelled once or stays', async () => {
        await withFaults(async (run, label) => {
          await begin();
          await join('a', 1);
          await run((line) => cloud.on(line, () => cancelTicket(cloud.deps, id('a'), cloud.nowMs)));
          const repeated = await cancelTicket(cloud.deps, id('a'), cloud.nowMs);
          expect(repeated.status, label).toBe('CANCELLED');
          const { tickets } = await expectAllWell(label);
          expect(tickets.get(id('a'))!.status).toBe('CANCELLED');
        });
      });

      it('dispatch: serves the remaining queues a minute later', async () => {
        await withFaults(async (run, label) => {
          await begin({ tickSeconds: 30, timeoutSeconds: 280, buckets: [50] });
          await putQueue(cloud.deps.queues, definition({ name: `${queue}-old` }), cloud.nowMs);
          await deleteQueue(cloud.deps.queues, `${queue}-old`, cloud.nowMs - 3 * 3_600_000);
          await join('a', 49);
          await putQueue(
            cloud.deps.queues,
            definition({ name: queue, tickSeconds: 30, timeoutSeconds: 280 }),
            cloud.nowMs - 600_000,
          );
          cloud.tickMessages.length = 0;
          cloud.nowMs += 120_000;
          await run(async (line) => {
            const { failed } = await cloud.on(line, () => dispatch(cloud.deps, cloud.nowMs));
            if (failed.length > 0) throw failed[0]!.error;
          });
          await join('b', 51);
          const { matches } = await expectAllWell(label);
          expect(matches.size, label).toBe(1);
          expect(await cloud.deps.queues.get(`${queue}-old`)).toBeUndefined();
        });
      });

      const found = async (changes: Partial<QueueDefinition>) => {
        await begin(changes);
        await join('a', 1);
        await join('b', 1);
        const result = await tick(cloud.deps, nextTick());
        if (result.outcome !== 'searched' || result.matches.length !== 1)
          throw new Error('no match was found');
        return result.matches[0]!.matchId;
      };
      const answer = (name: string, matchId: string, accepted: boolean) =>
        answerMatch(cloud.deps, id(name), { accepted, matchId }, cloud.nowMs);

      it('acceptance: advances the match after the last ticket has accepted, at the deadline at the latest', async () => {
        await withFaults(async (run, label) => {
          const matchId = await found({ acceptance: { timeoutSeconds: 20 } });
          await answer('a', matchId, true);
          await run((line) => cloud.on(line, () => answer('b', matchId, true)));
          const { matches, tickets } = await expectAllWell(label);
          const completed = matches.get(matchId)!.status === 'COMPLETED';
          const answers = await cloud.deps.matches.answers(matchId);
          const acceptedByAll = answers!.accepted.length === 2;
          expect(completed, label).toBe(acceptedByAll);
          if (!completed) expect(tickets.get(id('b'))!.status).toBe('CANCELLED');
        });
      });

      it('acceptance: cancels a party that declines, but not the other', async () => {
        await withFaults(async (run, label) => {
          const matchId = await found({ acceptance: { timeoutSeconds: 20 } });
          await answer('a', matchId, true);
          await run((line) => cloud.on(line, () => answer('b', matchId, false)));
          const { matches, tickets } = await expectAllWell(label);
          expect(matches.get(matchId)!.status).toBe('FAILED');
          expect(tickets.get(id('b'))!.status).toBe('CANCELLED');
          expect(tickets.get(id('a'))!.status).toBe('TIMED_OUT');
        });
      });

      it('acceptance by player: a player declines, or is the last who accepts, whatever is killed', async () => {
        const by = {
          acceptance: { timeoutSeconds: 20, by: 'player' },
          cooldown: { decline: [{ times: 1, seconds: 9 }] },
        };
        for (const accepted of [true, false]) {
          await withFaults(async (run, label) => {
            await begin({ ...by, teamSize: 2 } as Partial<QueueDefinition>);
            await join('a', 1, 1);
            await join('b', 1, 1);
            await tick(cloud.deps, nextTick());
            const { matchId } = (await cloud.deps.tickets.get(id('a')))!;
            const say = (name: string, body: object, speaker?: string) =>
              answerMatch(cloud.deps, id(name), { matchId, ...body }, cloud.nowMs, speaker);
            await say('a', { accepted: true }, `${id('a')}.0`);
            await say('b', { accepted: true });
            let isTold = false;
            await run((line) =>
              cloud.on(line, async () => {
                await say('a', { accepted }, `${id('a')}.1`);
                isTold = true;
              }),
            );
            const { matches, tickets } = await expectAllWell(`${label}, accepted: ${accepted}`);
            const { status, reasonCode } = matches.get(matchId!)!;
            const answers = (await cloud.deps.matches.answers(matchId!))!;
            const players = ['a.0', 'a.1', 'b.0', 'b.1'].map(id);
            const records = await cloud.deps.cooldowns.of(queue, players);
            const noted = players.filter((one) => records.get(one)?.offences.length);
            const isReady = answers.status === 'OPEN';
            expect(status, label).toBe(isReady ? 'COMPLETED' : 'FAILED');
            if (isTold) expect(reasonCode, label).toBe(accepted ? undefined : 'DECLINED');
            expect(noted, label).toEqual(isReady ? [] : [`${id('a')}.1`]);
            if (!isReady) expect(tickets.get(id('a'))!.status, label).toBe('CANCELLED');
            if (!isReady) expect(tickets.get(id('b'))!.status, label).toBe('TIMED_OUT');
          });
        }
      });

      it.each(['post', 'tick', 'decline'] as const)(
        'a ticket in several queues: its %s leaves it in all of them or in none, and no entry afterwards',
        async (part) => {
          await withFaults(async (run, label) => {
            await begin({ group: 'g', timeoutSeconds: 100 });
            const further = `${queue}-further`;
            const rules = {
              group: 'g',
              tickSeconds: 10,
              timeoutSeconds: 90,
              acceptance: { timeoutSeconds: 20 },
            };
            await putQueue(cloud.deps.queues, definition({ name: further, ...rules }), cloud.nowMs);
            const act = async (of: typeof part, task: () => Promise<unknown>) => {
              if (of === part) await run((line) => cloud.on(line, task));
              else await task();
            };
            const linked = { ...body('a', [1]), also: [{ queue: further }] };
            await act('post', () => enqueue(cloud.deps, queue, linked, cloud.nowMs));
            if ((await cloud.deps.tickets.get(id('a'))) !== undefined) accepted.push(id('a'));
            await enqueue(cloud.deps, further, body('b', [1]), cloud.nowMs);
            accepted.push(id('b'));
            cloud.nowMs += 10_000;
            const slotMs = Math.floor(cloud.nowMs / 10_000) * 10_000;
            await act('tick', () => tick(cloud.deps, { queue: further, slotMs }));
            const { matchId } = (await cloud.deps.tickets.get(id('b')))!;
            const match = matchId === undefined ? undefined : await cloud.deps.matches.get(matchId);
            if (match !== undefined) {
              const say = (name: string, accepted: boolean) =>
                answerMatch(cloud.deps, id(name), { accepted, matchId: match.matchId }, cloud.nowMs);
              await say('a', true);
              await act('decline', () => say('b', false));
            }
            const { tickets } = await expectAllWell(label);
            if (match !== undefined) expect(tickets.get(id('a'))!.status, label).toBe('TIMED_OUT');
            await cloud.run(120_000);
            const { layouts } = (await cloud.deps.queues.get(further))!;
            const left = await cloud.deps.tickets.waiting(further, layouts, {}, undefined, true);
            expect(left.tickets, label).toEqual([]);
          });
        },
      );

      it('acceptance: returns the same result when a party declines again', async () => {
        await withFaults(async (run, label) => {
          const matchId = await found({ acceptance: { timeoutSeconds: 20 } });
          await run((line) => cloud.on(line, () => answer('b', matchId, false)));
          expect(await answer('b', matchId, false), label).toMatchObject({ status: 'CANCELLED' });
          await expectAllWell(label);
        });
      });

      it('deadline: ends an overdue acceptance', async () => {
        for (const early of [true, false]) {
          await withFaults(async (run, label) => {
            const matchId = await found({ acceptance: { timeoutSeconds: 20 } });
            await answer('a', matchId, true);
            if (!early) cloud.nowMs += 20_000;
            await run((line) => cloud.on(line, () => checkDeadline(cloud.deps, matchId, cloud.nowMs)));
            const { matches, tickets } = await expectAllWell(`${label}, early: ${early}`);
            expect(matches.get(matchId)!.status).toBe('FAILED');
            expect(tickets.get(id('b'))!.status).toBe('CANCELLED');
          });
        }
      });

      const HTTP = { type: 'http', url: 'https://games.example', onFailure: 'requeue' } as const;
      /** Both tickets fail with their third match, whatever was killed, and keep their wait. */
      const expectThreeFailures = async (label: string) => {
        const { matches, tickets } = await expectAllWell(label);
        expect(matches.size, label).toBe(3);
        for (const one of tickets.values())
          expect(one, label).toMatchObject({ status: 'FAILED', failures: 2 });
      };

      it('provision: a match that is refused returns its tickets', async () => {
        await withFaults(async (run, label) => {
          const matchId = await found({ provisioner: HTTP, timeoutSeconds: 200 });
          cloud.host = () => ({ outcome: 'responded', status: 400, body: '' });
          await run((line) => cloud.on(line, () => provision(cloud.deps, matchId, cloud.nowMs)));
          await expectThreeFailures(label);
        });
      });

      it('deadline: returns the tickets of a match that was refused, each once', async () => {
        for (const failures of [0, 2]) {
          await withFaults(async (run, label) => {
            let matchId = await found({ provisioner: HTTP, timeoutSeconds: 200 });
            cloud.host = () => ({ outcome: 'responded', status: 400, body: '' });
            for (let i = 0; i < failures; i++) {
              await provision(cloud.deps, matchId, cloud.nowMs);
              await checkDeadline(cloud.deps, matchId, cloud.nowMs);
              const result = await tick(cloud.deps, nextTick());
              matchId = (result as { matches: readonly { matchId: string }[] }).matches[0]!.matchId;
            }
            await provision(cloud.deps, matchId, cloud.nowMs);
            await run((line) => cloud.on(line, () => checkDeadline(cloud.deps, matchId, cloud.nowMs)));
            await expectThreeFailures(`${label}, failure ${failures + 1}`);
          });
        }
      });

      it('deadline: returns the tickets of a match that is not placed in time', async () => {
        await withFaults(async (run, label) => {
          const external = { type: 'external', timeoutSeconds: 5, onFailure: 'requeue' } as const;
          const matchId = await found({ provisioner: external, timeoutSeconds: 200 });
          cloud.nowMs += 5_000;
          await run((line) => cloud.on(line, () => checkDeadline(cloud.deps, matchId, cloud.nowMs)));
          await expectThreeFailures(label);
        });
      });

      it('deadline: ends an acceptance of a removed queue', async () => {
        const matchId = await found({ acceptance: { timeoutSeconds: 600 } });
        await answer('a', matchId, true);
        await deleteQueue(cloud.deps.queues, queue, cloud.nowMs - 3 * 3_600_000);
        cloud.nowMs += 400_000;
        await dispatch(cloud.deps, cloud.nowMs);
        expect(await cloud.deps.queues.get(queue)).toBeUndefined();
        cloud.nowMs += 200_000;
        const { matches } = await expectAllWell('nothing');
        expect(matches.get(matchId)!.status).toBe('FAILED');
      });

      it('deadline: fails an overdue placement', async () => {
        await withFaults(async (run, label) => {
          const matchId = await found({ provisioner: { type: 'external', timeoutSeconds: 20 } });
          cloud.nowMs += 20_000;
          await run((line) => cloud.on(line, () => checkDeadline(cloud.deps, matchId, cloud.nowMs)));
          const { matches } = await expectAllWell(label);
          expect(matches.get(matchId)!.status).toBe('FAILED');
        });
      });

      it('provision: assigns a match exactly once', async () => {
        await withFaults(async (run, label) => {
          const provisioner = { type: 'http', url: 'https://games.example', secret: 's' } as const;
          const matchId = await found({ provisioner });
          await run((line) => cloud.on(line, () => provision(cloud.deps, matchId, cloud.nowMs)));
          const { matches } = await expectAllWell(label);
          expect(matches.get(matchId)).toMatchObject({
            status: 'COMPLETED',
            assignment: { address: `${matchId}.games.example` },
          });
          await expect(assignMatch(cloud.deps, matchId, { address: 'elsewhere' })).rejects.toThrow(Problem);
        });
      });

      // The calls to the store are the same on both emulators; the stores' conformance suite runs on both.
      describe.skipIf(emulator !== 'dynoxide')('notify: loses no webhook', () => {
        const url = 'https://game.example/';
        const failures = async (count: number) => {
          for (let i = 0; i < count; i++) await cloud.deps.receivers.addFailure(url, cloud.nowMs - 60_000);
        };
        const fast = () => cloud.deps.receivers.markUp(url, cloud.nowMs, cloud.nowMs);
        const down = async () => {
          await failures(5);
          await cloud.deps.receivers.markDown(url, cloud.nowMs - 60_000, cloud.nowMs + 1_000);
        };
        const wasDown = async () => {
          await failures(5);
          await cloud.deps.receivers.markDown(url, cloud.nowMs - 60_000, cloud.nowMs - 1);
        };
        const inSlowLane = () => ({ url, failed: 2, slowSinceMs: cloud.nowMs - 60_000 });
        /** A note for people about the webhook: see `delivery-log.ts`. */
        const NOTED = 'UpdateItem';
        /** The state before a delivery, the first response of the receiver, and the calls of the delivery. */
        const CASES: readonly (readonly [
          what: string,
          options: {
            readonly before?: () => Promise<unknown>;
            readonly history?: () => Partial<Delivery>;
            readonly status: number;
            readonly calls: readonly string[];
          },
        ])[] = [
          ['of a new receiver', { status: 204, calls: ['UpdateItem', 'post', 'UpdateItem', NOTED] }],
          [
            'of a new receiver that another delivery tries',
            {
              before: () => cloud.deps.receivers.markDown(url, cloud.nowMs, cloud.nowMs + 3_000),
              status: 204,
              calls: ['send to the slow lane', NOTED],
            },
          ],
          [
            'of a new receiver in the slow lane',
            { history: inSlowLane, status: 204, calls: ['UpdateItem', 'post', 'UpdateItem', NOTED] },
          ],
          ['of a receiver that is fast', { before: fast, status: 204, calls: ['post', NOTED] }],
          [
            'that the receiver rejects',
            { before: fast, status: 500, calls: ['post', NOTED, 'send to the slow lane', NOTED] },
          ],
          [
            'of a receiver that does not respond in the time of the first lane',
            { before: fast, status: 0, calls: ['post', 'UpdateItem', 'send to the slow lane'] },
          ],
          [
            'of a receiver that fails for the first time',
            {
              before: fast,
              status: 503,
              calls: ['post', 'UpdateItem', NOTED, 'send to the slow lane', NOTED],
            },
          ],
          [
            'of a receiver that is marked as down',
            {
              before: () => failures(4),
              history: inSlowLane,
              status: 503,
              calls: ['post', 'UpdateItem', 'UpdateItem', NOTED, 'send to the slow lane', NOTED],
            },
          ],
          [
            'of a receiver that has failed',
            { before: () => failures(1), status: 204, calls: ['send to the slow lane'] },
          ],
          [
            'of a receiver that responds after a failure',
            {
              before: () => failures(1),
              history: inSlowLane,
              status: 204,
              calls: ['post', 'UpdateItem', NOTED],
            },
          ],
          [
            'of a receiver that is down',
            { before: down, status: 503, calls: ['send to the slow lane', NOTED] },
          ],
          [
            'of a receiver that responds again after it was down',
            {
              before: wasDown,
              history: inSlowLane,
              status: 204,
              calls: ['UpdateItem', 'post', 'UpdateItem', NOTED],
            },
          ],
          [
            'of a receiver that is still down when it is tried again',
            {
              before: wasDown,
              history: inSlowLane,
              status: 503,
              calls: [
                'UpdateItem',
                'post',
                'UpdateItem',
                'UpdateItem',
                NOTED,
                'send to the slow lane',
                NOTED,
              ],
            },
          ],
          [
            'that is given up',
            {
              before: fast,
              history: () => ({ ...inSlowLane(), failed: 7 }),
              status: 500,
              calls: ['post', NOTED, 'send a dead letter'],
            },
          ],
        ];

        it.each(CASES)('%s', async (_, { before, history, status, calls: expected }) => {
          const calls = await withEvery(1, async (run, label) => {
            await begin({ webhooks: [{ url, secret: 'shared/s' }] });
            await before?.();
            const event = {
              eventId: 'e',
              type: 'TicketQueued',
              queue,
              time: new Date(cloud.nowMs).toISOString(),
              ticket: { players: [] },
            };
            const message = { event, ...history?.() } as Delivery;
            cloud.answer = () =>
              status === 0
                ? { outcome: 'unreachable', error: 'no response', timedOut: true }
                : { outcome: 'responded', status, body: '' };
            const isDone = await run((line) => cloud.on(line, () => deliver(cloud.deps, message)));
            // SQS delivers a message of a killed function again.
            if (!isDone) cloud.deliveries.push({ what: message, dueMs: cloud.nowMs + 180_000 });
            for (let i = 0; i < 40 && cloud.deliveries.length > 0; i++) {
              cloud.nowMs = Math.min(...cloud.deliveries.map(({ dueMs }) => dueMs));
              for (const due of cloud.dueDeliveries()) await deliver(cloud.deps, due);
              if (i === 1) cloud.answer = () => ({ outcome: 'responded', status: 204, body: '' });
            }
            expect(cloud.deliveries, label).toEqual([]);
            expect(cloud.posted.length + cloud.deadLetters.length, label).toBeGreaterThan(0);
            if (cloud.posted.length > 0)
              expect((await cloud.deps.receivers.get(url))?.downUntilMs, label).toBeUndefined();
          });
          expect(calls).toEqual(['GetItem', 'get secret', 'GetItem', ...expected]);
        });
      });

      it('publish: publishes every change at least once under the same id', async () => {
        await withFaults(async (run, label) => {
          await found({ events: [...EVENT_TYPES] });
          await join('c', 1);
          await cancelTicket(cloud.deps, id('c'), cloud.nowMs);
          const changes = await cloud.newChanges();
          expect(changes).toHaveLength(7);
          await run((line) => cloud.on(line, () => publish(cloud.deps, changes)));
          await publish(cloud.deps, changes);
          await expectAllWell(label);
          expectEvents();
        });
      });
      const expectEvents = () => {
        const types = new Map(cloud.events.map(({ eventId, type }) => [eventId, type]));
        expect([...types.values()].sort()).toEqual([
          'MatchFound',
          'TicketCancelled',
          'TicketQueued',
          'TicketQueued',
          'TicketQueued',
        ]);
      };

      it('publish: loses nothing of a queue that cannot be read, until it can', async () => {
        await withFaults(async (run, label) => {
          const webhooks = [{ url: 'https://game.example/', secret: 'shared/s' }];
          const matchId = await found({
            provisioner: { type: 'http', url: 'https://host.example' },
            webhooks,
          });
          await join('c', 1);
          await cancelTicket(cloud.deps, id('c'), cloud.nowMs);
          const changes = await cloud.newChanges();
          const readable = await putAside('{"name":"of a later version"}');
          await run((line) => cloud.on(line, () => publish(cloud.deps, changes)));
          await publish(cloud.deps, changes);
          expectEvents();
          for (const event of cloud.events)
            expect(await deliver(cloud.deps, { event })).toMatchObject({ outcome: 'postponed' });
          expect(new Set(cloud.placements), label).toEqual(new Set([matchId]));
          await expect(provision(cloud.deps, matchId, cloud.nowMs)).rejects.toThrow(UnreadableQueue);
          expect(cloud.posted).toEqual([]);
          await putAside(readable);
          await expectAllWell(label);
          expect((await cloud.deps.matches.get(matchId))!.status, label).toBe('COMPLETED');
          cloud.nowMs += 60_000;
          // Each is split, and then posted.
          for (let i = 0; i < 2; i++) for (const due of cloud.dueDeliveries()) await deliver(cloud.deps, due);
          expect(new Set(cloud.posted).size, label).toBe(5);
        });
      });

      describe('the ratings of a match', () => {
        /** A duel of the players a and b, in a queue with a ladder of its own. */
        const played = async (changes: Partial<QueueDefinition> = {}) => {
          await begin();
          await putLadder(cloud.deps.ladders, { ...CHAOS_LADDER, name: queue }, cloud.nowMs);
          const rules = definition({ name: queue, tickSeconds: 10, ladder: queue, ...changes });
          await putQueue(cloud.deps.queues, rules, cloud.nowMs);
          for (const name of ['a', 'b']) {
            const posted = { ticketId: id(name), players: [{ playerId: id(`player-${name}`) }] };
            await enqueue(cloud.deps, queue, posted, cloud.nowMs);
            accepted.push(id(name));
          }
          await tick(cloud.deps, nextTick());
          return (await cloud.deps.tickets.get(id('a')))!.matchId!;
        };
        const BODY = { scores: [3, 1] };
        const post = (matchId: string, body: object = BODY) =>
          postResult(cloud.deps, matchId, body, cloud.nowMs);
        /** Each player has one match, and the match one result, one end and one rating, with an event of each. */
        const expectRatedOnce = async (matchId: string, label: string) => {
          await cloud.run(5_000);
          await expectAllWell(label);
          const players = ['a', 'b'].map((name) => id(`player-${name}`));
          const ratings = await cloud.deps.ratings.of(queue, players);
          const { result, rated = [], teams } = (await cloud.deps.matches.get(matchId))!;
          expect(result!.ranks, label).toEqual([1, 2]);
          for (const [place, team] of teams.entries()) {
            const { playerId } = team.players[0]!;
            const { mean, deviation, matches } = ratings.get(playerId)!;
            expect(matches, label).toBe(1);
            expect(Math.sign(mean - CHAOS_LADDER.initial.mean), label).toBe(place === 0 ? 1 : -1);
            expect(rated.find(([one]) => one === playerId)!.slice(3), label).toEqual(
              [mean, deviation].map((one) => Number(one.toPrecision(9))),
            );
          }
          for (const part of ['endedAt', 'result', 'rated'] as const) {
            const begun = cloud.changes.filter(
              ({ before = {}, after }) => part in after && !(part in before),
            );
            expect(begun, `${part}, ${label}`).toHaveLength(1);
          }
          for (const type of ['MatchEnded', 'MatchRated']) {
            const ids = cloud.events.filter((event) => event.type === type).map(({ eventId }) => eventId);
            expect(new Set(ids).size, `${type}, ${label}`).toBe(1);
          }
        };

        it('result: stands once it is stored, and whatever was left undone is done by its repetition', async () => {
          const calls = await withFaults(async (run, label) => {
            const matchId = await played({ cooldown: { leave: [{ times: 1, seconds: 60 }] } });
            const body = { ...BODY, leavers: [id('player-a')] };
            await run((line) => cloud.on(line, () => post(matchId, body)));
            const begun = (await cloud.deps.matches.get(matchId))!.result;
            cloud.nowMs += 5_000;
            const { result } = await post(matchId, body);
            if (begun !== undefined) expect(result, label).toEqual(begun);
            await expect(post(matchId, { scores: [1, 3] }), label).rejects.toMatchObject({ status: 409 });
            const noted = await cloud.deps.cooldowns.of(queue, [id('player-a')]);
            expect(noted.get(id('player-a'))!.offences, label).toHaveLength(1);
            await expectRatedOnce(matchId, label);
          });
          // The match, its ladder, the result; and of the leaver the queue, the offence and its count.
          expect(calls.slice(0, 3)).toEqual(['GetItem', 'GetItem', 'UpdateItem']);
        });

        it('rate: counts a result once for every player, and in the odds once or, after a crash between, not at all', async () => {
          const calls = await withFaults(async (run, label) => {
            const matchId = await played();
            await post(matchId);
            const handle = () => {
              const odds = new OddsLearner(cloud.deps.ratings, cloud.deps.clock);
              return rateResult({ ...cloud.deps, odds }, matchId);
            };
            await run((line) => cloud.on(line, handle));
            // SQS delivers the message again.
            await handle();
            await expectRatedOnce(matchId, label);
            const between = /^(after call 3|before call 4|after call 4|before call 5)/.test(label);
            const { sums } = (await cloud.deps.ratings.odds(queue)) ?? {};
            expect(sums?.results ?? 0, label).toBe(between ? 0 : 1);
          });
          expect(calls).toEqual(['GetItem', 'BatchGetItem', 'TransactWriteItems', 'GetItem', 'UpdateItem']);
        });
      });

      describe('an experiment', () => {
        const EXPERIMENT = {
          name: 'patience',
          variants: [
            { name: 'today', changes: {} },
            { name: 'patient', changes: { release: { policy: 'periodic', everySeconds: 20 } } },
          ],
          blockMinutes: 5,
          days: 1,
        };
        const put = (changes: object = {}) =>
          putExperiment(cloud.deps.queues, queue, { ...EXPERIMENT, ...changes }, () => 7, cloud.nowMs);
        const stored = async () => (await cloud.deps.queues.get(queue))!.experiment;
        /** Moves to the part of the first block of a variant in which tickets count. */
        const countingIn = async (variant: number) => {
          const { schedule } = (await stored())!;
          const first = [0, 1]
            .map((number) => block(schedule, number))
            .find((one) => one.variant === variant)!;
          cloud.nowMs = first.fromMs + schedule.burnInMs;
          const totals = async () =>
            (await cloud.deps.experiments.totals({ queue, startMs: schedule.startMs }, [first.number])).get(
              first.number,
            );
          return { ...first, totals };
        };

        it('begins and ends once, however often the requests are repeated', async () => {
          await withFaults(async (run, label) => {
            await begin();
            await run((line) => cloud.on(line, () => put()));
            const begun = await stored();
            expect(await put(), label).toBe(begun === undefined ? 'begun' : 'unchanged');
            if (begun !== undefined) expect(await stored(), label).toEqual(begun);
          });
          await withFaults(async (run, label) => {
            await begin();
            await put();
            await run((line) =>
              cloud.on(line, () => deleteExperiment(cloud.deps.queues, queue, cloud.nowMs)),
            );
            const ended = (await stored())!.ended;
            cloud.nowMs += 5_000;
            await deleteExperiment(cloud.deps.queues, queue, cloud.nowMs);
            expect((await stored())!.ended, label).toEqual(
              ended ?? { atMs: cloud.nowMs, why: 'ended', text: 'it was ended by a request' },
            );
          });
        });

        it('counts what a tick has matched once or not at all, and never in another block', async () => {
          await withFaults(async (run, label) => {
            await begin();
            await put();
            const { totals } = await countingIn(0);
            await join('a', 1);
            await join('b', 1);
            const message = nextTick();
            await run((line) => cloud.on(line, () => tick(cloud.deps, message)));
            await tick(cloud.deps, message);
            await expectAllWell(label);
            const found = await totals();
            expect(label === 'never' ? [2] : [0, 2], label).toContain(found?.matched ?? 0);
            expect([found?.cancelled ?? 0, found?.timedOut ?? 0], label).toEqual([0, 0]);
          });
        });

        it('counts a cancelled ticket for each delivery of its change, and loses none', async () => {
          await withFaults(async (run, label) => {
            await begin();
            await put();
            const { totals } = await countingIn(0);
            await join('a', 1);
            await cancelTicket(cloud.deps, id('a'), cloud.nowMs);
            const changes = await cloud.newChanges();
            const handle = async () => {
              await publish(cloud.deps, changes);
              await countUnmatched(cloud.deps, changes, cloud.nowMs);
            };
            let isDone = false;
            await run((line) =>
              cloud.on(line, async () => {
                await handle();
                isDone = true;
              }),
            );
            // The stream delivers the changes of a killed function again.
            if (!isDone) await handle();
            const { cancelled } = (await totals())!;
            expect(isDone ? [1] : [1, 2], label).toContain(cancelled);
          });
        });

        it('is stopped by its rule a minute later at the latest', async () => {
          await withFaults(async (run, label) => {
            await begin();
            await put({ stop: { waitP99Seconds: 5 } });
            const { untilMs, number } = await countingIn(1);
            await join('a', 1);
            cloud.nowMs += 8_000;
            await join('b', 1);
            await cloud.run(30_000);
            cloud.nowMs = untilMs;
            await run(async (line) => {
              const { failed } = await cloud.on(line, () => dispatch(cloud.deps, cloud.nowMs));
              if (failed.length > 0) throw failed[0]!.error;
            });
            cloud.nowMs += 60_000;
            await dispatch(cloud.deps, cloud.nowMs);
            const { ended } = (await stored())!;
            expect(ended, label).toMatchObject({
              why: 'stopped',
              text: expect.stringContaining(`block ${number},`),
            });
          });
        });
      });

      describe('presence: a sign that a player is there', () => {
        const deps = () => ({
          ...cloud.deps,
          connections: connectionStore(cloud.client, tables.names.connections),
          sockets: OPEN_SOCKETS,
        });
        const watcher = () => watcherOf(cloud.deps, id('a'));
        const signs = {
          connection: async () => connect(deps(), await watcher(), 'two', cloud.nowMs),
          // A function that is killed answers nothing.
          ping: async () =>
            answerFrame(deps(), await watcher(), 'one', '{"action":"ping"}', (error) => {
              throw error;
            }),
          request: () => keepAlive(cloud.deps, id('a'), { scope: 'backend' }, cloud.nowMs),
        };

        it.each(['connection', 'ping', 'request'] as const)(
          'by a %s that was killed is made up for by the next one, and only players who give none are gone',
          async (kind) => {
            await withFaults(async (run, label) => {
              await begin({ presence: { graceSeconds: 5 }, timeoutSeconds: 600 });
              await join('a', 1);
              const status = async () => (await cloud.deps.tickets.get(id('a')))!.status;
              await connect(deps(), await watcher(), 'one', cloud.nowMs);
              cloud.nowMs += 20_000;
              let isDone = false;
              await run((line) =>
                cloud.on(line, async () => {
                  await signs[kind]();
                  isDone = true;
                }),
              );
              cloud.nowMs += 1_000;
              // Its client connects again, or repeats the request.
              if (!isDone) await signs[kind]();
              await cloud.run(23_000);
              expect(await status(), label).toBe('QUEUED');
              await cloud.run(45_000);
              expect(await status(), label).toBe('CANCELLED');
              accepted = [];
            });
          },
        );
      });

      /** Replaces the text of the queue's definition in the table, and returns the earlier text. */
      const putAside = async (text: string): Promise<string> => {
        const key = { TableName: tables.names.queues, Key: { queue, item: 'definition' } };
        const { Item } = await cloud.client.send(new GetCommand(key));
        await cloud.client.send(
          new UpdateCommand({
            ...key,
            UpdateExpression: 'SET #definition = :text',
            ExpressionAttributeNames: { '#definition': 'definition' },
            ExpressionAttributeValues: { ':text': text },
          }),
        );
        // Until no function keeps the earlier one.
        cloud.nowMs += DEFINITION_AGE_MS;
        return Item!.definition;
      };
    },
  );
});
