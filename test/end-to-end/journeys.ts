import { setTimeout as sleep } from 'node:timers/promises';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { expect } from 'vitest';
import { documentClient } from '../../lib/aws/dynamo.ts';
import { sendAll, sqsClient } from '../../lib/aws/message-queue.ts';
import { rangeStore } from '../../lib/aws/range-store.ts';
import { ticketStore } from '../../lib/aws/ticket-store.ts';
import { tokenScope } from '../../lib/contract/callers.ts';
import type { EventType } from '../../lib/contract/event-type.ts';
import type { MatchView } from '../../lib/contract/match.ts';
import type { QueueDefinition } from '../../lib/contract/queue-definition.ts';
import type { TicketStatus, TicketView } from '../../lib/contract/ticket.ts';
import type { BucketLayout } from '../../lib/service/domain/buckets.ts';
import { untilInForce } from '../../lib/service/queues/read-queues.ts';
import { eventually } from '../patience.ts';
import { definition } from '../service/definitions.ts';
import { fresh, player, type TestMuster } from './muster.ts';
import { SECRET_NAME } from './receiver.ts';

/** A use of the service by a game backend, from its request to the expected result. */
export type Journey = (muster: TestMuster) => Promise<void>;

const PLACE = { address: 'game.example', port: 7777 };
/** The number of waiting tickets at which a bucket is split; see `wiring.test.ts`. */
const CROWD = 50;
/** Fewer calls than this are rejected for one batch, so a later status of 503 is a fault. */
const BATCH_TRIES_MAX = 10;

