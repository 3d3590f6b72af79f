import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import type { QueueDefinition } from '../contract/queue-definition.ts';
import { poissonArrivals, type RateProfile } from '../simulation/arrivals.ts';
import type { Traffic } from '../simulation/play.ts';
import { drawSkill, type Population, type SkillDistribution } from '../simulation/population.ts';
import { seededRandom } from '../simulation/random.ts';
import { InvalidInput } from './failure.ts';
import { readTicketsFile } from './input.ts';

/** Options that say who is generated, and so have no place beside a file of arrivals. */
const GENERATED = [
  'rate',
  'ramp',
  'day',
  'skills',
  'parties',
  'partySpread',
  'roleWeights',
  'roleFlexibility',
] as const;
const OPTIONAL = [...GENERATED, 'arrivals', 'players', 'patience'] as const;

/** What `addTrafficOptions` makes a command accept; every value as it was typed. */
export type TrafficOptions = { seed: string } & { [Name in (typeof OPTIONAL)[number]]?: string };

/** Of a command's options those that `addTrafficOptions` made. */
export function onlyTrafficOptions(options: TrafficOptions): TrafficOptions {
  const given = OPTIONAL.filter((name) => options[name] !== undefined);
  return { seed: options.seed, ...Object.fromEntries(given.map((name) => [name, options[name]])) };
}

/** Who comes to the simulated queue; `playersDefault` of them are generated unless the user says otherwise. */
export function addTrafficOptions(command: Command, playersDefault: number): Command {
  return command
    .option('--arrivals <file>', 'a tickets file, in the order of arrival, in place of generated players')
    .option('--rate <perSecond>', 'players per second, a Poisson process (default 5)')
    .option('--ramp <from:to:seconds>', 'a rate that rises or falls over that time')
    .option('--day <night:peak>', 'a rate that goes from night to peak and back in 24 hours')
    .option('--players <number>', `how many players come (default ${playersDefault}, or all of the file)`)
    .option('--seed <number>', 'the same seed gives the same run', '1')
    .option(
      '--skills <distribution>',
      'normal:MEAN:SD, uniform:MIN:MAX or a JSON file of numbers (default normal:1500:350)',
    )
    .option('--parties <weights>', 'tickets by party size, such as 1=70,2=20,5=10 (default solos only)')
    .option('--party-spread <share>', 'how different friends are, 0 alike to 1 as strangers (default 0.5)')
    .option(
      '--role-weights <weights>',
      'preferred roles, such as tank=10,healer=15,damage=75 (default as the seats)',
    )
    .option('--role-flexibility <chance>', 'chance to accept each other role too (default 0.2)')
    .option('--patience <seconds>', 'mean patience before a ticket is cancelled (default nobody cancels)');
}

/** What a traffic is, for a report. */
export interface DescribedTraffic extends Traffic {
  readonly players: number;
  readonly text: string;
}

const SAMPLE_SIZE = 10_000;
/** What a report says of the players when it was asked for, and in which words. */
const TOLD = [
  ['parties', 'parties'],
  ['partySpread', 'party spread'],
  ['roleWeights', 'roles'],
  ['roleFlexibility', 'role flexibility'],
  ['patience', 'patience in seconds'],
] as const satisfies readonly (readonly [keyof TrafficOptions, string])[];
/** A fixed start, so that times in outputs read well and do not depend on the day of the run. */
const START_MS = Date.UTC(2026, 0, 1);

/** @throws InvalidInput | Problem that names the option or the place in the file */
export function trafficOf(
  options: TrafficOptions,
  definition: QueueDefinition,
  playersDefault: number,
): DescribedTraffic {
  const seed = integer('--seed', options.seed, Number.MIN_SAFE_INTEGER);
  return options.arrivals === undefined
    ? generatedTraffic(options, definition, seed, playersDefault)
    : trafficOfFile(options, options.arrivals, definition, seed);
}

function generatedTraffic(
  options: TrafficOptions,
  definition: QueueDefinition,
  seed: number,
  playersDefault: number,
): DescribedTraffic {
  const players = integer('--players', options.players ?? String(playersDefault), 1);
  const rate = rateOf(options);
  const population = populationOf(options, definition);
  const patienceSeconds =
    options.patience === undefined ? undefined : positive('--patience', options.patience);
  const random = seededRandom(seed).fork('sample');
  return {
    players,
    atEnd: 'stop',
    skillSample: Array.from({ length: SAMPLE_SIZE }, () => drawSkill(population.skills, random)),
    arrivals: {
      [Symbol.iterator]: () =>
        poissonArrivals(
          { population, rate, players, patienceSeconds, startMs: START_MS },
          seededRandom(seed),
        ),
    },
    text: `${[
      `${players} players`,
      rateText(rate),
      `skills ${options.skills ?? 'normal:1500:350'}`,
      ...TOLD.filter(([name]) => options[name] !== undefined).map(
        ([name, what]) => `${what} ${options[name]}`,
      ),
      `seed ${seed}`,
    ].join(', ')}.`,
  };
}

