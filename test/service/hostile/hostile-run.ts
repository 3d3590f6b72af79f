import { AsyncLocalStorage } from 'node:async_hooks';
import { type DynamoDBDocumentClient, GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { DynamoDBRecord } from 'aws-lambda';
import { backfillStore } from '../../../lib/aws/backfill-store.ts';
import { cooldownStore } from '../../../lib/aws/cooldown-store.ts';
import { overdueMatches } from '../../../lib/aws/deadline-index.ts';
import { deliveryStore } from '../../../lib/aws/delivery-store.ts';
import { erasedPlayers } from '../../../lib/aws/erased-players.ts';
import { eventBus, fromEnvelope } from '../../../lib/aws/event-bus.ts';
import { experimentStore } from '../../../lib/aws/experiment-store.ts';
import { ladderStore } from '../../../lib/aws/ladder-store.ts';
import { matchIdOf } from '../../../lib/aws/match-message.ts';
import { matchStore } from '../../../lib/aws/match-store.ts';
import { meetingStore } from '../../../lib/aws/meeting-store.ts';
import { PROVISION_BACKOFF } from '../../../lib/aws/message-consumer.ts';
import { deadlineTimer, deliverySender, tickSender } from '../../../lib/aws/message-queue.ts';
import { outcomeStore } from '../../../lib/aws/outcome-store.ts';
import { ParsedTickets } from '../../../lib/aws/parsed-tickets.ts';
import { presenceStore } from '../../../lib/aws/presence-store.ts';
import { queueStore } from '../../../lib/aws/queue-store.ts';
import { rangeStore } from '../../../lib/aws/range-store.ts';
import { ratingStore } from '../../../lib/aws/rating-store.ts';
import { receiverStore } from '../../../lib/aws/receiver-store.ts';
import { toChange } from '../../../lib/aws/stream.ts';
import { ticketStore } from '../../../lib/aws/ticket-store.ts';
import { isFinal } from '../../../lib/contract/ticket.ts';
import { provisioners } from '../../../lib/provisioners/provisioners.ts';
import { readDelivery } from '../../../lib/service/domain/delivery.ts';
import type { StoredMatch } from '../../../lib/service/domain/stored-match.ts';
import { readTickMessage } from '../../../lib/service/domain/tick-message.ts';
import { backoffSeconds } from '../../../lib/service/events/backoff.ts';
import { DeliveryLog } from '../../../lib/service/events/delivery-log.ts';
import { deliver } from '../../../lib/service/events/notify.ts';
import { DESTINATIONS, publish } from '../../../lib/service/events/publish.ts';
import { checkDeadline } from '../../../lib/service/placement/deadline.ts';
import { provision } from '../../../lib/service/placement/provision.ts';
import { trialOutbound } from '../../../lib/service/placement/trial-outbound.ts';
import type { OutboundResult } from '../../../lib/service/ports/outbound.ts';
import { cachedQueues } from '../../../lib/service/queues/read-queues.ts';
import { enqueueBatch } from '../../../lib/service/tickets/enqueue-batch.ts';
import { getTickets } from '../../../lib/service/tickets/read-tickets.ts';
import { CheckedTickets } from '../../../lib/service/ticks/checked-tickets.ts';
import { dispatch } from '../../../lib/service/ticks/dispatch.ts';
import { tick } from '../../../lib/service/ticks/tick.ts';
import { WarmSearches } from '../../../lib/service/ticks/warm-searches.ts';
import { type RandomSource, seededRandom } from '../../../lib/simulation/random.ts';
import { type EmulatedTables, startTables } from '../../aws/emulated-tables.ts';
import { NOW_MS } from '../../aws/samples.ts';
import { putQueue } from '../definitions.ts';
import type { Line } from '../virtual-cloud.ts';
import { VirtualTime } from '../virtual-time.ts';
import { FunctionLane, type Handled, Invocation } from './function-lane.ts';
import { laneLimits } from './lane-limits.ts';
import { limitedBus, limitedSqs } from './limited-aws.ts';
import { GOOD, goodTenant, hostileTenants, type Tenant } from './tenants.ts';

/** Seconds after the traffic in which everything must come to rest. */
const REST_SECONDS = 240;
/**
 * The bounds of the good tenant beside hostile ones, in milliseconds of virtual time: a player waits for the tick after the
 * next one at most, and a webhook comes after publishing, placing and publishing again.
 */
const WAIT_MAX_MS = 4_000;
const WEBHOOK_MAX_MS = 4_000;
/** A webhook whose first try has failed comes a second later, when an execution of the slow lane is free: each post takes up to 5 s. */
const RETRIED_MAX_MS = 12_000;
/** The first try of each webhook about one in so many matches of the good tenant fails. */
const FAILS_EVERY = 8;

/** The queues of SQS whose messages invoke functions. */
type LaneName = 'tick' | 'notify' | 'slowLane' | 'provision' | 'deadline';
/** How `publish` reads a stream: by batches, which are halved when one fails, and tried so often. */
const PUBLISH = { batchSize: 100, tries: 50, againMs: 1_000, everyMs: 100 } as const;
const MINUTE_MS = 60_000;
const POLL_MS = 50;
/** How often a run without traffic looks whether everything has ended. */
const REST_MS = 20_000;
/** Definitions change at this interval between one that can be read and one that cannot. */
const COMES_AND_GOES_MS = 7_000;

export interface HostileCounts {
  readonly tickets: number;
  readonly matches: number;
  readonly webhooks: number;
  /** Requests that endpoints of hostile tenants got. */
  readonly hostileRequests: number;
  /** Invocations that ended at their time limit. */
  readonly timeouts: number;
  /** Messages and records that failed and were tried again. */
  readonly failures: number;
}

/**
 * A good tenant beside three hostile ones, in virtual time. The production use cases and adapters run in functions with time
 * limits, batches and concurrency as on AWS, on tables in memory; plans, calls and responses take time. The same seed gives
 * the same run.
 */
export class HostileRun {
  readonly #time = new VirtualTime(NOW_MS);
  readonly #random: RandomSource;
  readonly #trafficMs: number;
  readonly #tenants: readonly Tenant[];
  readonly #line = new AsyncLocalStorage<Line>();
  readonly #tables: EmulatedTables;
  readonly #client: DynamoDBDocumentClient;
  readonly #lanes: Readonly<Record<LaneName, FunctionLane<unknown>>>;
  readonly #parts;
  readonly #postedMs = new Map<string, number>();
  readonly #created = new Map<string, StoredMatch>();
  /** When a webhook about each match came, by receiver and match. */
  readonly #webhookMs = new Map<string, number>();
  /** The webhooks of the good tenant whose first try has failed. */
  readonly #triedOnce = new Set<string>();
  readonly #failures: string[] = [];
  readonly #unpublished: string[] = [];
  #hostileRequests = 0;
  #ids = 0;
  #ended = false;

  /** @param trafficSeconds how long the tenants post tickets */
  static async start(seed: number, trafficSeconds = 60): Promise<HostileRun> {
    return new HostileRun(seed, await startTables('memory'), 1_000 * trafficSeconds);
  }

  private constructor(seed: number, tables: EmulatedTables, trafficMs: number) {
    this.#trafficMs = trafficMs;
    this.#random = seededRandom(seed).fork('hostile');
    this.#tables = tables;
    this.#tenants = [goodTenant(), ...hostileTenants(seed)];
    const pass: Line = (what, effect) => (this.#line.getStore() ?? freely)(what, effect);
    this.#client = tables.client((call, send) => pass(call.operation, send));
    const sqs = limitedSqs((url, body, options) =>
      pass('send a message', async () => this.#lanes[url as LaneName]?.send(JSON.parse(body), options)),
    );
    const bus = limitedBus((...event) => pass('put an event', async () => this.#route(...event)));
    const { names } = tables;
    this.#parts = {
      tickets: () => ticketStore(this.#client, names, new ParsedTickets()),
      matches: matchStore(this.#client, names),
      backfills: backfillStore(this.#client, names),
      queues: queueStore(this.#client, names.queues),
      ranges: rangeStore(this.#client, names.ranges),
      experiments: experimentStore(this.#client, names.ranges),
      meetings: meetingStore(this.#client, names.ranges),
      cooldowns: cooldownStore(this.#client, names.ranges),
      presence: presenceStore(this.#client, names.ranges),
      ladders: ladderStore(this.#client, names.queues),
      ratings: ratingStore(this.#client, names),
      receivers: receiverStore(this.#client, names.receivers),
      outcomes: outcomeStore(this.#client, names.ranges),
      failedShareMax: 0.25,
      deliveries: new DeliveryLog(deliveryStore(this.#client, names.receivers), () => this.#time.nowMs),
      erased: erasedPlayers(this.#client, names.receivers),
      overdue: overdueMatches(this.#client, names.matches, () => 0.5),
      ticks: tickSender(sqs, 'tick'),
      timer: deadlineTimer(sqs, 'deadline'),
      sender: () => deliverySender(sqs, { first: 'notify', slowLane: 'slowLane', deadLetters: 'dead' }),
      bus: eventBus(bus, 'bus'),
      secrets: { get: async () => ({ outcome: 'found' as const, value: 'whsec_c2VjcmV0' }) },
      outbound: { post: this.#post.bind(this) },
    };
    const lane = (name: LaneName, handle: Handler) =>
      new FunctionLane<unknown>({
        ...laneLimits(name),
        name,
        time: this.#time,
        handle: (message, invocation, receives) =>
          this.#line.run(invocation.line, () => handle(message, invocation, receives)),
        // `messageConsumer` sets the visibility of a message that fails; a tick leaves it.
        ...(name !== 'tick' && { failedAgainMs: (receives) => 1_000 * backoffSeconds(receives, 0.5) }),
      });
    const notify = this.#notify.bind(this);
    this.#lanes = {
      tick: lane('tick', this.#tick.bind(this)),
      notify: lane('notify', notify),
      slowLane: lane('slowLane', notify),
      provision: lane('provision', this.#provision.bind(this)),
      deadline: lane('deadline', this.#deadline.bind(this)),
    };
  }

  /** Runs the traffic and then waits for the end of all that it began. Returns what must not have happened. */
  async violations(): Promise<string[]> {
    for (const { definition } of this.#tenants)
      await putQueue(this.#parts.queues, definition, this.#time.nowMs);
    return this.#time.run(async () => {
      const startMs = this.#time.nowMs;
      const loops = [
        ...this.#tenants.map((tenant) => this.#traffic(tenant, startMs + this.#trafficMs)),
        this.#publishes('tickets'),
        this.#publishes('matches'),
        this.#minutes(),
      ];
      const endMs = startMs + this.#trafficMs + REST_SECONDS * 1_000;
      let found: string[] = [];
      for (let restMs = startMs + this.#trafficMs; this.#time.nowMs < endMs; ) {
        for (const one of Object.values(this.#lanes)) one.poll();
        await this.#time.sleep(POLL_MS);
        if (this.#time.nowMs < restMs) continue;
        found = await this.#found();
        if (found.length === 0) break;
        restMs += REST_MS;
      }
      this.#ended = true;
      await Promise.all(loops);
      return found;
    });
  }

  get counts(): HostileCounts {
    const lanes = Object.values(this.#lanes);
    return {
      tickets: this.#postedMs.size,
      matches: this.#created.size,
      webhooks: this.#webhookMs.size,
      hostileRequests: this.#hostileRequests,
      timeouts: lanes.reduce((sum, { timeouts }) => sum + timeouts, 0),
      failures: this.#failures.length + lanes.reduce((sum, one) => sum + one.failed, 0),
    };
  }

  /** What has failed and was tried again, for the trace of a run. */
  get failures(): readonly string[] {
    return [...this.#failures, ...Object.values(this.#lanes).flatMap(({ failures }) => [...failures.keys()])];
  }

  /** The dependencies of a function, with a cache and messages of its own. */
  #deps({ clock }: Invocation) {
    const { tickets, queues, sender, ...parts } = this.#parts;
    return {
      ...parts,
      tickets: tickets(),
      sender: sender(),
      queues: cachedQueues(queues, clock),
      clock,
      checked: new CheckedTickets(),
      newId: () => `00000000-0000-4000-8000-${String(this.#ids++).padStart(12, '0')}`,
      provisioners: provisioners({
        overHttp: {
          clock,
          secrets: parts.secrets,
          outbound: trialOutbound(parts.outbound, parts.receivers, clock.now),
        },
      }),
      now: () => this.#time.nowMs,
      random: () => this.#random.uniform(),
    };
  }

  async #tick(message: unknown, invocation: Invocation): Promise<Handled> {
    const due = readTickMessage(message);
    const deps = this.#deps(invocation);
    const { planMs } = this.#tenantOf(due.queue);
    // A tick takes its kept searches when it begins to plan.
    const searches = new WarmSearches();
    const take = searches.take.bind(searches);
    searches.take = (...range) => {
      invocation.planMs = planMs;
      return take(...range);
    };
    await tick({ ...deps, searches }, due);
    return undefined;
  }

  async #notify(message: unknown, invocation: Invocation): Promise<Handled> {
    const isFromBus = typeof message === 'object' && message !== null && 'detail-type' in message;
    const result = await deliver(
      this.#deps(invocation),
      isFromBus ? { event: fromEnvelope(message) } : readDelivery(message),
    );
    return again(result, 1);
  }

  async #provision(message: unknown, invocation: Invocation, receives: number): Promise<Handled> {
    const matchId = matchIdOf(message);
    return again(await provision(this.#deps(invocation), matchId, this.#time.nowMs), receives);
  }

  async #deadline(message: unknown, invocation: Invocation): Promise<Handled> {
    await checkDeadline(this.#deps(invocation), matchIdOf(message), this.#time.nowMs);
    return undefined;
  }

  /** The rules of the bus. */
  #route(type: string, detail: string, resources: readonly string[]): void {
    const message = { 'detail-type': type, detail: JSON.parse(detail) };
    const { match, queue: group } = message.detail;
    if (resources.some((one) => one.startsWith(DESTINATIONS.webhooks)))
      this.#lanes.notify.send(message, { group });
    if (match === undefined) return;
    const isPlacing = match.status === 'PLACING' && (type === 'MatchFound' || type === 'MatchAccepted');
    if (isPlacing && resources.includes(DESTINATIONS.httpProvisioner))
      this.#lanes.provision.send(message, { group });
    if (isPlacing || match.requeued) this.#lanes.deadline.send(message, { group });
  }

  /** A request to an endpoint of a tenant. */
  async #post(url: string, body: string, headers: Readonly<Record<string, string>>, timeoutMs: number) {
    const { host, pathname } = new URL(url);
    const tenant = this.#tenantOf(host.split('.')[0]!);
    const { afterMs, result: answer } = tenant.answer(this.#random, timeoutMs);
    if (tenant.definition.name !== GOOD) this.#hostileRequests++;
    await this.#line.getStore()!('post', () => this.#time.sleep(Math.min(afterMs, timeoutMs)));
    const matchId = pathname.startsWith('/hooks') ? JSON.parse(body).data.match?.matchId : undefined;
    const isFirst = isRetried(tenant, matchId) && !this.#triedOnce.has(headers['webhook-id']!);
    if (isFirst) this.#triedOnce.add(headers['webhook-id']!);
    const result: OutboundResult = isFirst ? { outcome: 'responded', status: 500, body: '' } : answer;
    if (matchId !== undefined && result.outcome === 'responded' && result.status === 200) {
      const key = `${url} ${matchId}`;
      if (!this.#webhookMs.has(key)) this.#webhookMs.set(key, this.#time.nowMs);
    }
    return result;
  }

  #tenantOf(queue: string): Tenant {
    return this.#tenants.find(({ definition }) => definition.name === queue)!;
  }

  /** Posts the tickets of a tenant, and lets its definition come and go. */
  async #traffic(tenant: Tenant, untilMs: number): Promise<void> {
    const random = this.#random.fork(tenant.definition.name);
    let readable = true;
    let changesAtMs = this.#time.nowMs + COMES_AND_GOES_MS;
    while (this.#time.nowMs < untilMs) {
      if (tenant.comesAndGoes && this.#time.nowMs >= changesAtMs) {
        readable = !readable;
        changesAtMs += COMES_AND_GOES_MS;
        await this.#writeDefinition(tenant, readable);
      }
      await this.#postGroup(tenant, random);
      await this.#time.sleep(1_000 * tenant.everySeconds);
    }
    if (!readable) await this.#writeDefinition(tenant, true);
  }

  async #postGroup({ definition: { name }, group, player }: Tenant, random: RandomSource): Promise<void> {
    const tickets = Array.from({ length: group }, () => {
      const id = `${name}-${this.#ids++}`;
      return { ticketId: id, players: [{ playerId: `p-${id}`, ...player(random) }] };
    });
    // As many as a request may have in bytes.
    const size = name === GOOD ? group : 20;
    for (let at = 0; at < group; at += size) {
      const invocation = new Invocation(this.#time);
      const batch = { tickets: tickets.slice(at, at + size) };
      const nowMs = this.#time.nowMs;
      const outcomes = await this.#line
        .run(invocation.line, () => enqueueBatch(this.#deps(invocation), name, batch, nowMs))
        .catch((error: Error) => {
          this.#failures.push(`enqueue: ${error}`);
          return [];
        });
      for (const one of outcomes) if (one.outcome === 'enqueued') this.#postedMs.set(one.ticketId!, nowMs);
    }
  }

  /** Writes the text of a definition that this version can read, or one that it cannot. */
  async #writeDefinition({ definition }: Tenant, readable: boolean): Promise<void> {
    const text = { ...definition, ...(!readable && { release: { policy: 'of a later version' } }) };
    const Key = { queue: definition.name, item: 'definition' };
    const TableName = this.#tables.names.queues;
    const { Item } = await this.#client.send(new GetCommand({ TableName, Key }));
    if (typeof Item?.definition !== 'string')
      throw new Error(`Expected the definition as text, got ${JSON.stringify(Item)}`);
    await this.#client.send(
      new UpdateCommand({
        TableName,
        Key,
        UpdateExpression: 'SET #d = :d',
        ExpressionAttributeNames: { '#d': 'definition' },
        ExpressionAttributeValues: { ':d': JSON.stringify(text) },
      }),
    );
  }

  /** Publishes the records of a stream in their order, as Lambda reads one: a batch that fails is halved and tried again. */
  async #publishes(table: 'tickets' | 'matches'): Promise<void> {
    const read = this.#tables.stream(table);
    const records: DynamoDBRecord[] = [];
    let size: number = PUBLISH.batchSize;
    let tries = 0;
    while (!this.#ended) {
      records.push(...(await read()));
      if (records.length === 0) {
        await this.#time.sleep(PUBLISH.everyMs);
        continue;
      }
      const batch = records.slice(0, size);
      const invocation = new Invocation(this.#time);
      const done = await this.#line
        .run(invocation.line, () => this.#publish(invocation, batch))
        .catch((error: Error) => {
          this.#failures.push(`publish: ${error}`);
          return 0;
        });
      records.splice(0, done);
      tries = done > 0 ? 0 : tries + 1;
      size = done > 0 ? PUBLISH.batchSize : Math.max(1, size >> 1);
      if (tries > PUBLISH.tries) {
        this.#unpublished.push(JSON.stringify(records.shift()!.dynamodb!.Keys ?? table));
        tries = 0;
      }
      if (done === 0) await this.#time.sleep(PUBLISH.againMs);
    }
  }

  /** @returns how many records are done with, from the first on */
  async #publish(invocation: Invocation, batch: readonly DynamoDBRecord[]): Promise<number> {
    const changes = batch.flatMap((record, index) => {
      const change = toChange(record);
      return change === undefined ? [] : [{ index, change }];
    });
    for (const { change } of changes)
      if (change.table === 'matches' && change.before === undefined)
        this.#created.set(change.after.matchId, change.after);
    const again = await publish(
      this.#deps(invocation),
      changes.map(({ change }) => change),
    );
    return again.length === 0 ? batch.length : changes[Math.min(...again)]!.index;
  }

  /** Runs `dispatch` every minute. */
  async #minutes(): Promise<void> {
    while (!this.#ended) {
      const invocation = new Invocation(this.#time);
      await this.#line
        .run(invocation.line, () => dispatch(this.#deps(invocation), this.#time.nowMs))
        .then(
          ({ failed }) =>
            this.#failures.push(...failed.map(({ what, error }) => `dispatch: ${what}: ${error}`)),
          (error: Error) => this.#failures.push(`dispatch: ${error}`),
        );
      for (let ms = 0; ms < MINUTE_MS && !this.#ended; ms += 1_000) await this.#time.sleep(1_000);
    }
  }

  async #found(): Promise<string[]> {
    const found: string[] = this.#unpublished.map((keys) => `a change was given up: ${keys}`);
    const invocation = new Invocation(this.#time);
    const deps = { ...this.#deps(invocation) };
    const matchOf = new Map<string, string>();
    const ids = [...this.#postedMs.keys()];
    const seen = new Set<string>();
    for (let at = 0; at < ids.length; at += 50) {
      for (const { ticketId, status, matchId } of await getTickets(deps, ids.slice(at, at + 50))) {
        seen.add(ticketId);
        if (!isFinal(status)) found.push(`ticket ${ticketId} is still ${status}`);
        if (matchId !== undefined) matchOf.set(ticketId, matchId);
      }
    }
    found.push(...ids.filter((id) => !seen.has(id)).map((id) => `ticket ${id} is lost`));
    for (const ticketId of ids.filter((id) => id.startsWith(GOOD))) {
      const match = this.#created.get(matchOf.get(ticketId) ?? '');
      if (match === undefined) found.push(`ticket ${ticketId} has no match`);
      else {
        const waitMs = Date.parse(match.createdAt) - this.#postedMs.get(ticketId)!;
        if (waitMs > WAIT_MAX_MS) found.push(`ticket ${ticketId} waited ${waitMs} ms for its match`);
      }
    }
    for (const { queue, matchId, createdAt } of this.#created.values()) {
      const { definition, losesNothing } = this.#tenantOf(queue);
      for (const { url } of losesNothing ? definition.webhooks! : []) {
        const afterMs = (this.#webhookMs.get(`${url} ${matchId}`) ?? Number.NaN) - Date.parse(createdAt);
        if (Number.isNaN(afterMs)) found.push(`no webhook of match ${matchId} came to ${url}`);
        else if (
          queue === GOOD &&
          afterMs > (isRetried(this.#tenantOf(queue), matchId) ? RETRIED_MAX_MS : WEBHOOK_MAX_MS)
        )
          found.push(`the webhook of match ${matchId} came after ${afterMs} ms`);
      }
    }
    return found;
  }
}

type Handler = (message: unknown, invocation: Invocation, receives: number) => Promise<Handled>;

/** Whether the first try of each webhook about a match fails, so that it passes the slow lane. */
function isRetried({ definition }: Tenant, matchId: string | undefined): boolean {
  return definition.name === GOOD && matchId !== undefined && Number(matchId.slice(-12)) % FAILS_EVERY === 0;
}

const freely: Line = (_, effect) => effect();

/** What `messageConsumer` does with a message that is not done with. */
function again(result: { outcome: string; withinMs?: number; afterMs?: number }, receives: number): Handled {
  if (result.outcome === 'waiting') return { againMs: result.afterMs ?? 1_000 };
  if (result.outcome !== 'retry') return undefined;
  const seconds = backoffSeconds(receives, 0.5, { ...PROVISION_BACKOFF, withinMs: result.withinMs });
  return { againMs: 1_000 * seconds };
}
