import type { PlayedMatch } from '../../../lib/ratings/replay.ts';
import { normalBelow } from '../../../test/ratings/synthetic.ts';

/** The true parameters of the matches that a filter sees. */
export interface TrueModel {
  readonly initial: { readonly mean: number; readonly deviation: number };
  readonly beta: number;
  readonly drift: { readonly perGame: number; readonly perDay: number };
}

const DAY_MS = 86_400_000;

/**
 * The odds of who knows the true model and forgets nothing: a normal distribution over the skills of all players, with all
 * covariances, which each result changes to the first two moments of the exact posterior. Rating systems keep only a mean and
 * a deviation of each player, and so forget which players were rated together. Of two teams without draws.
 *
 * A match costs the square of the players of its region, because players of different regions never meet.
 *
 * @param regions parts of the players that play among themselves, as lists of their ids
 */
export class ExactFilter {
  readonly #model: TrueModel;
  readonly #placeOf = new Map<string, { readonly region: Region; readonly at: number }>();

  constructor(model: TrueModel, regions: readonly (readonly string[])[]) {
    this.#model = model;
    for (const players of regions) {
      const region = newRegion(players.length, model);
      for (const [at, playerId] of players.entries()) this.#placeOf.set(playerId, { region, at });
    }
  }

  /** The odds of a match, before its result changes what is known. */
  play({ atMs = 0, teams, ranks }: PlayedMatch): [number, number] {
    const [first, second] = teams.map((team) => team.map(({ playerId }) => this.#placeOf.get(playerId)!));
    const { region } = first![0]!;
    const seats = [
      ...first!.map(({ at }) => ({ at, sign: 1 })),
      ...second!.map(({ at }) => ({ at, sign: -1 })),
    ];
    this.#drift(region, seats, atMs);
    const { means, covariances, size } = region;
    // The covariance of each skill with the difference of the teams.
    const covariance = new Float64Array(size);
    let gap = 0;
    for (const { at, sign } of seats) {
      gap += sign * means[at]!;
      const row = at * size;
      for (let i = 0; i < size; i++) covariance[i]! += sign * covariances[row + i]!;
    }
    let variance = 2 * this.#model.beta ** 2;
    for (const { at, sign } of seats) variance += sign * covariance[at]!;
    const spread = Math.sqrt(variance);
    const won = ranks![0]! < ranks![1]! ? 1 : -1;
    const surprise = (won * gap) / spread;
    const shift = hazard(surprise);
    const shrink = (shift * (shift + surprise)) / variance;
    for (let i = 0; i < size; i++) {
      means[i]! += (won * shift * covariance[i]!) / spread;
      const factor = shrink * covariance[i]!;
      if (factor === 0) continue;
      const row = i * size;
      for (let j = 0; j < size; j++) covariances[row + j]! -= factor * covariance[j]!;
    }
    for (const { at } of seats) covariances[at * size + at]! += this.#model.drift.perGame ** 2;
    const chance = normalBelow(gap / spread);
    return [chance, 1 - chance];
  }

  #drift({ size, covariances, lastMs }: Region, seats: readonly { readonly at: number }[], atMs: number) {
    for (const { at } of seats) {
      const days = Number.isNaN(lastMs[at]!) ? 0 : (atMs - lastMs[at]!) / DAY_MS;
      covariances[at * size + at]! += days * this.#model.drift.perDay ** 2;
      lastMs[at] = atMs;
    }
  }
}

interface Region {
  readonly size: number;
  readonly means: Float64Array;
  /** Row by row. */
  readonly covariances: Float64Array;
  /** NaN before the first match. */
  readonly lastMs: Float64Array;
}

function newRegion(size: number, { initial }: TrueModel): Region {
  const covariances = new Float64Array(size * size);
  for (let i = 0; i < size; i++) covariances[i * size + i] = initial.deviation ** 2;
  return {
    size,
    means: new Float64Array(size).fill(initial.mean),
    covariances,
    lastMs: new Float64Array(size).fill(Number.NaN),
  };
}

/** The mean of a standard normal that is known to be above −x, less its mean. */
function hazard(x: number): number {
  // Below this the two small numbers are not exact enough, and two terms of the asymptotic series are.
  if (x < -5) return -x / (1 - 1 / (x * x) + 3 / x ** 4);
  return Math.exp((-x * x) / 2) / Math.sqrt(2 * Math.PI) / normalBelow(x);
}
