import { Problem } from '../../lib/contract/problem.ts';
import { checkQueueDefinition, type QueueDefinition } from '../../lib/contract/queue-definition.ts';
import { seatsOf, teamKindsOf } from '../../lib/contract/team-kinds.ts';
import type { Ticket } from '../../lib/engine/types.ts';
import type { Backfill } from '../../lib/policies/plan.ts';
import type { RuledPlayer } from '../../lib/rules/types.ts';
import { normal, seeded } from '../engine/random-pool.ts';

/** A definition within the limits of the schema, and a pool of its queue. */
export interface SlowCase {
  readonly definition: QueueDefinition;
  readonly tickets: readonly Ticket[];
  readonly backfills: readonly Backfill[];
  readonly nowMs: number;
  /** Whether the plan explains every waiting ticket, as a dry run does. */
  readonly reasons: boolean;
}

/** The bounds of a random case, for runs that have to be short. */
export interface CaseLimits {
  /** @default 20,000 */
  readonly ticketsMax?: number | undefined;
}

/** The players of the largest pool, about. */
const PLAYERS_MAX = 60_000;

const NOW_MS = Date.UTC(2027, 0, 1);

/** The case of a seed: the same at every call. */
export function slowCase(seed: number, { ticketsMax = 20_000 }: CaseLimits = {}): SlowCase {
  const random = new Random(seed);
  const definition = definitionOf(random);
  const count = Math.min(ticketsMax, Math.round(10 * 2000 ** random.next()));
  const tickets = ticketsOf(random, definition, count);
  return {
    definition,
    tickets,
    backfills: definition.backfill ? backfillsOf(random, definition) : [],
    nowMs: NOW_MS,
    reasons: random.chance(0.2) && count <= 400,
  };
}

/** What a case is about, in one line. */
export function summaryOf({ definition, tickets, backfills, reasons }: SlowCase): string {
  const kinds = teamKindsOf(definition).map(
    ({ size, count, roles }) =>
      `${count}×${size}${definition.short ? ' short' : ''}${roles ? ` ${JSON.stringify(roles)}` : ''}`,
  );
  const { alpha, p, q } = definition.imbalance;
  const parties = tickets.filter(({ players }) => players.length > 1).length;
  const rules = (definition.rules ?? []).map(
    (rule) =>
      rule.type +
      ('scope' in rule && rule.scope ? `/${rule.scope}` : '') +
      ('rules' in rule ? rule.rules.length : '') +
      ('cost' in rule && rule.cost ? '$' : ''),
  );
  return [
    `${tickets.length} tickets (${parties} parties)`,
    kinds.join(' + '),
    `α ${alpha} p ${p} q ${q} β ${definition.beta ?? 0}`,
    definition.release.policy,
    ...(definition.skillScale ? [definition.skillScale] : []),
    ...(definition.fill ? [definition.fill] : []),
    ...(backfills.length > 0 ? [`${backfills.length} backfills`] : []),
    ...(rules.length > 0 ? [`rules ${rules.join(' ')}`] : []),
    ...(reasons ? ['reasons'] : []),
  ].join(', ');
}

class Random {
  readonly next: () => number;

  constructor(seed: number) {
    this.next = seeded(seed);
  }

  chance(part: number): boolean {
    return this.next() < part;
  }

  int(low: number, high: number): number {
    return low + Math.floor((high - low + 1) * this.next());
  }

  pick<T>(from: readonly T[]): T {
    return from[Math.floor(this.next() * from.length)]!;
  }
}

/** The first of some random definitions that the schema accepts, without the rules that contradict it or have no effect. */
function definitionOf(random: Random): QueueDefinition {
  for (;;) {
    let drawn = randomDefinition(random);
    for (let left = true; left; ) {
      try {
        return checkQueueDefinition(drawn, 'The random definition');
      } catch (error) {
        if (!(error instanceof Problem)) throw error;
        const isFaulty = (at: number) =>
          error.errors.some(
            ({ pointer }) => pointer.startsWith(`#/rules/${at}/`) || pointer === `#/rules/${at}`,
          );
        const all = (drawn.rules ?? []) as unknown[];
        const rules = all.filter((_, at) => !isFaulty(at));
        left = rules.length > 0 && rules.length < all.length;
        drawn = { ...drawn, rules };
      }
    }
  }
}

