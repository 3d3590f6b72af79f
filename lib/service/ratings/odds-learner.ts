import { calibrated } from '../../ratings/odds.ts';
import { learn, NEW_SLOPE } from '../../ratings/odds-slope.ts';
import { addResult, noSums } from '../../ratings/odds-sums.ts';
import { TaskLimit } from '../concurrency/in-parallel.ts';
import type { Clock } from '../ports/clock.ts';
import type { RatingStore } from '../ports/rating-store.ts';

/** Each further try means that another instance of the function has learned from a result at the same time. */
const TRIES_MAX = 8;
const PAUSE_MS = 10;

/** A rated match, from which the odds learn. */
export interface RatedMatch {
  /** The odds before it, as the ratings have them. */
  readonly raw: readonly number[];
  /** The odds stored when the match was made; undefined: computed from `raw` by the slope. */
  readonly expected: readonly number[] | undefined;
  /** Each team's share of the win. */
  readonly shares: readonly number[];
}

/**
 * Learns how confident the odds of a ladder should be, and measures their quality, in one item. Results that arrive during a
 * write are written together. The figures are for people and the slope forgets old results, so a result is omitted if it keeps
 * losing against other instances, as after a crash. Its ratings are already stored.
 */
export class OddsLearner {
  readonly #ratings: Pick<RatingStore, 'odds' | 'learn'>;
  readonly #clock: Clock;
  readonly #unwritten = new Map<string, RatedMatch[]>();
  readonly #limit = new TaskLimit(1);

  constructor(ratings: Pick<RatingStore, 'odds' | 'learn'>, clock: Clock) {
    this.#ratings = ratings;
    this.#clock = clock;
  }

  async learn(ladder: string, rated: RatedMatch): Promise<void> {
    const pending = this.#unwritten.get(ladder);
    if (pending !== undefined) pending.push(rated);
    else this.#unwritten.set(ladder, [rated]);
    await this.#limit.run(async () => {
      const all = this.#unwritten.get(ladder);
      if (all === undefined) return;
      this.#unwritten.delete(ladder);
      await this.#write(ladder, all);
    });
  }

  async #write(ladder: string, all: readonly RatedMatch[]): Promise<void> {
    for (let attempt = 0; attempt < TRIES_MAX; attempt++) {
      const read = await this.#ratings.odds(ladder);
      const sums = structuredClone(read?.sums ?? noSums());
      let { slope, information } = read ?? NEW_SLOPE;
      for (const { raw, expected, shares } of all) {
        addResult(sums, expected ?? calibrated(raw, slope), shares);
        ({ slope, information } = learn({ slope, information }, raw, shares));
      }
      const learnt = { slope, information, sums };
      if (await this.#ratings.learn(ladder, read, learnt, this.#clock.now())) return;
      await this.#clock.sleep(PAUSE_MS * (attempt + 1));
    }
  }
}
