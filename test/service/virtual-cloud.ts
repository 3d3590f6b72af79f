import { AsyncLocalStorage } from 'node:async_hooks';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { DynamoDBRecord } from 'aws-lambda';
import { overdueMatches } from '../../lib/aws/deadline-index.ts';
import { erasedPlayers } from '../../lib/aws/erased-players.ts';
import { latestMatches } from '../../lib/aws/latest-index.ts';
import { ParsedTickets } from '../../lib/aws/parsed-tickets.ts';
import { poolSample } from '../../lib/aws/pool-sample.ts';
import { answersChanges, toChange } from '../../lib/aws/stream.ts';
import { ticketStore } from '../../lib/aws/ticket-store.ts';
import type { MusterEvent } from '../../lib/contract/events.ts';
import { provisioners } from '../../lib/provisioners/provisioners.ts';
import type { AnswersChange } from '../../lib/service/domain/answers.ts';
import type { Delivery } from '../../lib/service/domain/delivery.ts';
import type { PushRetry } from '../../lib/service/domain/push-retry.ts';
import type { TickMessage } from '../../lib/service/domain/tick-message.ts';
import { countOutcomes, countRejected } from '../../lib/service/events/count-outcomes.ts';
import { countUnmatched } from '../../lib/service/events/count-unmatched.ts';
import { DeliveryLog } from '../../lib/service/events/delivery-log.ts';
import { type Change, DESTINATIONS, publish } from '../../lib/service/events/publish.ts';
import { checkDeadline } from '../../lib/service/placement/deadline.ts';
import { provision } from '../../lib/service/placement/provision.ts';
import type { OutboundResult } from '../../lib/service/ports/outbound.ts';
import type { CountedQueue } from '../../lib/service/queues/count-queue.ts';
import { cachedQueues } from '../../lib/service/queues/read-queues.ts';
import { OddsLearner } from '../../lib/service/ratings/odds-learner.ts';
import { rateResult } from '../../lib/service/ratings/rate-result.ts';
import { CheckedTickets } from '../../lib/service/ticks/checked-tickets.ts';
import { dispatch } from '../../lib/service/ticks/dispatch.ts';
import { type TickDeps, tick } from '../../lib/service/ticks/tick.ts';
import { WarmSearches } from '../../lib/service/ticks/warm-searches.ts';
import type { EmulatedTables } from '../aws/emulated-tables.ts';
import { NOW_MS } from '../aws/samples.ts';
import { storesOf } from './stores.ts';

/**
 * Intercepts every call to a port: it may delay the call, fail it before it takes effect, or lose its result.
 */
export type Line = <T>(what: string, effect: () => Promise<T>) => Promise<T>;

export type Table = keyof EmulatedTables['names'];

export type Streams = readonly (() => Promise<DynamoDBRecord[]>)[];

export interface Due<T> {
  readonly what: T;
  readonly dueMs: number;
}

/**
 * Runs the use cases on the stores of an emulator, with a clock that the test sets, and with queues and a bus that
 * keep messages until the test takes them.
 */
export class VirtualCloud {
  nowMs = NOW_MS;
  readonly tickMessages: Due<TickMessage>[] = [];
  readonly deadlineMessages: Due<string>[] = [];
  /** Messages of notify's two queues, and its dead letters. */
  readonly deliveries: Due<Delivery>[] = [];
  readonly deadLetters: Delivery[] = [];
  /** Webhooks that a receiver has accepted, by URL and event, including repeated ones. */
  readonly posted: string[] = [];
  /** The response of a webhook receiver. */
  answer: (url: string) => OutboundResult = () => ({ outcome: 'responded', status: 204, body: '' });
  /** Why a call to a table fails before it takes effect; undefined lets it pass. */
  refuse: ((table: Table) => Error | undefined) | undefined;
  /** The response of the game backend that places matches. */
  host: (matchId: string) => OutboundResult = (matchId) => ({
    outcome: 'responded',
    status: 200,
    body: JSON.stringify({ address: `${matchId}.games.example` }),
  });
  /** Matches for the provisioner to place, as the bus's rule sends them. */
  readonly placements: string[] = [];
  /** Matches whose result is to be rated, as the bus's rule sends them. */
  readonly results: string[] = [];
  /** Players who could not be reached on their sockets. */
  readonly pushRetries: Due<PushRetry>[] = [];
  /** Every event that the bus accepted, including repeated ones. */
  readonly events: MusterEvent[] = [];
  /** Every write in the streams, each once. */
  readonly changes: Change[] = [];
  /** What was counted of queues. */
  readonly counted: CountedQueue[] = [];
  /** Every generated id: those of leases, and those of all possible matches. */
  readonly ids: string[] = [];
  readonly deps;
  /** Answers to matches that the streams have reported. Who sends them to game clients takes them out. */
  readonly answered: AnswersChange[] = [];
  /** Sends changes to game clients, if there are any. */
  pushed: (changes: readonly Change[]) => Promise<unknown> = async () => {};
  /** Passes a call on the line of the function that makes it. */
  readonly pass: Line;
  /** The tables, by calls that pass the line. */
  readonly client: DynamoDBDocumentClient;
  /** The parts of the dependencies that a function instance keeps between its ticks. */
  readonly newInstance: () => Pick<TickDeps, 'tickets' | 'checked' | 'searches'>;
  readonly #line = new AsyncLocalStorage<Line>();
  readonly #streams: Streams;
  #written = false;

