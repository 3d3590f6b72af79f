import type { QueueDefinition } from '../../lib/contract/queue-definition.ts';
import type { ReleaseOptions } from '../../lib/policies/release.ts';
import { poissonArrivals, type RateProfile } from '../../lib/simulation/arrivals.ts';
import { waitMeanOfAll } from '../../lib/simulation/measures.ts';
import { type PlayResult, playThrough, type Traffic } from '../../lib/simulation/play.ts';
import { drawSkill, type Population } from '../../lib/simulation/population.ts';
import { seededRandom } from '../../lib/simulation/random.ts';
import { doublingWindow, linearWindow, openingWindow, type Widening } from './widenings.ts';

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

/** Standard deviation of the skills of most scenarios; tolerances are tried in parts of it. */
const SKILL_DEVIATION = 350;
const NORMAL: Population['skills'] = { kind: 'normal', mean: 1500, standardDeviation: SKILL_DEVIATION };
const ARENA: QueueDefinition = {
  name: 'arena',
  teamSize: 5,
  imbalance: { alpha: 1, p: 1, q: 2 },
  release: { policy: 'option-value', waitCost: 1 },
  tickSeconds: 1,
  timeoutSeconds: 1800,
};
const DUEL: QueueDefinition = { ...ARENA, name: 'duel', teamSize: 1 };
const RAID: QueueDefinition = { ...ARENA, name: 'raid', roles: { tank: 1, healer: 1, damage: 3 } };

export const SCENARIOS: readonly Scenario[] = [
  steady('1v1', 1, DUEL),
  steady('5v5', 1, ARENA),
  steady('5v5', 5, ARENA),
  steady('5v5', 50, ARENA),
  steady('5v5 with parties', 5, ARENA, { skills: NORMAL, partyWeights: [75, 15, 5, 2, 3] }),
  steady('5v5 with roles', 5, RAID, {
    skills: NORMAL,
    roleWeights: { tank: 20, healer: 25, damage: 55 },
    roleFlexibility: 0.3,
  }),
  {
    title: '5v5, a day from 0.2 at night to 5 players per second',
    definition: ARENA,
    population: { skills: NORMAL },
    rate: { kind: 'day', night: 0.2, peak: 5 },
  },
  steady('5v5, a top-heavy tail', 5, ARENA, { skills: { kind: 'sample', skills: topHeavy() } }),
];

/** Settings with one value left free: the larger it is, the longer players wait. */
export interface Knob<Run> {
  readonly run: (value: number) => Run;
  /** Where the value is looked for, on a logarithmic scale. */
  readonly range: readonly [number, number];
}

/** Knobs that differ by a second value, of which the best is searched. */
export interface Family<Run> {
  readonly knob: (second: number) => Knob<Run>;
  /** The second value the search starts with, > 0. */
  readonly from: number;
}

/** What the tuning looks at. */
export interface Tried {
  readonly result: Pick<PlayResult, 'measures'>;
  readonly waitMean: number;
}

/** Mean waits this near, relatively, count as equal. */
const NEAR = 0.05;
/** A knob is turned until the mean wait is this near to the one wanted, or so many times. */
const NEAR_ENOUGH = 0.01;
const TURNS_MAX = 10;
/** Waits go with some such power of most knobs' values. */
const WAIT_POWER = 0.4;
/** The search for a second value goes by factors of 2, then of 2^(1/2), */
const STEPS = [1, 1 / 2];
/** and no further than so many doublings away. */
const DOUBLINGS_MAX = 8;

/**
 * Plays a scenario with its own policy, then on the same arrivals with `periodic` and `expanding`, so set that players
 * wait as long on average: `periodic` by its period, `expanding` by the best of all ways of widening that are tried
 * (`bestWidening`). Both are tuned on the very players they are measured on, which favours them. Those who time out
 * count with the time-out.
 *
 * @param players how many come
 */
export function compare(scenario: Scenario, players: number, seed: number): Contender[] {
  const traffic = trafficOf(scenario, players, seed);
  const run = (release: ReleaseOptions): Contender => {
    const definition = { ...scenario.definition, release };
    const result = playThrough(definition, traffic);
    const waitMean = waitMeanOfAll(result.measures, definition.timeoutSeconds);
    return { name: release.policy, definition, result, waitMean };
  };
  const own = run(scenario.definition.release);
  const period: Knob<Contender> = {
    range: [1, 900],
    run: (everySeconds) => run({ policy: 'periodic', everySeconds }),
  };
  const periodic = tuned(period, own.waitMean).run;
  const expanding = bestWidening(run, own);
  return [own, periodic, ...(expanding === undefined ? [] : [expanding])];
}

/**
 * The windows of `expanding` that have the least mean imbalance at the mean wait of `own`, of
 *
 * - linear growth; free are the growth and the start,
 * - the same from the best start up to a cap; free are the growth and the cap,
 * - doubling in steps; free are the time between steps and the start,
 * - a fixed window that opens to everybody after a time; free are the window and the time.
 */
