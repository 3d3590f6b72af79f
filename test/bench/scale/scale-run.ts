import type { QueueDefinition } from '../../../lib/contract/queue-definition.ts';
import { StoreBusy } from '../../../lib/service/ports/store-busy.ts';
import { quantile } from '../../../lib/service/queues/quantile.ts';
import { putQueue } from '../../../lib/service/queues/queues.ts';
import { enqueueBatch } from '../../../lib/service/tickets/enqueue-batch.ts';
import type { BucketLayout } from '../../../lib/service/ticks/buckets.ts';
import { type RandomSource, seededRandom } from '../../../lib/simulation/random.ts';
import { NOW_MS } from '../../aws/samples.ts';
import { definition } from '../../service/definitions.ts';
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
}

/** A bucket layout that was stored. */
interface LayoutRecord {
  readonly second: number;
  readonly buckets: number;
}

const QUEUE = 'scale';
/** After a rejected request, a client posts the ticket again after this time, plus a random time of up to the same length. */
const RETRY_MS = 1_000;
/** Statuses of a ticket, by its number. */
const [POSTED, MATCHED, ENDED] = [1, 2, 3];

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
  readonly #random: RandomSource;
  readonly #options: ScaleOptions;
  readonly #idle: Instance[] = [];
  #statuses = new Uint8Array(1 << 16);
  #sizes = new Uint8Array(1 << 16);
  #postedMs = new Float64Array(1 << 16);
  #count = 0;
  #posting = 0;
  #version = 0;

  constructor(options: ScaleOptions) {
    this.#options = options;
    this.#random = seededRandom(options.seed);
    this.region = new Region(NOW_MS, options.cpuFactor, this.#random.fork('region'));
    this.region.onWrite = (operation, input) => this.#see(operation, input);
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

  get waiting(): number {
    let waiting = 0;
    for (let i = 0; i < this.#count; i++) if (this.#statuses[i] === POSTED) waiting++;
    return waiting;
  }

  /** Tickets that were posted or are still being posted, but are neither ended nor in the pool. */
  get lost(): number {
    let pool = 0;
    for (const _ of this.region.dynamodb.tables.get(this.region.tables.tickets)!.all()) pool++;
    return this.waiting - pool;
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
    await this.region.runUntil(endMs);
    this.#watchLayouts();
  }
  #debt = 0;

  /** Discards the measurements so far, so that only later ones count. */
  forget(): void {
    this.waits = [];
    this.imbalances = [];
    this.region.ticks.length = 0;
    this.region.meter.forget();
    this.region.throttled = 0;
    this.refused = 0;
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

  /** Ticks that searched nothing, by the reason. */
  missedTicks(): Map<string, number> {
    const missed = new Map<string, number>();
    for (const { result } of this.region.ticks) {
      if (result !== 'failed' && result.outcome === 'searched') continue;
      const why = result === 'failed' ? 'throttled' : (result as { why: string }).why;
      missed.set(why, (missed.get(why) ?? 0) + 1);
    }
    return missed;
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
      skill: Math.max(0, 1_500 + 300 * this.#random.normal()),
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
    const instance = this.#idle.pop() ?? this.region.instance();
    let left = tickets;
    try {
      const outcomes = await enqueueBatch(instance.deps, QUEUE, { tickets }, instance.clock.now());
      left = tickets.filter((_, i) => outcomes[i]!.outcome !== 'enqueued');
    } catch (error) {
      if (!(error instanceof StoreBusy)) throw error;
    }
    this.#idle.push(instance);
    this.#posting -= tickets.length;
    if (left.length === 0) return;
    this.refused += left.length;
    void this.#post(left, RETRY_MS * (1 + this.#random.uniform()));
  }

  #see(operation: string, input: WriteInput): void {
    const { tickets, matches } = this.region.tables;
    const { dynamodb } = this.region;
    if (operation === 'PutItem' && input.TableName === tickets) {
      const number = numberOf((input as unknown as { Item: Posted }).Item.ticketId);
      // A repeated request fails its condition, so it is not counted here.
      this.#statuses[number] = POSTED;
    }
    if (operation === 'UpdateItem' && input.TableName === tickets) {
      this.#statuses[numberOf(input.Key!.ticketId!)] = ENDED;
      dynamodb.tables.get(tickets)!.expire(input.Key!.ticketId!);
    }
    if (operation !== 'TransactWriteItems') return;
    const [first, ...others] = input.TransactItems!;
    if (first?.Put === undefined) return;
    this.firstMatchMs ??= this.region.time.nowMs - NOW_MS;
    const game = JSON.parse(first.Put.Item.game!);
    this.imbalances.push(game.imbalance);
    let players = 0;
    for (const { Update } of others) {
      const number = numberOf(Update!.Key.ticketId!);
      if (this.#statuses[number] !== POSTED) this.twice++;
      this.#statuses[number] = MATCHED;
      players += this.#sizes[number]!;
      this.waits.push((this.region.time.nowMs - this.#postedMs[number]!) / 1_000);
      // It would be kept for a day, which takes too much memory in a simulation.
      dynamodb.tables.get(tickets)!.expire(Update!.Key.ticketId!);
    }
    dynamodb.tables.get(matches)!.expire(first.Put.Item.matchId!);
    const second = Math.floor((this.region.time.nowMs - NOW_MS) / 1_000);
    this.matchedPerSecond[second] = (this.matchedPerSecond[second] ?? 0) + players;
  }

  #watchLayouts(): void {
    const item = this.region.dynamodb.tables.get(this.region.tables.queues)!.get(`${QUEUE}\0definition`)!;
    const newest: BucketLayout = JSON.parse(item.plans as string).at(-1);
    if (newest.version === this.#version) return;
    this.#version = newest.version;
    this.layouts.push({ second: this.second, buckets: newest.boundaries.length + 1 });
  }
}

interface Posted {
  readonly ticketId: string;
  readonly players: readonly { readonly playerId: string; readonly skill: number }[];
}

function numberOf(ticketId: string): number {
  return Number(ticketId.slice(-12));
}
