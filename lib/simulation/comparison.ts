import type { ReleaseOptions } from '../policies/release.ts';
import type { QueueDefinition } from '../service/queue-definition.ts';
import { poissonArrivals, type RateProfile } from './arrivals.ts';
import { waitMeanOfAll } from './measures.ts';
import { type Crowd, type PlayResult, playThrough } from './play.ts';
import { drawSkill, type Population } from './population.ts';
import { seededRandom } from './random.ts';

/** A queue and those who come to it. */
export interface Scenario {
  readonly title: string;
  /** Its release policy is the one the others are measured against. */
  readonly definition: QueueDefinition;
  readonly population: Population;
  readonly rate: RateProfile;
}

/** A policy at the same mean wait as the one it is measured against. */
export interface Contender {
  readonly name: string;
  readonly definition: QueueDefinition;
  readonly result: PlayResult;
  /** Mean wait in seconds, those who timed out counted with the time-out. */
  readonly waitMean: number;
}

const NORMAL: Population['skills'] = { kind: 'normal', mean: 1500, standardDeviation: 350 };
const ARENA: QueueDefinition = {
  name: 'arena',
  teamSize: 5,
  imbalance: { alpha: 1, p: 1, q: 2 },
  release: { policy: 'option-value', waitCost: 1 },
  tickSeconds: 1,
  timeoutSeconds: 1800,
};

export const SCENARIOS: readonly Scenario[] = [
  {
    title: '1v1, 1 player per second',
    definition: { ...ARENA, name: 'duel', teamSize: 1 },
    population: { skills: NORMAL },
    rate: { kind: 'constant', perSecond: 1 },
  },
  {
    title: '5v5, 1 player per second',
    definition: ARENA,
    population: { skills: NORMAL },
    rate: { kind: 'constant', perSecond: 1 },
  },
  {
    title: '5v5, 5 players per second',
    definition: ARENA,
    population: { skills: NORMAL },
    rate: { kind: 'constant', perSecond: 5 },
  },
  {
    title: '5v5, 50 players per second',
    definition: ARENA,
    population: { skills: NORMAL },
    rate: { kind: 'constant', perSecond: 50 },
  },
  {
    title: '5v5 with parties, 5 players per second',
    definition: ARENA,
    population: { skills: NORMAL, partyWeights: [75, 15, 5, 2, 3] },
    rate: { kind: 'constant', perSecond: 5 },
  },
  {
    title: '5v5 with roles, 5 players per second',
    definition: { ...ARENA, name: 'raid', roles: { tank: 1, healer: 1, damage: 3 } },
    population: { skills: NORMAL, roleWeights: { tank: 20, healer: 25, damage: 55 }, roleFlexibility: 0.3 },
    rate: { kind: 'constant', perSecond: 5 },
  },
  {
    title: '5v5, a day from 0.2 at night to 5 players per second',
    definition: ARENA,
    population: { skills: NORMAL },
    rate: { kind: 'day', night: 0.2, peak: 5 },
  },
  {
    title: '5v5, a top-heavy tail, 5 players per second',
    definition: ARENA,
    population: { skills: { kind: 'sample', skills: topHeavy() } },
    rate: { kind: 'constant', perSecond: 5 },
  },
];

/** Tolerances a widening window starts with, of the standard deviation of skills, among which the best is chosen. */
const EXPANDING_STARTS = [0.02, 0.05, 0.1, 0.15, 0.2, 0.3];
const SKILL_DEVIATION = 350;
const HALVINGS = 8;
/** Seconds in which a window grows by one standard deviation: from at once to never. */
const GROWTH_SECONDS: [number, number] = [1, 100_000];
/** Mean waits this near count as equal while the start of the window is chosen. */
const NEAR = 0.1;

/**
 * Plays a scenario with its own policy, then on the same arrivals with `periodic` and `expanding`, tuned so that
 * players wait as long on average: the period by halving, the growth of the window by halving after the start that has
 * the least mean imbalance was found on a quarter of the players. Those who time out count with the time-out.
 *
 * @param players how many come
 */
export function compare(scenario: Scenario, players: number, seed: number): Contender[] {
  const full = crowdOf(scenario, players, seed);
  const quarter = crowdOf(scenario, Math.ceil(players / 4), seed);
  const run = (release: ReleaseOptions, crowd: Crowd): Contender => {
    const definition = { ...scenario.definition, release };
    const result = playThrough(definition, crowd);
    return {
      name: release.policy,
      definition,
      result,
      waitMean: waitMeanOfAll(result.measures, definition.timeoutSeconds),
    };
  };
  /** The run whose mean wait is nearest to the target; `releaseOf` must wait longer for larger values. */
  const tuned = (
    releaseOf: (value: number) => ReleaseOptions,
    range: [number, number],
    crowd: Crowd,
    target: number,
  ) => {
    let [low, high] = range.map(Math.log);
    let best: Contender | undefined;
    const miss = ({ waitMean }: Contender) => Math.abs(waitMean - target);
    for (let i = 0; i < HALVINGS; i++) {
      const middle = (low + high) / 2;
      const tried = run(releaseOf(Math.exp(middle)), crowd);
      if (best === undefined || miss(tried) < miss(best)) best = tried;
      if (tried.waitMean < target) low = middle;
      else high = middle;
    }
    return best!;
  };
  const windowsFrom = (start: number) => (seconds: number) => ({
    policy: 'expanding' as const,
    tolerance: start * SKILL_DEVIATION,
    growthPerSecond: SKILL_DEVIATION / seconds,
  });

  const own = run(scenario.definition.release, full);
  const periodic = tuned(
    (everySeconds) => ({ policy: 'periodic', everySeconds }),
    [1, 900],
    full,
    own.waitMean,
  );
  const target = run(scenario.definition.release, quarter).waitMean;
  const [bestStart] = EXPANDING_STARTS.map((start) => ({
    start,
    found: tuned(windowsFrom(start), GROWTH_SECONDS, quarter, target),
  }))
    .filter(({ found }) => Math.abs(found.waitMean / target - 1) < NEAR)
    .sort((a, b) => a.found.result.measures.imbalance.mean - b.found.result.measures.imbalance.mean);
  const expanding = bestStart && tuned(windowsFrom(bestStart.start), GROWTH_SECONDS, full, own.waitMean);
  return expanding === undefined ? [own, periodic] : [own, periodic, expanding];
}

function crowdOf({ population, rate }: Scenario, players: number, seed: number): Crowd {
  const random = seededRandom(seed).fork('sample');
  return {
    atEnd: 'stop',
    skillSample: Array.from({ length: 10_000 }, () => drawSkill(population.skills, random)),
    arrivals: {
      [Symbol.iterator]: () => poissonArrivals({ population, rate, players }, seededRandom(seed)),
    },
  };
}

/** Most near the middle, and a tail of strong players that thins out slowly. */
function topHeavy(): number[] {
  const random = seededRandom(1);
  return Array.from({ length: 20_000 }, (_, at) =>
    at % 10 === 0 ? 1800 + random.exponential(1 / 500) : Math.max(0, random.normal(1400, 250)),
  );
}