  /**
   * @param streams the streams of the tickets and the matches
   * @param idPrefix the prefix of the ids of leases and matches, which separates several clouds on the same tables
   */
  constructor(tables: EmulatedTables, streams: Streams, idPrefix = '') {
    const pass: Line = (what, effect) => (this.#line.getStore() ?? freely)(what, effect);
    this.pass = pass;
    const { tickets, matches, receivers } = tables.names;
    const isUnstreamed = (table = '') => table !== '' && table !== tickets && table !== matches;
    const client = tables.client((call, send) => {
      const tableOf = () => {
        const text = JSON.stringify(call.input);
        return Object.entries(tables.names).find(([, one]) => text.includes(`"${one}"`))![0] as Table;
      };
      const refused = this.refuse?.(tableOf());
      if (refused !== undefined) return Promise.reject(refused);
      const isStreamed = WRITES.test(call.operation) && !isUnstreamed(call.input.TableName);
      return pass(call.operation, async () => {
        const reply = await send();
        // Not earlier: the line may delay the call, and the streams may be read before it takes effect.
        this.#written ||= isStreamed;
        return reply;
      });
    });
    this.client = client;
    this.#streams = streams;
    const clock = {
      now: () => this.nowMs,
      sleep: (ms: number) =>
        pass('sleep', async () => {
          this.nowMs += ms;
        }),
    };
    this.newInstance = () => ({
      tickets: ticketStore(client, tables.names, new ParsedTickets()),
      checked: new CheckedTickets(),
      searches: new WarmSearches(),
    });
    const stores = storesOf(client, tables.names);
    this.deps = {
      ...stores,
      queues: cachedQueues(stores.queues, clock),
      odds: new OddsLearner(stores.ratings, clock),
      deliveries: new DeliveryLog(stores.deliveryRecords, () => this.nowMs),
      erased: erasedPlayers(client, receivers),
      secrets: {
        get: (name: string) =>
          pass('get secret', async () => ({ outcome: 'found' as const, value: `whsec_${btoa(name)}` })),
      },
      outbound: {
        post: (url: string, body: string) =>
          pass('post', async () => {
            const result = this.answer(url);
            const isTaken = result.outcome === 'responded' && result.status < 300;
            if (isTaken) this.posted.push(`${url} ${JSON.parse(body).data.eventId}`);
            return result;
          }),
      },
      sender: {
        split: (deliveries: readonly Delivery[]) =>
          pass('split', async () => {
            for (const what of deliveries) this.deliveries.push({ what, dueMs: this.nowMs });
          }),
        slowLane: (what: Delivery, afterMs: number) =>
          pass('send to the slow lane', async () => {
            this.deliveries.push({ what, dueMs: this.nowMs + Math.ceil(afterMs / 1_000) * 1_000 });
          }),
        deadLetter: (delivery: Delivery) =>
          pass('send a dead letter', async () => {
            this.deadLetters.push(delivery);
          }),
      },
      now: () => this.nowMs,
      random: () => 0.5,
      failedShareMax: 0.25,
      overdue: overdueMatches(client, tables.names.matches, () => 0.5),
      latest: latestMatches(client, tables.names),
      pool: poolSample(client, tables.names),
      clock,
      newId: () => {
        const id = `${idPrefix}id-${this.ids.length}`;
        this.ids.push(id);
        return id;
      },
      ticks: {
        send: (messages: readonly TickMessage[], nowMs: number) =>
          pass('send ticks', async () => {
            for (const what of messages) this.tickMessages.push({ what, dueMs: arrivalMs(what, nowMs) });
          }),
      },
      timer: {
        again: (matchIds: readonly string[], afterMs: number) =>
          pass('send deadline', async () => {
            const dueMs = this.nowMs + Math.ceil(afterMs / 1_000) * 1_000;
            for (const what of matchIds) this.deadlineMessages.push({ what, dueMs });
          }),
      },
      bus: {
        publish: (events: readonly { event: MusterEvent; destinations: readonly string[] }[]) =>
          pass('put events', async () => {
            for (const { event, destinations } of events) this.#route(event, destinations);
            return [] as number[];
          }),
      },
      retries: {
        send: (retries: readonly PushRetry[]) =>
          pass('send push retries', async () => {
            for (const what of retries) this.pushRetries.push({ what, dueMs: this.nowMs + 1_000 });
          }),
      },
      provisioners: provisioners({
        overHttp: {
          clock,
          secrets: {
            get: (name: string) =>
              pass('get secret', async () => ({ outcome: 'found' as const, value: `whsec_${btoa(name)}` })),
          },
          outbound: {
            post: (_url: string, body: string) =>
              pass('post', async () => this.host(JSON.parse(body).matchId)),
          },
        },
      }),
    };
  }

  /** Runs a task whose calls to ports all pass this line. */
  on<T>(line: Line, task: () => Promise<T>): Promise<T> {
    return this.#line.run(line, task);
  }

  /** The rules of the bus. */
  #route(event: MusterEvent, destinations: readonly string[]): void {
    this.events.push(event);
    if (event.type === 'MatchFailed' && event.match.requeued)
      this.deadlineMessages.push({ what: event.match.matchId, dueMs: this.nowMs });
    if (event.type === 'MatchEnded' && destinations.includes(DESTINATIONS.rate))
      this.results.push(event.match.matchId);
    if (event.type !== 'MatchFound' && event.type !== 'MatchAccepted') return;
    const { matchId, status } = event.match;
    if (status === 'REQUIRES_ACCEPTANCE' || status === 'PLACING')
      this.deadlineMessages.push({ what: matchId, dueMs: this.nowMs });
    if (status === 'PLACING' && destinations.includes(DESTINATIONS.httpProvisioner))
      this.placements.push(matchId);
  }

