import { LIMITS, type QueueDefinition } from '../contract/queue-definition.ts';
import { partyMaxOf, roleSeatsOf, teamKindsOf } from '../contract/team-kinds.ts';
import type { Ticket } from '../engine/types.ts';
import { InvalidInput } from '../vocabulary/invalid-input.ts';
import { patienceOf, playersWithin, type RateProfile } from './arrivals.ts';
import {
  ABOVE_0,
  FROM_0_TO_1,
  namedWeights,
  numberFor,
  numberIn,
  numberOf,
  numbers,
  whole,
} from './option-values.ts';
import type { Population, Side, SkillDistribution } from './population.ts';
import { seededRandom } from './random.ts';
import type { MatchCourse } from './running-matches.ts';
import { generatedTraffic, type Traffic } from './traffic.ts';

/** An option as the command line documents it. */
export interface TrafficOption {
  readonly flags: string;
  readonly help: string;
  /** The default, for the help; `--players` has its own for each command. */
  readonly unset?: string;
  /** May be given with a file of arrivals: it does not describe generated players. */
  readonly withFile?: true;
  /** The name of the value in a report, when it is given. */
  readonly label?: string;
}

/** The options that describe the players of a simulated queue, for the command line and for the console. */
export const TRAFFIC_OPTIONS = {
  arrivals: {
    flags: '--arrivals <file>',
    help: 'replay a tickets file (.json or .csv), in order of arrival, instead of generating players',
    withFile: true,
  },
  rate: {
    flags: '--rate <perSecond>',
    help: 'players per second, a Poisson process',
    unset: '5',
  },
  ramp: {
    flags: '--ramp <from:to:seconds>',
    help: 'players per second that rise or fall over that time',
  },
  step: {
    flags: '--step <from:to:seconds>',
    help: 'players per second that change at once after that time',
  },
  day: {
    flags: '--day <night:peak>',
    help: 'players per second that go from night to peak and back in 24 hours',
  },
  players: { flags: '--players <number>', help: 'number of players', withFile: true },
  skills: {
    flags: '--skills <distribution>',
    help: 'normal:MEAN:SD, uniform:MIN:MAX or a JSON file of numbers to draw from',
    unset: 'normal:1500:350',
  },
  parties: {
    flags: '--parties <weights>',
    help: 'weights of party sizes, such as 1=70,2=20,5=10',
    unset: 'solo players only',
    label: 'parties',
  },
  partySpread: {
    flags: '--party-spread <share>',
    help: 'how much skills within a party differ, from 0 (equal) to 1 (as among strangers)',
    unset: '0.5',
    label: 'party spread',
  },
  roleWeights: {
    flags: '--role-weights <weights>',
    help: 'weights of preferred roles, such as tank=10,healer=15,damage=75',
    unset: 'the roles of the queue',
    label: 'roles',
  },
  roleFlexibility: {
    flags: '--role-flexibility <chance>',
    help: 'chance that a player accepts each other role too, 0 to 1',
    unset: '0.2',
    label: 'role flexibility',
  },
  sides: {
    flags: '--sides <weights>',
    help: 'weights of the teams that tickets choose, such as killer=12,survivors=80,any=8',
    unset: 'every player accepts any team',
    label: 'sides',
  },
  regions: {
    flags: '--regions <weights>',
    help: 'weights of the regions players live in, such as eu=60,us=40; their latencies follow',
    unset: 'players have no latencies',
    label: 'regions',
  },
  avoid: {
    flags: '--avoid <players>',
    help: 'how many of the last hundred players a player avoids, on average',
    unset: '0',
    label: 'avoided players',
  },
  patience: {
    flags: '--patience <seconds>',
    help: 'mean time after which a waiting player cancels',
    unset: 'no player cancels',
    label: 'mean patience in seconds',
    withFile: true,
  },
  leavers: {
    flags: '--leavers <chance>',
    help: 'chance that a player leaves a match before its end, 0 to 1; queues with backfill ask for others',
    unset: 'matches are not followed after their release, or 0 with --match-length',
    label: 'leavers',
    withFile: true,
  },
  matchLength: {
    flags: '--match-length <seconds>',
    help: 'how long a match lasts',
    unset: '1200 with --leavers',
    label: 'match length in seconds',
    withFile: true,
  },
} as const satisfies Record<string, TrafficOption>;