function randomDefinition(random: Random): Record<string, unknown> {
  // What costs time or goes wrong is often two features together, so many cases have all of them.
  const hasAll = random.chance(0.3);
  const has = (part: number) => random.chance(hasAll ? 0.8 : part);
  const hasRules = has(0.5);
  const beta = random.pick([0, 0, 0.01, 1, 1000]);
  return {
    name: 'q',
    tickSeconds: random.pick([1, 5, 60]),
    timeoutSeconds: 600,
    ...(hasAll && random.chance(0.5) ? manyRoles(random) : teamsOf(random)),
    imbalance: {
      alpha: random.pick([0.001, 0.1, 1, 1, 10, 1000]),
      p: random.pick([1, 1, 1, 2, 7.5, 1000, 'inf']),
      q: random.pick([1, 2, 2, 2, 3.3, 1000, 'inf']),
    },
    ...(beta > 0 && { beta }),
    release: releaseOf(random),
    ...(has(0.1) && { fill: 'bots' }),
    ...(has(0.1) && { skillScale: 'percentile' }),
    ...(has(0.15) && { backfill: { priority: random.pick(['low', 'normal', 'high']) } }),
    ...(hasRules && {
      attributes: {
        level: { type: 'number', default: 1 },
        xp: { type: 'number', default: 1 },
        clan: { type: 'string', default: 'a' },
        maps: { type: 'strings', default: ['a'] },
      },
      rules: rulesOf(random),
      ...(random.chance(0.3) && { relaxBy: 'oldest' }),
    }),
  };
}

/** The seats of a team by role, for so many roles. */
function rolesOf(random: Random, size: number, names: number): Record<string, number> {
  const roles: Record<string, number> = {};
  for (let seat = 0; seat < size; seat++) {
    const role = `r${seat < names ? seat : random.int(0, names - 1)}`;
    roles[role] = (roles[role] ?? 0) + 1;
  }
  return roles;
}

/** Teams of up to more roles, or pairs of a team and a role, than the schema accepts. */
function manyRoles(random: Random): Record<string, unknown> {
  const count = random.int(8, 34);
  return random.pick<() => Record<string, unknown>>([
    () => {
      const teamSize = random.int(count, 100);
      return { teamSize, roles: rolesOf(random, teamSize, count) };
    },
    () => {
      const size = Math.max(2, Math.floor(count / 2));
      return {
        teams: ['a', 'b'].map((name) => ({ name, size, roles: rolesOf(random, size, size) })),
      };
    },
    () => {
      const size = random.int(count, 60);
      const minSize = random.int(1, size - 1);
      return {
        teams: [
          { name: 'crew', size, minSize, count: random.int(1, 3), roles: rolesOf(random, size, count) },
        ],
        short: { afterSeconds: random.pick([0, 60]), cost: random.pick([0, 10]) },
      };
    },
  ])();
}

function teamsOf(random: Random): Record<string, unknown> {
  const rolesFor = (size: number, names: number) => rolesOf(random, size, names);
  const equal = (teamSize: number, roles = 0) => ({
    teamSize,
    ...(roles > 0 && { roles: rolesFor(teamSize, Math.min(roles, teamSize)) }),
  });
  const many = (size: number) => ({
    teamSize: size,
    teams: random.int(3, Math.min(100, Math.floor(200 / size))),
  });
  return random.pick<() => Record<string, unknown>>([
    () => equal(random.int(1, 5)),
    () => equal(random.int(5, 8)),
    () => equal(random.int(2, 8), random.int(2, 5)),
    () => equal(5, 3),
    () => equal(random.int(9, 100), random.pick([0, 0, 3, 20])),
    () => many(random.int(1, 8)),
    () => ({ ...many(random.int(2, 5)), teams: random.int(3, 5) }),
    () => ({ teams: [{ name: 'all', size: random.int(2, 200) }] }),
    () => ({
      teams: [
        { name: 'one', size: 1, offset: random.pick([0, 300]) },
        { name: 'many', size: random.int(2, 20), count: random.int(1, 4) },
      ],
    }),
    () => ({
      teams: Array.from({ length: random.int(2, 6) }, (_, i) => {
        const size = random.int(1, 6);
        return { name: `k${i}`, size, count: random.int(1, 3), roles: rolesFor(size, Math.min(2, size)) };
      }),
    }),
    () => {
      const size = random.int(2, 30);
      return {
        teams: [{ name: 'side', size, minSize: random.int(1, size - 1), count: random.int(2, 6) }],
        short: { afterSeconds: random.pick([0, 60]), cost: random.pick([0, 10]) },
      };
    },
  ])();
}

