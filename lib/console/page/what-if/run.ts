import type { QueueDefinition } from '../../../contract/queue-definition.ts';
import { type PlayResult, play } from '../../../simulation/play.ts';
import type { Progress } from '../../../simulation/simulate.ts';
import { type TrafficOptions, trafficOfOptions } from '../../../simulation/traffic-options.ts';
import { InvalidInput } from '../../../vocabulary/invalid-input.ts';

/** A run that has ended. */
export interface Run {
  readonly name: string;
  readonly definition: QueueDefinition;
  readonly options: TrafficOptions;
  readonly result: PlayResult;
  readonly seconds: number;
}

/** As many as `muster simulate` plays by default. */
export const PLAYERS = 20_000;

/**
 * Starts the run that `muster simulate` does with these options. Both call the same functions, so their numbers agree to
 * the last digit.
 *
 * @throws InvalidInput that names the option
 */
export function startRun(
  definition: QueueDefinition,
  options: TrafficOptions,
): {
  readonly steps: Generator<Progress, void>;
  readonly result: () => PlayResult;
  readonly players: number;
} {
  const traffic = trafficOfOptions(options, definition, { players: PLAYERS }, () => {
    throw new InvalidInput('--skills: Expected normal:MEAN:SD or uniform:MIN:MAX; a page reads no files');
  });
  return { ...play(definition, traffic), players: traffic.players };
}
