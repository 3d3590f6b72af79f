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

/** Settings with one value left free: the larger it is, the longer players wait. */
export interface Knob<Run> {
  readonly run: (value: number, crowd: Crowd) => Run;
  /** Where the value is looked for, on a logarithmic scale. */
  readonly range: readonly [number, number];
}

/** What the tuning of a knob looks at. */
export interface Tried {
  readonly result: Pick<PlayResult, 'measures'>;
  readonly waitMean: number;
}

/** Tolerances a widening window starts with, of the standard deviation of skills, among which the best is chosen. */
const EXPANDING_STARTS = [0.02, 0.05, 0.1, 0.15, 0.2, 0.3];
const SKILL_DEVIATION = 350;
const HALVINGS = 8;
/** Seconds in which a window grows by one standard deviation: from at once to never. */
const GROWTH_SECONDS: readonly [number, number] = [1, 100_000];
/** Mean waits this near, relatively, count as equal. */
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
  const own = run(scenario.definition.release, full);
  const periodic = tuned(
    { range: [1, 900], run: (everySeconds, crowd) => run({ policy: 'periodic', everySeconds }, crowd) },
    full,
    own.waitMean,
  );
  const windows = EXPANDING_STARTS.map((start): Knob<Contender> => {
    const tolerance = start * SKILL_DEVIATION;
    return {
      range: GROWTH_SECONDS,
      run: (seconds, crowd) =>
        run({ policy: 'expanding', tolerance, growthPerSecond: SKILL_DEVIATION / seconds }, crowd),
    };
  });
  const best = bestTuned(windows, quarter, run(scenario.definition.release, quarter));
  return best === undefined ? [own, periodic] : [own, periodic, tuned(best.knob, full, own.waitMean)];
}

/**
 * The knob that has the least mean imbalance when tuned to the mean wait of `own` on these players, with its run;
 * undefined when none comes near that wait.
 */
export function bestTuned<Run extends Tried>(
  knobs: readonly Knob<Run>[],
  crowd: Crowd,
  own: Tried,
): { knob: Knob<Run>; found: Run } | undefined {
  const [best] = knobs
    .map((knob) => ({ knob, found: tuned(knob, crowd, own.waitMean) }))
    .filter(({ found }) => isNear(found, own))
    .sort((a, b) => a.found.result.measures.imbalance.mean - b.found.result.measures.imbalance.mean);
  return best;
}

/** Whether two have mean waits so near that their imbalances can be compared. */
export function isNear(tried: Tried, own: Tried): boolean {
  return Math.abs(tried.waitMean / own.waitMean - 1) < NEAR;
}

/** The run whose mean wait is nearest to the target. */
function tuned<Run extends Tried>({ run, range }: Knob<Run>, crowd: Crowd, target: number): Run {
  let [low, high] = range.map(Math.log);
  let best: Run | undefined;
  const miss = ({ waitMean }: Run) => Math.abs(waitMean - target);
  for (let i = 0; i < HALVINGS; i++) {
    const middle = (low + high) / 2;
    const tried = run(Math.exp(middle), crowd);
    if (best === undefined || miss(tried) < miss(best)) best = tried;
    if (tried.waitMean < target) low = middle;
    else high = middle;
  }
  return best!;
}

/** The players who come to a scenario: for the same seed the same ones, and fewer are the first of more. */
export function crowdOf({ population, rate }: Scenario, players: number, seed: number): Crowd {
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
