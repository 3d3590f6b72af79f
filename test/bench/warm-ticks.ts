import { parseArgs } from 'node:util';
import type { DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { packPlayers } from '../../lib/aws/compact-players.ts';
import { documentClient } from '../../lib/aws/dynamo.ts';
import { ParsedTickets } from '../../lib/aws/parsed-tickets.ts';
import { ticketStore } from '../../lib/aws/ticket-store.ts';
import type { QueueDefinition } from '../../lib/contract/queue-definition.ts';
import type { RuledPlayer } from '../../lib/rules/types.ts';
import { poolKey, poolOrder } from '../../lib/service/domain/buckets.ts';
import type { StoredMatch } from '../../lib/service/domain/stored-match.ts';
import type { StoredTicket } from '../../lib/service/domain/stored-ticket.ts';
import { CheckedTickets } from '../../lib/service/ticks/checked-tickets.ts';
import { tick } from '../../lib/service/ticks/tick.ts';
import { WarmSearches } from '../../lib/service/ticks/warm-searches.ts';
import { drawParty, type Population } from '../../lib/simulation/population.ts';
import { type RandomSource, seededRandom } from '../../lib/simulation/random.ts';
import { NOW_MS } from '../aws/samples.ts';
import { TimedCloud } from '../service/timed-cloud.ts';
import { machine, printMarked, table } from '../tables/print.ts';

/** A queue in which about 50 seconds of arrivals wait. */
interface Case {
  readonly name: string;
  readonly definition: (rate: number) => QueueDefinition;
  readonly population: Population;
  /** With so many times `rate` different values of the attribute `map`, most players wait for others of theirs. */
  readonly maps?: number;
}

const SKILLS = { kind: 'normal', mean: 1500, standardDeviation: 350 } as const;
const ARENA = {
  name: 'arena',
  teamSize: 5,
  imbalance: { alpha: 1, p: 1, q: 2 },
  tickSeconds: 1,
  timeoutSeconds: 1800,
  buckets: [],
} satisfies Partial<QueueDefinition>;
/** With it, a game waits as long at every rate. */
const optionValue = (rate: number) => ({ policy: 'option-value', waitCost: 0.6 / rate }) as const;

export const CASES: readonly Case[] = [
  {
    name: '`greedy`, a rule that leaves many',
    definition: () => ({
      ...ARENA,
      release: { policy: 'greedy' },
      attributes: { map: { type: 'string' } },
      rules: [{ name: 'map', type: 'same', attribute: 'map' }],
    }),
    population: { skills: SKILLS },
    maps: 12,
  },
  {
    name: '`option-value`, solo players',
    definition: (rate) => ({ ...ARENA, release: optionValue(rate) }),
    population: { skills: SKILLS },
  },
  {
    name: '`option-value`, parties',
    definition: (rate) => ({ ...ARENA, release: optionValue(rate) }),
    population: { skills: SKILLS, partyWeights: [75, 15, 5, 2, 3] },
  },
  {
    name: '`option-value`, roles',
    definition: (rate) => ({
      ...ARENA,
      roles: { tank: 1, healer: 1, damage: 3 },
      release: optionValue(rate),
    }),
    population: {
      skills: SKILLS,
      roleWeights: { tank: 20, healer: 25, damage: 55 },
      roleFlexibility: 0.3,
    },
  },
  {
    name: '`greedy`, rules that relax',
    definition: () => ({
      ...ARENA,
      release: { policy: 'greedy' },
      attributes: { map: { type: 'string' } },
      rules: [
        { name: 'map', type: 'same', attribute: 'map' },
        { name: 'ping', type: 'latency', max: 60, relax: [{ waitSeconds: 20, max: 120 }] },
      ],
    }),
    population: {
      skills: SKILLS,
      partyWeights: [75, 15, 5, 2, 3],
      regionWeights: { eu: 40, us: 40, ap: 20 },
    },
    maps: 8,
  },
  {
    name: '`option-value`, three teams',
    definition: (rate) => ({ ...ARENA, teams: 3, teamSize: 3, release: optionValue(rate) }),
    population: { skills: SKILLS, partyWeights: [75, 15, 10] },
  },
  {
    name: '`greedy`, three teams and a rule that leaves many',
    definition: () => ({
      ...ARENA,
      teams: 3,
      teamSize: 3,
      release: { policy: 'greedy' },
      attributes: { map: { type: 'string' } },
      rules: [{ name: 'map', type: 'same', attribute: 'map' }],
    }),
    population: { skills: SKILLS },
    maps: 12,
  },
  {
    name: '`expanding`, parties and percentiles',
    definition: () => ({
      ...ARENA,
      skillScale: 'percentile',
      release: { policy: 'expanding', tolerance: 0.01, growthPerSecond: 0.001 },
    }),
    population: { skills: SKILLS, partyWeights: [75, 15, 5, 2, 3] },
  },
  {
    name: '`expanding`, solo players',
    definition: (rate) => ({
      ...ARENA,
      release: { policy: 'expanding', tolerance: 40 / rate, growthPerSecond: 4 / rate },
    }),
    population: { skills: SKILLS },
  },
];

export interface WarmTicks {
  /** Tickets read by a tick and games that it made, means of the measured ticks. */
  readonly read: number;
  readonly games: number;
  /** Milliseconds of CPU time of the measured ticks, ascending, by what the function keeps. */
  readonly cpuMs: Readonly<Record<Warmth, readonly number[]>>;
  /** Games whose lower bound a warm function proved closer than a cold one, and those where it is less close. */
  readonly closer: number;
  readonly looser: number;
}

/** Nothing; the tickets that it has read and checked; its searches too. */
type Warmth = 'cold' | 'tickets' | 'warm';
const WARMTHS: readonly Warmth[] = ['cold', 'tickets', 'warm'];

/**
 * `npm run bench:ticks`: the CPU time of a tick of which most tickets were waiting at the last one already.
 *
 * Plays the same seconds of a queue three times, with functions that start cold at every tick, with one that keeps the tickets
 * that it has read, and with one that keeps its searches too, in turn.
 *
 * A tick reads its tickets from responses of DynamoDB through the SDK; the writes are those of a cloud in memory.
 * @param waiting about as many tickets wait
 * @param warmUp ticks before the measurement, in which the code is compiled
 * @throws Error when a warm tick made other games than a cold one
 */
export async function warmTicks(
  { definition, population, maps }: Case,
  waiting: number,
  ticks: number,
  seed: number,
  warmUp = WARM_UP,
): Promise<WarmTicks> {
  const rate = waiting / 50;
  const queue = definition(rate);
  const random = seededRandom(seed);
  const lanes = WARMTHS.map((warmth) => ({ warmth, tables: new Tables(), kept: keptBy('warm') }));
  for (const { tables } of lanes) await tables.start(queue);
  const add = async (count: number, lastMs: number) => {
    const tickets = Array.from({ length: count }, () => {
      const enqueuedMs = lanes[0]!.tables.cloud.time.nowMs - 1 - random.integer(lastMs);
      return newTicket(population, maps === undefined ? undefined : maps * rate, enqueuedMs, random);
    });
    for (const { tables } of lanes) await tables.add(tickets);
  };
  await add(waiting - rate, 50_000);
  const cpuMs: Record<Warmth, number[]> = { cold: [], tickets: [], warm: [] };
  const sums = { read: 0, games: 0, closer: 0, looser: 0 };
  for (let second = 0; second < warmUp + ticks; second++) {
    for (const { tables } of lanes) tables.cloud.time.nowMs = NOW_MS + 1_000 * second;
    await add(rate, 999);
    const results = new Map<Warmth, Ticked>();
    // The first of several runs pays for more garbage, so they take turns.
    for (let turn = 0; turn < lanes.length; turn++) {
      const { warmth, tables, kept } = lanes[(second + turn) % lanes.length]!;
      results.set(
        warmth,
        await tables.tick(
          warmth === 'cold' ? keptBy('cold') : warmth === 'warm' ? kept : { ...kept, searches: undefined },
        ),
      );
    }
    const [cold, tickets, warm] = WARMTHS.map((warmth) => results.get(warmth)!);
    for (const one of [tickets!, warm!])
      if (gamesOf(one) !== gamesOf(cold!))
        throw new Error(`The games of second ${second} depend on what the function keeps`);
    if (second < warmUp) continue;
    for (const [warmth, result] of results) cpuMs[warmth].push(result.cpuMs);
    sums.read += cold!.read / ticks;
    sums.games += cold!.matches.length / ticks;
    warm!.matches.forEach(({ lowerBound }, at) => {
      const alone = cold!.matches[at]!.lowerBound;
      if (lowerBound > alone + CLOSE) sums.closer++;
      if (lowerBound < alone - CLOSE) sums.looser++;
    });
  }
  for (const times of Object.values(cpuMs)) times.sort((a, b) => a - b);
  return { ...sums, cpuMs };
}

/** Bounds that differ by less are equal. */
const CLOSE = 1e-9;

interface Ticked {
  readonly cpuMs: number;
  readonly matches: readonly StoredMatch[];
  readonly read: number;
}

const gamesOf = ({ matches }: Ticked) => JSON.stringify(matches.map(({ teams }) => teams));

/** What a function keeps. */
interface Kept {
  readonly parsed: ParsedTickets;
  readonly checked: CheckedTickets;
  readonly searches: WarmSearches | undefined;
}

function keptBy(warmth: Warmth): Kept {
  return {
    parsed: new ParsedTickets(),
    checked: new CheckedTickets(),
    searches: warmth === 'warm' ? new WarmSearches() : undefined,
  };
}

const WARM_UP = 6;
const LAYOUT = { version: 1, boundaries: [], fromMs: 0 };

function newTicket(
  population: Population,
  maps: number | undefined,
  enqueuedMs: number,
  random: RandomSource,
): StoredTicket {
  const players: RuledPlayer[] = drawParty(population, 'p', random).map((player) => ({
    ...player,
    playerId: uuid(random),
    ...(maps !== undefined && { attributes: { map: `map ${random.integer(maps)}` } }),
  }));
  const enqueuedAt = new Date(enqueuedMs).toISOString();
  return { ticketId: uuid(random), queue: ARENA.name, status: 'QUEUED', enqueuedAt, players };
}

function uuid(random: RandomSource): string {
  const hex = Array.from({ length: 8 }, () => random.integer(65_536).toString(16).padStart(4, '0')).join('');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20)}`;
}

/** The tables of a queue in memory, whose pool is read through the SDK. */
class Tables {
  readonly cloud = new TimedCloud(NOW_MS);
  #slotMs = NOW_MS;
  /** The pages of the next read, each the body of a response. */
  #pages: Buffer[] = [];
  readonly #client = documentClient({
    region: 'us-east-1',
    credentials: { accessKeyId: 'BENCH', secretAccessKey: 'bench' },
    requestHandler: {
      handle: async () => ({
        response: {
          statusCode: 200,
          headers: { 'content-type': 'application/x-amz-json-1.0' },
          body: this.#pages.shift(),
        },
      }),
    } as unknown as NonNullable<DynamoDBClientConfig['requestHandler']>,
  });

  async start(definition: QueueDefinition): Promise<void> {
    await this.cloud.putQueue({ definition, version: 1, layouts: [LAYOUT], awakeUntilMs: 0, sentUntilMs: 0 });
  }

  add(tickets: readonly StoredTicket[]): Promise<void> {
    return this.cloud.fill(tickets);
  }

  async tick({ parsed, checked, searches }: Kept): Promise<Ticked> {
    const { deps, time } = this.cloud;
    const { tickets } = await time.run(() => deps.tickets.waiting(ARENA.name, [LAYOUT], {}));
    this.#pages = pagesOf(tickets);
    const slotMs = this.#slotMs;
    this.#slotMs += 1_000;
    const store = ticketStore(this.#client, { tickets: 'tickets', entries: 'entries' }, parsed);
    const before = process.cpuUsage();
    // Before the tick, because virtual time does not wait for the SDK.
    const read = await store.waiting(ARENA.name, [LAYOUT], {});
    const result = await time.run(() =>
      tick(
        { ...deps, tickets: { ...deps.tickets, waiting: async () => read }, checked, searches },
        { queue: ARENA.name, slotMs, layout: 1, range: 0 },
      ),
    );
    const { user, system } = process.cpuUsage(before);
    if (result.outcome !== 'searched') throw new Error(result.why);
    return { cpuMs: (user + system) / 1_000, matches: result.matches, read: read.tickets.length };
  }
}

/** A page of DynamoDB is a megabyte of items, whose JSON has about 1.7 bytes for each. */
const PAGE_BYTES = 1_700_000;

/** The bodies of the responses to the queries of a pool. */
function pagesOf(tickets: readonly StoredTicket[]): Buffer[] {
  const pages: Buffer[] = [];
  const pool = poolKey(ARENA.name, LAYOUT, '');
  let items: object[] = [];
  let bytes = 0;
  const end = (last?: object) => {
    const page = { Items: items, Count: items.length, ...(last && { LastEvaluatedKey: last }) };
    pages.push(Buffer.from(JSON.stringify(page)));
    items = [];
    bytes = 0;
  };
  tickets.forEach(({ ticketId, enqueuedAt, players }, at) => {
    const key = marshall({ ticketId, pool, poolOrder: poolOrder(ticketId, players) });
    const item = {
      ...key,
      ...marshall({ enqueuedAt: Date.parse(enqueuedAt), players: packPlayers(players) }),
    };
    items.push(item);
    bytes += JSON.stringify(item).length;
    if (bytes >= PAGE_BYTES && at < tickets.length - 1) end(key);
  });
  end();
  return pages;
}

const middle = (values: readonly number[]) => values[values.length >> 1]!;

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      waiting: { type: 'string', default: '1000,10000' },
      ticks: { type: 'string', default: '30' },
      seed: { type: 'string', default: '1' },
      queue: { type: 'string', default: '' },
    },
  });
  console.log(`${machine()}, seed ${values.seed}\n`);
  const rows: (string | number)[][] = [];
  for (const waiting of values.waiting.split(',').map(Number)) {
    for (const one of CASES.filter(({ name }) => name.includes(values.queue))) {
      const { read, games, cpuMs, closer, looser } = await warmTicks(
        one,
        waiting,
        Number(values.ticks),
        Number(values.seed),
      );
      const [cold, tickets, warm] = WARMTHS.map((warmth) => middle(cpuMs[warmth]));
      rows.push([
        one.name,
        read.toFixed(0),
        games.toFixed(1),
        cold!.toFixed(1),
        tickets!.toFixed(1),
        warm!.toFixed(1),
        `${(100 * (1 - warm! / tickets!)).toFixed(0)}%`,
        closer,
        looser,
      ]);
      console.error(`measured ${waiting} tickets of ${one.name}`);
    }
  }
  const head = ['queue', 'waiting', 'games', 'cold p50 ms', 'kept tickets', 'and searches'];
  printMarked('warm ticks', table([...head, 'saved by searches', 'bounds closer', 'looser'], rows));
}
