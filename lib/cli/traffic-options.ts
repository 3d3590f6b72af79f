import { type Command, Option } from 'commander';
import { LIMITS, type QueueDefinition } from '../contract/queue-definition.ts';
import { integer } from '../simulation/option-values.ts';
import { seededRandom } from '../simulation/random.ts';
import {
  ALL_TRAFFIC_OPTIONS,
  COURSE_OPTIONS,
  courseOf,
  type DescribedTraffic,
  isSkill,
  patienceOf,
  populationOf,
  seedOf,
  TRAFFIC_OPTIONS,
  type TrafficLength,
  type TrafficOptions,
  trafficOfOptions,
} from '../simulation/traffic-options.ts';
import { InvalidInput } from './failure.ts';
import { readTicketsFile } from './input.ts';
import { readJson } from './json-file.ts';

export type { DescribedTraffic, TrafficLength, TrafficOptions } from '../simulation/traffic-options.ts';

/** The traffic options among all options of a command. */
export function onlyTrafficOptions(options: TrafficOptions): TrafficOptions {
  const given = ALL_TRAFFIC_OPTIONS.flatMap(([name]) =>
    options[name] === undefined ? [] : [[name, options[name]]],
  );
  return { seed: options.seed, ...Object.fromEntries(given) };
}

/**
 * Adds the options that describe the players of a simulated queue and their arrivals.
 *
 * @param playersUnset the default of `--players`, for the help
 */
export function addTrafficOptions(command: Command, playersUnset: string): Command {
  for (const [name, { flags, help, unset }] of ALL_TRAFFIC_OPTIONS) {
    const fallback = name === 'players' ? playersUnset : unset;
    command.option(flags, fallback === undefined ? help : `${help} (default: ${fallback})`);
  }
  return command.addOption(
    new Option('--seed <number>', 'the same seed gives the same run').default('1', '1'),
  );
}

/** @throws InvalidInput | Problem that names the option or the place in the file */
export function trafficOf(
  options: TrafficOptions,
  definition: QueueDefinition,
  length: TrafficLength,
): DescribedTraffic {
  return options.arrivals === undefined
    ? trafficOfOptions(options, definition, length, skillsFile)
    : trafficOfFile(options, options.arrivals, definition, seedOf(options));
}

/** The generated players, as they are in a queue. @throws InvalidInput | Problem that names the option or the place in the file */
export const populationIn = (options: TrafficOptions, definition: QueueDefinition) =>
  populationOf(options, definition, skillsFile);

function trafficOfFile(
  options: TrafficOptions,
  file: string,
  definition: QueueDefinition,
  seed: number,
): DescribedTraffic {
  const extra = ALL_TRAFFIC_OPTIONS.find(([name, { generates }]) => generates && options[name] !== undefined);
  if (extra !== undefined) {
    const [flag] = extra[1].flags.split(' ');
    throw new InvalidInput(`Expected --arrivals or ${flag}, got both: the file already defines the players`);
  }
  const all = readTicketsFile(file, definition);
  if (all.length === 0) throw new InvalidInput(`${file}: Expected at least one ticket, got none`);
  all.forEach(({ ticketId, enqueuedAtMs }, at) => {
    if (at > 0 && enqueuedAtMs < all[at - 1].enqueuedAtMs) {
      throw new InvalidInput(
        `${file}: #/${at}/enqueuedAt: Expected tickets in order of arrival, got ${ticketId}, which is older than the previous one: sort them`,
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
  const patienceSeconds = patienceOf(options);
  const course = courseOf(options, seed);
  const labelled = COURSE_OPTIONS.flatMap((name) =>
    options[name] === undefined ? [] : [`, ${TRAFFIC_OPTIONS[name].label} ${options[name]}`],
  );
  const isSeeded = options.patience !== undefined || course !== undefined;
  return {
    players,
    atEnd: 'drain',
    ...(course && { course }),
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
    text: `${players} players of ${file}${labelled.join('')}${isSeeded ? `, seed ${seed}` : ''}.`,
  };
}

function skillsFile(path: string): number[] {
  let value: unknown;
  try {
    value = readJson(path);
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    throw new InvalidInput(
      `--skills: Expected normal:MEAN:SD, uniform:MIN:MAX or a JSON file of numbers: ${error.message}`,
    );
  }
  if (!Array.isArray(value) || value.length === 0) {
    throw new InvalidInput(`${path}: Expected a JSON array with at least one number`);
  }
  const wrong = value.findIndex((skill) => !isSkill(skill));
  if (wrong !== -1) {
    throw new InvalidInput(
      `${path}: #/${wrong}: Expected a number from 0 to ${LIMITS.skillMax}, got ${JSON.stringify(value[wrong])}`,
    );
  }
  return value;
}