/** Together the journeys use each route, event source, filter, rule and permission of the template. */
export const JOURNEYS = {
  async 'read health, the OpenAPI document and an unknown path'({ api }) {
    expect((await api.get('/health')).status).toBe(200);
    expect((await api.get('/openapi.json')).status).toBe(200);
    expect((await api.get('/nothing')).status).toBe(404);
  },

  async 'manage queues'({ api }) {
    const { queues } = (await api.get('/queues')).body;
    expect(queues.map(({ name }: QueueDefinition) => name)).toContain('duel');
    const queue = await api.queue();
    expect((await api.get(`/queues/${queue}`)).body.name).toBe(queue);
    expect((await api.get(`/queues/${queue}/stats`)).body.waiting).toBe(0);
    expect((await api.delete(`/queues/${queue}`)).status).toBe(204);
  },

  async 'restore an earlier definition of a queue'({ api }) {
    const queue = await api.queue();
    await api.put(`/queues/${queue}`, definition({ name: queue, timeoutSeconds: 77 }));
    expect((await api.post(`/queues/${queue}/versions/1/restore`)).body).toMatchObject({ restored: 1 });
    const { versions } = (await api.get(`/queues/${queue}/versions`)).body;
    expect(versions.map(({ version }: { version: number }) => version)).toEqual([3, 2, 1]);
    expect(versions[0].definition).toEqual((await api.get(`/queues/${queue}`)).body);
  },

  async 'let the variants of a definition take turns on a queue'({ api }) {
    const queue = await api.queue();
    const path = `/queues/${queue}/experiment`;
    const variants = [
      { name: 'today', changes: {} },
      { name: 'patient', changes: { release: { policy: 'periodic', everySeconds: 20 } } },
    ];
    const begun = await api.put(path, { name: 'patience', variants, blockMinutes: 5, days: 1 });
    expect([200, 201]).toContain(begun.status);
    expect((await api.get(path)).body).toMatchObject({ queue, state: 'running' });
    expect((await api.delete(path)).status).toBe(204);
    expect((await api.get(path)).body.state).toBe('ended');
  },

  async 'see the waiting tickets and the latest matches of a queue'(muster) {
    const { api } = muster;
    const group = fresh('group');
    const { queue, one } = await pair(muster, { group }, 'COMPLETED');
    await eventually(async () => {
      const { matches } = (await api.get(`/queues/${queue}/matches?limit=5`)).body;
      expect(matches.map(({ matchId }: MatchView) => matchId)).toEqual([one.matchId]);
    });
    await api.ticket(await api.queue({ group, tickSeconds: 60 }), 3, { also: [{ queue }] });
    await eventually(async () => {
      const { waiting } = (await api.get(`/queues/${queue}/waiting?limit=5`)).body;
      expect(waiting).toMatchObject([{ skill: 3, size: 1 }]);
    });
  },

  async 'manage ladders, and the ratings of their players'({ api }) {
    const ladder = fresh('ladder');
    const path = `/ladders/${ladder}`;
    expect([200, 201]).toContain((await api.put(path, { name: ladder })).status);
    const { ladders } = (await api.get('/ladders')).body;
    expect(ladders.map(({ name }: { name: string }) => name)).toContain(ladder);
    expect((await api.get(path)).body.name).toBe(ladder);
    expect((await api.put(path, { name: ladder, beta: 200 })).status).toBe(200);
    const restored = (await api.post(`${path}/versions/1/restore`)).body;
    expect(restored).toMatchObject({ restored: 1, definition: { name: ladder, beta: 175 } });
    expect((await api.get(`${path}/versions`)).body.versions[0]).toEqual(restored);
    const player = `${path}/players/${fresh('player')}`;
    expect((await api.put(player, { mean: 1_600, deviation: 200 })).status).toBe(200);
    expect((await api.get(player)).body).toMatchObject({ mean: 1_600 });
    expect((await api.delete(player)).status).toBe(204);
    expect((await api.get(player)).body).toMatchObject({ mean: 1_500, matches: 0 });
    const queue = await api.queue({ ladder });
    expect((await api.delete(path)).status).toBe(409);
    await api.put(`/queues/${queue}`, definition({ name: queue }));
    await eventually(async () => {
      expect((await api.delete(path)).status).toBe(204);
    });
  },

  async 'have players rated by the result of their match'({ api }) {
    const ladder = fresh('ladder');
    const path = `/ladders/${ladder}`;
    await api.put(path, { name: ladder, placementMatches: 3 });
    const [winner, loser] = [fresh('winner'), fresh('loser')];
    await api.put(`${path}/players/${winner}`, { mean: 1_600, deviation: 200 });
    const queue = await api.queue({ ladder, backfill: {} });
    const ticketIds = [fresh('ticket'), fresh('ticket')];
    for (const [at, playerId] of [winner, loser].entries()) {
      const ticket = { ticketId: ticketIds[at], players: [{ playerId }] };
      expect((await api.post(`/queues/${queue}/tickets`, ticket)).status).toBeLessThan(300);
    }
    const { matchId } = await api.until(ticketIds[0]!, 'COMPLETED');
    const { teams, expected } = (await api.get(`/matches/${matchId}`)).body as MatchView;
    const won = teams.findIndex(({ players }) => players.some(({ playerId }) => playerId === winner));
    // A match is made without odds while the ladder cannot be read.
    expect(expected?.[won] ?? 1).toBeGreaterThan(0.5);
    // The server asks for a player instead of the loser, who comes back before the result.
    const request = { backfillId: fresh('backfill'), players: [{ playerId: winner, team: won }] };
    expect((await api.post(`/matches/${matchId}/backfill`, request)).status).toBeLessThan(300);
    expect((await api.delete(`/backfills/${request.backfillId}`)).status).toBeLessThan(300);
    const result = { ranks: won === 0 ? [1, 2] : [2, 1] };
    expect((await api.post(`/matches/${matchId}/result`, result)).status).toBe(200);
    await eventually(async () => {
      const { ratings } = (await api.get(`${path}/players?playerIds=${winner},${loser}`)).body;
      expect(ratings).toMatchObject([
        { playerId: winner, matches: 1, placement: 2 },
        { playerId: loser, matches: 1, placement: 2 },
      ]);
      expect(ratings[0].mean).toBeGreaterThan(1_600);
      expect(ratings[1].mean).toBeLessThan(1_500);
    });
    // Without a crash it is 1: see `rate`.
    expect((await api.get(`${path}/odds`)).body.results).toBeLessThanOrEqual(1);
  },

  async 'keep a ticket alive whose players may be gone'({ api }) {
    const queue = await api.queue({ presence: { graceSeconds: 120, required: true }, tickSeconds: 60 });
    const { ticketId } = await api.ticket(queue, 1);
    expect((await api.post(`/tickets/${ticketId}/alive`)).body).toMatchObject({ ticketId, status: 'QUEUED' });
  },

  async 'run a dry run'({ api }) {
    const queue = await api.queue();
    const tickets = [1, 2].map((skill) => ({
      ticketId: fresh('ticket'),
      enqueuedAt: '2026-01-01T00:00:00Z',
      players: [player(skill)],
    }));
    expect((await api.post(`/queues/${queue}/dry-run`, tickets)).body.matches).toHaveLength(1);
  },

  async 'get tickets back that crashed ticks have claimed, although their first queue is removed'(muster) {
    const { api, cloud } = muster;
    const changes = { group: fresh('group'), release: { policy: 'expanding', tolerance: 0 } } as const;
    const first = await api.queue({ ...changes, tickSeconds: 60 });
    const queue = await api.queue(changes);
    const also = [{ queue }, { queue: await api.queue({ ...changes, tickSeconds: 60 }) }];
    const { TICKETS_TABLE, ENTRIES_TABLE, RANGES_TABLE } = cloud.function('dispatch').environment;
    const client = documentClient(cloud.awsConfig);
    const tickets = ticketStore(client, { tickets: TICKETS_TABLE!, entries: ENTRIES_TABLE! });
    const ranges = rangeStore(client, RANGES_TABLE!);
    const forming = await Promise.all(
      [1_000, 2_000].map(async (skill) => {
        const { ticketId } = await api.ticket(first, skill, { also });
        const match = { matchId: fresh('forming'), ticketIds: [ticketId] };
        expect(await tickets.claim(ticketId, match.matchId, Date.now())).toBe(true);
        return match;
      }),
    );
    await removeQueue(muster, first);
    // It wakes the queue.
    await api.ticket(queue, 3_000);
    // The next tick finds the first lease. Ticks take every slot for searched after the second one, so `dispatch` finds it.
    const slots = [Date.now, () => Number.MAX_SAFE_INTEGER - 1] as const;
    for (const [at, slotMs] of slots.entries()) {
      const [owner, { matchId }] = [fresh('tick'), forming[at]!];
      const nowMs = Date.now();
      await ranges.putJournal(queue, owner, 0, [forming[at]!], nowMs);
      const lease = { owner, nowMs: nowMs - 20_000, untilMs: nowMs - 10_000 };
      await eventually(async () => {
        expect(await ranges.takeLease(queue, ['1.0'], { ...lease, slotMs: slotMs() })).toBe('leased');
      });
      await eventually(async () => {
        if (at === 1) await cloud.schedules.run();
        const stored = (await muster.rows('tickets')).find((row) => row.releasedFrom === matchId);
        expect(stored).toMatchObject({ status: 'QUEUED', queue });
      });
    }
  },

  async 'keep the wait of a party that changes while a tick forms its match'(muster) {
    const { api, cloud } = muster;
    const { queue, also } = await linkedQueue(muster, { tickSeconds: 60 });
    const { ticketId, enqueuedAt, players } = await api.ticket(queue, 1_000, { also });
    const { TICKETS_TABLE, ENTRIES_TABLE } = cloud.function('enqueue').environment;
    const tickets = ticketStore(documentClient(cloud.awsConfig), {
      tickets: TICKETS_TABLE!,
      entries: ENTRIES_TABLE!,
    });
    expect(await tickets.claim(ticketId, fresh('forming'), Date.now())).toBe(true);
    const by = { ticketId: fresh('ticket'), players, replaces: ticketId };
    await eventually(async () => {
      const { status, body } = await api.post(`/queues/${queue}/tickets`, by);
      expect(status).toBeLessThan(300);
      expect(body).toMatchObject({ status: 'QUEUED', enqueuedAt });
    });
    const old = await api.until(ticketId, 'CANCELLED');
    expect(old).toMatchObject({ replacedBy: by.ticketId });
  },

  async 'get a match'(muster) {
    const { one } = await pair(muster, {}, 'COMPLETED');
    expect((await muster.api.get(`/matches/${one.matchId}`)).body.status).toBe('COMPLETED');
  },

  async 'get a match in a queue that keeps players apart who have just met'(muster) {
    const rules: QueueDefinition['rules'] = [{ name: 'Rematch', type: 'recent', seconds: 600 }];
    await pair(muster, { rules }, 'COMPLETED');
  },

  async 'read and erase what is stored about a player'(muster) {
    const { api } = muster;
    const rules: QueueDefinition['rules'] = [{ name: 'Rematch', type: 'recent', seconds: 600 }];
    const { one, two } = await pair(muster, { rules, onePlace: true }, 'COMPLETED');
    const [{ playerId }] = one.players as [TicketView['players'][number]];
    const { queue, also } = await linkedQueue(muster, { tickSeconds: 60 });
    const waiting = { ticketId: fresh('ticket'), players: [one.players[0]!], also };
    expect((await api.post(`/queues/${queue}/tickets`, waiting)).status).toBeLessThan(300);
    const path = `/players/${playerId}`;
    await eventually(async () => {
      const { tickets, matches, meetings, places } = (await api.get(path)).body;
      // The waiting ticket is there in each of its queues.
      expect([tickets.length, matches.length, meetings.length, places.length]).toEqual([3, 1, 1, 1]);
    });
    await eventually(async () => {
      const { status, body } = await api.delete(path);
      expect(body).toMatchObject({ isErased: true });
      expect(status).toBe(200);
    });
    const left = (await api.get(path)).body;
    expect(left).toEqual({
      playerId,
      tickets: [],
      matches: [],
      backfills: [],
      cooldowns: [],
      meetings: [],
      places: [],
      ratings: [],
      unreadable: 0,
    });
    expect(await api.until(waiting.ticketId, 'CANCELLED')).not.toMatchObject({ players: waiting.players });
    const [{ playerId: other }] = two.players as [TicketView['players'][number]];
    expect((await api.get(`/players/${other}`)).body.matches).toHaveLength(1);
  },

  async 'get a match in a bucket other than the first'(muster) {
    await pair(muster, { buckets: [0.5] }, 'COMPLETED');
  },

  async 'get a match in a queue that has been split because of its load'(muster) {
    const { api } = muster;
    const queue = await api.queue({ release: { policy: 'expanding', tolerance: 0 } });
    const tickets = Array.from({ length: CROWD }, (_, i) => ({
      ticketId: fresh('ticket'),
      players: [player(100 * i)],
    }));
    for (let tries = 0; ; tries++) {
      const { results } = (await api.post(`/queues/${queue}/ticket-batches`, { tickets })).body;
      if (results.every(({ status }: { status: number }) => status < 300)) break;
      expect(tries).toBeLessThan(BATCH_TRIES_MAX);
    }
    await expectLayout(muster, queue, ({ boundaries }) => boundaries.length > 0);
    const { matchId } = await api.until((await api.ticket(queue, 100 * (CROWD - 1))).ticketId, 'COMPLETED');
    expect((await api.get(`/tickets/${tickets.at(-1)!.ticketId}`)).body.matchId).toBe(matchId);
  },

  async 'leave the buckets of a queue to the service, which merges those that are quiet'(muster) {
    const queue = await muster.api.queue({ buckets: [10, 20] });
    await muster.api.put(`/queues/${queue}`, definition({ name: queue }));
    await eventually(() => muster.cloud.schedules.run());
    await expectLayout(muster, queue, ({ boundaries }) => boundaries.length === 0);
  },

  async 'post and read tickets in batches'({ api }) {
    const queue = await api.queue();
    const tickets = [1, 2].map((skill) => ({ ticketId: fresh('ticket'), players: [player(skill)] }));
    const statusesOfBatch = async (): Promise<number[]> =>
      (await api.post(`/queues/${queue}/ticket-batches`, { tickets })).body.results.map(
        ({ status }: { status: number }) => status,
      );
    let statuses = await statusesOfBatch();
    // A ticket gets 503 when the store is busy, and the client repeats the batch.
    for (let tries = 1; statuses.includes(503) && tries < BATCH_TRIES_MAX; tries++)
      statuses = await statusesOfBatch();
    for (const status of statuses) expect([200, 201]).toContain(status);
    const ids = tickets.map(({ ticketId }) => ticketId);
    await api.until(ids[0]!, 'COMPLETED');
    const found = (await api.get(`/tickets?ticketIds=${ids}`)).body.tickets;
    expect(found.map(({ status }: TicketView) => status)).toEqual(['COMPLETED', 'COMPLETED']);
  },

  async 'let a player read why a ticket is waiting'(muster) {
    const { queue, also } = await linkedQueue(muster);
    const { ticketId, players } = await muster.api.ticket(queue, 1, { also });
    // The API of the journeys admits every caller as a backend.
    const claims = { scope: tokenScope('player'), sub: players[0]!.playerId };
    const event = {
      routeKey: 'GET /tickets/{ticketId}',
      pathParameters: { ticketId },
      queryStringParameters: { waitSeconds: '0.1', explain: 'true' },
      requestContext: { authorizer: { jwt: { claims } } },
    };
    await eventually(async () => {
      const { payload } = (await muster.cloud.function('tickets').invoke(event)) as {
        payload: { body: string };
      };
      expect(JSON.parse(payload.body).reason).toMatch(/\w/);
    });
  },

  async 'receive the events of a ticket in two queues until it is cancelled'(muster) {
    const path = `/${fresh('cancel')}`;
    const { queue, also } = await linkedQueue(muster, { webhooks: [webhook(muster, path)] });
    const { ticketId } = await muster.api.ticket(queue, 1, { also });
    await heard(muster, path, 'TicketQueued');
    expect((await muster.api.delete(`/tickets/${ticketId}`)).status).toBe(200);
    await heard(muster, path, 'TicketCancelled');
  },

  async 'receive the event of a time-out'(muster) {
    const path = `/${fresh('time-out')}`;
    const webhooks = [webhook(muster, path, ['TicketTimedOut'])];
    await muster.api.ticket(await muster.api.queue({ webhooks, timeoutSeconds: 1 }), 1);
    await heard(muster, path, 'TicketTimedOut');
  },

  async 'receive a match at two webhooks, one of which fails at first'(muster) {
    const [path, flaky] = [`/${fresh('found')}`, `/${fresh('flaky')}`];
    failOnce(muster, flaky, '', 503);
    await pair(muster, { webhooks: [webhook(muster, path), webhook(muster, flaky)] }, 'COMPLETED');
    await heard(muster, path, 'MatchFound');
    await muster.receiver.deliveries.until(() => muster.receiver.at(flaky).length > 1);
  },

  async 'try a webhook, and see that it fails and works again'(muster) {
    const { api, receiver } = muster;
    const path = `/${fresh('tried')}`;
    receiver.answer(path, (_, response) => {
      response.statusCode = receiver.at(path).length === 2 ? 500 : 200;
      response.end();
    });
    const queue = await api.queue({ webhooks: [webhook(muster, path)] });
    const { status, body } = await api.post(`/queues/${queue}/webhooks/test`, {});
    expect(status).toBe(200);
    expect(body.webhooks).toMatchObject([{ url: receiver.url(path), isDelivered: true, status: 200 }]);
    expect(receiver.at(path).map((delivery) => delivery.verified().type)).toEqual(['WebhookTest']);
    const health = async () => (await api.get(`/queues/${queue}/stats`)).body.webhooks;
    await api.ticket(queue, 1);
    await eventually(async () => {
      expect(await health()).toMatchObject([{ lastFailure: { status: 500 } }]);
    });
    await eventually(async () => {
      expect(await health()).toMatchObject([{ state: 'working', failures: 0, waiting: 0 }]);
    });
  },

  async 'receive a webhook that has waited without a player who was erased meanwhile'(muster) {
    const { api, cloud, receiver } = muster;
    const path = `/${fresh('late')}`;
    const queue = await api.queue({ webhooks: [webhook(muster, path, ['TicketCancelled'])] });
    const [erased, other] = [player(1), player(2)];
    await eventually(async () => {
      expect((await api.delete(`/players/${erased.playerId}`)).status).toBe(200);
    });
    const time = new Date(Date.now() - 120_000).toISOString();
    const ticketId = fresh('ticket');
    const ticket = { ticketId, queue, status: 'CANCELLED', enqueuedAt: time, players: [erased, other] };
    const event = { type: 'TicketCancelled', eventId: fresh('event'), time, queue, ticket };
    await sendAll(sqsClient(cloud.awsConfig), cloud.function('notify').environment.NOTIFY_QUEUE_URL!, [
      { body: { event } },
    ]);
    await heard(muster, path, 'TicketCancelled');
    expect(receiver.at(path)[0]!.verified()).toMatchObject({
      data: { ticket: { players: [{ playerId: 'erased', skill: 0 }, other] } },
    });
  },

  async 'find a webhook that its receiver never takes among the dead letters'({ api, receiver, cloud }) {
    const path = `/${fresh('broken')}`;
    receiver.answer(path, (_, response) => {
      response.statusCode = 500;
      response.end();
    });
    const { ticketId } = await api.ticket(await api.queue({ webhooks: [webhook({ receiver }, path)] }), 1);
    const deadLetters = cloud.function('notify').environment.NOTIFY_DEAD_LETTERS_URL!.split('/').at(-1)!;
    await eventually(() => {
      const bodies = cloud.inspectQueue(deadLetters).ready.map(({ body }) => body);
      expect(bodies.some((body) => body.includes(ticketId))).toBe(true);
    });
    const { consumers } = (await api.get('/dead-letters')).body;
    const messages = new Map(
      consumers.map((one: { consumer: string; messages: number }) => [one.consumer, one.messages]),
    );
    expect([...messages.keys()]).toEqual([
      'Tick',
      'PublishTickets',
      'PublishMatches',
      'Notify',
      'Provision',
      'Deadline',
      'Rate',
      ...(cloud.stack.resources('AWS::ApiGatewayV2::Api').length > 1 ? ['Push'] : []),
    ]);
    expect(messages.get('Notify')).toBeGreaterThanOrEqual(1);
  },

  async 'receive an event of a queue that could not be read, and those of other queues meanwhile'(muster) {
    const { api, cloud } = muster;
    const paths = [`/${fresh('unreadable')}`, `/${fresh('neighbour')}`] as const;
    const queues = await Promise.all(
      paths.map((path) => api.queue({ webhooks: [webhook(muster, path, ['TicketCancelled'])] })),
    );
    const tickets = await Promise.all(queues.map((queue) => api.ticket(queue, 1)));
    const readable = (await muster.rows('queues')).find(
      ({ queue, item }) => queue === queues[0] && item === 'definition',
    )!;
    const later = { ...JSON.parse(readable.definition as string), release: { policy: 'of-a-later-version' } };
    await change(muster, queues[0]!, 'definition', JSON.stringify(later));
    // From now on no function uses the definition that it has read before.
    await untilInForce({ now: Date.now, sleep });
    for (const { ticketId } of tickets) await api.delete(`/tickets/${ticketId}`);
    await heard(muster, paths[1], 'TicketCancelled');
    const slowLane = cloud.function('notify').environment.NOTIFY_SLOW_LANE_URL!.split('/').at(-1)!;
    // Where retries are made at once, it is seldom delayed.
    await eventually(() =>
      expect(JSON.stringify(cloud.inspectQueue(slowLane))).toContain(tickets[0]!.ticketId),
    );
    expect(muster.receiver.at(paths[0])).toEqual([]);
    await change(muster, queues[0]!, 'definition', readable.definition);
    await heard(muster, paths[0], 'TicketCancelled');
  },

  async 'provision a match at the second try'(muster) {
    const path = `/${fresh('provision')}`;
    failOnce(muster, path, JSON.stringify(PLACE));
    const { one } = await pair(muster, { provisioner: http(muster, path) }, 'COMPLETED');
    expect((await muster.api.get(`/matches/${one.matchId}`)).body.assignment).toEqual(PLACE);
  },

  async 'provision a match after its provisioner did not respond'(muster) {
    const path = `/${fresh('silent')}`;
    muster.receiver.answer(path, (_, response) => {
      if (muster.receiver.at(path).length === 1) response.destroy();
      else response.end(JSON.stringify(PLACE));
    });
    const { one } = await pair(muster, { provisioner: http(muster, path) }, 'COMPLETED');
    expect((await muster.api.get(`/matches/${one.matchId}`)).body.assignment).toEqual(PLACE);
  },

  async 'accept a match that is then provisioned'(muster) {
    const path = `/${fresh('accepted')}`;
    muster.receiver.answer(path, (_, response) => response.end(JSON.stringify(PLACE)));
    const { one, two } = await pair(
      muster,
      {
        acceptance: { timeoutSeconds: 600 },
        provisioner: http(muster, path),
        presence: { graceSeconds: 60 },
      },
      'REQUIRES_ACCEPTANCE',
    );
    await accept(muster, one, true);
    await accept(muster, two, true);
    await muster.api.until(one.ticketId, 'COMPLETED');
  },

  async 'decline a match, which wakes the idle queue for the other ticket'(muster) {
    const { queue, one, two } = await pair(
      muster,
      { acceptance: { timeoutSeconds: 600 } },
      'REQUIRES_ACCEPTANCE',
      true,
    );
    const latest = await muster.api.get(`/queues/${queue}/matches?limit=1`);
    expect(latest.body.matches).toMatchObject([{ matchId: one.matchId, status: 'REQUIRES_ACCEPTANCE' }]);
    await putToSleep(muster, queue);
    await accept(muster, two, false);
    await expectAwake(muster, queue);
    await muster.api.ticket(queue, 3);
    await muster.api.until(one.ticketId, 'REQUIRES_ACCEPTANCE');
    await eventually(async () => {
      const { outcomes } = (await muster.api.get(`/queues/${queue}/stats`)).body;
      expect(outcomes.acceptance).toMatchObject({ declined: 1, accepted: 0 });
    });
    expect((await muster.api.get(`/matches/${one.matchId}`)).body).toMatchObject({
      reasonCode: 'DECLINED',
      acceptance: {
        declined: [two.players[0]!.playerId],
        unanswered: [one.players[0]!.playerId],
      },
    });
  },

  async 'miss the deadline to accept, which wakes the queue for the ticket that accepted'(muster) {
    const { queue, one, two } = await pair(
      muster,
      { acceptance: { timeoutSeconds: 600 }, cooldown: { decline: [{ times: 1, seconds: 600 }] } },
      'REQUIRES_ACCEPTANCE',
      true,
    );
    await accept(muster, one, true);
    await putToSleep(muster, queue);
    await muster.timeIsUp(one.matchId!);
    await muster.api.until(two.ticketId, 'CANCELLED');
    await expectAwake(muster, queue);
    expect((await muster.api.get(`/tickets/${one.ticketId}`)).body.status).toBe('QUEUED');
    const { playerId } = two.players[0]!;
    await eventually(async () => {
      const noted = (await muster.api.get(`/queues/${queue}/players/${playerId}/cooldown`)).body;
      expect(noted).toMatchObject({ kind: 'decline', offences: [{ matchId: one.matchId }] });
    });
  },

  async 'play a match that all have accepted, although the last acceptance crashed before it went on'(
    muster,
  ) {
    const changes = { acceptance: { timeoutSeconds: 600 }, presence: { graceSeconds: 60 } };
    const { queue, one, two } = await pair(muster, changes, 'REQUIRES_ACCEPTANCE');
    const client = DynamoDBDocumentClient.from(new DynamoDBClient(muster.cloud.awsConfig));
    await client.send(
      new PutCommand({
        TableName: muster.cloud.function('deadline').environment.MATCHES_TABLE,
        Item: {
          matchId: `answers#${one.matchId}`,
          queue,
          status: 'OPEN',
          of: 2,
          accepted: new Set([0, 1]),
        },
      }),
    );
    await muster.timeIsUp(one.matchId!);
    await muster.api.until(two.ticketId, 'COMPLETED');
  },

  async 'wait after a declined match, until support ends the cooldown'(muster) {
    const { api } = muster;
    const cooldown = { decline: [{ times: 1, seconds: 600 }], leave: [{ times: 1, seconds: 900 }] };
    const { queue, one, two } = await pair(
      muster,
      { acceptance: { timeoutSeconds: 600 }, cooldown },
      'REQUIRES_ACCEPTANCE',
    );
    await accept(muster, one, false);
    const { playerId } = one.players[0]!;
    const again = { ticketId: fresh('again'), players: one.players };
    const refused = await api.post(`/queues/${queue}/tickets`, again);
    expect(refused.body).toMatchObject({ status: 429, code: 'COOLDOWN', kind: 'decline', playerId });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(500);
    const path = `/queues/${queue}/players/${playerId}/cooldown`;
    expect((await api.get(path)).body).toMatchObject({ playerId, offences: [{ matchId: one.matchId }] });
    const { cooldowns } = (await api.get(`/queues/${queue}/cooldowns`)).body;
    expect(cooldowns).toMatchObject([{ playerId }]);
    expect((await api.delete(path)).status).toBe(204);
    expect((await api.post(`/queues/${queue}/tickets`, again)).status).toBe(201);
    await api.until(two.ticketId, 'REQUIRES_ACCEPTANCE');
    const next = await api.until(again.ticketId, 'REQUIRES_ACCEPTANCE');
    for (const ticketId of [two.ticketId, again.ticketId]) await accept(muster, { ...next, ticketId }, true);
    await api.until(again.ticketId, 'COMPLETED');
    expect((await api.post(`/matches/${next.matchId}/end`, { leavers: [playerId] })).status).toBe(200);
    expect((await api.get(path)).body).toMatchObject({ kind: 'leave' });
  },

  async 'return to the queue from a match that is refused, and play the next one'(muster) {
    const path = `/${fresh('requeue')}`;
    failOnce(muster, path, JSON.stringify(PLACE), 400);
    const provisioner = { ...http(muster, path), onFailure: 'requeue' as const };
    const { one } = await pair(muster, { provisioner }, 'COMPLETED', true);
    expect((await muster.api.get(`/matches/${one.matchId}`)).body.assignment).toEqual(PLACE);
  },

  async 'fail with the third match that is refused'(muster) {
    const path = `/${fresh('refuse')}`;
    muster.receiver.answer(path, (_, response) => {
      response.statusCode = 400;
      response.end();
    });
    const { one } = await pair(
      muster,
      { provisioner: { ...http(muster, path), onFailure: 'requeue' } },
      'FAILED',
    );
    expect(muster.receiver.at(path).length).toBeGreaterThanOrEqual(3);
    // The response follows from the match; the ticket is written after it.
    await eventually(async () => {
      const rows = await muster.rows('tickets');
      expect(rows.find(({ ticketId }) => ticketId === one.ticketId)).toMatchObject({ status: 'FAILED' });
    });
  },

  async 'put an external assignment'(muster) {
    const { one } = await pair(muster, { provisioner: { type: 'external' } }, 'PLACING');
    expect((await muster.api.put(`/matches/${one.matchId}/assignment`, PLACE)).status).toBe(200);
    await muster.api.until(one.ticketId, 'COMPLETED');
  },

  async 'miss the deadline of an assignment, and post the same ticket again'(muster) {
    const provisioner = { type: 'external', timeoutSeconds: 1 } as const;
    const { queue, one } = await pair(muster, { provisioner }, 'FAILED');
    const { ticketId, players } = one;
    const again = await muster.api.post(`/queues/${queue}/tickets`, { ticketId, players });
    const ended = { code: 'TICKET_ENDED', ticketStatus: 'FAILED' };
    expect(again).toMatchObject({ status: 409, body: ended });
  },

  async 'be released by the schedule from a match whose messages were lost'(muster) {
    const { one } = await pair(muster, { provisioner: { type: 'external' } }, 'PLACING', true);
    await missDeadline(muster, one.matchId!);
    await eventually(async () => {
      await muster.cloud.schedules.run();
      expect((await muster.api.get(`/tickets/${one.ticketId}`)).body.status).toBe('FAILED');
    });
  },

  async 'fill the empty seat of a running match, and end it'(muster) {
    const { api } = muster;
    const { queue, one } = await pair(muster, { backfill: { priority: 'high' } }, 'COMPLETED');
    const path = `/matches/${one.matchId}`;
    const [stays] = (await api.get(path)).body.teams[0].players;
    const ask = async () => {
      const backfillId = fresh('backfill');
      const players = [{ playerId: stays.playerId, skill: 1, team: 0 }];
      expect([200, 201]).toContain((await api.post(`${path}/backfill`, { backfillId, players })).status);
      return `/backfills/${backfillId}`;
    };
    expect((await api.delete(await ask())).status).toBe(200);
    const backfill = await ask();
    const { ticketId } = await api.ticket(queue, 3);
    expect((await api.until(ticketId, 'COMPLETED')).matchId).toBe(one.matchId);
    expect((await api.get(backfill)).status).toBe(200);
    expect((await api.post(`${path}/end`, {})).status).toBe(200);
  },

  async 'rely on the schedule to wake queues and to remove deleted ones'(muster) {
    const [waiting, deleted] = [await muster.api.queue(), await muster.api.queue()];
    await muster.api.ticket(waiting, 1);
    await putToSleep(muster, waiting);
    await removeQueue(muster, deleted);
    await expectAwake(muster, waiting);
  },
} satisfies Record<string, Journey>;

