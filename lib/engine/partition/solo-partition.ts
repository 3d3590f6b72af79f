import { imbalancePerRange } from '../bounds/range-bounds.ts';
import { orderBySkill } from '../collections/sort-skills.ts';
import { SoloQueue } from '../index/solo-queue.ts';
import { shapeOf } from '../model/game-shape.ts';
import type { GameRules } from '../types.ts';
import { bestExchange, improveWorst } from './exchange-loops.ts';
import { narrowestGroups } from './narrowest-groups.ts';
import { SoloGroups } from './solo-groups.ts';
import { unhappinessBound } from './unhappiness-bound.ts';

/**
 * What an offline partition minimises (Alman & McKay, sections 1.2.7 and 8.2): the worst imbalance, the sum of
 * the imbalances, or the greatest unhappiness, a player's imbalance over the best it could have had (1 when both are 0).
 */
export type PartitionObjective = 'worst' | 'sum' | 'unhappiness';

/** What a partition of solo players minimises, and how much work it may take. */
export interface SoloPartitionOptions {
  /** @default 'worst' */
  readonly objective?: PartitionObjective;
  /** Games that swaps may try out, some 2 million a second for teams of five. @default 20,000 */
  readonly swapBudget?: number;
}

/** A partition of everyone into games. Players are given by their index in the input. */
export interface SoloPartition {
  /** 2k players per game, the first team's k first; games in ascending order of skill. */
  readonly players: Int32Array;
  readonly imbalances: Float64Array;
  /** The objective reached. */
  readonly objective: number;
  /** No partition of these players into as many games has a lower objective. */
  readonly lowerBound: number;
  /** The n mod 2k players left over. */
  readonly leftOver: readonly number[];
}

/**
 * Theorem 5's partition with a bound that is valid, improved by swaps, for players without roles and parties.
 *
 * The groups are those of least greatest (or least total) range. They are consecutive: **uncrossing** two groups A and B, giving
 * the lower half of their players to one and the upper half to the other, raises neither the greater range nor the sum
 * of the two (docs/engine-proofs.md has the proof). By Lemma 6 the ranges bound the imbalances. The groups' v_q
 * are no bound: consecutive groups do not always minimise the worst v_q.
 *
 * Cost: a sort and a division per game; with left-over players a table of n · (n mod 2k) bytes.
 */
export function partitionSolos(
  skills: Float64Array,
  rules: GameRules,
  options: SoloPartitionOptions = {},
): SoloPartition {
  const { objective = 'worst', swapBudget = 20_000 } = options;
  const size = shapeOf(rules).seats;
  const order = orderBySkill(skills);
  const sorted = new Float64Array(order.length);
  for (let i = 0; i < order.length; i++) sorted[i] = skills[order[i]];
  const games = Math.floor(sorted.length / size);
  const starts = narrowestGroups(sorted, games, size, objective === 'sum' ? 'sum' : 'greatest');
  const groups = new SoloGroups(rules, sorted, order, starts);

  let greatest = 0;
  let total = 0;
  for (const start of starts) {
    const range = sorted[start + size - 1] - sorted[start];
    greatest = Math.max(greatest, range);
    total += range;
  }
  const perRange = imbalancePerRange(rules);
  const penalties = {
    worst: () => ({ ...worstOf(groups), bound: perRange * greatest }),
    sum: () => ({ ...sumOf(groups), bound: perRange * total }),
    unhappiness: () => unhappinessOf(groups, sorted, order, rules),
  };
  const penalty = penalties[objective]();
  if (objective === 'sum') exchangeForSum(groups, swapBudget);
  else exchangeForWorst(groups, penalty.ofGame, swapBudget);
  const reached = penalty.ofAll();
  return {
    players: groups.seated(),
    imbalances: groups.imbalances,
    objective: reached,
    // The sums are rounded, so the bound is lowered to stay valid.
    lowerBound: Math.min(reached, penalty.bound * (1 - 1e-12)),
    leftOver: Array.from(groups.leftOver).sort((a, b) => a - b),
  };
}

/** What one game adds to the objective, and the objective of all; less is better. */
interface Penalty {
  ofGame(group: number): number;
  ofAll(): number;
}

function worstOf(groups: SoloGroups): Penalty {
  const ofGame = (group: number) => groups.imbalances[group];
  return { ofGame, ofAll: () => greatestOf(groups.imbalances) };
}

function greatestOf(values: Float64Array): number {
  let greatest = 0;
  for (let i = 0; i < values.length; i++) greatest = Math.max(greatest, values[i]);
  return greatest;
}

function sumOf(groups: SoloGroups): Penalty {
  const ofGame = (group: number) => groups.imbalances[group];
  return { ofGame, ofAll: () => groups.imbalances.reduce((sum, f) => sum + f, 0) };
}