function releaseOf(random: Random): Record<string, unknown> {
  const cost = random.pick([0.01, 1, 10, 10_000]);
  return random.pick<Record<string, unknown>>([
    { policy: 'greedy' },
    { policy: 'fifo' },
    { policy: 'periodic', everySeconds: 1 },
    { policy: 'expanding', tolerance: 50, growthPerSecond: random.pick([0, 1, 100]) },
    { policy: 'option-value', waitCost: cost },
    { policy: 'option-value', waitCost: cost, longestWaitSeconds: random.int(1, 500) },
  ]);
}

function rulesOf(random: Random): Record<string, unknown>[] {
  const number = () => random.pick(['level', 'xp', 'skill']);
  const side = () =>
    random.chance(0.2)
      ? random.int(0, 100)
      : { of: random.pick(['mean', 'sum', 'least', 'greatest', 'count']), attribute: number() };
  const scope = () => (random.chance(0.5) ? { scope: 'team' } : {});
  const inner = (): Record<string, unknown> =>
    random.pick<() => Record<string, unknown>>([
      () => ({ type: 'same', attribute: random.pick(['clan', 'level']), ...scope() }),
      () => ({ type: 'different', attribute: 'clan', ...scope() }),
      () => ({
        type: 'within',
        attribute: number(),
        max: random.pick([random.int(0, 300), 0.01, 1e-9]),
        ...scope(),
      }),
      () => ({ type: 'common', attribute: 'maps', atLeast: random.int(1, 3), ...scope() }),
      () => ({ type: 'accepted', attribute: 'maps', by: 'maps', atLeast: random.int(1, 3), ...scope() }),
      () => ({ type: 'count', attribute: 'clan', value: 'c1', atLeast: random.int(0, 2), ...scope() }),
      () => ({ type: 'count', attribute: 'clan', value: 'c0', atMost: random.int(0, 5), ...scope() }),
      () => ({ type: 'balance', attribute: random.pick(['level', 'xp']), max: random.int(0, 20) }),
      () => ({ type: 'compare', left: side(), right: side(), op: random.pick(['<=', '>=', '=']) }),
    ])();
  const outer = (): Record<string, unknown> =>
    random.pick<() => Record<string, unknown>>([
      inner,
      inner,
      inner,
      () => ({ type: 'anyOf', rules: Array.from({ length: random.int(2, 10) }, inner) }),
      () => ({ type: 'latency', max: random.int(20, 200) }),
      () => ({ type: 'recent', seconds: 600, scope: random.pick(['game', 'opponents', 'teammates']) }),
      () => ({
        type: 'custom',
        options: { at: random.int(0, 100) },
        ...random.pick([
          { function: 'closeLevels' },
          { function: 'patient' },
          { function: 'weakApart', cost: random.pick([0.1, 10]) },
          { function: 'fewParties', cost: random.pick([0.1, 10]) },
        ]),
      }),
    ])();
  return Array.from({ length: random.pick([1, 1, 2, 3, 10, 30]) }, (_, i) => {
    const rule: Record<string, unknown> = { name: `rule${i}`, ...outer() };
    if (rule.type !== 'anyOf' && rule.type !== 'custom' && random.chance(0.3))
      rule.cost = random.pick([0.1, 10, 1000]);
    if (random.chance(0.2)) rule.relax = [{ waitSeconds: 300, off: true }];
    return rule;
  });
}

/** What the players of a pool are like. */
interface Crowd {
  readonly skill: () => number;
  readonly partySize: () => number;
  readonly roles: () => readonly string[] | undefined;
  readonly kinds: number;
  /** What numbers are multiplied with. */
  readonly scale: number;
  readonly rich: boolean;
}

