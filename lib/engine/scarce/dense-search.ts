import { shapeOf } from '../model/game-shape.ts';
import type { GameRules } from '../types.ts';
import type { Seated } from './seated.ts';
import type { SkillLine } from './skill-line.ts';

/**
 * Searches all dense players for the missing seats of a game (p = 1, q = 2), depth-first, of the two teams in turn.
 *
 * With m chosen, r missing, of which the first team has b fewer, and the chosen ones' sums relative to their mean differing by
 * S, the sum of squared deviations is at least theirs plus S²/(r + b²/m): the least over all values of the missing ones that make
 * the teams equal.
 */
export class DenseSearch {
  /** The places of the best game found, first team first; undefined when none is below the limit. */
  best: number[] | undefined;
  /** The dense players tried since construction. */
  nodes = 0;

  readonly #alpha: number;
  readonly #n: number;
  readonly #dense: SkillLine;
  /** The dense seats, and the places of the players chosen, of the two teams in turn. */
  #seats = 0;
  readonly #places: number[] = [];
  /** How many of them are chosen from the start. */
  #given = 0;
  #scarceSeats = 0;
  /** The imbalance that a game has to be below. */
  #limit = 0;
  #nodesLeft = 0;
  /** Values are relative to it. */
  #origin = 0;

  constructor(rules: GameRules, dense: SkillLine) {
    this.#alpha = rules.alpha;
    this.#n = shapeOf(rules).seats;
    this.#dense = dense;
  }

  /** A lower bound on the imbalance of all games of these seated players, at most `limit`; 0 if it takes too long. */
  run(seated: Seated, limit: number): number {
    this.best = undefined;
    if (limit === Number.POSITIVE_INFINITY) return 0;
    this.#limit = limit;
    this.#nodesLeft = nodesMax;
    this.#origin = seated.origin;
    this.#scarceSeats = seated.scarce.length;
    this.#seats = this.#n - this.#scarceSeats;
    this.#given = seated.oldest > 0 ? 1 : 0;
    this.#places[0] = seated.oldest;
    this.#choose(this.#given, seated.sum, seated.squares, seated.difference);
    this.nodes += nodesMax - this.#nodesLeft;
    return this.#nodesLeft > 0 ? this.#limit : 0;
  }

  #choose(count: number, sum: number, squares: number, gap: number): void {
    const places = this.#places;
    const alpha = this.#alpha;
    const n = this.#n;
    const { skills, next, last } = this.#dense;
    const m = this.#scarceSeats + count + 1;
    const side = count % 2 === 0 ? 1 : -1;
    const missing = this.#seats - count - 1;
    // The first team chooses first, so it is ahead by one after each of its choices.
    const ahead = side === 1 ? 1 : 0;
    const weight = missing === 0 ? 0 : 1 / (missing + (ahead * ahead) / m);
    // The bound is convex in the value, so it is below the limit between two places only. A team chooses upwards.
    const least = count - 2 < this.#given ? 0 : places[count - 2];
    const start = this.#dense.firstFrom(this.#origin + this.#bestValue(m, side, missing, ahead, sum, gap));
    let place = last[start];
    let isBelow = true;
    for (;;) {
      if (isBelow && place <= least) {
        isBelow = false;
        place = start;
      }
      if (!isBelow) {
        while (place <= least) place = next[place];
        if (place >= this.#dense.end) return;
      }
      const value = skills[place] - this.#origin;
      const sumWith = sum + value;
      const gapWith = gap + side * value;
      const squaresWith = squares + value * value;
      const ssd = Math.max(0, squaresWith - (sumWith * sumWith) / m);
      let bound: number;
      if (missing === 0) bound = alpha * Math.abs(gapWith) + Math.sqrt(ssd / n);
      else {
        const apart = gapWith - (ahead * sumWith) / m;
        bound = Math.sqrt((ssd + apart * apart * weight) / n);
      }
      if (bound >= this.#limit) {
        if (!isBelow) return;
        isBelow = false;
        place = start;
        continue;
      }
      if (--this.#nodesLeft <= 0) return;
      let isTaken = false;
      for (let i = 0; i < count; i++) if (places[i] === place) isTaken = true;
      if (!isTaken) {
        places[count] = place;
        if (missing > 0) this.#choose(count + 1, sumWith, squaresWith, gapWith);
        else {
          this.#limit = bound;
          this.best = teamAfterTeam(places, this.#seats);
        }
        if (this.#nodesLeft <= 0) return;
      }
      place = isBelow ? last[place] : next[place];
    }
  }

  /** The value at which the bound of the next choice is least; for the last one, about the least. */
  #bestValue(m: number, side: number, missing: number, ahead: number, sum: number, gap: number): number {
    if (missing === 0) return -side * gap;
    const others = m - 1;
    const weight = 1 / (missing + (ahead * ahead) / m);
    // The derivative of ssd + weight·(gap + side·x − ahead·(sum + x)/m)², where ssd grows by others/m·(x − sum/others)².
    const slope = side - ahead / m;
    const pull = others / m;
    return (
      (pull * (sum / others) - weight * slope * (gap - (ahead * sum) / m)) / (pull + weight * slope * slope)
    );
  }
}

function teamAfterTeam(places: readonly number[], count: number): number[] {
  const first = places.slice(0, count).filter((_, i) => i % 2 === 0);
  return [...first, ...places.slice(0, count).filter((_, i) => i % 2 === 1)];
}

/** The dense players that one search may try. */
const nodesMax = 3000;
