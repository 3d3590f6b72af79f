import { unpackId } from '../../../lib/aws/compact-id.ts';
import type { QueueDefinition } from '../../../lib/contract/queue-definition.ts';
import { CONCURRENCY } from '../../../lib/infra/limits.ts';
import type { BucketLayout } from '../../../lib/service/domain/buckets.ts';
import { StoreBusy } from '../../../lib/service/ports/store-busy.ts';
import { quantile } from '../../../lib/service/queues/quantile.ts';
import { enqueueBatch } from '../../../lib/service/tickets/enqueue-batch.ts';
import { getTicket } from '../../../lib/service/tickets/read-tickets.ts';
import { type RandomSource, seededRandom } from '../../../lib/simulation/random.ts';
import { NOW_MS } from '../../aws/samples.ts';
import { definition, putQueue } from '../../service/definitions.ts';
import { WebhookLanes } from '../../service/events/webhook-lanes.ts';
import { type Instance, Region, type WriteInput } from './region.ts';

export interface ScaleOptions {
  readonly seed: number;
  /** @default ASSUMPTIONS.cpuFactor; 0 measures no CPU time, so that the seed alone decides */
  readonly cpuFactor: number;
  /** The weights of tickets with 1, 2, … players. */
  readonly partyWeights: readonly number[];
  readonly definition: Partial<QueueDefinition>;
  /** The number of tickets in a request. */
  readonly batch: number;
  /** Other traffic of the same account. @default none */
  readonly bystanders?: Bystanders;
}

/** Traffic that must not change the matching. */
export interface Bystanders {
  /** Requests a second for a ticket, chosen among those posted in the last seconds. */
  readonly pollsPerSecond: number;
  /** Webhook receivers, each of its own queue. Every match is an event for one of them, in turn. */
  readonly receivers: number;
  /** So many of them never respond. */
  readonly hanging: number;
}

/** A bucket layout that was stored. */
interface LayoutRecord {
  readonly second: number;
  readonly buckets: number;
}

const QUEUE = 'scale';
const OVERTAKEN = 'its slot is already searched';
/** After a rejected request, a client posts the ticket again after this time, plus a random time of up to the same length. */
const RETRY_MS = 1_000;
/** Tickets posted in this time are polled, and an ended ticket is kept for longer. */
const POLLED_MS = 3_000;
const KEPT_MS = 8_000;
/** The time from a match to the message about its event. */
const PUBLISH_MS = 300;
/** Statuses of a ticket, by its number. */
const [POSTED, CLAIMED, MATCHED, ENDED] = [1, 2, 3, 4];
/** A ticket that was claimed longer ago than a tick can run, and whose match does not exist, is lost. */
const CLAIM_MAX_MS = 15_000;

/** A queue under load in a simulated region. */
export class ScaleRun {
  readonly region: Region;
  readonly layouts: LayoutRecord[] = [];
  /** Players matched in each second. */
  readonly matchedPerSecond: number[] = [];
  /** Seconds that matched tickets have waited since their first request. */
  waits: number[] = [];
  imbalances: number[] = [];
  /** Tickets that were in two matches, or in one after their end. */
  twice = 0;
  /** The number of requests for tickets that the store could not accept. */
  refused = 0;
  /** Milliseconds from the start to the first match. */
  firstMatchMs: number | undefined;
  readonly startMs = NOW_MS;
  #forgottenSeconds = 0;
  /** Further results, each in words. */
  readonly notes: string[] = [];
  readonly #random: RandomSource;
  readonly #options: ScaleOptions;
  readonly #idle: Instance[] = [];
  readonly #idlePolls: Instance[] = [];
  readonly webhooks: WebhookLanes | undefined;
  /** Seconds from polls to their responses, and the number of polls without one. */
  polls: number[] = [];
  failedPolls = 0;
  readonly #polled: { readonly ticketId: string; readonly postedMs: number }[] = [];
  readonly #ended: { readonly table: string; readonly key: string; readonly atMs: number }[] = [];
  #events = 0;
  #statuses = new Uint8Array(1 << 16);
  #sizes = new Uint8Array(1 << 16);
  #postedMs = new Float64Array(1 << 16);
  /** The tickets that were claimed for each match that does not exist, by its id, and when the last one was. */
  readonly #claims = new Map<string, { readonly numbers: Set<number>; atMs: number }>();
  #count = 0;
  #posting = 0;
  #version = 0;

