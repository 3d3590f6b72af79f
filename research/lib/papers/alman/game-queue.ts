import { bestSplitOf, type Parameters, subsets, windowOfBestGame } from './brute-force.ts';

interface Entry {
  readonly skill: number;
  /** The least imbalance of a game with this player and 2k − 1 players that follow within the window. */
  best: number;
}

/**
 * The data structure of Theorem 1 as printed: all players in order of skill, and for each the best game in
 * which it is the least skilled, found by trying every set out of the window of Lemma 2 above it. An insert
 * or a delete tries the sets of a whole window of players again.
 *
 * That is C(4(1 + α)k^(1+1/q), 2k − 1)·C(2k, k) games per player, so it is usable for k = 1 and 2. The paper keeps
 * the games in a heap; here a query scans all players, which is not the slow part.
 */
export class PaperGameQueue {
  readonly #parameters: Parameters;
  readonly #window: number;
  /** Ascending in skill. */
  readonly #players: Entry[] = [];

  constructor(parameters: Parameters) {
    this.#parameters = parameters;
    this.#window = Math.floor(windowOfBestGame(parameters));
  }

  insert(skill: number): void {
    const place = this.#placeOf(skill);
    this.#players.splice(place, 0, { skill, best: Number.POSITIVE_INFINITY });
    this.#refresh(place);
  }

  /** Removes one player of this skill; false when there is none. */
  remove(skill: number): boolean {
    const place = this.#placeOf(skill);
    if (this.#players[place]?.skill !== skill) return false;
    this.#players.splice(place, 1);
    this.#refresh(place);
    return true;
  }

  /** The least imbalance of any game in the queue; ∞ when there are fewer than 2k players. */
  best(): number {
    return this.#players.reduce((least, { best }) => Math.min(least, best), Number.POSITIVE_INFINITY);
  }

  /** The players whose window contains this place. */
  #refresh(place: number): void {
    const last = Math.min(place, this.#players.length - 1);
    for (let at = Math.max(0, place - this.#window); at <= last; at++) {
      const above = this.#players.slice(at + 1, at + 1 + this.#window);
      let best = Number.POSITIVE_INFINITY;
      for (const others of subsets(above.length, 2 * this.#parameters.k - 1)) {
        const skills = [this.#players[at].skill, ...others.map((other) => above[other].skill)];
        best = Math.min(best, bestSplitOf(skills, this.#parameters));
      }
      this.#players[at].best = best;
    }
  }

  /** The first place whose player is at least as skilled. */
  #placeOf(skill: number): number {
    let low = 0;
    let high = this.#players.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#players[middle].skill < skill) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