/** Two tickets in a new queue, read when they have the status. @param isLinked whether the first also waits in another queue */
async function pair(
  muster: TestMuster,
  changes: Partial<QueueDefinition>,
  status: TicketStatus,
  isLinked = false,
): Promise<{ queue: string; one: TicketView; two: TicketView }> {
  const { api } = muster;
  const { queue, ...more } = isLinked
    ? await linkedQueue(muster, changes)
    : { queue: await api.queue(changes) };
  const [one, two] = [await api.ticket(queue, 1, more), await api.ticket(queue, 2)];
  return { queue, one: await api.until(one.ticketId, status), two: await api.until(two.ticketId, status) };
}

/** A new queue, and the `also` of a ticket that waits in another new queue too. */
async function linkedQueue({ api }: TestMuster, changes: Partial<QueueDefinition> = {}) {
  const group = fresh('group');
  const queue = await api.queue({ ...changes, group });
  return { queue, also: [{ queue: await api.queue({ group, tickSeconds: 60 }) }] };
}

/** Waits until the newest bucket layout of a queue is as expected. */
async function expectLayout(
  muster: TestMuster,
  name: string,
  isExpected: (layout: BucketLayout) => boolean,
): Promise<void> {
  await eventually(async () => {
    const rows = await muster.rows('queues');
    const { layouts } = rows.find(({ queue, item }) => queue === name && item === 'definition')!;
    const layout: BucketLayout = JSON.parse(layouts as string).at(-1);
    expect(layout, `the layout of ${name}`).toSatisfy(isExpected);
  });
}

