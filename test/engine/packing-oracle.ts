import { GamePool } from '../../lib/engine/game-pool.ts';
import { shapeOf } from '../../lib/engine/model/game-shape.ts';
import { packingNumber } from '../../lib/engine/model/packing-number.ts';
import type { Ticket } from '../../lib/engine/types.ts';
import { allGames, checkGame, scale } from './oracle.ts';
import { failWith, live, release } from './pool-life.ts';
import type { PoolCase } from './random-pool.ts';

/**
 * Compares a pool that keeps parties from being stranded with brute force during random inserts and removals. A game is found
 * exactly when one is possible, no other game is lost with it, and its bound is not above the best game. A drain makes as
 * many games as the sizes allow. Throws at the first mismatch. Returns the number of comparisons.
 */
export function comparePacking(
  { rules, tickets, nowMs }: PoolCase,
  options: { readonly nodeBudget?: number },
  random: () => number,
): number {
  const pool = new GamePool(rules, { ...options, packs: true });
  const waiting = new Map<string, Ticket>();
  let comparisons = 0;

  const gamesOf = (present: Iterable<Ticket>): number => {
    const counts = new Uint32Array(rules.teamSize + 1);
    for (const { players } of present) counts[players.length]++;
    return packingNumber(counts, shapeOf(rules).teamSizes);
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
    const left = present.filter(({ ticketId }) => !game.ticketIds.includes(ticketId));
    if (gamesOf(left) < gamesOf(present) - 1) fail(`${game.ticketIds} strands a game`);
    const error = Math.max(1e-9 * Math.abs(game.priority), scale(present, rules));
    const least = games.reduce((best, each) => Math.min(best, each.priority), Number.POSITIVE_INFINITY);
    if (game.lowerBound > least + error) fail(`the best game has ${least}, the bound is ${game.lowerBound}`);
  };
  const fail = (what: string): never => failWith(what, { ...rules, ...options, nowMs }, waiting);

  live(pool, waiting, tickets, random, compareBest);
  const possible = gamesOf(waiting.values());
  let released = 0;
  for (let game = pool.best(nowMs); game; game = pool.best(nowMs), released++) {
    compareBest();
    release(pool, waiting, game);
  }
  if (released < possible) fail(`${possible} games are possible, the drain made ${released}`);
  return comparisons + 1;
}