  /** The changes in the streams since the last call. */
  async newChanges(): Promise<Change[]> {
    if (!this.#written) return [];
    this.#written = false;
    const records = await Promise.all(this.#streams.map((read) => read()));
    const changes = records.flat().flatMap((record) => toChange(record) ?? []);
    this.answered.push(...answersChanges(records.flat()));
    this.changes.push(...changes);
    return changes;
  }

  /** Removes and returns the tick messages that are due, oldest first. */
  dueTicks(): TickMessage[] {
    return takeDue(this.tickMessages, this.nowMs);
  }

  duePushRetries(): PushRetry[] {
    return takeDue(this.pushRetries, this.nowMs);
  }

  dueDeliveries(): Delivery[] {
    return takeDue(this.deliveries, this.nowMs);
  }

  dueDeadlines(): string[] {
    return takeDue(this.deadlineMessages, this.nowMs);
  }

  /**
   * Runs the cloud without faults for some time: the schedule every minute, every message when it is due, and every
   * write to the bus.
   */
  async run(forMs: number): Promise<void> {
    const untilMs = this.nowMs + forMs;
    for (;;) {
      await this.#publish();
      for (const matchId of this.placements.splice(0)) {
        const result = await provision(this.deps, matchId, this.nowMs);
        if ('counted' in result && result.counted) this.counted.push(result.counted);
      }
      for (const matchId of this.results.splice(0)) await rateResult(this.deps, matchId);
      for (const matchId of this.dueDeadlines()) await checkDeadline(this.deps, matchId, this.nowMs);
      for (const message of this.dueTicks()) await tick(this.deps, message);
      const minuteMs = Math.floor(this.nowMs / 60_000) * 60_000 + 60_000;
      const next = [...this.tickMessages, ...this.deadlineMessages].map(({ dueMs }) => dueMs);
      this.nowMs = Math.max(this.nowMs, Math.min(untilMs, minuteMs, ...next));
      if (this.nowMs === minuteMs) await dispatch(this.deps, this.nowMs);
      if (this.nowMs >= untilMs) break;
    }
    await this.#publish();
  }

  async #publish(): Promise<void> {
    const changes = await this.newChanges();
    const rejected = await publish(this.deps, changes);
    await countRejected(
      this.deps,
      rejected.map((index) => changes[index]!),
      this.nowMs,
    );
    await this.pushed(changes);
    this.counted.push(...(await countOutcomes(this.deps, changes, this.nowMs)));
    await countUnmatched(this.deps, changes, this.nowMs);
  }
}

const WRITES = /^(Put|Update|Delete|TransactWrite)/;

const freely: Line = (_, effect) => effect();

/** SQS counts delays in whole seconds. */
function arrivalMs({ slotMs }: TickMessage, nowMs: number): number {
  return nowMs + Math.max(0, Math.floor((slotMs - nowMs) / 1_000)) * 1_000;
}

/** Removes and returns the messages that are due, oldest first. */
export function takeDue<T>(messages: Due<T>[], nowMs: number): T[] {
  const due = messages.filter(({ dueMs }) => dueMs <= nowMs).sort((a, b) => a.dueMs - b.dueMs);
  messages.splice(0, messages.length, ...messages.filter(({ dueMs }) => dueMs > nowMs));
  return due.map(({ what }) => what);
}
