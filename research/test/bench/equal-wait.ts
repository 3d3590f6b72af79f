import type { Measures } from '../../../lib/simulation/measures.ts';

/** The measures that a search compares. */
export interface Tried {
  readonly result: { readonly measures: Measures };
}

/** Settings with one free value: the larger it is, the longer players wait. */
export interface Knob<Settings> {
  readonly settings: (value: number) => Settings;
  /** The range that is searched, on a logarithmic scale. */
  readonly range: readonly [number, number];
}

/** Knobs that differ by a second value; the best second value is searched. */
export interface Family<Settings> {
  readonly knob: (second: number) => Knob<Settings>;
  /** The second value the search starts with, > 0. */
  readonly from: number;
}

/** Mean waits within this relative difference count as equal. */
const NEAR = 0.05;
/** A knob is adjusted until the mean wait is this close to the target, or at most this many times. */
const NEAR_ENOUGH = 0.01;
const TURNS_MAX = 10;
/** Waits grow with about this power of most knobs' values. */
const WAIT_POWER = 0.4;
/** The search for a second value moves by factors of 2, then of 2^(1/2). */
const STEPS = [1, 1 / 2];
/** The search moves at most this many doublings away. */
const DOUBLINGS_MAX = 8;

/** Finds settings with which players wait as long on average as those of `own`. */
export class EqualWait<Settings, Run extends Tried> {
  readonly #play: (settings: Settings) => Run;
  readonly #own: Tried;

  constructor(play: (settings: Settings) => Run, own: Tried) {
    this.#play = play;
    this.#own = own;
  }

  /**
   * The run of a family with the least mean imbalance among those with nearly the wait of `own`. The second value moves
   * to the better of its neighbours until neither is better; then the step is reduced.
   *
   * @returns undefined when no run comes near that wait
   */
  best({ knob, from }: Family<Settings>): { run: Run; second: number } | undefined {
    const known = new Map<number, Run | undefined>();
    let guess: number | undefined;
    const at = (doublings: number): Run | undefined => {
      if (!known.has(doublings) && Math.abs(doublings) <= DOUBLINGS_MAX) {
        const { run, value } = this.turned(knob(from * 2 ** doublings), guess);
        known.set(doublings, isNear(run, this.#own) ? run : undefined);
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

  /**
   * The run whose mean wait is nearest to that of `own`. The value moves in steps that fit the difference, and by
   * interpolation once both sides are known.
   *
   * @param guess the value to begin with. @default the middle of the range
   */
  turned(
    { settings, range }: Knob<Settings>,
    guess = Math.sqrt(range[0] * range[1]),
  ): { run: Run; value: number } {
    let [low, high] = range.map((value): Side => ({ at: Math.log(value) }));
    let at = Math.log(guess);
    let nearest: { run: Run; at: number; miss: number } | undefined;
    for (let turn = 0; turn < TURNS_MAX; turn++) {
      const run = this.#play(settings(Math.exp(at)));
      const miss = Math.log(meanWaitOf(run) / meanWaitOf(this.#own));
      if (nearest === undefined || Math.abs(miss) < Math.abs(nearest.miss)) nearest = { run, at, miss };
      if (Math.abs(miss) < NEAR_ENOUGH || at === (miss < 0 ? high : low).at) break;
      if (miss < 0) low = { at, miss };
      else high = { at, miss };
      at = nextBetween(low, high, at - miss / WAIT_POWER);
    }
    return { run: nearest!.run, value: Math.exp(nearest!.at) };
  }
}

/** The run of least mean imbalance, the first of equals; runs without a match have none. */
export function best<Run extends Tried>(runs: readonly (Run | undefined)[]): Run | undefined {
  const imbalance = ({ result }: Run) => result.measures.imbalance.mean;
  return runs
    .filter((run) => run !== undefined && run.result.measures.matches > 0)
    .sort((a, b) => imbalance(a!) - imbalance(b!))[0];
}

/** Whether two have mean waits so near that their imbalances can be compared. */
export function isNear(tried: Tried, own: Tried): boolean {
  return Math.abs(meanWaitOf(tried) / meanWaitOf(own) - 1) < NEAR;
}

/** The wait of all players in seconds; players still waiting count with their wait so far. */
function meanWaitOf({ result }: Tried): number {
  return result.measures.waitSeconds.mean;
}

/** The logarithm of a value that is too low or too high, and the difference of its mean wait if it was tried. */
interface Side {
  readonly at: number;
  readonly miss?: number;
}

function nextBetween(low: Side, high: Side, step: number): number {
  if (low.miss === undefined || high.miss === undefined) return Math.min(high.at, Math.max(low.at, step));
  const part = low.miss / (low.miss - high.miss);
  // Stay away from the ends, where a step hardly narrows the interval. If no player waited, halve it.
  return low.at + (Number.isFinite(part) ? Math.min(0.9, Math.max(0.1, part)) : 0.5) * (high.at - low.at);
}