type OptionName = keyof typeof TRAFFIC_OPTIONS;

/** The options with their names. */
export const ALL_TRAFFIC_OPTIONS = Object.entries(TRAFFIC_OPTIONS) as readonly (readonly [
  OptionName,
  TrafficOption,
])[];

/** Values of the options; each is the text as one would type it. */
export type TrafficOptions = { seed: string } & { [Name in OptionName]?: string };

/** Traffic with a description for a report. */
export interface DescribedTraffic extends Traffic {
  readonly players: number;
  readonly text: string;
}

/** The traffic that is generated without `--players`: at least this many players, and for at least this long. */
export interface TrafficLength {
  readonly players: number;
  /** Virtual seconds. @default 0 */
  readonly seconds?: number;
}

/** The length of matches with `--leavers` alone. */
const MATCH_SECONDS = 1200;
/** A fixed start, so that times in outputs read well and do not depend on the day of the run. */
const START_MS = Date.UTC(2026, 0, 1);

/**
 * Generates traffic as the options say. The same options give the same traffic everywhere: `muster simulate` and the
 * console agree to the last digit.
 *
 * @param skillsOfFile reads the file of skills that `--skills` may name
 * @throws InvalidInput that names the option
 */
export function trafficOfOptions(
  options: TrafficOptions,
  definition: QueueDefinition,
  length: TrafficLength,
  skillsOfFile: (path: string) => number[],
): DescribedTraffic {
  const { seed, limit, patienceSeconds, course, labelled } = commonOf(options);
  const rate = rateOf(options);
  const players = limit ?? Math.max(length.players, Math.ceil(playersWithin(rate, length.seconds ?? 0)));
  const population = populationOf(options, definition, skillsOfFile);
  return {
    ...generatedTraffic({ population, rate, players, patienceSeconds, startMs: START_MS }, seed),
    ...(course && { course }),
    players,
    text: `${[
      `${players} players`,
      rateText(rate),
      `skills ${options.skills ?? TRAFFIC_OPTIONS.skills.unset}`,
      ...labelled,
      `seed ${seed}`,
    ].join(', ')}.`,
  };
}

/**
 * The traffic of tickets that have arrived before, in their order.
 *
 * @param file names them in errors and in the text
 * @param read reads them, once the options are checked
 * @throws InvalidInput that names the option, or the place in the file
 */
export function trafficOfTickets(
  options: TrafficOptions,
  file: string,
  read: () => readonly Ticket[],
): DescribedTraffic {
  const { seed, limit = Infinity, patienceSeconds, course, labelled } = commonOf(options);
  const extra = ALL_TRAFFIC_OPTIONS.find(([name, { withFile }]) => !withFile && options[name] !== undefined);
  if (extra !== undefined) {
    const [flag] = extra[1].flags.split(' ');
    throw new InvalidInput(`Expected --arrivals or ${flag}, got both: the file already defines the players`);
  }
  const all = read();
  if (all.length === 0) throw new InvalidInput(`${file}: Expected at least one ticket, got none`);
  const early = all.findIndex(({ enqueuedAtMs }, at) => at > 0 && enqueuedAtMs < all[at - 1].enqueuedAtMs);
  if (early !== -1)
    throw new InvalidInput(
      `${file}: #/${early}/enqueuedAt: Expected tickets in order of arrival, got ${all[early].ticketId}, which is older than the previous one: sort them`,
    );
  let players = 0;
  const tickets = all.filter((ticket) => {
    if (players >= limit) return false;
    players += ticket.players.length;
    return true;
  });
  const seeded = patienceSeconds === undefined && course === undefined ? [] : [`seed ${seed}`];
  return {
    players,
    atEnd: 'drain',
    ...(course && { course }),
    skillSample: tickets.flatMap((ticket) => ticket.players.map(({ skill }) => skill)),
    arrivals: {
      *[Symbol.iterator]() {
        const patienceMs = patienceOf(patienceSeconds, seededRandom(seed));
        for (const ticket of tickets) yield { ticket, patienceMs: patienceMs() };
      },
    },
    text: `${[`${players} players of ${file}`, ...labelled, ...seeded].join(', ')}.`,
  };
}

