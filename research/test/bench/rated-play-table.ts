import { readFileSync } from 'node:fs';
import { LADDER_DEFAULTS } from '../../../lib/contract/ladder.ts';
import { checkQueueDefinition } from '../../../lib/contract/queue-definition.ts';
import { playRated, type RatedMeasures, type RatedResult } from '../../../lib/simulation/rated-play.ts';
import { generatedTraffic } from '../../../lib/simulation/traffic.ts';
import { table } from '../../../test/tables/print.ts';

const arena = checkQueueDefinition(
  JSON.parse(readFileSync(new URL('../../../queues/arena.json', import.meta.url), 'utf8')),
  'queues/arena.json',
);

const ARMS = {
  rated: { skills: 'rated', placement: 0 },
  placement: { skills: 'rated', placement: 10 },
  known: { skills: 'true', placement: 0 },
} as const;
type Arm = keyof typeof ARMS;

export interface RatedRuns {
  readonly players: number;
  readonly community: number;
  readonly seeds: number;
  readonly seed: number;
}

/** The true imbalance by the matches that players had before, as a table. */
export function imbalanceByMatches(runs: RatedRuns): string {
  const results: Record<Arm, RatedResult[]> = { rated: [], placement: [], known: [] };
  for (let run = 0; run < runs.seeds; run++) {
    for (const arm of Object.keys(ARMS) as Arm[]) results[arm].push(played(runs, arm, runs.seed + run));
    console.error(`${run + 1} of ${runs.seeds} seeds`);
  }
  const rows = (name: string, of: 'settling' | 'ofNewcomers') =>
    results.rated[0]![of].map(({ from, to }, at) => {
      const cell = (arm: Arm, measure: keyof RatedMeasures, digits: number) =>
        meanOf(
          results[arm].map((result) => result[of][at]!),
          measure,
        ).toFixed(digits);
      return [
        `${name}: ${to === 1 ? 'first match' : `after ${from} matches`}`,
        cell('rated', 'trueImbalance', 0),
        cell('placement', 'trueImbalance', 0),
        cell('known', 'trueImbalance', 0),
        cell('rated', 'error', 0),
        cell('placement', 'error', 0),
        cell('rated', 'waitSeconds', 1),
        cell('placement', 'waitSeconds', 1),
      ];
    });
  return table(
    [
      'whose matches',
      'true imbalance, rated',
      'with placement',
      'true skills known',
      'rating off, rated',
      'with placement',
      'mean wait in s, rated',
      'with placement',
    ],
    [...rows('everybody since the launch', 'settling'), ...rows('newcomers', 'ofNewcomers')],
  );
}

function played({ players, community }: RatedRuns, arm: Arm, seed: number): RatedResult {
  const traffic = generatedTraffic(
    {
      population: { skills: { kind: 'normal', mean: 1500, standardDeviation: 350 } },
      rate: { kind: 'constant', perSecond: 5 },
      players,
    },
    seed,
  );
  const options = { ladder: LADDER_DEFAULTS, community, newcomers: 0.02, seed, ...ARMS[arm] };
  const { steps, result } = playRated(arena, traffic, options);
  for (const _ of steps);
  return result();
}

/** The mean over seeds, by the matches in each. */
function meanOf(measures: readonly RatedMeasures[], measure: keyof RatedMeasures): number {
  let [sum, count] = [0, 0];
  for (const one of measures) {
    if (one.count === 0) continue;
    sum += one.count * one[measure];
    count += one.count;
  }
  return sum / count;
}
