import {
  maximumWeightMatching,
  type WeightedEdge,
  type WeightedMatching,
} from './maximum-weight-matching.ts';
import { type Arrival, gameCost, type Outcome, type Setting } from './model.ts';

/** Costs are rounded to this many parts of 1, so that the matching is exact in whole numbers. */
const PARTS = 2 ** 30;

/** Per player, before the others are priced. */
const PAIRS_TRIED_FIRST = 8;

/** Without computer players, pairs of players this near in the order of arrival are tried first, however long they wait. */
const NEAR_IN_ORDER = 8;

/**
 * OPT: the least cost of pairs when all arrivals are known in advance (k = 2, any D). A pair is matched
 * when its later player arrives, at most τ_max after the earlier one. An unpaired player plays with a
 * computer player after τ_max. Without computer players any two can be paired, and all must be.
 *
 * Exact up to 2⁻³¹ per game by maximum-weight matching: a player alone costs s, so a pair saves
 * 2s − cost, and the best set of pairs saves the most. With computer players s = 4, and a pair never costs more than 3, so
 * it is always worth it. Without, s is more than pairing all players costs.
 *
 * @throws RangeError for other games than pairs, and for an odd number of players without computer players
 * @throws Error when the dual does not prove the matching, which is then wrong
 */
export function optimum(setting: Setting, arrivals: readonly Arrival[]): Outcome {
  if (setting.players !== 2) throw new RangeError(`Expected pairs for OPT, got k = ${setting.players}`);
  const { computerPlayers = true, longestWait } = setting;
  if (!computerPlayers && arrivals.length % 2 !== 0)
    throw new RangeError(`Expected an even number of players, got ${arrivals.length}`);
  const savings = new Savings(setting, arrivals);
  const { mates } = computerPlayers
    ? bestMatching(arrivals.length, savings.withinLongestWait(), [])
    : bestMatching(arrivals.length, savings.nearInOrder(), savings);

  let games = 0;
  let cost = 0;
  let filledGames = 0;
  mates.forEach((mate, index) => {
    if (mate > index) return;
    const members = mate === -1 ? [arrivals[index]] : [arrivals[mate], arrivals[index]];
    const now = arrivals[index].time + (mate === -1 ? longestWait : 0);
    games++;
    cost += gameCost(setting, members, now);
    if (mate === -1) filledGames++;
  });
  return { games, cost, costPerGame: cost / games, filledGames };
}

/** All pairs, each with its saving in parts compared with both players alone. */
class Savings implements Iterable<WeightedEdge> {
  readonly #setting: Setting;
  readonly #arrivals: readonly Arrival[];
  readonly #twiceAlone: number;

  constructor(setting: Setting, arrivals: readonly Arrival[]) {
    this.#setting = setting;
    this.#arrivals = arrivals;
    const { longestWait, computerPlayers = true } = setting;
    this.#twiceAlone = computerPlayers
      ? 2 * gameCost(setting, arrivals.slice(0, 1), (arrivals[0]?.time ?? 0) + longestWait)
      : 1 + this.#costInOrder();
  }

  *[Symbol.iterator](): Generator<WeightedEdge> {
    for (let late = 1; late < this.#arrivals.length; late++) {
      for (let early = 0; early < late; early++) yield this.#edge(early, late);
    }
  }

  withinLongestWait(): WeightedEdge[] {
    return this.#edges((early, late) => this.#wait(early, late) <= this.#setting.longestWait);
  }

  nearInOrder(): WeightedEdge[] {
    const { longestWait } = this.#setting;
    return this.#edges(
      (early, late) => late - early <= NEAR_IN_ORDER || this.#wait(early, late) <= longestWait,
    );
  }

  /** The pairs for which this holds, which may not hold again for earlier players once it does not. */
  #edges(holds: (early: number, late: number) => boolean): WeightedEdge[] {
    const edges: WeightedEdge[] = [];
    for (let late = 1; late < this.#arrivals.length; late++) {
      for (let early = late - 1; early >= 0 && holds(early, late); early--)
        edges.push(this.#edge(early, late));
    }
    return edges;
  }

  #edge(early: number, late: number): WeightedEdge {
    return [early, late, Math.round((this.#twiceAlone - this.#cost(early, late)) * PARTS)];
  }

  #cost(early: number, late: number): number {
    const arrivals = this.#arrivals;
    return gameCost(this.#setting, [arrivals[early], arrivals[late]], arrivals[late].time);
  }

  #wait(early: number, late: number): number {
    return this.#arrivals[late].time - this.#arrivals[early].time;
  }

  /** The cost of pairing players in the order of arrival, an upper bound on the least cost. */
  #costInOrder(): number {
    let cost = 0;
    for (let late = 1; late < this.#arrivals.length; late += 2) cost += this.#cost(late - 1, late);
    return cost;
  }
}

/**
 * Solves with the pairs that save the most for each player. Then it adds omitted pairs that the dual solution does
 * not rule out, until there are none: then the matching is best among all pairs.
 *
 * @param likely pairs from which the first are taken
 * @param others pairs that are considered at the end; they may contain those before
 */
function bestMatching(
  players: number,
  likely: readonly WeightedEdge[],
  others: Iterable<WeightedEdge>,
): WeightedMatching {
  const chosen = new Map<number, WeightedEdge>();
  const add = (edge: WeightedEdge) => chosen.set(edge[0] * players + edge[1], edge);
  const degree = new Int32Array(players);
  for (const edge of [...likely].sort((a, b) => b[2] - a[2])) {
    if (Math.min(degree[edge[0]], degree[edge[1]]) >= PAIRS_TRIED_FIRST) continue;
    add(edge);
    degree[edge[0]]++;
    degree[edge[1]]++;
  }
  for (;;) {
    const matching = maximumWeightMatching(players, [...chosen.values()]);
    if (matching.weight !== matching.bound) {
      throw new Error(
        `Expected a proven matching, got weight ${matching.weight} under bound ${matching.bound}`,
      );
    }
    const before = chosen.size;
    for (const edge of likely) if (matching.slack(edge) < 0) add(edge);
    if (chosen.size === before) for (const edge of others) if (matching.slack(edge) < 0) add(edge);
    if (chosen.size === before) return matching;
  }
}