/** The options that both kinds of traffic have, and the texts of those that a report names. @throws InvalidInput */
function commonOf(options: TrafficOptions) {
  const seed = numberFor('--seed', options.seed, whole());
  return {
    seed,
    limit: numberFor('--players', options.players, whole(1)),
    /** The mean patience; undefined when no player cancels. */
    patienceSeconds: numberFor('--patience', options.patience, ABOVE_0),
    course: courseOf(options, seed),
    labelled: ALL_TRAFFIC_OPTIONS.flatMap(([name, { label }]) =>
      label === undefined || options[name] === undefined ? [] : [`${label} ${options[name]}`],
    ),
  };
}

/** What happens to matches after their release; undefined when it is not asked for. @throws InvalidInput */
function courseOf({ leavers, matchLength }: TrafficOptions, seed: number): MatchCourse | undefined {
  if (leavers === undefined && matchLength === undefined) return undefined;
  const chance = numberFor('--leavers', leavers, FROM_0_TO_1) ?? 0;
  if (chance === 1)
    throw new InvalidInput(
      `--leavers: Expected a number from 0 to below 1, got ${leavers}: some players stay`,
    );
  return {
    leavers: chance,
    matchSeconds: numberFor('--match-length', matchLength, ABOVE_0) ?? MATCH_SECONDS,
    random: seededRandom(seed).fork('leavers'),
  };
}

function rateOf({ rate, ramp, step, day }: TrafficOptions): RateProfile {
  const options = { '--rate': rate, '--ramp': ramp, '--step': step, '--day': day };
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  if (given.length > 1) {
    throw new InvalidInput(`Expected one rate, got ${given.map(([name]) => name).join(' and ')}: keep one`);
  }
  if (ramp !== undefined) return { kind: 'ramp', ...changeOf('--ramp', ramp) };
  if (step !== undefined) return { kind: 'step', ...changeOf('--step', step) };
  if (day !== undefined) {
    const [night, peak] = numbers('--day', day, 'night:peak');
    if (night < 0 || peak <= 0 || Math.max(night, peak) > CHANGING_RATE_MAX)
      throw new InvalidInput(`--day: Expected rates up to a million, with a peak above 0, got ${day}`);
    return { kind: 'day', night, peak };
  }
  return { kind: 'constant', perSecond: numberFor('--rate', rate ?? TRAFFIC_OPTIONS.rate.unset, ABOVE_0) };
}

/** The draws between two arrivals are many when a rate falls far below its peak. */
const CHANGING_RATE_MAX = 1_000_000;
const YEAR_SECONDS = 31_536_000;

/** Two rates, and the time of the change between them. */
function changeOf(option: string, text: string): { from: number; to: number; seconds: number } {
  const [from, to, seconds] = numbers(option, text, 'from:to:seconds');
  const isRate = from >= 0 && to >= 0 && from + to > 0 && Math.max(from, to) <= CHANGING_RATE_MAX;
  if (!isRate || seconds <= 0 || seconds > YEAR_SECONDS) {
    throw new InvalidInput(
      `${option}: Expected rates from 0 to a million, one of them above 0, and a time above 0 s, of a year at most, got ${text}`,
    );
  }
  if (to === 0)
    throw new InvalidInput(`${option}: Expected a last rate above 0, got ${text}: the run would never end`);
  return { from, to, seconds };
}

function rateText(rate: RateProfile): string {
  switch (rate.kind) {
    case 'constant':
      return `${rate.perSecond} per second`;
    case 'ramp':
      return `${rate.from} to ${rate.to} per second over ${rate.seconds} s`;
    case 'step':
      return `${rate.from} per second for ${rate.seconds} s, then ${rate.to}`;
    case 'day':
      return `${rate.night} per second at night, ${rate.peak} at the peak`;
  }
}