/**
 * Unhappiness needs the best game that each player could have had, which costs one query of the game queue each. `bound`: no
 * partition of these players has a lower greatest unhappiness.
 */
function unhappinessOf(
  groups: SoloGroups,
  sorted: Float64Array,
  order: Uint32Array,
  rules: GameRules,
): Penalty & { readonly bound: number } {
  const perRange = imbalancePerRange(rules);
  const queue = new SoloQueue(rules);
  queue.load(sorted);
  const least = new Float64Array(sorted.length);
  const found = new Float64Array(sorted.length);
  const best = new Float64Array(sorted.length);
  for (let i = 0; groups.count > 0 && i < sorted.length; i++) {
    const game = queue.bestWith(i)!;
    // A search that was cut short may prove less than the narrowest window does.
    least[i] = best[order[i]] = Math.max(game.lowerBound, perRange * narrowestWith(i, sorted, groups.size));
    found[i] = game.imbalance;
  }
  const { count, size } = groups;
  const leftOver = sorted.length - count * size;
  const ofGame = (group: number) => {
    let least = Number.POSITIVE_INFINITY;
    for (let i = 0; i < groups.size; i++)
      least = Math.min(least, best[groups.players[group * groups.size + i]]);
    const f = groups.imbalances[group];
    return f === 0 ? 1 : Math.max(1, f / least);
  };
  return {
    ofGame,
    ofAll: () => groups.imbalances.reduce((worst, _, group) => Math.max(worst, ofGame(group)), 0),
    bound: count === 0 ? 0 : unhappinessBound({ skills: sorted, least, found }, size, perRange, leftOver),
  };
}

/** The range of the narrowest window of `size` players with the one at a place. */
function narrowestWith(place: number, sorted: Float64Array, size: number): number {
  let least = Number.POSITIVE_INFINITY;
  const last = Math.min(place, sorted.length - size);
  for (let start = Math.max(0, place - size + 1); start <= last; start++)
    least = Math.min(least, sorted[start + size - 1] - sorted[start]);
  return least;
}

/**
 * Exchanges players of the worst game: with its neighbours, as long as both games become better than the worst was, or
 * with players in no game. `budget` limits the games tried.
 */
function exchangeForWorst(groups: SoloGroups, penaltyOf: (group: number) => number, budget: number): void {
  let left = budget;
  improveWorst({
    count: groups.count,
    reach: neighbours,
    penaltyOf,
    hasBudget: () => left > 0,
    exchange: (a, b) => {
      left -= 2 * groups.size ** 2;
      return exchange(groups, a, b, () => Math.max(penaltyOf(a), penaltyOf(b)));
    },
    exchangeWithRest: (a) => {
      left -= groups.size * groups.leftOver.length;
      return exchange(groups, a, groups.count, () => penaltyOf(a));
    },
  });
}

/** Exchanges players between neighbouring games, and with players in no game, as long as the sum falls. */
function exchangeForSum(groups: SoloGroups, budget: number): void {
  const { imbalances } = groups;
  let left = budget;
  for (let improved = true; improved && left > 0; ) {
    improved = false;
    for (let g = 0; g < groups.count && left > 0; g++) {
      if (g + 1 < groups.count) {
        left -= 2 * groups.size ** 2;
        if (exchange(groups, g, g + 1, () => imbalances[g] + imbalances[g + 1])) improved = true;
      }
      left -= groups.size * groups.leftOver.length;
      if (exchange(groups, g, groups.count, () => imbalances[g])) improved = true;
    }
  }
}

/** How many games on each side the worst game considers for an exchange. */
const neighbours = 4;

/**
 * Makes the exchange of one player each that lowers the penalty of two games most. Returns whether there was one. With b
 * after the last game, the exchange is with the players in no game.
 */
function exchange(groups: SoloGroups, a: number, b: number, penalty: () => number): boolean {
  const before = penalty();
  const fromA = a * groups.size;
  const fromB = b * groups.size;
  const isRest = b === groups.count;
  const update = () => {
    groups.update(a);
    if (!isRest) groups.update(b);
  };
  const limit = before * (1 - 1e-12);
  const membersOfB = isRest ? groups.leftOver.length : groups.size;
  const best = bestExchange(groups.size, membersOfB, limit, (i, j) => {
    if (groups.skills[fromA + i] === groups.skills[fromB + j]) return Number.POSITIVE_INFINITY;
    groups.swap(fromA + i, fromB + j);
    update();
    const after = penalty();
    groups.swap(fromA + i, fromB + j);
    return after;
  });
  if (best) groups.swap(fromA + best[0], fromB + best[1]);
  update();
  return best !== undefined;
}
