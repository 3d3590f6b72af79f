import { bestExchange, type ExchangeableGames, improveWorst } from './exchange-loops.ts';
import type { SoloGroups } from './solo-groups.ts';

/**
 * Exchanges players of the worst game: with its neighbours, as long as both games become better than the worst was, or
 * with players in no game.
 *
 * @param budget how many games may be tried
 * @param least a bound on the greatest penalty: once it is reached, that does not fall
 */
export function exchangeForWorst(
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
  improveWorst(games, least);
}

/** Exchanges players between neighbouring games, and with players in no game, as long as the sum falls. */
export function exchangeForSum(groups: SoloGroups, budget: number): void {
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