function trafficOfFile(
  options: TrafficOptions,
  file: string,
  definition: QueueDefinition,
  seed: number,
): DescribedTraffic {
  const extra = GENERATED.find((name) => options[name] !== undefined);
  if (extra !== undefined) {
    const flag = extra.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    throw new InvalidInput(`Expected --arrivals or --${flag}, got both: a file says itself who comes`);
  }
  const all = readTicketsFile(file, definition);
  if (all.length === 0) throw new InvalidInput(`${file}: Expected at least one ticket, got none`);
  all.forEach(({ ticketId, enqueuedAtMs }, at) => {
    if (at > 0 && enqueuedAtMs < all[at - 1].enqueuedAtMs) {
      throw new InvalidInput(
        `${file}: #/${at}/enqueuedAt: Expected tickets in the order of arrival, got ${ticketId} before its predecessor: sort them`,
      );
    }
  });
  const limit =
    options.players === undefined ? Number.POSITIVE_INFINITY : integer('--players', options.players, 1);
  let players = 0;
  const tickets = all.filter((ticket) => {
    if (players >= limit) return false;
    players += ticket.players.length;
    return true;
  });
  const patienceSeconds =
    options.patience === undefined ? undefined : positive('--patience', options.patience);
  return {
    players,
    atEnd: 'drain',
    skillSample: tickets.flatMap((ticket) => ticket.players.map(({ skill }) => skill)),
    arrivals: {
      *[Symbol.iterator]() {
        const patience = seededRandom(seed).fork('patience');
        for (const ticket of tickets) {
          yield {
            ticket,
            patienceMs:
              patienceSeconds === undefined
                ? Number.POSITIVE_INFINITY
                : 1000 * patience.exponential(1 / patienceSeconds),
          };
        }
      },
    },
    text: `${players} players of ${file}${options.patience === undefined ? '' : `, patience in seconds ${options.patience}, seed ${seed}`}.`,
  };
}

function rateOf({ rate, ramp, day }: TrafficOptions): RateProfile {
  const given = Object.entries({ '--rate': rate, '--ramp': ramp, '--day': day }).filter(
    ([, value]) => value !== undefined,
  );
  if (given.length > 1) {
    throw new InvalidInput(`Expected one rate, got ${given.map(([name]) => name).join(' and ')}: keep one`);
  }
  if (ramp !== undefined) {
    const [from, to, seconds] = parts('--ramp', ramp, 'from:to:seconds');
    if (from < 0 || to < 0 || from + to === 0 || seconds <= 0) {
      throw new InvalidInput(
        `--ramp: Expected rates from 0 up, one of them above 0, and a time above 0, got ${ramp}`,
      );
    }
    if (to === 0)
      throw new InvalidInput(`--ramp: Expected a last rate above 0, got ${ramp}: the run would never end`);
    return { kind: 'ramp', from, to, seconds };
  }
  if (day !== undefined) {
    const [night, peak] = parts('--day', day, 'night:peak');
    if (night < 0 || peak <= 0)
      throw new InvalidInput(`--day: Expected rates with a peak above 0, got ${day}`);
    return { kind: 'day', night, peak };
  }
  return { kind: 'constant', perSecond: positive('--rate', rate ?? '5') };
}

function rateText(rate: RateProfile): string {
  switch (rate.kind) {
    case 'constant':
      return `${rate.perSecond} per second`;
    case 'ramp':
      return `${rate.from} to ${rate.to} per second over ${rate.seconds} s`;
    case 'day':
      return `${rate.night} per second at night, ${rate.peak} at the peak`;
  }
}

