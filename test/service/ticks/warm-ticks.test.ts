import { DeleteCommand, type DynamoDBDocumentClient, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import { ParsedTickets } from '../../../lib/aws/parsed-tickets.ts';
import { ticketStore } from '../../../lib/aws/ticket-store.ts';
import type { QueueDefinition } from '../../../lib/contract/queue-definition.ts';
import type { RuledPlayer } from '../../../lib/rules/types.ts';
import { layoutAt, rangesOf, tickRanges } from '../../../lib/service/domain/buckets.ts';
import type { StoredTicket } from '../../../lib/service/domain/stored-ticket.ts';
import { CheckedTickets } from '../../../lib/service/ticks/checked-tickets.ts';
import { type TickDeps, tick } from '../../../lib/service/ticks/tick.ts';
import { WarmSearches } from '../../../lib/service/ticks/warm-searches.ts';
import { isOdd } from '../../../lib/service/waking/schedule.ts';
import { type RandomSource, seededRandom } from '../../../lib/simulation/random.ts';
import { type EmulatedTables, startTables } from '../../aws/emulated-tables.ts';
import { NOW_MS, ticket, why } from '../../aws/samples.ts';
import { sample } from '../../long.ts';
import { definition, putQueue } from '../definitions.ts';
import { type Line, VirtualCloud } from '../virtual-cloud.ts';

/**
 * The same life of a queue is played by functions that start cold at every tick, by one that stays warm, and by three that
 * take turns. All must do the same, to the byte, except for what they prove about a match: its `lowerBound`.
 */
describe('a tick by a warm function', () => {
  it('makes the same matches and reports as one by a cold function, whatever happens to the pool', async () => {
    let used = 0;
    let matches = 0;
    let lostRaces = 0;
    let closer = 0;
    let looser = 0;
    for (let seed = 1; seed <= LIVES; seed++) {
      const life = new Life(seed);
      const worlds = await Promise.all(INSTANCES.map((instances) => World.of(instances)));
      for (const event of life.events()) {
        const seen: Seen[] = [];
        for (const world of worlds) seen.push(await world.play(event));
        for (const [i, { what, bounds }] of seen.entries()) {
          expect(what, `seed ${seed}, ${event.kind}, ${INSTANCES[i]} instances`).toBe(seen[0]!.what);
          bounds.forEach((bound, at) => {
            const alone = seen[0]!.bounds[at]!;
            if (bound < alone - 1e-9) looser++;
            if (bound > alone + 1e-9) closer++;
          });
        }
        matches += seen[0]!.bounds.length;
        lostRaces += /"lostRaces":[1-9]/.test(seen[0]!.what) ? 1 : 0;
      }
      used += worlds.slice(1).reduce((sum, world) => sum + world.used, 0);
    }
    // Searches of so small pools are never cut short, so that all prove the same.
    expect([closer, looser]).toEqual([0, 0]);
    // Otherwise the lives would show nothing.
    expect(used).toBeGreaterThan(50 * LIVES);
    expect(matches).toBeGreaterThan(10 * LIVES);
    expect(lostRaces).toBeGreaterThan(LIVES);
  });
});

describe('a ticket that a function has checked', () => {
  const [checked, stored] = [new CheckedTickets(), ticket(QUEUE, 'ann', [1, 2])];
  const check = (changes: Partial<QueueDefinition>) => checked.of(queue(changes))(stored);

  it('is checked again when its definition has changed, and only then', () => {
    const first = check({ teamSize: 2 });
    expect(first.misfit).toBeUndefined();
    expect(check({ teamSize: 2 })).toBe(first);
    expect(check({ teamSize: 1 }).misfit).toContain('Expected at most 1 players');
    expect(check({ teamSize: 2 })).toEqual(first);
  });

  it('is checked again in a function that has served many other queues since', () => {
    const first = check({});
    for (let i = 0; i < 100; i++) check({ name: `other-${i}` });
    expect(check({})).not.toBe(first);
    expect(check({})).toEqual(first);
  });
});

const LIVES = sample(2, 5);
const EVENTS = sample(50, 80);
/** By world: the functions that take turns; 0 for a new one at every tick. */
const INSTANCES = [0, 1, 3];
const QUEUE = 'warm';

/** What happens to a queue; `nth` is one of the waiting tickets. */
type Event =
  | { readonly kind: 'define'; readonly definition: QueueDefinition }
  | { readonly kind: 'post'; readonly ticket: StoredTicket }
  | { readonly kind: 'return'; readonly nth: number; readonly enqueuedAt: string; readonly skill: number }
  | { readonly kind: 'cancel'; readonly nth: number }
  | { readonly kind: 'rewrite'; readonly nth: number; readonly players: string }
  | { readonly kind: 'pass'; readonly ms: number }
  | { readonly kind: 'tick'; readonly instance: number; readonly disturbance: Disturbance | undefined };

/** From its call `at` on a tick gets nothing done, or a ticket leaves at that call, which may cost a game its race. */
type Disturbance =
  | { readonly kind: 'stop'; readonly at: number }
  | { readonly kind: 'leave'; readonly at: number; readonly nth: number };

/**
 * Random events of a queue. In every other life searches are kept from most ticks: no player avoids others or splits, the definitions
 * are those whose searches are kept, and they change seldom.
 */
class Life {
  readonly #random: RandomSource;
  readonly #isPlain: boolean;
  readonly #ids: string[] = [];
  #nowMs = NOW_MS;

  constructor(seed: number) {
    this.#random = seededRandom(seed);
    this.#isPlain = seed % 2 === 0;
  }

  *events(): Generator<Event> {
    const random = this.#random;
    const definitions = this.#isPlain ? OF_KEPT_SEARCHES : DEFINITIONS;
    yield { kind: 'define', definition: this.#pick(definitions) };
    for (let i = 0; i < EVENTS; i++) {
      const kind = random.uniform();
      if (kind < (this.#isPlain ? 0.03 : 0.1)) yield { kind: 'define', definition: this.#pick(definitions) };
      else if (kind < 0.13) yield { kind: 'cancel', nth: random.integer(1e6) };
      else if (kind < 0.23) {
        const { enqueuedAt } = this.#ticket('');
        for (let n = 0; n < 3; n++) {
          const skill = 100 * random.integer(8);
          yield { kind: 'return', nth: random.integer(1e6), enqueuedAt, skill };
        }
      } else if (kind < 0.28) {
        // What other versions of Muster may write: players without roles, with a new field, and what no version can parse.
        const players = this.#pick(['["p",1]', '[{"playerId":"p","skill":5,"new":1}]', '{"none":true}']);
        yield { kind: 'rewrite', nth: random.integer(1e6), players };
      } else if (kind < 0.5) {
        for (let n = random.integer(30); n > 0; n--) {
          const ticketId = `t${this.#ids.length}`;
          this.#ids.push(ticketId);
          yield { kind: 'post', ticket: this.#ticket(ticketId) };
        }
      } else {
        const jump = random.uniform();
        const ms = jump < 0.06 ? 30_000 : jump < 0.1 ? -700 : 1_000;
        this.#nowMs += ms;
        yield { kind: 'pass', ms };
        yield { kind: 'tick', instance: random.integer(60), disturbance: this.#disturbance() };
      }
    }
  }

  #disturbance(): Disturbance | undefined {
    const random = this.#random;
    const kind = random.uniform();
    if (kind < 0.08) return { kind: 'stop', at: random.integer(25) };
    if (kind < 0.5) return { kind: 'leave', at: 3 + random.integer(10), nth: random.integer(1e6) };
    return undefined;
  }

  #ticket(ticketId: string): StoredTicket {
    const random = this.#random;
    const size = this.#pick([1, 1, 1, 1, 1, 2, 2, 3]);
    // Few different skills and times, so that many games are tied.
    const players = Array.from({ length: size }, (_, i): RuledPlayer => {
      const kind = random.uniform();
      return {
        playerId: `${ticketId}.${i}`,
        skill: 100 * random.integer(8),
        ...(kind < 0.08 && { roles: [this.#pick(['tank', 'damage'])] }),
        ...(kind < 0.9 && { attributes: { map: this.#pick(['x', 'y', 'z']) } }),
        ...(kind > 0.93 && !this.#isPlain && { avoid: [`t${random.integer(20)}.0`] }),
      };
    });
    const enqueuedAt = new Date(this.#nowMs - 1_000 * random.integer(6)).toISOString();
    const split = size > 1 && random.uniform() < 0.2 && !this.#isPlain ? { split: true as const } : {};
    return { ticketId, queue: QUEUE, status: 'QUEUED', enqueuedAt, players, ...split };
  }

  #pick<T>(of: readonly T[]): T {
    return of[this.#random.integer(of.length)]!;
  }
}

const IMBALANCE = { alpha: 1, p: 2, q: 2 };
const MAPS = { map: { type: 'string', default: 'x' } } as const;
/** Some tickets fit only some of the definitions: by their roles and their size. */
const queue = (changes: Partial<QueueDefinition>) =>
  definition({
    name: QUEUE,
    teamSize: 2,
    timeoutSeconds: 40,
    buckets: [],
    imbalance: IMBALANCE,
    attributes: MAPS,
    ...changes,
  });

const DEFINITIONS: readonly QueueDefinition[] = [
  queue({ release: { policy: 'greedy' } }),
  queue({ release: { policy: 'greedy' }, buckets: [300] }),
  queue({ release: { policy: 'fifo' }, fill: 'bots', timeoutSeconds: 40, beta: 0.5 }),
  queue({ release: { policy: 'periodic', everySeconds: 3 } }),
  queue({ release: { policy: 'expanding', tolerance: 20 }, skillScale: 'percentile' }),
  queue({ release: { policy: 'option-value', waitCost: 5 }, teamSize: 1 }),
  queue({ release: { policy: 'expanding', tolerance: 30, growthPerSecond: 5 } }),
  queue({ release: { policy: 'expanding', tolerance: 50, growthPerSecond: 20 }, teamSize: 3 }),
  queue({ release: { policy: 'option-value', waitCost: 20 } }),
  queue({ release: { policy: 'option-value', waitCost: 2 }, teamSize: 3, beta: 3 }),
  queue({ release: { policy: 'option-value', waitCost: 40 }, roles: { tank: 1, damage: 1 } }),
  queue({
    release: { policy: 'greedy' },
    rules: [{ name: 'map', type: 'same', attribute: 'map', relax: [{ waitSeconds: 20, off: true }] }],
  }),
  queue({ release: { policy: 'expanding', tolerance: 300 }, teams: 3, timeoutSeconds: 90 }),
];

const OF_KEPT_SEARCHES = DEFINITIONS.filter(
  ({ release, teams, skillScale }) =>
    ['option-value', 'expanding'].includes(release.policy) && teams === undefined && skillScale === undefined,
);

/** What can be seen after an event: everything but the bounds of the matches that were made, and these. */
interface Seen {
  readonly what: string;
  readonly bounds: readonly number[];
}

const BOUND = /"lowerBound":([^,]*),"optimal":(?:true|false),?/g;

/** A pool, and the functions that search it. */
class World {
  readonly #cloud: VirtualCloud;
  readonly #client: DynamoDBDocumentClient;
  readonly #tables: EmulatedTables['names'];
  readonly #instances: TickDeps[];
  readonly #kept: CountedTickets[] = [];
  #slotMs = NOW_MS;

  static async of(instances: number): Promise<World> {
    return new World(await startTables('memory'), instances);
  }

  constructor(tables: EmulatedTables, instances: number) {
    this.#cloud = new VirtualCloud(tables, []);
    this.#client = tables.client();
    this.#tables = tables.names;
    this.#instances = Array.from({ length: instances }, (_, i) => this.#instance(i));
  }

  /** The number of tickets that were not parsed again. */
  get used(): number {
    return this.#kept.reduce((sum, { used }) => sum + used, 0);
  }

  /** Returns what can be seen of it. */
  async play(event: Event): Promise<Seen> {
    const what = await this.#play(event);
    const bounds: number[] = [];
    const withoutBounds = what.replaceAll(BOUND, (_, bound: string) => {
      bounds.push(Number(bound));
      return '';
    });
    return { what: withoutBounds, bounds };
  }

  async #play(event: Event): Promise<string> {
    const { deps } = this.#cloud;
    const client = this.#client;
    switch (event.kind) {
      case 'define':
        await putQueue(deps.queues, event.definition, this.#cloud.nowMs);
        return '';
      case 'post':
        await deps.tickets.create(event.ticket, await this.#layout());
        return '';
      case 'return': {
        const ticket = await this.#waiting(event.nth);
        if (ticket === undefined) return 'nobody waits';
        const { ticketId } = ticket;
        await client.send(new DeleteCommand({ TableName: this.#tables.tickets, Key: { ticketId } }));
        const players = ticket.players.map((player) => ({ ...player, skill: event.skill }));
        await deps.tickets.create({ ...ticket, players, enqueuedAt: event.enqueuedAt }, await this.#layout());
        return ticketId;
      }
      case 'cancel': {
        const ticket = await this.#waiting(event.nth);
        if (ticket === undefined) return 'nobody waits';
        await deps.tickets.end(ticket.ticketId, 'CANCELLED', why('asked for'), this.#cloud.nowMs);
        return ticket.ticketId;
      }
      case 'rewrite': {
        const ticket = await this.#waiting(event.nth);
        if (ticket === undefined) return 'nobody waits';
        await client.send(
          new UpdateCommand({
            TableName: this.#tables.tickets,
            Key: { ticketId: ticket.ticketId },
            UpdateExpression: 'SET players = :players',
            ExpressionAttributeValues: { ':players': event.players },
          }),
        );
        return ticket.ticketId;
      }
      case 'pass':
        this.#cloud.nowMs += event.ms;
        return '';
      case 'tick':
        return this.#tick(event.instance, event.disturbance);
    }
  }

  /** One of the waiting tickets that can be parsed; undefined when there is none. */
  async #waiting(nth: number): Promise<StoredTicket | undefined> {
    const { tickets } = await this.#everyone();
    return tickets[nth % tickets.length];
  }

  async #everyone() {
    const record = (await this.#cloud.deps.queues.get(QUEUE))!;
    return this.#cloud.deps.tickets.waiting(QUEUE, record.layouts, {});
  }

  async #layout() {
    const record = (await this.#cloud.deps.queues.get(QUEUE))!;
    return layoutAt(record.layouts, this.#cloud.nowMs);
  }

  /** Ticks of all ranges at the next slot. The first of them is disturbed. */
  async #tick(instance: number, disturbance: Disturbance | undefined): Promise<string> {
    const record = (await this.#cloud.deps.queues.get(QUEUE))!;
    this.#slotMs = Math.max(this.#slotMs + 1_000, Math.floor(this.#cloud.nowMs / 1_000) * 1_000);
    const slotMs = this.#slotMs;
    const layout = layoutAt(record.layouts, slotMs);
    const seen: unknown[] = [];
    for (const [range] of tickRanges(layout, isOdd(record, slotMs)).entries()) {
      const count = this.#instances.length;
      const deps = count === 0 ? this.#instance(0) : this.#instances[(instance + range) % count]!;
      const message = { queue: QUEUE, slotMs, layout: layout.version, range };
      const line = range === 0 && disturbance !== undefined ? this.#lineOf(disturbance) : undefined;
      const run = () => tick(deps, message);
      try {
        seen.push(await (line ? this.#cloud.on(line, run) : run()));
      } catch (error) {
        seen.push(String(error));
        // Until the lease has expired.
        this.#cloud.nowMs += 40_000;
      }
    }
    const { tickets, unreadable } = await this.#everyone();
    const reports = [...(await this.#cloud.deps.ranges.reports(QUEUE, rangesOf(layout)))];
    return JSON.stringify({ seen, reports, tickets, unreadable, nowMs: this.#cloud.nowMs });
  }

  #lineOf(disturbance: Disturbance): Line {
    if (disturbance.kind === 'stop') return stoppedAt(disturbance.at);
    let calls = 0;
    return async (_what, effect) => {
      if (calls++ === disturbance.at) {
        const ticket = await this.#waiting(disturbance.nth);
        if (ticket !== undefined)
          await this.#cloud.deps.tickets.end(
            ticket.ticketId,
            'CANCELLED',
            why('in between'),
            this.#cloud.nowMs,
          );
      }
      return effect();
    };
  }

  /** A function that keeps few tickets if its number is above 0, so that it forgets some. */
  #instance(number: number): TickDeps {
    const { deps } = this.#cloud;
    const parsed = new CountedTickets(number === 0 ? undefined : 8);
    this.#kept.push(parsed);
    const tickets = ticketStore(this.#cloud.client, this.#tables, parsed);
    // The cache of definitions is shared: two functions may find a changed definition a second apart, whatever they keep.
    return { ...deps, tickets, checked: new CheckedTickets(), searches: new WarmSearches() };
  }
}

/** A line on which the function stops at its call of this number. */
function stoppedAt(stopAt: number): Line {
  let calls = 0;
  return async (what, effect) => {
    if (calls++ >= stopAt) throw new Error(`stopped at ${what}`);
    return effect();
  };
}

/** Frozen tickets, and how often they were used again. */
class CountedTickets extends ParsedTickets {
  used = 0;

  override get(...of: Parameters<ParsedTickets['get']>) {
    const found = super.get(...of);
    if (found !== undefined) this.used++;
    return found;
  }

  override set(...of: Parameters<ParsedTickets['set']>): void {
    freeze(of[0]);
    freeze(of[1]);
    super.set(...of);
  }
}

function freeze(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  for (const one of Object.values(value)) freeze(one);
  Object.freeze(value);
}
