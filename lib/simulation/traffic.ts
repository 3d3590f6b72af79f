import { type Arrival, type ArrivalOptions, poissonArrivals } from './arrivals.ts';
import { drawSkill } from './population.ts';
import { seededRandom } from './random.ts';
import type { MatchCourse } from './running-matches.ts';

/** The arriving tickets, and a sample of their skills. */
export interface Traffic {
  /** A new iteration gives the same arrivals again. */
  readonly arrivals: Iterable<Arrival>;
  /** Some of the skills to expect, in any order; ranges of skill and resolutions are derived from them. */
  readonly skillSample: readonly number[];
  /** What happens after the last arrival, see `SimulationOptions`. */
  readonly atEnd: 'stop' | 'drain';
  /** How long matches last, and who leaves them. @default matches are forgotten when they are released */
  readonly course?: MatchCourse | undefined;
}

const SAMPLE_SIZE = 10_000;

/**
 * A Poisson process that ends with its last arrival. The same seed gives the same tickets, and a smaller number of
 * players gives the first of them.
 */
export function generatedTraffic(options: ArrivalOptions, seed: number): Traffic {
  const random = seededRandom(seed).fork('sample');
  return {
    atEnd: 'stop',
    skillSample: Array.from({ length: SAMPLE_SIZE }, () => drawSkill(options.population.skills, random)),
    arrivals: { [Symbol.iterator]: () => poissonArrivals(options, seededRandom(seed)) },
  };
}
