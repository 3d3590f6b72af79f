import type { QueueDefinition } from '../contract/queue-definition.ts';
import type { PlayResult } from './play.ts';

/** The results of a run as `muster simulate` prints them and the console shows them. */
export function runJson(
  definition: Pick<QueueDefinition, 'name' | 'release'>,
  { measures, cost, calibration, warnings }: PlayResult,
  { seed, interrupted }: { readonly seed: number; readonly interrupted: boolean },
) {
  return {
    queue: definition.name,
    policy: definition.release.policy,
    seed,
    interrupted,
    ...measures,
    costDollars: cost,
    estimatedWaits: calibration,
    warnings,
  };
}