async function accept({ api }: TestMuster, ticket: TicketView, accepted: boolean): Promise<void> {
  const { ticketId, matchId } = ticket;
  expect((await api.put(`/tickets/${ticketId}/acceptance`, { accepted, matchId })).status).toBe(200);
}

function webhook({ receiver }: Pick<TestMuster, 'receiver'>, path: string, events?: EventType[]) {
  return { url: receiver.url(path), secret: SECRET_NAME, ...(events && { events }) };
}

function http({ receiver }: TestMuster, path: string) {
  return { type: 'http' as const, url: receiver.url(path), secret: SECRET_NAME };
}

function failOnce({ receiver }: TestMuster, path: string, text: string, status = 500): void {
  receiver.answer(path, (_, response) => {
    response.statusCode = receiver.at(path).length === 1 ? status : 200;
    response.end(text);
  });
}

async function heard({ receiver }: TestMuster, path: string, type: EventType): Promise<void> {
  await receiver.deliveries.first((one) => one.path === path && one.verified().type === type);
}

/** Clears the queue's record of the ticks in flight. */
async function putToSleep(muster: TestMuster, queue: string): Promise<void> {
  await change(muster, queue, 'awakeUntilMs', 0);
  await change(muster, queue, 'sentUntilMs', 0);
}

