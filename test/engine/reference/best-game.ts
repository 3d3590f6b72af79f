import { imbalancePerRange, lemma1 } from '../../../lib/engine/bounds/range-bounds.ts';
import { type Division, teamsOf } from '../../../lib/engine/model/division.ts';
import { shapeOf } from '../../../lib/engine/model/game-shape.ts';
import { SoloSearch } from '../../../lib/engine/solo/solo-search.ts';
import type { GameRules } from '../../../lib/engine/types.ts';

/** A best game of a list of players, by their indices in the list. */
export interface BestGame {
  readonly imbalance: number;
  readonly teams: readonly [number[], number[]];
}

/**
 * The exact best game of these players, computed from scratch, without roles and parties; undefined with fewer than 2k
 * players. The input need not be sorted and is not changed. Of equally skilled players the first are used.
 *
 * Cost: a sort, one pass over all windows of 2k consecutive players, and a search at each window that Lemma 6 does not
 * exclude, which are few when skills are smooth.
 */
export function bestGame(skills: Float64Array, rules: GameRules): BestGame | undefined {
  const n = shapeOf(rules).seats;
  if (skills.length < n) return undefined;
  // For p = ∞ the search needs the most skilled players first.
  const sign = rules.p === Number.POSITIVE_INFINITY ? -1 : 1;
  const sorted = skills.slice().sort();
  if (sign < 0) {
    sorted.reverse();
    for (let i = 0; i < sorted.length; i++) sorted[i] = -sorted[i];
  }

  const perRange = imbalancePerRange(rules);
  const range = (i: number) => sorted[i + n - 1] - sorted[i];
  let narrowest = 0;
  for (let i = 1; i + n <= sorted.length; i++) if (range(i) < range(narrowest)) narrowest = i;

  const search = new SoloSearch(rules);
  let best: { players: number[]; division: Division } | undefined;
  let limit = lemma1(range(narrowest), rules.alpha, Math.abs(sorted[narrowest]) + range(narrowest));
  const searchAt = (anchor: number) => {
    const reach = sorted[anchor] + limit / perRange;
    let count = 0;
    while (anchor + count < sorted.length && sorted[anchor + count] <= reach) count++;
    search.reserve(count);
    for (let i = 0; i < count; i++) search.value[i] = sorted[anchor + i] - sorted[anchor];
    search.count = count;
    if (search.run(0, sorted[anchor], limit, Number.MAX_SAFE_INTEGER) === Number.POSITIVE_INFINITY) return;
    limit = search.bound;
    best = {
      players: Array.from(search.members, (member) => sign * sorted[anchor + member]),
      division: search.division,
    };
  };

  searchAt(narrowest);
  const anchors: number[] = [];
  for (let i = 0; i + n <= sorted.length; i++)
    if (perRange * range(i) < limit && i !== narrowest) anchors.push(i);
  anchors.sort((a, b) => range(a) - range(b) || a - b);
  for (const anchor of anchors) {
    if (perRange * range(anchor) >= limit) break;
    searchAt(anchor);
  }
  if (!best) throw new Error('Expected a game in the narrowest window (Lemma 1)');
  const { players, division } = best;
  const indices = indicesOf(players, skills);
  return { imbalance: limit, teams: teamsOf(indices, division) };
}

/** The places of these skills in the list: for each skill the first place not yet used. */
function indicesOf(players: readonly number[], skills: Float64Array): number[] {
  const low = Math.min(...players);
  const high = Math.max(...players);
  const indices: number[] = new Array(players.length).fill(-1);
  for (let i = 0; i < skills.length; i++) {
    const skill = skills[i];
    if (skill < low || skill > high) continue;
    const at = players.findIndex((each, p) => each === skill && indices[p] === -1);
    if (at !== -1) indices[at] = i;
  }
  return indices;
}
