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

/**
 * OPT: the least cost of pairs when all arrivals are known in advance (k = 2, any D). A pair is matched
 * when its later player arrives, at most τ_max after the earlier one. An unpaired player plays with a
 * computer player after τ_max.
 *
 * Exact up to 2⁻³¹ per game by maximum-weight matching: a player alone costs s, so a pair saves
 * 2s − cost, and the best set of pairs saves the most. A pair never costs more than 3 and a player alone
 * costs 4, so a pair is always worth it.
 *
 * @throws Error when the dual does not prove the matching, which is then wrong
 */
export function optimum(setting: Setting, arrivals: readonly Arrival[]): Outcome {
  if (setting.players !== 2) throw new RangeError(`Expected pairs for OPT, got k = ${setting.players}`);
  const alone = gameCost(setting, arrivals.slice(0, 1), (arrivals[0]?.time ?? 0) + setting.longestWait);
  const edges = possiblePairs(setting, arrivals, 2 * alone);
  const { mates } = bestMatching(arrivals.length, edges);

  let games = 0;
  let cost = 0;
  let filledGames = 0;
  mates.forEach((mate, index) => {
    if (mate > index) return;
    const members = mate === -1 ? [arrivals[index]] : [arrivals[mate], arrivals[index]];
    const now = arrivals[index].time + (mate === -1 ? setting.longestWait : 0);
    games++;
    cost += gameCost(setting, members, now);
    if (mate === -1) filledGames++;
  });
  return { games, cost, costPerGame: cost / games, filledGames };
}

/** The possible pairs, each with its saving in parts compared with both players alone. */
function possiblePairs(setting: Setting, arrivals: readonly Arrival[], twiceAlone: number): WeightedEdge[] {
  const edges: WeightedEdge[] = [];
  for (let late = 0; late < arrivals.length; late++) {
    for (let early = late - 1; early >= 0; early--) {
      if (arrivals[late].time - arrivals[early].time > setting.longestWait) break;
      const cost = gameCost(setting, [arrivals[early], arrivals[late]], arrivals[late].time);
      edges.push([early, late, Math.round((twiceAlone - cost) * PARTS)]);
    }
  }
  return edges;
}

/**
 * Solves with the pairs that save the most for each player. Then it adds omitted pairs that the dual solution does
 * not rule out, until there are none: then the matching is best among all pairs.
 */
function bestMatching(players: number, edges: readonly WeightedEdge[]): WeightedMatching {
  const chosen = new Set<WeightedEdge>();
  const degree = new Int32Array(players);
  for (const edge of [...edges].sort((a, b) => b[2] - a[2])) {
    if (Math.min(degree[edge[0]], degree[edge[1]]) >= PAIRS_TRIED_FIRST) continue;
    chosen.add(edge);
    degree[edge[0]]++;
    degree[edge[1]]++;
  }
  for (;;) {
    const matching = maximumWeightMatching(players, [...chosen]);
    if (matching.weight !== matching.bound) {
      throw new Error(
        `Expected a proven matching, got weight ${matching.weight} under bound ${matching.bound}`,
      );
    }
    const before = chosen.size;
    for (const edge of edges) if (!chosen.has(edge) && matching.slack(edge) < 0) chosen.add(edge);
    if (chosen.size === before) return matching;
  }
}
