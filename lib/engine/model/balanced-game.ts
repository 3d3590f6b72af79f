import type { PooledTicket } from './pooled-ticket.ts';

/** The game of least imbalance with one ticket, as far as a search was allowed to go. */
export interface BalancedGame {
  /** Its tickets. Undefined if the search found no game; `imbalance` is then ∞. */
  readonly members: readonly PooledTicket[] | undefined;
  readonly imbalance: number;
  /** No game with the ticket has less imbalance. Equal to `imbalance` if the game is proved best; ∞ if there is none. */
  readonly lowerBound: number;
}

/** The answer for a ticket that is in no game. */
export const noBalancedGame: BalancedGame = {
  members: undefined,
  imbalance: Number.POSITIVE_INFINITY,
  lowerBound: Number.POSITIVE_INFINITY,
};

/** The answer of a search that found this game, or none, and proved this bound. */
export function balancedGame(
  game: { readonly members: readonly PooledTicket[]; readonly imbalance: number } | undefined,
  lowerBound: number,
): BalancedGame {
  if (!game) return { members: undefined, imbalance: Number.POSITIVE_INFINITY, lowerBound };
  return {
    members: game.members,
    imbalance: game.imbalance,
    lowerBound: Math.min(lowerBound, game.imbalance),
  };
}

/** The answer for two searches that have all games with the ticket between them. */
export function betterOf(a: BalancedGame, b: BalancedGame): BalancedGame {
  const better = b.imbalance < a.imbalance ? b : a;
  return { ...better, lowerBound: Math.min(a.lowerBound, b.lowerBound) };
}