  constructor(options: ScaleOptions) {
    this.#options = options;
    this.#random = seededRandom(options.seed);
    this.region = new Region(NOW_MS, options.cpuFactor, this.#random.fork('region'));
    this.region.onWrite = (operation, input) => this.#see(operation, input);
    const { bystanders } = options;
    if (bystanders === undefined) return;
    this.webhooks = new WebhookLanes(this.region.time, {
      receiver: (receiver) => (receiver < bystanders.hanging ? 'hangs' : 'answers'),
      concurrency: { first: CONCURRENCY.notify, slow: CONCURRENCY.notifySlow },
      executions: this.region.executions,
      receivers: this.region.instance().receivers,
    });
    this.region.onStep = () => this.webhooks!.poll();
  }

  async start(): Promise<void> {
    const { deps, clock } = this.region.instance();
    const { release, ...changes } = this.#options.definition;
    const wanted = definition({
      teamSize: 5,
      timeoutSeconds: 600,
      ...changes,
      name: QUEUE,
      ...(release && { release }),
    });
    const put = putQueue(deps.queues, wanted, clock.now());
    await this.region.runUntil(this.region.time.nowMs + 5_000);
    await put;
  }

  /** Seconds since the start. */
  get second(): number {
    return Math.round((this.region.time.nowMs - NOW_MS) / 1_000);
  }

  /** Seconds since the start, or since `forget`. */
  get measuredSeconds(): number {
    return this.second - this.#forgottenSeconds;
  }

  get waiting(): number {
    let waiting = 0;
    for (let i = 0; i < this.#count; i++)
      if (this.#statuses[i] === POSTED || this.#statuses[i] === CLAIMED) waiting++;
    return waiting;
  }

  /** Tickets that were posted or are still being posted, but are not ended, stored, or claimed by a running tick. */
  get lost(): number {
    let pool = 0;
    for (const { status } of this.region.dynamodb.tables.get(this.region.tables.tickets)!.all())
      if (status === 'QUEUED') pool++;
    const oldMs = this.region.time.nowMs - CLAIM_MAX_MS;
    let claimed = 0;
    let stuck = 0;
    for (const { numbers, atMs } of this.#claims.values()) {
      claimed += numbers.size;
      if (atMs < oldMs) stuck += numbers.size;
    }
    return this.waiting - claimed - pool + stuck;
  }

  /** Receivers with a number below this hang. */
  get hanging(): number {
    return this.#options.bystanders?.hanging ?? 0;
  }

  get posted(): number {
    return this.#count;
  }

  /** Tickets that are not stored yet. */
  get outside(): number {
    return this.#posting;
  }

  /** Advances the time by a second, in which this number of players arrive. */
  async aSecond(players: number): Promise<void> {
    const { time } = this.region;
    const endMs = time.nowMs + 1_000;
    let left = players + this.#debt;
    const tickets: Posted[] = [];
    while (left > 0) {
      const one = this.#newTicket();
      tickets.push(one);
      left -= one.players.length;
    }
    this.#debt = left;
    for (let at = 0; at < tickets.length; at += this.#options.batch)
      void this.#post(tickets.slice(at, at + this.#options.batch), this.#random.uniform() * 1_000);
    for (let i = 0; i < (this.#options.bystanders?.pollsPerSecond ?? 0); i++)
      void this.#poll(this.#random.uniform() * 1_000);
    await this.region.runUntil(endMs);
    this.#expire();
    this.#watchLayouts();
  }
  #debt = 0;

  /** Discards the measurements so far, so that only later ones count. */
  forget(): void {
    this.#forgottenSeconds = this.second;
    this.waits = [];
    this.imbalances = [];
    this.region.ticks.length = 0;
    this.region.meter.forget();
    this.region.throttled = 0;
    this.refused = 0;
    this.polls = [];
    this.failedPolls = 0;
    this.region.executions.max = 0;
  }

  waitSeconds(share: number): number {
    return quantile(Float64Array.from(this.waits).sort(), share) ?? Number.NaN;
  }

  tickSeconds(share: number): number {
    const durations = this.region.ticks.flatMap(({ result, durationMs }) =>
      result !== 'failed' && result.outcome === 'searched' ? [durationMs / 1_000] : [],
    );
    return quantile(Float64Array.from(durations).sort(), share) ?? Number.NaN;
  }

  /** Ticks that were so late that the next slot of their range was already searched. Their tickets have not waited longer for it. */
  overtakenTicks(): number {
    return this.region.ticks.filter(
      ({ result }) => result !== 'failed' && result.outcome === 'dropped' && result.why === OVERTAKEN,
    ).length;
  }

  /** Other ticks that searched nothing, by the reason. */
  missedTicks(): Map<string, number> {
    const missed = new Map<string, number>();
    for (const { result } of this.region.ticks) {
      if (result !== 'failed' && result.outcome === 'searched') continue;
      const why = result === 'failed' ? 'throttled' : (result as { why: string }).why;
      if (why === OVERTAKEN) continue;
      missed.set(why, (missed.get(why) ?? 0) + 1);
    }
    return missed;
  }

  /** The first missed ticks, each in words. */
  missedExamples(): string[] {
    const missed = this.region.ticks.filter(
      ({ result }) => result === 'failed' || result.outcome !== 'searched',
    );
    return missed.slice(0, 5).map(({ message, result, durationMs, afterSlotMs }) => {
      const why = result === 'failed' ? 'throttled' : (result as { why: string }).why;
      const second = Math.round((message.slotMs - this.startMs) / 1_000);
      return `not searched at ${second} s: layout ${message.layout}, range ${message.range}, ${durationMs.toFixed(0)} ms, ended ${afterSlotMs.toFixed(0)} ms after its slot: ${why}`;
    });
  }

  imbalanceMean(): number {
    return this.imbalances.reduce((sum, one) => sum + one, 0) / this.imbalances.length;
  }

  #newTicket(): Posted {
    const number = this.#count++;
    if (number >= this.#statuses.length) this.#grow();
    const size = 1 + this.#draw(this.#options.partyWeights);
    this.#postedMs[number] = 0;
    this.#sizes[number] = size;
    const hex = Math.floor(this.#random.uniform() * 2 ** 32)
      .toString(16)
      .padStart(8, '0');
    const ticketId = `${hex}-5eed-4000-8000-${String(number).padStart(12, '0')}`;
    const players = Array.from({ length: size }, (_, i) => ({
      playerId: `${hex}-91a4-4${String(i).padStart(3, '0')}-8000-${String(number).padStart(12, '0')}`,
      skill: skillOf(this.#random),
    }));
    return { ticketId, players };
  }

  #grow(): void {
    const length = 2 * this.#statuses.length;
    const grown = [new Uint8Array(length), new Uint8Array(length), new Float64Array(length)] as const;
    grown[0].set(this.#statuses);
    grown[1].set(this.#sizes);
    grown[2].set(this.#postedMs);
    [this.#statuses, this.#sizes, this.#postedMs] = grown;
  }

  #draw(weights: readonly number[]): number {
    let left = this.#random.uniform() * weights.reduce((sum, weight) => sum + weight, 0);
    return Math.max(
      0,
      weights.findIndex((weight) => {
        left -= weight;
        return left < 0;
      }),
    );
  }

  /** Sends a batch, and repeats the tickets that the store could not accept. */
  async #post(tickets: readonly Posted[], afterMs: number): Promise<void> {
    const { time } = this.region;
    this.#posting += tickets.length;
    await time.sleep(afterMs);
    for (const { ticketId } of tickets) {
      const number = numberOf(ticketId);
      this.#postedMs[number] ||= time.nowMs;
    }
    const { executions } = this.region;
    const instance = this.#idle.pop() ?? this.region.instance();
    let left = tickets;
    const begun = executions.begin();
    try {
      if (!begun) throw new StoreBusy('the account has no more executions');
      const outcomes = await enqueueBatch(instance.deps, QUEUE, { tickets }, instance.clock.now());
      left = tickets.filter((_, i) => outcomes[i]!.outcome !== 'enqueued');
    } catch (error) {
      if (!(error instanceof StoreBusy)) throw error;
    }
    if (begun) executions.end();
    this.#idle.push(instance);
    this.#posting -= tickets.length;
    if (left.length === 0) return;
    this.refused += left.length;
    void this.#post(left, RETRY_MS * (1 + this.#random.uniform()));
  }

  /** A client reads a ticket that was posted lately. */
  async #poll(afterMs: number): Promise<void> {
    const { time, executions } = this.region;
    await time.sleep(afterMs);
    const first = this.#polled.findIndex(({ postedMs }) => postedMs > time.nowMs - POLLED_MS);
    if (first < 0) return;
    const index = first + Math.floor(this.#random.uniform() * (this.#polled.length - first));
    if (!executions.begin()) {
      this.failedPolls++;
      return;
    }
    const instance = this.#idlePolls.pop() ?? this.region.instance();
    const startMs = time.nowMs;
    try {
      await getTicket(instance.deps, this.#polled[index]!.ticketId);
      await instance.clock.sleep(0);
      this.polls.push((time.nowMs - startMs) / 1_000);
    } catch (error) {
      if (!(error instanceof StoreBusy)) throw error;
      this.failedPolls++;
    }
    executions.end();
    this.#idlePolls.push(instance);
  }

  /** Deletes an item that would be kept for a day, which takes too much memory in a simulation. */
  #end(table: string, key: string): void {
    if (this.#options.bystanders === undefined) this.region.dynamodb.tables.get(table)!.expire(key);
    else this.#ended.push({ table, key, atMs: this.region.time.nowMs + KEPT_MS });
  }

  #expire(): void {
    const { nowMs } = this.region.time;
    while ((this.#ended[0]?.atMs ?? nowMs) < nowMs) {
      const { table, key } = this.#ended.shift()!;
      this.region.dynamodb.tables.get(table)!.expire(key);
    }
    const fresh = this.#polled.findIndex(({ postedMs }) => postedMs > nowMs - POLLED_MS);
    this.#polled.splice(0, fresh < 0 ? this.#polled.length : fresh);
  }

  async #announce(): Promise<void> {
    const { bystanders } = this.#options;
    if (bystanders === undefined) return;
    const receiver = this.#events++ % bystanders.receivers;
    await this.region.time.sleep(PUBLISH_MS);
    this.webhooks!.send(receiver);
  }

  #see(operation: string, input: WriteInput): void {
    const { tickets, matches } = this.region.tables;
    if (operation === 'PutItem' && input.TableName === tickets) {
      // A repeated request fails its condition, so it is not counted here.
      const { ticketId } = input.Item as unknown as Posted;
      this.#statuses[numberOf(ticketId)] = POSTED;
      if (this.#options.bystanders !== undefined)
        this.#polled.push({ ticketId, postedMs: this.region.time.nowMs });
    }
    if (operation === 'UpdateItem' && input.TableName === tickets)
      this.#seeTicket(numberOf(input.Key!.ticketId!), input);
    if (operation === 'PutItem' && input.TableName === matches) this.#seeMatch(input.Item!);
  }

  /** A ticket was claimed for a match, released from it, or ended. */
  #seeTicket(
    number: number,
    { Key, UpdateExpression, ExpressionAttributeValues: values = {} }: WriteInput,
  ): void {
    const matchId = values[':matchId'] as string | undefined;
    if (matchId === undefined) {
      this.#statuses[number] = ENDED;
      this.#end(this.region.tables.tickets, Key!.ticketId!);
      return;
    }
    const claims = this.#claims.get(matchId) ?? { numbers: new Set(), atMs: 0 };
    if (UpdateExpression!.includes('#pool = ')) {
      if (claims.numbers.delete(number)) this.#statuses[number] = POSTED;
      if (claims.numbers.size === 0) this.#claims.delete(matchId);
      return;
    }
    if (this.#statuses[number] !== POSTED) this.twice++;
    this.#statuses[number] = CLAIMED;
    claims.numbers.add(number);
    claims.atMs = this.region.time.nowMs;
    this.#claims.set(matchId, claims);
  }

  /** A match was created. Exactly its tickets must be claimed for it. */
  #seeMatch(item: Readonly<Record<string, string>>): void {
    const { nowMs } = this.region.time;
    this.firstMatchMs ??= nowMs - NOW_MS;
    const { imbalance, seats } = JSON.parse(item.game!) as { imbalance: number; seats: string[][][] };
    this.imbalances.push(imbalance);
    const claimed = this.#claims.get(item.matchId!)?.numbers ?? new Set();
    this.#claims.delete(item.matchId!);
    const theirs = new Set(seats.flat().map(([, packed]) => unpackId(packed!)));
    let players = 0;
    for (const ticketId of theirs) {
      const number = numberOf(ticketId);
      if (!claimed.has(number)) this.twice++;
      this.#statuses[number] = MATCHED;
      players += this.#sizes[number]!;
      this.waits.push((nowMs - this.#postedMs[number]!) / 1_000);
      this.#end(this.region.tables.tickets, ticketId);
    }
    if (claimed.size > theirs.size) this.twice++;
    this.#end(this.region.tables.matches, item.matchId!);
    void this.#announce();
    const second = Math.floor((nowMs - NOW_MS) / 1_000);
    this.matchedPerSecond[second] = (this.matchedPerSecond[second] ?? 0) + players;
  }

  #watchLayouts(): void {
    const item = this.region.dynamodb.tables.get(this.region.tables.queues)!.get(`${QUEUE}\0definition`)!;
    const newest: BucketLayout = JSON.parse(item.layouts as string).at(-1);
    if (newest.version === this.#version) return;
    this.#version = newest.version;
    this.layouts.push({ second: this.second, buckets: newest.boundaries.length + 1 });
  }
}

interface Posted {
  readonly ticketId: string;
  readonly players: readonly { readonly playerId: string; readonly skill: number }[];
}

/** The skill of a random player. */
export function skillOf(random: RandomSource): number {
  return Math.max(0, 1_500 + 300 * random.normal());
}

function numberOf(ticketId: string): number {
  return Number(ticketId.slice(-12));
}
