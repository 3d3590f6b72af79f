import { GamePool } from '../../lib/engine/game-pool.ts';
import { shapeOf } from '../../lib/engine/model/game-shape.ts';
import { packingNumber } from '../../lib/engine/model/packing-number.ts';
import type { Ticket } from '../../lib/engine/types.ts';
import { allGames, checkGame, scale } from './oracle.ts';
import { failWith, live, release } from './pool-life.ts';
import type { PoolCase } from './random-pool.ts';

/**
 * Compares a pool that packs as it goes with brute force during random inserts and removals. A game is found exactly when one
 * is possible, its price is right, and no bound is above the least sum of priority and price. Where lost games are not
 * admitted, a drain makes as many games as the sizes allow. Throws at the first mismatch. Returns the number of comparisons.
 */
export function comparePacking(
  { rules, tickets, nowMs }: PoolCase,
  options: { readonly lostGameCost: number; readonly nodeBudget?: number },
  random: () => number,
): number {
  const pool = new GamePool(rules, options);
  const waiting = new Map<string, Ticket>();
  let comparisons = 0;

  const gamesOf = (present: Iterable<Ticket>): number => {
    const counts = new Uint32Array(rules.teamSize + 1);
    for (const { players } of present) counts[players.length]++;
    return packingNumber(counts, shapeOf(rules));
  };
  const priceOf = (ticketIds: readonly string[]): number => {
    const without = new Map(waiting);
    for (const ticketId of ticketIds) without.delete(ticketId);
    const lost = gamesOf(waiting.values()) - 1 - gamesOf(without.values());
    return lost > 0 ? lost * options.lostGameCost : 0;
  };
  const compareBest = (): void => {
    const present = [...waiting.values()];
    const games = allGames(present, rules, nowMs);
    const game = pool.best(nowMs);
    comparisons++;
    if ((game !== undefined) !== games.length > 0)
      fail(`${games.length} games, and the pool has ${game ? 'one' : 'none'}`);
    if (!game) return;
    checkGame(game, present, rules, nowMs);
    // Without parties nothing can strand, and the pool is one of solo players.
    const price = priceOf(game.ticketIds);
    if (price === Number.POSITIVE_INFINITY) fail(`${game.ticketIds} is not admitted`);
    const error = Math.max(1e-9 * Math.abs(game.priority), scale(present, rules));
    const least = games.reduce(
      (sum, each) => Math.min(sum, each.priority + priceOf(each.ticketIds)),
      Number.POSITIVE_INFINITY,
    );
    if (game.priority + price < least - error)
      fail(`the least sum is ${least}, the pool has ${game.priority} + ${price}`);
    if (game.lowerBound + price > least + error + 1e-9 * price)
      fail(`the least sum is ${least}, the bound is ${game.lowerBound} + ${price}`);
  };
  const fail = (what: string): never => failWith(what, { ...rules, ...options, nowMs }, waiting);

  live(pool, waiting, tickets, random, compareBest);
  const possible = gamesOf(waiting.values());
  let released = 0;
  for (let game = pool.best(nowMs); game; game = pool.best(nowMs), released++) {
    compareBest();
    release(pool, waiting, game);
  }
  if (options.lostGameCost === Number.POSITIVE_INFINITY && released < possible)
    fail(`${possible} games are possible, the drain made ${released}`);
  return comparisons + 1;
}
