import { imbalancePerRange } from '../bounds/range-bounds.ts';
import { orderBySkill } from '../collections/sort-skills.ts';
import { shapeOf } from '../model/game-shape.ts';
import type { GameRules } from '../types.ts';
import {
  bestExchange,
  type ExchangeableGames,
  improveWorst,
  keepLeast,
  type OneSidedExchange,
} from './exchange-loops.ts';
import { narrowestGroups } from './narrowest-groups.ts';
import { SoloGroups } from './solo-groups.ts';
import { SoloSearches } from './solo-searches.ts';
import { sparesOf } from './spares.ts';
import { roundingOf, startsWith, unhappiness } from './unhappiness.ts';
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
  /**
   * Games that swaps may try out, some 2 million a second for teams of five; by unhappiness, for each of a few starts.
   * @default 20,000; by unhappiness, whose best games take longer, 200,000
   */
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
  const { objective = 'worst' } = options;
  const size = shapeOf(rules).seats;
  const order = orderBySkill(skills);
  const sorted = new Float64Array(order.length);
  for (let i = 0; i < order.length; i++) sorted[i] = skills[order[i]];
  if (objective === 'unhappiness') {
    const { swapBudget = unhappinessSwaps } = options;
    const { groups, reached, bound } = byUnhappiness(sorted, order, rules, swapBudget);
    return partitionOf(groups, reached, bound);
  }
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
  const { swapBudget = 20_000 } = options;
  if (objective === 'sum') {
    exchangeForSum(groups, swapBudget);
    const reached = groups.imbalances.reduce((sum, f) => sum + f, 0);
    return partitionOf(groups, reached, perRange * total * rounded);
  }
  exchangeForWorst(groups, (group) => groups.imbalances[group], swapBudget);
  return partitionOf(groups, greatestOf(groups.imbalances), perRange * greatest * rounded);
}

function partitionOf(groups: SoloGroups, reached: number, bound: number): SoloPartition {
  return {
    players: groups.seated(),
    imbalances: groups.imbalances,
    objective: reached,
    lowerBound: Math.min(reached, bound),
    leftOver: Array.from(groups.leftOver).sort((a, b) => a - b),
  };
}

/** Games that exchanges may try out by default: fewer than the searches for the best games cost. */
const unhappinessSwaps = 200_000;

/** The ranges are rounded, so the bounds are lowered to stay valid. */
const rounded = 1 - 1e-12;

/** What one game adds to the objective, and the objective of all; less is better. */
interface Penalty {
  ofGame(group: number): number;
  ofAll(): number;
}

function greatestOf(values: Float64Array): number {
  let greatest = 0;
  for (let i = 0; i < values.length; i++) greatest = Math.max(greatest, values[i]);
  return greatest;
}

/** The greatest unhappiness of a player in a game, for the least imbalance that each player could have had. */
function unhappinessOf(groups: SoloGroups, best: Float64Array): Penalty {
  const ofGame = (group: number) => {
    let least = Number.POSITIVE_INFINITY;
    const end = (group + 1) * groups.size;
    for (let i = group * groups.size; i < end; i++) least = Math.min(least, best[groups.players[i]]);
    return unhappiness(groups.imbalances[group], least);
  };
  return {
    ofGame,
    ofAll: () => groups.imbalances.reduce((worst, _, group) => Math.max(worst, ofGame(group)), 0),
  };
}

/**
 * The partition of least greatest unhappiness. Each player's best game costs a search. They are those of `TicketQueue`, which
 * proves the best games of players far from all others, too.
 *
 * Exchanges rarely bring a player far from all others into its least unhappy game. So some starts have such games, and the
 * best of all is kept.
 */