function crowdOf(random: Random, definition: QueueDefinition): Crowd {
  const kinds = teamKindsOf(definition);
  const most = Math.max(...kinds.map(({ size }) => size));
  const names = [...new Set(kinds.flatMap(({ roles }) => Object.keys(roles ?? {})))];
  const usual = random.pick([...names, undefined]);
  const isMild = random.chance(0.5);
  const fixed = random.int(1, most);
  return {
    skill: random.pick<() => number>([
      () => 1500,
      () => 1500 + random.int(0, 20) * 2 ** -42,
      () => 1500 + 300 * random.next(),
      () => Math.max(0, 1500 + 300 * normal(random.next)),
      () => Math.max(0, 1500 + 300 * normal(random.next)),
      () => (random.chance(0.05) ? 1e8 : 1) * 1000 * random.next(),
      () => 10 ** (9 * random.next()),
      () => random.int(0, 3),
      () => 1000 * random.int(1, 2) + random.next(),
    ]),
    partySize: random.pick<() => number>([
      () => 1,
      () => 1,
      () => random.int(1, most),
      () => (random.chance(0.2) ? random.int(1, most) : 1),
      () => Math.min(most, random.pick([1, 2, 3])),
      () => fixed,
    ]),
    roles: () => {
      if (names.length === 0) return undefined;
      if (usual !== undefined && !isMild && random.chance(0.97)) return [usual];
      const own = names.filter(() => random.chance(0.4));
      return own.length > 0 ? own : undefined;
    },
    kinds: random.pick([1, 2, 5, 50, 1000]),
    scale: random.pick([1, 1, 1, 1e12]),
    rich: random.chance(0.5),
  };
}

function playerOf(
  random: Random,
  crowd: Crowd,
  definition: QueueDefinition,
  playerId: string,
  players: number,
): RuledPlayer {
  const roles = crowd.roles();
  const types = (definition.rules ?? []).map(({ type }) => type);
  const { kinds, scale } = crowd;
  const count = crowd.rich ? random.int(1, 50) : 1;
  return {
    playerId,
    skill: crowd.skill(),
    ...(roles && { roles }),
    ...(types.length > 0 && {
      attributes: {
        level: scale * random.int(0, kinds),
        xp: scale * random.int(0, kinds),
        clan: `c${random.int(0, kinds)}`,
        maps: [...new Set(Array.from({ length: count }, () => `m${random.int(0, kinds)}`))],
      },
    }),
    ...(types.includes('latency') && {
      latencyMs: Object.fromEntries(
        Array.from({ length: crowd.rich ? 40 : 3 }, (_, region) => [`eu-${region}`, random.int(10, 250)]),
      ),
    }),
    ...(types.length > 0 &&
      crowd.rich &&
      random.chance(0.1) && { avoid: Array.from({ length: 5 }, () => `p${random.int(0, players)}.0`) }),
  };
}

function ticketsOf(random: Random, definition: QueueDefinition, count: number): Ticket[] {
  const crowd = crowdOf(random, definition);
  const seats = seatsOf(definition);
  const oldest = 1000 * random.pick([1, 60, 300, 700]);
  const splits = random.chance(0.1) ? 0.2 : 0;
  const twice = random.chance(0.05) ? 0.05 : 0;
  const isInSteps = random.chance(0.3);
  const tickets: Ticket[] = [];
  for (let i = 0, players = 0; i < count && players < PLAYERS_MAX; i++) {
    const size = Math.min(seats, crowd.partySize());
    players += size;
    const age = oldest * random.next();
    tickets.push({
      ticketId: `t${i}`,
      enqueuedAtMs: NOW_MS - Math.floor(isInSteps ? 1000 * Math.floor(age / 1000) : age),
      players: Array.from({ length: size }, (_, j) =>
        playerOf(random, crowd, definition, `p${random.chance(twice) ? 0 : i}.${j}`, count),
      ),
      ...(size > 1 && random.chance(splits) && { split: true }),
    });
  }
  return tickets;
}

function backfillsOf(random: Random, definition: QueueDefinition): Backfill[] {
  const crowd = crowdOf(random, definition);
  const kinds = teamKindsOf(definition);
  const sizes = kinds.flatMap(({ size, count = 1 }) => new Array<number>(count).fill(size));
  return Array.from({ length: random.pick([1, 10, 200]) }, (_, b) => {
    const missing = random.pick([0.05, 0.3, 0.9]);
    const players = sizes.flatMap((size, team) =>
      Array.from({ length: size }, (_, i) => ({
        ...playerOf(random, crowd, definition, `b${b}.${team}.${i}`, 1000),
        roles: undefined,
        team,
      })).filter((_, i) => i === 0 || !random.chance(missing)),
    );
    return {
      backfillId: `b${b}`,
      requestedAtMs: NOW_MS - 1000 * random.int(0, 500),
      players: players.map(({ roles: _, ...player }) => player),
    };
  });
}