/** The players of generated traffic, as they are in a queue. @throws InvalidInput that names the option */
export function populationOf(
  options: TrafficOptions,
  definition: QueueDefinition,
  skillsOfFile: (path: string) => number[],
): Population {
  const { name } = definition;
  const roles = roleSeatsOf(definition);
  const seats = teamKindsOf(definition).find((kind) => kind.roles !== undefined)?.roles;
  const partyMax = partyMaxOf(definition);
  const parties = weightsOf('--parties', options.parties);
  for (const size of Object.keys(parties ?? {}))
    if (numberOf(size, whole(1)) === undefined || Number(size) > partyMax)
      throw new InvalidInput(
        `--parties: Expected sizes from 1 to the team size ${partyMax} of ${name}, got ${size}`,
      );
  if (roles === undefined && options.roleWeights !== undefined)
    throw new InvalidInput(`--role-weights: Expected a queue with roles, ${name} has none`);
  const roleWeights = weightsOf('--role-weights', options.roleWeights) ?? roles;
  const unknown = Object.keys(roleWeights ?? {}).find((role) => !Object.hasOwn(roles!, role));
  if (unknown !== undefined)
    throw new InvalidInput(
      `--role-weights: Expected roles of ${name} (${Object.keys(roles!).join(', ')}), got ${unknown}`,
    );
  if (options.regions === undefined && definition.rules?.some(({ type }) => type === 'latency')) {
    throw new InvalidInput(
      `--regions: Expected weights of regions, such as eu=60,us=40, because ${name} has a latency rule, got nothing`,
    );
  }
  return {
    attributes: definition.attributes,
    regionWeights: weightsOf('--regions', options.regions),
    skills: skillsOf(options.skills ?? TRAFFIC_OPTIONS.skills.unset, skillsOfFile),
    partyWeights: parties && Array.from({ length: partyMax }, (_, at) => ofNumber(parties, at + 1)),
    partySpread: numberFor('--party-spread', options.partySpread, FROM_0_TO_1),
    roleWeights,
    seats,
    avoided: numberFor('--avoid', options.avoid, numberIn(0, 50)),
    sides: options.sides === undefined ? undefined : sidesOf(options.sides, definition),
    roleFlexibility: numberFor('--role-flexibility', options.roleFlexibility, FROM_0_TO_1),
  };
}

/** The weight of a number, which may be written as `2` or `2.0`. */
function ofNumber(weights: Readonly<Record<string, number>>, number: number): number {
  return Object.entries(weights).find(([name]) => Number(name) === number)?.[1] ?? 0;
}

function weightsOf(option: string, text: string | undefined): Record<string, number> | undefined {
  return text === undefined ? undefined : namedWeights(option, text);
}

function sidesOf(text: string, definition: QueueDefinition): Side[] {
  const kinds = teamKindsOf(definition);
  const names = kinds.flatMap(({ name }) => name ?? []);
  return Object.entries(namedWeights('--sides', text)).map(([name, weight]) => {
    if (name === 'any' && !names.includes(name))
      return { name: undefined, partyMax: partyMaxOf(definition), weight };
    const kind = kinds.find((one) => one.name === name);
    if (kind === undefined) {
      const theirs = names.length > 0 ? names.join(', ') : 'none: its teams have no names';
      throw new InvalidInput(`--sides: Expected any or teams of ${definition.name} (${theirs}), got ${name}`);
    }
    return { name, partyMax: kind.size, weight };
  });
}

function skillsOf(text: string, skillsOfFile: (path: string) => number[]): SkillDistribution {
  if (text.startsWith('normal:')) {
    const [mean, standardDeviation] = numbers('--skills', text.slice('normal:'.length), 'MEAN:SD');
    if (!isSkill(mean) || !isSkill(standardDeviation)) {
      throw new InvalidInput(
        `--skills: Expected a mean and a deviation from 0 to ${LIMITS.skillMax}, got ${text}`,
      );
    }
    return { kind: 'normal', mean, standardDeviation };
  }
  if (text.startsWith('uniform:')) {
    const [min, max] = numbers('--skills', text.slice('uniform:'.length), 'MIN:MAX');
    if (!isSkill(min) || !isSkill(max) || max < min)
      throw new InvalidInput(`--skills: Expected 0 ≤ MIN ≤ MAX ≤ ${LIMITS.skillMax}, got ${text}`);
    return { kind: 'uniform', min, max };
  }
  return { kind: 'sample', skills: skillsOfFile(text) };
}

const { holds: isSkill } = numberIn(0, LIMITS.skillMax);