/** Deletes a queue as if it were long ago, and waits until the schedule has removed it. No ticket may wait in it. */
async function removeQueue(muster: TestMuster, name: string): Promise<void> {
  await muster.api.delete(`/queues/${name}`);
  await putToSleep(muster, name);
  await change(muster, name, 'deletedAt', '2026-01-01T00:00:00.000Z');
  await eventually(async () => {
    await muster.cloud.schedules.run();
    expect((await muster.rows('queues')).filter(({ queue }) => queue === name)).toEqual([]);
  });
}

async function expectAwake(muster: TestMuster, name: string): Promise<void> {
  await eventually(async () => {
    const rows = await muster.rows('queues');
    const row = rows.find(({ queue, item }) => queue === name && item === 'definition');
    expect(row?.awakeUntilMs, `when ${name} is awake until`).toBeGreaterThan(Date.now() - 5_000);
  });
}

/** Moves the deadline of a match into the past. Its message still arrives at the original time. */
async function missDeadline({ cloud }: TestMuster, matchId: string): Promise<void> {
  const client = DynamoDBDocumentClient.from(new DynamoDBClient(cloud.awsConfig));
  await client.send(
    new UpdateCommand({
      TableName: cloud.function('deadline').environment.MATCHES_TABLE,
      Key: { matchId },
      UpdateExpression: 'SET deadline = :past',
      ExpressionAttributeValues: { ':past': new Date(Date.now() - 60_000).toISOString() },
    }),
  );
}

async function change({ cloud }: TestMuster, queue: string, attribute: string, value: unknown) {
  const client = DynamoDBDocumentClient.from(new DynamoDBClient(cloud.awsConfig));
  await client.send(
    new UpdateCommand({
      TableName: cloud.function('queues').environment.QUEUES_TABLE,
      Key: { queue, item: 'definition' },
      UpdateExpression: 'SET #attribute = :value',
      ExpressionAttributeNames: { '#attribute': attribute },
      ExpressionAttributeValues: { ':value': value },
    }),
  );
}
