import { shapeOf } from '../model/game-shape.ts';
import type { GameRules } from '../types.ts';
import type { Seated } from './seated.ts';
import type { SkillLine } from './skill-line.ts';

/**
 * Fills the missing seats with the dense players around two centres, and improves the game by exchanges of one or two of
 * them (p = 1, q = 2). It proves nothing.
 */
export class DenseFill {
  /** About the imbalance of the game that the last `fill` found. */
  imbalance = 0;

  readonly #alpha: number;
  readonly #n: number;
  readonly #dense: SkillLine;

  constructor(rules: GameRules, dense: SkillLine) {
    this.#alpha = rules.alpha;
    this.#n = shapeOf(rules).seats;
    this.#dense = dense;
  }

  /**
   * The places of the dense players, first team first; undefined if there are too few players.
   *
   * @param at the centre; the first team's players are taken from around at − shift, the others from around at + shift
   */
  fill({ scarce, division, oldest }: Seated, at: number, shift: number): number[] | undefined {
    const n = this.#n;
    const each = (n - scarce.length) / 2;
    const first = this.#dense.nearest(at - shift, 2 * each + spares);
    const second = this.#dense.nearest(at + shift, 2 * each + spares);
    const fixed = oldest > 0 ? 1 : 0;
    if (second.length + fixed < 2 * each) return undefined;
    const seats = [...(fixed ? [oldest] : []), ...first.slice(0, each - fixed)];
    for (const place of second) if (seats.length < 2 * each && !seats.includes(place)) seats.push(place);
    if (seats.length < 2 * each) return undefined;
    const pool = [...new Set([...seats, ...first, ...second])];
    const values = pool.map((place) => this.#dense.skills[place] - at);
    let gap = 0;
    let sum = 0;
    let squares = 0;
    scarce.forEach(({ mean }, i) => {
      const value = mean - at;
      sum += value;
      squares += value * value;
      gap += (division >> i) & 1 ? value : -value;
    });
    const alpha = this.#alpha;
    const side = (seat: number) => (seat < each ? 1 : -1);
    for (let seat = 0; seat < 2 * each; seat++) {
      sum += values[seat];
      squares += values[seat] ** 2;
      gap += side(seat) * values[seat];
    }
    let least = alpha * Math.abs(gap) + Math.sqrt(Math.max(0, squares - (sum * sum) / n) / n);
    for (let round = 0; round < roundsMax; round++) {
      let best: number[] | undefined;
      let bestValue = least * (1 - 1e-12);
      for (let i = fixed; i < 2 * each; i++) {
        for (let a = 2 * each; a < pool.length; a++) {
          const changeA = values[a] - values[i];
          const gapA = gap + side(i) * changeA;
          const sumA = sum + changeA;
          const squaresA = squares + values[a] ** 2 - values[i] ** 2;
          const f = alpha * Math.abs(gapA) + Math.sqrt(Math.max(0, squaresA - (sumA * sumA) / n) / n);
          if (f < bestValue) {
            bestValue = f;
            best = [i, a];
          }
          for (let j = i + 1; j < 2 * each; j++) {
            for (let b = 2 * each; b < pool.length; b++) {
              if (b === a) continue;
              const changeB = values[b] - values[j];
              const unfair = alpha * Math.abs(gapA + side(j) * changeB);
              if (unfair >= bestValue) continue;
              const sumB = sumA + changeB;
              const v = (squaresA + values[b] ** 2 - values[j] ** 2 - (sumB * sumB) / n) / n;
              if (v >= (bestValue - unfair) ** 2) continue;
              bestValue = unfair + Math.sqrt(Math.max(0, v));
              best = [i, a, j, b];
            }
          }
        }
      }
      if (!best) break;
      least = bestValue;
      for (let e = 0; e < best.length; e += 2) {
        const [i, a] = [best[e], best[e + 1]];
        const change = values[a] - values[i];
        sum += change;
        gap += side(i) * change;
        squares += values[a] ** 2 - values[i] ** 2;
        [values[i], values[a]] = [values[a], values[i]];
        [pool[i], pool[a]] = [pool[a], pool[i]];
      }
    }
    this.imbalance = least;
    return pool.slice(0, 2 * each);
  }
}

/** The dense players around each centre, besides twice those of a team, who may replace others. */
const spares = 4;
const roundsMax = 4;
