import { describe, expect, it } from 'vitest';
import { connectionStore } from '../../lib/aws/connection-store.ts';
import { toProblem } from '../../lib/aws/http.ts';
import type { QueueDefinition } from '../../lib/contract/queue-definition.ts';
import { addWait, noTotals } from '../../lib/experiments/block-totals.ts';
import { block } from '../../lib/experiments/schedule.ts';
import { cancelBackfill, requestBackfill } from '../../lib/service/backfills/request-backfill.ts';
import { listVersions, restoreVersion } from '../../lib/service/definitions/versions.ts';
import type { Delivery } from '../../lib/service/domain/delivery.ts';
import type { QueueRecord } from '../../lib/service/domain/queue-record.ts';
import { deliver } from '../../lib/service/events/notify.ts';
import { assignMatch } from '../../lib/service/placement/assign-match.ts';
import { checkDeadline } from '../../lib/service/placement/deadline.ts';
import { endMatch } from '../../lib/service/placement/end-match.ts';
import { provision } from '../../lib/service/placement/provision.ts';
import { endCooldown } from '../../lib/service/players/cooldown.ts';
import { deleteExperiment, putExperiment } from '../../lib/service/queues/experiments.ts';
import { deleteQueue } from '../../lib/service/queues/queue-definitions.ts';
import { deleteLadder } from '../../lib/service/ratings/ladders.ts';
import { deleteRating } from '../../lib/service/ratings/player-ratings.ts';
import { postResult } from '../../lib/service/ratings/post-result.ts';
import { rateResult } from '../../lib/service/ratings/rate-result.ts';
import { answerMatch } from '../../lib/service/tickets/acceptance.ts';
import { cancelTicket } from '../../lib/service/tickets/cancel-ticket.ts';
import { enqueue } from '../../lib/service/tickets/enqueue.ts';
import { keepAlive } from '../../lib/service/tickets/keep-alive.ts';
import { dispatch } from '../../lib/service/ticks/dispatch.ts';
import { stopExperiment } from '../../lib/service/ticks/stop-experiment.ts';
import { tick } from '../../lib/service/ticks/tick.ts';
import { answerFrame } from '../../lib/service/watching/answer-frame.ts';
import { connect } from '../../lib/service/watching/connect.ts';
import { disconnect } from '../../lib/service/watching/disconnect.ts';
import { STORES, suiteName } from '../aws/emulated-tables.ts';
import { ticket } from '../aws/samples.ts';
import { sample } from '../long.ts';
import { CHAOS_LADDER } from './chaos-results.ts';
import { definition, putLadder, putQueue, queuesWithoutLadders } from './definitions.ts';
import { ownCloudForEachTest } from './own-cloud.ts';
import type { Line, VirtualCloud } from './virtual-cloud.ts';
import { OPEN_SOCKETS } from './watching/open-sockets.ts';
import { watcherOf } from './watching/watcher-of.ts';

const EXPERIMENT = {
  name: 'patience',
  variants: [
    { name: 'today', changes: {} },
    { name: 'patient', changes: { release: { policy: 'periodic', everySeconds: 20 } } },
  ],
  blockMinutes: 5,
  days: 1,
  stop: { waitP99Seconds: 25 },
};

/**
 * A write is applied and its response is lost. The SDK repeats the request, and its condition no longer holds. The
 * use case must continue as if the first response had arrived.
 */