function bestWidening(run: (release: ReleaseOptions) => Contender, own: Contender): Contender | undefined {
  const search = (from: number, way: (second: number) => Widening) => {
    const knob = (second: number): Knob<Contender> => {
      const { range, release } = way(second);
      return { range, run: (value) => run(release(value)) };
    };
    return bestTuned({ from, knob }, own);
  };
  const deviation = SKILL_DEVIATION;
  const linear = search(deviation / 100, (start) => linearWindow(start, deviation));
  const start = linear?.second ?? deviation / 100;
  return best([
    linear?.run,
    search(deviation, (cap) => linearWindow(start, deviation, Math.max(start, cap)))?.run,
    search(start, doublingWindow)?.run,
    search(100, (seconds) => openingWindow(seconds, deviation))?.run,
  ]);
}

/**
 * The run of a family that has the least mean imbalance among those whose players wait as long on average as those of
 * `own`. Its second value goes to the better of its neighbours until neither is better; then the neighbours come nearer.
 *
 * @returns undefined when no run comes near that wait
 */
export function bestTuned<Run extends Tried>(
  { knob, from }: Family<Run>,
  own: Tried,
): { run: Run; second: number } | undefined {
  const known = new Map<number, Run | undefined>();
  let guess: number | undefined;
  const at = (doublings: number): Run | undefined => {
    if (!known.has(doublings) && Math.abs(doublings) <= DOUBLINGS_MAX) {
      const { run, value } = tuned(knob(from * 2 ** doublings), own.waitMean, guess);
      known.set(doublings, isNear(run, own) ? run : undefined);
      if (known.get(doublings) !== undefined) guess = value;
    }
    return known.get(doublings);
  };
  let here = 0;
  for (const step of STEPS) {
    let before: number;
    do {
      before = here;
      const places = [here, here + step, here - step];
      const leader = best(places.map(at));
      here = places.find((place) => at(place) === leader)!;
    } while (here !== before);
  }
  const run = at(here);
  return run && { run, second: from * 2 ** here };
}

/** The run of least mean imbalance, the first of equals. */
export function best<Run extends Tried>(runs: readonly (Run | undefined)[]): Run | undefined {
  const imbalance = ({ result }: Run) => result.measures.imbalance.mean;
  return runs.filter((run) => run !== undefined).sort((a, b) => imbalance(a) - imbalance(b))[0];
}

/** Whether two have mean waits so near that their imbalances can be compared. */
export function isNear(tried: Tried, own: Tried): boolean {
  return Math.abs(tried.waitMean / own.waitMean - 1) < NEAR;
}

/**
 * The run whose mean wait is nearest to the target: in steps that fit the miss, and by interpolation once both sides
 * are known.
 *
 * @param guess the value to begin with; left out: the middle of the range
 */
export function tuned<Run extends Tried>(
  { run, range }: Knob<Run>,
  target: number,
  guess = Math.sqrt(range[0] * range[1]),
): { run: Run; value: number } {
  let [low, high] = range.map((value): Side => ({ at: Math.log(value) }));
  let at = Math.log(guess);
  let nearest: { run: Run; at: number; miss: number } | undefined;
  for (let turn = 0; turn < TURNS_MAX; turn++) {
    const tried = run(Math.exp(at));
    const miss = Math.log(tried.waitMean / target);
    if (nearest === undefined || Math.abs(miss) < Math.abs(nearest.miss)) nearest = { run: tried, at, miss };
    if (Math.abs(miss) < NEAR_ENOUGH || at === (miss < 0 ? high : low).at) break;
    if (miss < 0) low = { at, miss };
    else high = { at, miss };
    at = nextBetween(low, high, at - miss / WAIT_POWER);
  }
  return { run: nearest!.run, value: Math.exp(nearest!.at) };
}

/** A value that is too low or too high, as its logarithm, and by how much its mean wait misses, if it was tried. */
interface Side {
  readonly at: number;
  readonly miss?: number;
}

function nextBetween(low: Side, high: Side, step: number): number {
  if (low.miss === undefined || high.miss === undefined) return Math.min(high.at, Math.max(low.at, step));
  const part = low.miss / (low.miss - high.miss);
  // Never near a side, where a turn hardly narrows what is left. Nobody waited at all: halve.
  return low.at + (Number.isFinite(part) ? Math.min(0.9, Math.max(0.1, part)) : 0.5) * (high.at - low.at);
}

/** The players who come to a scenario: for the same seed the same ones, and fewer are the first of more. */
export function trafficOf({ population, rate }: Scenario, players: number, seed: number): Traffic {
  const random = seededRandom(seed).fork('sample');
  return {
    atEnd: 'stop',
    skillSample: Array.from({ length: 10_000 }, () => drawSkill(population.skills, random)),
    arrivals: {
      [Symbol.iterator]: () => poissonArrivals({ population, rate, players }, seededRandom(seed)),
    },
  };
}

function steady(
  who: string,
  perSecond: number,
  definition: QueueDefinition,
  population: Population = { skills: NORMAL },
): Scenario {
  const title = `${who}, ${perSecond} player${perSecond === 1 ? '' : 's'} per second`;
  return { title, definition, population, rate: { kind: 'constant', perSecond } };
}

/** Most near the middle, and a tail of strong players that thins out slowly. */
function topHeavy(): number[] {
  const random = seededRandom(1);
  return Array.from({ length: 20_000 }, (_, at) =>
    at % 10 === 0 ? 1800 + random.exponential(1 / 500) : Math.max(0, random.normal(1400, 250)),
  );
}
