import { type Command, Option, type OptionValues } from '@commander-js/extra-typings';
import * as z from 'zod';
import { parseWith } from '../contract/problem.ts';
import { LIMITS, type QueueDefinition } from '../contract/queue-definition.ts';
import {
  ALL_TRAFFIC_OPTIONS,
  type DescribedTraffic,
  populationOf,
  type TrafficLength,
  type TrafficOptions,
  trafficOfOptions,
  trafficOfTickets,
} from '../simulation/traffic-options.ts';
import { InvalidInput } from './failure.ts';
import { readTicketsFile } from './input.ts';
import { readJson } from './json-file.ts';

export type { DescribedTraffic, TrafficLength, TrafficOptions } from '../simulation/traffic-options.ts';

/**
 * Adds the options that describe the players of a simulated queue and their arrivals.
 *
 * @param playersUnset the default of `--players`, for the help
 */
export function addTrafficOptions<Args extends unknown[], Options extends OptionValues>(
  command: Command<Args, Options>,
  playersUnset: string,
) {
  for (const [name, { flags, help, unset }] of ALL_TRAFFIC_OPTIONS) {
    const fallback = name === 'players' ? playersUnset : unset;
    command.option(flags, fallback === undefined ? help : `${help} (default: ${fallback})`);
  }
  const withSeed = command.addOption(
    new Option('--seed <number>', 'the same seed gives the same run').default('1', '1'),
  );
  return withSeed as Command<Args, Options & TrafficOptions>;
}

/** @throws InvalidInput | Problem that names the option or the place in the file */
export function trafficOf(
  options: TrafficOptions,
  definition: QueueDefinition,
  length: TrafficLength,
): DescribedTraffic {
  const { arrivals } = options;
  return arrivals === undefined
    ? trafficOfOptions(options, definition, length, skillsFile)
    : trafficOfTickets(options, arrivals, () => readTicketsFile(arrivals, definition));
}

/** The generated players, as they are in a queue. @throws InvalidInput | Problem that names the option or the place in the file */
export const populationIn = (options: TrafficOptions, definition: QueueDefinition) =>
  populationOf(options, definition, skillsFile);

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
  return parseWith(skillList, value, path);
}

const skillList = z.array(z.number().min(0).max(LIMITS.skillMax)).min(1);