describe.each(STORES)('$emulator', ({ emulator, skipped }) => {
  describe.skipIf(skipped !== undefined)(suiteName('a write without a response', emulator, skipped), () => {
    let cloud: VirtualCloud;
    let queue: string;
    let connectionsTable: string;
    const begin = ownCloudForEachTest(emulator, (own) => {
      ({ cloud, queue } = own);
      connectionsTable = own.tables.names.connections;
    });
    const id = (name: string) => `${queue}:${name}`;
    const define = (changes: Partial<QueueDefinition> = {}) =>
      putQueue(cloud.deps.queues, definition({ name: queue, tickSeconds: 10, ...changes }), cloud.nowMs);
    const join = (name: string) => {
      const { ticketId, players } = ticket(queue, id(name), 1);
      return enqueue(cloud.deps, queue, { ticketId, players }, cloud.nowMs);
    };
    const further = () => `${queue}-b`;
    /** The ticket a, which may wait in two queues. */
    const linked = () => {
      const { ticketId, players } = ticket(queue, id('a'), 1);
      return enqueue(cloud.deps, queue, { ticketId, players, also: [{ queue: further() }] }, cloud.nowMs);
    };
    const defineTwo = async (changes: Partial<QueueDefinition> = {}) => {
      // With ticks of a second the slots of both queues are the same.
      await define({ group: 'g', tickSeconds: 1, timeoutSeconds: 300 });
      await putQueue(
        cloud.deps.queues,
        definition({ name: further(), group: 'g', timeoutSeconds: 200, ...changes }),
        cloud.nowMs,
      );
    };
    /** The ticket a, and the ticket b in the further queue, whose next tick is due. */
    const linkedBesideOne = async (changes: Partial<QueueDefinition> = {}) => {
      await defineTwo(changes);
      await linked();
      const { ticketId, players } = ticket(further(), id('b'), 1);
      await enqueue(cloud.deps, further(), { ticketId, players }, cloud.nowMs);
      const ticks = cloud.tickMessages.filter(({ what }) => what.queue === further());
      cloud.nowMs = Math.max(cloud.nowMs, Math.min(...ticks.map(({ dueMs }) => dueMs)));
      return { queue: further(), slotMs: ticks[0]!.what.slotMs };
    };
    const entriesLeft = async () => {
      const record = await cloud.deps.queues.get(further());
      if (record === undefined) return [];
      const found = await cloud.deps.tickets.waiting(further(), record.layouts, {}, undefined, true);
      return found.tickets.map(({ ticketId, entry }) => [ticketId, entry?.n]);
    };
    const found = async (changes: Partial<QueueDefinition>) => {
      await define(changes);
      await join('a');
      await join('b');
      cloud.nowMs = Math.min(...cloud.tickMessages.map(({ dueMs }) => dueMs));
      await tick(cloud.deps, cloud.dueTicks()[0]!);
      return (await cloud.deps.tickets.get(id('a')))!.matchId!;
    };
    const watchDeps = () => ({
      ...cloud.deps,
      connections: connectionStore(cloud.client, connectionsTable),
      sockets: OPEN_SOCKETS,
    });
    const watcher = () => watcherOf(cloud.deps, id('a'));
    const watched = async () => {
      await define({ presence: { graceSeconds: 5 } });
      await join('a');
      await connect(watchDeps(), await watcher(), 'one', cloud.nowMs);
      cloud.nowMs += 1_000;
    };
    const playerOf = (name: string) => `${id(name)}.0`;
    const answer = (name: string, matchId: string, accepted: boolean) =>
      answerMatch(cloud.deps, id(name), { accepted, matchId }, cloud.nowMs);

    const url = () => `https://${queue}.example/`;
    const delivery = (): Delivery => ({
      event: {
        eventId: 'e',
        type: 'TicketQueued',
        queue,
        time: new Date(0).toISOString(),
        ticket: { players: [] },
      } as never,
      url: url(),
      slowSinceMs: cloud.nowMs,
    });
    const receiverIsDown = async () => {
      await define({ webhooks: [{ url: url(), secret: 'shared/s' }] });
      await cloud.deps.receivers.addFailure(url(), cloud.nowMs);
      await cloud.deps.receivers.markDown(url(), cloud.nowMs - 1, cloud.nowMs);
    };

    const ask = (matchId: string) => {
      const body = { backfillId: id('backfill'), players: [{ playerId: 'ann', skill: 1, team: 0 }] };
      return requestBackfill(cloud.deps, matchId, body, cloud.nowMs);
    };

    const defineLadder = (changes: object = {}) =>
      putLadder(cloud.deps.ladders, { ...CHAOS_LADDER, name: queue, ...changes }, cloud.nowMs);
    /** A match of the players a and b in a queue with a ladder. */
    const ranked = async (changes: Partial<QueueDefinition> = {}) => {
      await defineLadder();
      await define({ ladder: queue, ...changes });
      for (const name of ['a', 'b'])
        await enqueue(
          cloud.deps,
          queue,
          { ticketId: id(name), players: [{ playerId: playerOf(name) }] },
          cloud.nowMs,
        );
      cloud.nowMs = Math.min(...cloud.tickMessages.map(({ dueMs }) => dueMs));
      await tick(cloud.deps, cloud.dueTicks()[0]!);
      return (await cloud.deps.tickets.get(id('a')))!.matchId!;
    };
    const post = (matchId: string, more: object = {}) =>
      postResult(cloud.deps, matchId, { scores: [3, 1], ...more }, cloud.nowMs);

    interface UseCase {
      readonly prepare: () => Promise<unknown>;
      readonly act: (prepared: never) => Promise<unknown>;
      /** The part of the result that must be the same as without a lost response. */
      readonly outcome: (result: never) => unknown;
      /** The writes of the use case, in order. */
      readonly writes: readonly string[];
    }

    const beginExperiment = () => putExperiment(cloud.deps.queues, queue, EXPERIMENT, () => 7, cloud.nowMs);
    /** Moves to the end of the first block of the variant, in which one player has waited for 50 s. */
    const waitsTooLong = async () => {
      const { schedule } = (await cloud.deps.queues.get(queue))!.experiment!;
      const first = [0, 1].map((number) => block(schedule, number)).find(({ variant }) => variant === 1)!;
      const totals = noTotals();
      addWait(totals, 1, 'matched', 50);
      const key = { queue, startMs: schedule.startMs };
      cloud.nowMs = first.untilMs;
      await cloud.deps.experiments.add(key, first.number, totals, cloud.nowMs);
    };

    /** The state after a run, without values that differ between runs. */
    const left = async () => {
      const tickets = await Promise.all(['a', 'b', 'c'].map((name) => cloud.deps.tickets.get(id(name))));
      const isChanged = (record: QueueRecord | undefined) =>
        (record?.change?.version ?? 1) > 1 && !record?.deletedAt;
      const matches = await Promise.all(cloud.ids.map((matchId) => cloud.deps.matches.get(matchId)));
      const record = await cloud.deps.queues.get(queue);
      const versions = isChanged(record)
        ? await listVersions(queuesWithoutLadders(cloud.deps.queues), queue)
        : [];
      const backfill = await cloud.deps.backfills.get(id('backfill'));
      const cooldowns = [...(await cloud.deps.cooldowns.of(queue, ['a', 'b'].map(playerOf)))];
      const connections = await watchDeps().connections.of(id('a'));
      const present = await cloud.deps.presence.of(queue, ['a', 'b'].map(id));
      const presence = [...present].map(([ticketId, record]) => [ticketId, [...record].sort()]).sort();
      const ladder = await cloud.deps.ladders.get(queue);
      const rated = await cloud.deps.ratings.of(queue, ['a', 'b'].map(playerOf));
      const ratings = [...rated].map(([playerId, { writeId: _, ...rating }]) => [playerId, rating]).sort();
      const { writeId: __, ...odds } = (await cloud.deps.ratings.odds(queue)) ?? {};
      return {
        entries: await entriesLeft(),
        ladder,
        ratings,
        odds,
        tickets,
        matches,
        record,
        versions,
        backfill,
        cooldowns,
        presence,
        connections,
        ticks: cloud.tickMessages,
        deadlines: cloud.deadlineMessages,
      };
    };

    const USE_CASES: Readonly<Record<string, UseCase>> = {
      'a new queue': {
        prepare: async () => {},
        act: () => define(),
        outcome: ({ outcome }: { outcome: string }) => ({ outcome }),
        writes: ['UpdateItem'],
      },
      'a changed queue': {
        prepare: () => define(),
        act: () => define({ buckets: [10] }),
        outcome: ({ outcome }: { outcome: string }) => ({ outcome }),
        // The replaced definition is kept, then the new one is put.
        writes: ['UpdateItem', 'UpdateItem'],
      },
      'a restored version': {
        prepare: async () => {
          await define();
          await define({ timeoutSeconds: 77 });
        },
        act: () => restoreVersion(queuesWithoutLadders(cloud.deps.queues), queue, 1, cloud.nowMs),
        outcome: (result) => result,
        writes: ['UpdateItem', 'UpdateItem'],
      },
      'a deleted queue': {
        prepare: () => define(),
        act: () => deleteQueue(cloud.deps.queues, queue, cloud.nowMs),
        outcome: (result) => result,
        writes: ['UpdateItem'],
      },
      'an experiment that begins': {
        prepare: () => define(),
        act: beginExperiment,
        outcome: (result) => result,
        writes: ['UpdateItem'],
      },
      'an experiment that is ended': {
        prepare: async () => {
          await define();
          await beginExperiment();
        },
        act: () => deleteExperiment(cloud.deps.queues, queue, cloud.nowMs),
        outcome: (result) => result,
        writes: ['UpdateItem'],
      },
      'an experiment that is stopped by its rule': {
        prepare: async () => {
          await define();
          await beginExperiment();
          await waitsTooLong();
        },
        act: async () => stopExperiment(cloud.deps, (await cloud.deps.queues.get(queue))!, cloud.nowMs),
        outcome: (result) => result,
        writes: ['UpdateItem'],
      },
      // The repeated write cannot know whether the ticket is new, so the status is 200 instead of 201.
      'a ticket that is posted to an idle queue': {
        prepare: () => define(),
        act: () => join('a'),
        outcome: ({ ticket: { status } }: { ticket: { status: string } }) => ({ status }),
        writes: ['PutItem', 'UpdateItem', 'UpdateItem'],
      },
      'a ticket that replaces another': {
        prepare: async () => {
          await define();
          await join('a');
          // The record of the queue is read again, and its ticks are scheduled.
          cloud.nowMs += 2_000;
        },
        act: () => {
          const { players } = ticket(queue, id('a'), 1);
          const body = { ticketId: id('b'), players, replaces: id('a') };
          return enqueue(cloud.deps, queue, body, cloud.nowMs);
        },
        outcome: ({ ticket: { status, replaces } }: { ticket: { status: string; replaces: string } }) => [
          status,
          replaces,
        ],
        writes: ['TransactWriteItems'],
      },
      'a cancel': {
        prepare: async () => {
          await define();
          await join('a');
        },
        act: () => cancelTicket(cloud.deps, id('a'), cloud.nowMs),
        outcome: ({ status, reason }: { status: string; reason: string }) => ({ status, reason }),
        writes: ['UpdateItem'],
      },
      'a ticket that is posted to two idle queues': {
        prepare: () => defineTwo(),
        act: linked,
        outcome: ({ ticket: { status } }: { ticket: { status: string } }) => ({ status }),
        // The further queue is noted, the entry and the ticket are put, and the ticks of both queues are scheduled.
        writes: ['UpdateItem', 'PutItem', 'PutItem', ...Array(4).fill('UpdateItem')],
      },
      'a cancel of a linked ticket': {
        prepare: async () => {
          await defineTwo();
          await linked();
        },
        act: () => cancelTicket(cloud.deps, id('a'), cloud.nowMs),
        outcome: ({ status, reason }: { status: string; reason: string }) => ({ status, reason }),
        writes: ['UpdateItem', 'DeleteItem'],
      },
      'a tick that matches a linked ticket in its further queue': {
        prepare: () => linkedBesideOne(),
        act: (message: never) => tick(cloud.deps, message),
        outcome: (result: { outcome: string; matches: unknown[]; metrics: { lostRaces: number } }) => [
          result.outcome,
          result.matches.length,
          result.metrics.lostRaces,
        ],
        // As without linked tickets, the entry is removed, and the statistics of the other queue count the ticket.
        writes: [...Array(4).fill('UpdateItem'), 'PutItem', 'DeleteItem', ...Array(3).fill('UpdateItem')],
      },
      'a party that declines the match of a linked ticket': {
        prepare: async () => {
          const message = await linkedBesideOne({ acceptance: { timeoutSeconds: 60 } });
          await tick(cloud.deps, message);
          return (await cloud.deps.tickets.get(id('a')))!.matchId!;
        },
        act: (matchId: string) => answer('b', matchId, false),
        outcome: ({ status, reason }: { status: string; reason: string }) => ({
          status,
          reason,
        }),
        // The answer, the match, the ticket that has declined, the entry and the ticket that return, and the end of the deadline.
        writes: ['UpdateItem', 'UpdateItem', 'UpdateItem', 'PutItem', 'UpdateItem', 'UpdateItem'],
      },
      'a tick that finds a match': {
        prepare: async () => {
          await define();
          await join('a');
          await join('b');
          cloud.nowMs = Math.min(...cloud.tickMessages.map(({ dueMs }) => dueMs));
          return cloud.dueTicks()[0]!;
        },
        act: (message: never) => tick(cloud.deps, message),
        outcome: (result: { outcome: string; matches: unknown[]; metrics: { lostRaces: number } }) => [
          result.outcome,
          result.matches.length,
          result.metrics.lostRaces,
        ],
        // The lease, the journal, two claims, the match, the report, and the end of the lease.
        writes: [...Array(4).fill('UpdateItem'), 'PutItem', 'UpdateItem', 'UpdateItem'],
      },
      'a tick that ends a ticket': {
        prepare: async () => {
          await define({ timeoutSeconds: 10 });
          await join('a');
          cloud.nowMs += 30_000;
          return cloud.dueTicks().at(-1)!;
        },
        act: (message: never) => tick(cloud.deps, message),
        outcome: (result: { outcome: string; metrics: { timedOut: number } }) => [
          result.outcome,
          result.metrics.timedOut,
        ],
        writes: ['UpdateItem', 'UpdateItem', 'UpdateItem', 'UpdateItem'],
      },
      'the last accept of a match': {
        prepare: async () => {
          const matchId = await found({ acceptance: { timeoutSeconds: 60 } });
          await answer('a', matchId, true);
          return matchId;
        },
        act: (matchId: never) => answer('b', matchId, true),
        outcome: ({ status }: { status: string }) => ({ status }),
        writes: ['UpdateItem', 'UpdateItem'],
      },
      'an accept of one player of two': {
        prepare: () => found({ acceptance: { timeoutSeconds: 60, by: 'player' } }),
        act: (matchId: never) =>
          answerMatch(
            cloud.deps,
            id('a'),
            { accepted: true, matchId, playerIds: [playerOf('a')] },
            cloud.nowMs,
          ),
        outcome: ({ acceptance: { ready } }: { acceptance: { ready: number } }) => ready,
        writes: ['UpdateItem'],
      },
      'a decline in an idle queue': {
        prepare: async () => {
          const matchId = await found({ acceptance: { timeoutSeconds: 600 } });
          cloud.tickMessages.length = 0;
          cloud.nowMs += 300_000;
          return matchId;
        },
        act: (matchId: never) => answer('b', matchId, false),
        outcome: ({ status }: { status: string }) => ({ status }),
        // The answers, the match, its two tickets, the queue twice, and the end of the match's deadline.
        writes: Array(7).fill('UpdateItem'),
      },
      'a decline in a queue with cooldowns': {
        prepare: async () => {
          const matchId = await found({
            acceptance: { timeoutSeconds: 600 },
            cooldown: { decline: [{ times: 1, seconds: 60 }] },
          });
          await answer('a', matchId, true);
          return matchId;
        },
        act: (matchId: never) => answer('b', matchId, false),
        outcome: ({ status }: { status: string }) => ({ status }),
        // The answers, the match, the player and the count, its two tickets, and the end of the match's deadline.
        writes: Array(7).fill('UpdateItem'),
      },
      'the end of an acceptance': {
        prepare: async () => {
          const matchId = await found({ acceptance: { timeoutSeconds: 60 } });
          await answer('a', matchId, true);
          cloud.nowMs += 60_000;
          return matchId;
        },
        act: (matchId: never) => checkDeadline(cloud.deps, matchId, cloud.nowMs),
        outcome: (result) => result,
        writes: Array(7).fill('UpdateItem'),
      },
      // The result says only that the match has ended.
      'the end of a placement': {
        prepare: async () => {
          const matchId = await found({ provisioner: { type: 'external', timeoutSeconds: 20 } });
          cloud.nowMs += 20_000;
          return matchId;
        },
        act: (matchId: never) => checkDeadline(cloud.deps, matchId, cloud.nowMs),
        outcome: () => 'over',
        writes: ['UpdateItem'],
      },
      'a placement that is refused in a queue that requeues': {
        prepare: () => {
          cloud.host = () => ({ outcome: 'responded', status: 400, body: '' });
          return found({ provisioner: { type: 'http', url: 'https://games.example', onFailure: 'requeue' } });
        },
        act: (matchId: never) => provision(cloud.deps, matchId, cloud.nowMs),
        outcome: (result) => result,
        writes: ['UpdateItem'],
      },
      // The result says only that the match has ended.
      'the end of a placement in an idle queue that requeues': {
        prepare: async () => {
          const provisioner = { type: 'external', timeoutSeconds: 600, onFailure: 'requeue' } as const;
          const matchId = await found({ provisioner, timeoutSeconds: 3_600 });
          cloud.tickMessages.length = 0;
          cloud.nowMs += 600_000;
          return matchId;
        },
        act: (matchId: never) => checkDeadline(cloud.deps, matchId, cloud.nowMs),
        outcome: () => 'over',
        // The match, its two tickets, the queue twice, and the end of the match's deadline.
        writes: Array(6).fill('UpdateItem'),
      },
      'the return of tickets that fail for the third time': {
        prepare: async () => {
          cloud.host = () => ({ outcome: 'responded', status: 400, body: '' });
          const provisioner = { type: 'http', url: 'https://games.example', onFailure: 'requeue' } as const;
          let matchId = await found({ provisioner, timeoutSeconds: 3_600 });
          for (let i = 0; i < 2; i++) {
            await provision(cloud.deps, matchId, cloud.nowMs);
            await checkDeadline(cloud.deps, matchId, cloud.nowMs);
            cloud.nowMs = Math.min(...cloud.tickMessages.map(({ dueMs }) => dueMs));
            await tick(cloud.deps, cloud.dueTicks()[0]!);
            matchId = (await cloud.deps.tickets.get(id('a')))!.matchId!;
          }
          await provision(cloud.deps, matchId, cloud.nowMs);
          return matchId;
        },
        act: (matchId: never) => checkDeadline(cloud.deps, matchId, cloud.nowMs),
        outcome: (result) => result,
        writes: Array(3).fill('UpdateItem'),
      },
      'an assignment of the provisioner': {
        prepare: () => found({ provisioner: { type: 'http', url: 'https://games.example' } }),
        act: (matchId: never) => provision(cloud.deps, matchId, cloud.nowMs),
        outcome: (result) => result,
        writes: ['UpdateItem'],
      },
      'a webhook that its receiver takes again after it was down': {
        prepare: async () => {
          await receiverIsDown();
        },
        act: () => deliver(cloud.deps, delivery()),
        outcome: ({ outcome }: { outcome: string }) => outcome,
        // The last is a note for people.
        writes: Array(3).fill('UpdateItem'),
      },
      'a webhook that its receiver does not take': {
        prepare: async () => {
          await define({ webhooks: [{ url: url(), secret: 'shared/s' }] });
          cloud.answer = () => ({ outcome: 'unreachable', error: 'no response' });
        },
        act: () => deliver(cloud.deps, delivery()),
        outcome: ({ outcome, failed }: { outcome: string; failed: number }) => [outcome, failed],
        // The claim of the post, the failure, and two notes for people.
        writes: Array(4).fill('UpdateItem'),
      },
      'an assignment of the studio': {
        prepare: () => found({ provisioner: { type: 'external' } }),
        act: (matchId: never) => assignMatch(cloud.deps, matchId, { address: 'game.example' }),
        outcome: ({ status }: { status: string }) => ({ status }),
        writes: ['UpdateItem'],
      },
      // The repeated transaction cannot know whether the backfill is new, so the status is 200 instead of 201.
      'a backfill': {
        prepare: () => found({ backfill: {} }),
        act: (matchId: never) => ask(matchId),
        outcome: ({ backfill: { status } }: { backfill: { status: string } }) => ({ status }),
        writes: ['TransactWriteItems'],
      },
      'the cancel of a backfill': {
        prepare: async () => ask(await found({ backfill: {} })),
        act: () => cancelBackfill(cloud.deps, id('backfill'), cloud.nowMs),
        outcome: ({ status, reason }: { status: string; reason: string }) => ({ status, reason }),
        writes: ['UpdateItem'],
      },
      'a tick that fills a backfill': {
        prepare: async () => {
          await ask(await found({ backfill: {} }));
          await join('c');
          cloud.nowMs = Math.min(...cloud.tickMessages.map(({ dueMs }) => dueMs));
          return cloud.dueTicks()[0]!;
        },
        act: (message: never) => tick(cloud.deps, message),
        outcome: (result: { outcome: string; metrics: { lostRaces: number } }) => [
          result.outcome,
          result.metrics.lostRaces,
        ],
        // The lease, the roster with its newcomer, the report, and the end of the lease.
        writes: ['UpdateItem', 'TransactWriteItems', 'UpdateItem', 'UpdateItem'],
      },
      'the end of a match': {
        prepare: () => found({ backfill: {} }),
        act: (matchId: never) => endMatch(cloud.deps, matchId, {}, cloud.nowMs),
        outcome: ({ endedAt }: { endedAt: string }) => ({ endedAt }),
        writes: ['UpdateItem'],
      },
      'the end of a match with leavers': {
        prepare: () => found({ cooldown: { leave: [{ times: 1, seconds: 60 }] } }),
        act: (matchId: never) =>
          endMatch(cloud.deps, matchId, { leavers: ['a', 'b'].map(playerOf) }, cloud.nowMs),
        outcome: ({ endedAt }: { endedAt: string }) => ({ endedAt }),
        // The match, its two players, and the count.
        writes: Array(4).fill('UpdateItem'),
      },
      'the end of a cooldown': {
        prepare: async () => {
          const matchId = await found({ cooldown: { leave: [{ times: 1, seconds: 60 }] } });
          await endMatch(cloud.deps, matchId, { leavers: ['a', 'b'].map(playerOf) }, cloud.nowMs);
        },
        act: () => endCooldown(cloud.deps, queue, playerOf('a'), cloud.nowMs),
        outcome: () => 'ended',
        writes: ['UpdateItem'],
      },
      'a ticket whose players have to connect': {
        prepare: () => define({ presence: { graceSeconds: 5, required: true } }),
        act: () => join('a'),
        // The status of the response may be 200, as of any other ticket.
        outcome: ({ ticket: { status } }: { ticket: { status: string } }) => ({ status }),
        // The ticket, the presence of its players, and the queue twice.
        writes: ['PutItem', 'UpdateItem', 'UpdateItem', 'UpdateItem'],
      },
      'a ticket that is kept alive': {
        prepare: async () => {
          await define({ presence: { graceSeconds: 5 } });
          await join('a');
        },
        act: () => keepAlive(cloud.deps, id('a'), { scope: 'backend' }, cloud.nowMs),
        outcome: ({ status }: { status: string }) => status,
        writes: ['UpdateItem'],
      },
      'a player who connects in a queue with presence': {
        prepare: async () => {
          await define({ presence: { graceSeconds: 5 } });
          await join('a');
        },
        act: async () => connect(watchDeps(), await watcher(), 'one', cloud.nowMs),
        outcome: () => 'connected',
        // The queue is watched, the connection, and the presence of its player.
        writes: ['UpdateItem', 'PutItem', 'UpdateItem'],
      },
      'a ping of a player': {
        prepare: watched,
        act: async () => answerFrame(watchDeps(), await watcher(), 'one', '{"action":"ping"}', toProblem),
        outcome: () => 'answered',
        writes: ['UpdateItem'],
      },
      'a player who leaves': {
        prepare: watched,
        act: async () => disconnect(watchDeps(), await watcher(), 'one', cloud.nowMs),
        outcome: () => 'left',
        // The connection, and the presence of its player.
        writes: ['DeleteItem', 'UpdateItem'],
      },
      'a match that a player has left before it is placed': {
        prepare: async () => {
          const http = { type: 'http', url: 'https://games.example' } as const;
          const matchId = await found({ presence: { graceSeconds: 5 }, provisioner: http });
          const gone = { by: 'one', silentFromMs: cloud.nowMs - 5_000 };
          await cloud.deps.presence.seen(queue, id('a'), 0, gone);
          return matchId;
        },
        act: (matchId: never) => provision(cloud.deps, matchId, cloud.nowMs),
        outcome: (result) => result,
        writes: ['UpdateItem'],
      },
      'a tick of a queue that a player has left': {
        prepare: async () => {
          await define({ presence: { graceSeconds: 5 } });
          await join('a');
          await join('b');
          await cloud.deps.presence.seen(queue, id('a'), 0, { by: 'one', silentFromMs: cloud.nowMs - 5_000 });
          cloud.nowMs = Math.min(...cloud.tickMessages.map(({ dueMs }) => dueMs));
          return cloud.dueTicks()[0]!;
        },
        act: (message: never) => tick(cloud.deps, message),
        outcome: ({ outcome }: { outcome: string }) => outcome,
        // The lease, the end of the ticket, the report, and the end of the lease.
        writes: Array(4).fill('UpdateItem'),
      },
      'a tick that does not trust missing pings': {
        prepare: async () => {
          await define({ teamSize: 3, presence: { graceSeconds: 5 } });
          for (const name of ['a', 'b', 'c', 'd']) {
            await join(name);
            await cloud.deps.presence.seen(queue, id(name), 0, { by: name, silentFromMs: cloud.nowMs });
          }
          cloud.nowMs = Math.min(...cloud.tickMessages.map(({ dueMs }) => dueMs));
          return cloud.dueTicks()[0]!;
        },
        act: (message: never) => tick(cloud.deps, message),
        outcome: ({ outcome, held }: { outcome: string; held: string }) => [outcome, held.length > 0],
        // The lease, until when presence is held, the report, and the end of the lease.
        writes: Array(4).fill('UpdateItem'),
      },
      'a new ladder': {
        prepare: async () => {},
        act: () => defineLadder(),
        outcome: ({ outcome }: { outcome: string }) => outcome,
        writes: ['UpdateItem'],
      },
      'a changed ladder': {
        prepare: () => defineLadder(),
        act: () => defineLadder({ beta: 9 }),
        outcome: ({ outcome }: { outcome: string }) => outcome,
        // The replaced definition is kept, then the new one is put.
        writes: ['UpdateItem', 'UpdateItem'],
      },
      'a removed ladder': {
        prepare: () => defineLadder(),
        act: () => deleteLadder(cloud.deps, queue),
        outcome: () => 'removed',
        writes: ['DeleteItem'],
      },
      'a forgotten rating': {
        prepare: async () => {
          await defineLadder();
          await cloud.deps.ratings.put(queue, playerOf('a'), { mean: 1, deviation: 1, matches: 0 }, 0);
        },
        act: () => deleteRating(cloud.deps, queue, playerOf('a')),
        outcome: () => 'forgotten',
        writes: ['DeleteItem'],
      },
      'a result': {
        prepare: () => ranked(),
        act: (matchId: never) => post(matchId),
        outcome: ({ result, endedAt }: { result: { ranks: number[] }; endedAt: string }) => ({
          ranks: result.ranks,
          endedAt,
        }),
        writes: ['UpdateItem'],
      },
      'a result with leavers': {
        prepare: () => ranked({ cooldown: { leave: [{ times: 1, seconds: 60 }] } }),
        act: (matchId: never) => post(matchId, { leavers: [playerOf('a')] }),
        outcome: ({ result }: { result: { ranks: number[] } }) => result.ranks,
        // The match, the player, and the count.
        writes: Array(3).fill('UpdateItem'),
      },
      'a result that is rated': {
        prepare: async () => {
          const matchId = await ranked();
          await post(matchId);
          return matchId;
        },
        act: (matchId: never) => rateResult(cloud.deps, matchId),
        outcome: (result) => result,
        // The ratings with the mark of the match, and the odds.
        writes: ['TransactWriteItems', 'UpdateItem'],
      },
      'a minute of the schedule': {
        prepare: async () => {
          await define({ buckets: [50], timeoutSeconds: 3_600 });
          await join('a');
          await define({ buckets: [], timeoutSeconds: 3_600 });
          cloud.tickMessages.length = 0;
          cloud.nowMs += 3_600_000;
        },
        act: () => dispatch(cloud.deps, cloud.nowMs),
        outcome: ({ failed }: { failed: unknown[] }) => failed,
        writes: ['UpdateItem', 'UpdateItem'],
      },
      'the removal of a deleted queue': {
        prepare: async () => {
          await define();
          await define({ timeoutSeconds: 77 });
          await deleteQueue(cloud.deps.queues, queue, cloud.nowMs - 3 * 3_600_000);
        },
        act: () => dispatch(cloud.deps, cloud.nowMs),
        outcome: ({ failed }: { failed: unknown[] }) => failed,
        // The lease and the report of its range, the earlier definition, and the queue.
        writes: Array(4).fill('DeleteItem'),
      },
    };

    const all = Object.entries(USE_CASES);
    const isFirstOfKind = (_: unknown, i: number) =>
      all[i]![1].writes.some((write) => all.slice(0, i).every(([, { writes }]) => !writes.includes(write)));
    // An emulator shows that the SDK repeats each kind of write as `losing` does in memory.
    it.each(emulator === 'memory' ? all : sample(all.filter(isFirstOfKind), all))(
      'changes nothing for %s',
      async (_, { prepare, act, outcome, writes }) => {
        const run = async (lost: number | undefined) => {
          await begin();
          const prepared = await prepare();
          const { line, made } = losing(lost, emulator !== 'memory');
          const result = await cloud.on(line, () => act(prepared as never));
          return { made, outcome: await outcome(result as never), left: await left() };
        };
        const undisturbed = await run(undefined);
        expect(undisturbed.made).toEqual(writes);
        for (const [i, write] of writes.entries()) {
          const disturbed = await run(i);
          expect(disturbed.outcome, `${write}, write ${i + 1}`).toEqual(undisturbed.outcome);
          expect(disturbed.left, `${write}, write ${i + 1}`).toEqual(undisturbed.left);
          expect(disturbed.made.length, 'the write was sent again').toBe(writes.length + 1);
        }
      },
    );
  });
});

/**
 * A line that loses the response of one write, counted from 0, so that the request is repeated: by the SDK after an error, or by
 * the line itself, for tables in memory.
 */
function losing(lost: number | undefined, bySdk: boolean): { line: Line; made: string[] } {
  const made: string[] = [];
  const line: Line = async (what, effect) => {
    const isWrite = /^(Put|Update|Delete|TransactWrite)/.test(what);
    const isLost = isWrite && made.length === lost;
    if (isWrite) made.push(what);
    const result = await effect();
    if (!isLost) return result;
    if (bySdk) throw Object.assign(new Error('the connection was lost'), { name: 'TimeoutError' });
    return line(what, effect);
  };
  return { line, made };
}