function populationOf(options: TrafficOptions, definition: QueueDefinition): Population {
  const { roles, teamSize, name } = definition;
  const weights = options.parties === undefined ? undefined : namedWeights('--parties', options.parties);
  let partyWeights: number[] | undefined;
  if (weights !== undefined) {
    partyWeights = new Array<number>(teamSize).fill(0);
    for (const [size, weight] of Object.entries(weights)) {
      const players = Number(size);
      if (!Number.isInteger(players) || players < 1 || players > teamSize) {
        throw new InvalidInput(
          `--parties: Expected sizes from 1 to the team size ${teamSize} of ${name}, got ${size}`,
        );
      }
      partyWeights[players - 1] = weight;
    }
  }
  if (roles === undefined && options.roleWeights !== undefined) {
    throw new InvalidInput(`--role-weights: Expected a queue with roles, ${name} has none`);
  }
  const roleWeights =
    roles === undefined
      ? undefined
      : options.roleWeights === undefined
        ? roles
        : namedWeights('--role-weights', options.roleWeights);
  for (const role of Object.keys(roleWeights ?? {})) {
    if (roles !== undefined && !Object.hasOwn(roles, role)) {
      throw new InvalidInput(
        `--role-weights: Expected roles of ${name} (${Object.keys(roles).join(', ')}), got ${role}`,
      );
    }
  }
  return {
    skills: skillsOf(options.skills ?? 'normal:1500:350'),
    ...(partyWeights && { partyWeights }),
    ...(options.partySpread !== undefined && { partySpread: share('--party-spread', options.partySpread) }),
    ...(roleWeights && { roleWeights }),
    ...(roles && { seats: roles }),
    ...(options.roleFlexibility !== undefined && {
      roleFlexibility: share('--role-flexibility', options.roleFlexibility),
    }),
  };
}

function skillsOf(text: string): SkillDistribution {
  if (text.startsWith('normal:')) {
    const [mean, standardDeviation] = parts('--skills', text.slice('normal:'.length), 'MEAN:SD');
    if (mean < 0 || standardDeviation < 0) {
      throw new InvalidInput(`--skills: Expected a mean and a deviation from 0 up, got ${text}`);
    }
    return { kind: 'normal', mean, standardDeviation };
  }
  if (text.startsWith('uniform:')) {
    const [min, max] = parts('--skills', text.slice('uniform:'.length), 'MIN:MAX');
    if (min < 0 || max < min) throw new InvalidInput(`--skills: Expected 0 ≤ MIN ≤ MAX, got ${text}`);
    return { kind: 'uniform', min, max };
  }
  return { kind: 'sample', skills: skillsFile(text) };
}

function skillsFile(path: string): number[] {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new InvalidInput(
      `--skills: Expected normal:MEAN:SD, uniform:MIN:MAX or a JSON file of numbers, got ${path}: ${(error as Error).message}`,
    );
  }
  if (!Array.isArray(value) || value.length === 0) {
    throw new InvalidInput(`${path}: Expected a JSON array with at least one number`);
  }
  const wrong = value.findIndex((skill) => !(Number.isFinite(skill) && skill >= 0));
  if (wrong !== -1) {
    throw new InvalidInput(
      `${path}: #/${wrong}: Expected a number from 0 up, got ${JSON.stringify(value[wrong])}`,
    );
  }
  return value;
}

function namedWeights(option: string, text: string): Record<string, number> {
  const weights: Record<string, number> = {};
  for (const pair of text.split(',')) {
    const [name, weight, ...rest] = pair.split('=');
    const value = Number(weight);
    if (
      name === '' ||
      weight === undefined ||
      weight === '' ||
      rest.length > 0 ||
      !(value >= 0) ||
      value === Infinity
    ) {
      throw new InvalidInput(`${option}: Expected name=weight,… with weights from 0 up, got ${pair}`);
    }
    if (Object.hasOwn(weights, name))
      throw new InvalidInput(`${option}: Expected ${name} once, got it twice`);
    weights[name] = value;
  }
  if (!Object.values(weights).some((weight) => weight > 0)) {
    throw new InvalidInput(`${option}: Expected at least one weight above 0, got ${text}`);
  }
  return weights;
}

function parts(option: string, text: string, form: string): number[] {
  const numbers = text.split(':').map((part) => (part === '' ? Number.NaN : Number(part)));
  if (numbers.length !== form.split(':').length || !numbers.every(Number.isFinite)) {
    throw new InvalidInput(`${option}: Expected ${form} in numbers, got ${text}`);
  }
  return numbers;
}

export function positive(option: string, text: string): number {
  const value = Number(text);
  if (!Number.isFinite(value) || value <= 0)
    throw new InvalidInput(`${option}: Expected a number above 0, got ${text}`);
  return value;
}

export function share(option: string, text: string): number {
  const value = Number(text);
  if (text === '' || !(value >= 0 && value <= 1)) {
    throw new InvalidInput(`${option}: Expected a number from 0 to 1, got ${text}`);
  }
  return value;
}

export function integer(option: string, text: string, min: number): number {
  const value = Number(text);
  if (text === '' || !Number.isSafeInteger(value) || value < min) {
    const range = min === Number.MIN_SAFE_INTEGER ? '' : ` from ${min} up`;
    throw new InvalidInput(`${option}: Expected a whole number${range}, got ${text}`);
  }
  return value;
}
