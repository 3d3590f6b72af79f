import { GamePool } from '../../lib/engine/game-pool.ts';
import type { Ticket } from '../../lib/engine/types.ts';
import { allGames, checkGame, scale } from './oracle.ts';
import { failWith, live, release } from './pool-life.ts';
import type { PoolCase } from './random-pool.ts';

/**
 * Compares a game pool with brute force during random inserts and removals. After every operation it checks the best
 * game, its bound, and the best game with one ticket; at the end it drains the pool. With a node budget the games need not
 * be the best, but the pool finds a game exactly when one is possible, and no bound is above the best. Throws at the first
 * mismatch. Returns the number of comparisons.
 */
export function compareWithBruteForce(
  example: PoolCase & { readonly nodeBudget?: number },
  random: () => number,
): number {
  const { rules, tickets, forbids, nowMs, nodeBudget } = example;
  const isExact = nodeBudget === undefined;
  const pool = new GamePool(rules, { ...(forbids && { forbids }), ...(!isExact && { nodeBudget }) });
  const waiting = new Map<string, Ticket>();
  let comparisons = 0;

  const compareBest = (): void => {
    const present = [...waiting.values()];
    const games = allGames(present, rules, nowMs, forbids);
    const game = pool.best(nowMs);
    comparisons++;
    if ((game !== undefined) !== games.length > 0)
      fail(`${games.length} games, and the pool has ${game ? 'one' : 'none'}`);
    if (!game) return;
    checkGame(game, present, rules, nowMs, forbids);
    const best = games.reduce((least, each) => Math.min(least, each.priority), Number.POSITIVE_INFINITY);
    const error = Math.max(1e-9 * Math.abs(best), scale(present, rules));
    if (isExact ? Math.abs(game.priority - best) > error : game.priority < best - error)
      fail(`the best priority is ${best}, the pool says ${game.priority}`);
    if (game.lowerBound > best + error) fail(`the best priority is ${best}, the bound is ${game.lowerBound}`);
    if (isExact && game.lowerBound !== game.priority)
      fail(`the best game ${game.priority} is not proved: ${game.lowerBound}`);

    const ticket = present[Math.floor(random() * present.length)];
    const withIt = games.filter((each) => each.ticketIds.includes(ticket.ticketId));
    const found = pool.bestWith(ticket.ticketId, nowMs);
    comparisons++;
    if ((found !== undefined) !== withIt.length > 0) fail(`${withIt.length} games with ${ticket.ticketId}`);
    if (!found) return;
    checkGame(found, present, rules, nowMs, forbids);
    const bestWith = withIt.reduce((least, each) => Math.min(least, each.priority), Number.POSITIVE_INFINITY);
    const errorWith = Math.max(1e-9 * Math.abs(bestWith), scale(present, rules));
    if (isExact ? Math.abs(found.priority - bestWith) > errorWith : found.priority < bestWith - errorWith) {
      fail(`the best priority with ${ticket.ticketId} is ${bestWith}, the pool says ${found.priority}`);
    }
    if (found.lowerBound > best + error)
      fail(`the best priority is ${best}, the bound is ${found.lowerBound}`);
  };
  const fail = (what: string): never =>
    failWith(what, { ...rules, ...(!isExact && { nodeBudget }), nowMs }, waiting);

  live(pool, waiting, tickets, random, compareBest);
  do {
    compareBest();
    const next = pool.best(nowMs);
    if (!next) return comparisons;
    release(pool, waiting, next);
  } while (waiting.size > 0);
  return comparisons;
}