function byUnhappiness(
  sorted: Float64Array,
  order: Uint32Array,
  rules: GameRules,
  swapBudget: number,
): { groups: SoloGroups; reached: number; bound: number } {
  const size = shapeOf(rules).seats;
  const games = Math.floor(sorted.length / size);
  const search = new SoloSearches(sorted, rules);
  const best = games === 0 ? [] : Array.from(sorted, (_, place) => search.bestWith(place));
  const spares = sparesOf(new Array<number>(best.length).fill(1), size, games, undefined);
  const { bound, hardest } = unhappinessBound(
    best,
    spares,
    () => new SoloSearches(sorted, rules),
    roundingOf(sorted.at(-1) ?? 0, rules),
  );
  const least = new Float64Array(order.length);
  best.forEach(({ lowerBound }, place) => {
    least[order[place]] = lowerBound;
  });
  let kept: { groups: SoloGroups; reached: number; bound: number } | undefined;
  for (const fixed of startsWith(hardest)) {
    const groups = groupsAround(fixed, sorted, order, rules);
    const { ofGame, ofAll } = unhappinessOf(groups, least);
    exchangeForWorst(groups, ofGame, swapBudget, bound);
    const reached = ofAll();
    if (!kept || reached < kept.reached) kept = { groups, reached, bound: games === 0 ? 0 : bound };
    if (reached <= bound) break;
  }
  return kept!;
}

/** The groups of least greatest range, without the players of these games, and these games. */
function groupsAround(
  fixed: readonly (readonly number[])[],
  sorted: Float64Array,
  order: Uint32Array,
  rules: GameRules,
): SoloGroups {
  const size = shapeOf(rules).seats;
  const taken = new Uint8Array(sorted.length);
  for (const place of fixed.flat()) taken[place] = 1;
  const rest = Array.from(sorted.keys()).filter((place) => taken[place] === 0);
  const count = Math.floor(sorted.length / size) - fixed.length;
  const starts = narrowestGroups(
    Float64Array.from(rest, (place) => sorted[place]),
    count,
    size,
    'greatest',
  );
  const games = [...fixed, ...Array.from(starts, (start) => rest.slice(start, start + size))];
  const skillOf = new Map(games.map((game) => [game, game.reduce((sum, place) => sum + sorted[place], 0)]));
  games.sort((a, b) => skillOf.get(a)! - skillOf.get(b)!);
  for (const place of games.flat()) taken[place] = 1;
  const left = rest.filter((place) => taken[place] === 0);
  const places = [...games.flat(), ...left];
  return new SoloGroups(
    rules,
    Float64Array.from(places, (place) => sorted[place]),
    Uint32Array.from(places, (place) => order[place]),
    Int32Array.from(games, (_, game) => game * size),
  );
}

/**
 * Exchanges players of the worst game: with its neighbours, as long as both games become better than the worst was, or
 * with players in no game. `budget` limits the games tried.
 */
function exchangeForWorst(
  groups: SoloGroups,
  penaltyOf: (group: number) => number,
  budget: number,
  least?: number,
): void {
  let left = budget;
  const games: ExchangeableGames = {
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
  };
  if (least === undefined) {
    improveWorst(games);
    return;
  }
  const exchangesFor = (a: number, b: number, limit: number, max: number) => {
    const { exchanges, tried } = oneSided(groups, a, b, penaltyOf, limit, max);
    left -= tried;
    return exchanges;
  };
  improveWorst({ ...games, exchangesFor }, least);
}

/** The exchanges of `ExchangeableGames.exchangesFor`, and how many games were divided for them. */
function oneSided(
  groups: SoloGroups,
  a: number,
  b: number,
  penaltyOf: (group: number) => number,
  limit: number,
  max: number,
): { exchanges: readonly OneSidedExchange[]; tried: number } {
  const exchanges: OneSidedExchange[] = [];
  let tried = 0;
  for (let i = a * groups.size; i < (a + 1) * groups.size; i++) {
    for (let j = b * groups.size; j < (b + 1) * groups.size; j++) {
      if (groups.skills[i] === groups.skills[j]) continue;
      groups.swap(i, j);
      groups.update(a);
      tried++;
      if (penaltyOf(a) < limit) {
        groups.update(b);
        tried++;
        const make = () => {
          groups.swap(i, j);
          groups.update(a);
          groups.update(b);
        };
        keepLeast(exchanges, { a, b, penaltyOfB: penaltyOf(b), make, undo: make }, max);
      }
      groups.swap(i, j);
    }
  }
  groups.update(a);
  groups.update(b);
  return { exchanges, tried };
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
