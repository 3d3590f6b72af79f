import { KeyHeap } from '../collections/key-heap.ts';

/** Games in order of skill between which players or tickets can be exchanged. */
export interface ExchangeableGames {
  readonly count: number;
  /** How many games on each side a game considers for an exchange. */
  readonly reach: number;
  /** What a game adds to the objective; less is better. */
  penaltyOf(game: number): number;
  /** Makes the exchange between two games that improves them most. Returns whether any exchange improves them. */
  exchange(a: number, b: number): boolean;
  /** Makes the exchange of a game with players or tickets in no game that improves it most. Returns whether any improves it. */
  exchangeWithRest(game: number): boolean;
  /**
   * Exchanges between two games after which the penalty of `a` is below `limit`, whatever that of `b` becomes: at most `max`,
   * those with the least penalty of `b` first. Without it only single exchanges are made.
   */
  exchangesFor?(a: number, b: number, limit: number, max: number): readonly OneSidedExchange[];
  hasBudget(): boolean;
}

/** An exchange that has not been made. */
export interface OneSidedExchange {
  readonly a: number;
  readonly b: number;
  /** The penalty of `b` afterwards. */
  readonly penaltyOfB: number;
  make(): void;
  undo(): void;
}

/**
 * Improves the game of greatest penalty (the first of several) until no exchange with neighbours or tickets in no game helps,
 * and no chain of exchanges.
 *
 * @param least stops when no game has a greater penalty
 */
export function improveWorst(games: ExchangeableGames, least = 0): void {
  if (games.count === 0) return;
  // Keys are negated penalties, so the worst game is on top.
  const keys = new Float64Array(games.count);
  const heap = new KeyHeap();
  const file = (game: number) => {
    keys[game] = -games.penaltyOf(game);
    heap.push(keys[game], game);
  };
  for (let game = 0; game < games.count; game++) file(game);
  while (games.hasBudget()) {
    while (keys[heap.topId] !== heap.topKey) heap.pop();
    const worst = heap.topId;
    if (games.penaltyOf(worst) <= least) return;
    const partner = exchangeNear(games, worst);
    const changed = partner === -1 ? exchangeInChain(games, worst) : [worst, partner];
    if (changed.length === 0) return;
    for (const game of changed) file(game);
  }
}

/**
 * Makes a chain of exchanges: the game becomes better at the cost of a neighbour, which becomes better at the cost of
 * another one, until all are better than the game was. Short chains are tried first. Returns the changed games, none if no
 * chain was found.
 */
function exchangeInChain(games: ExchangeableGames, game: number): readonly number[] {
  const limit = games.penaltyOf(game) * (1 - 1e-12);
  for (let length = 2; length <= chainMax && games.hasBudget(); length++) {
    const changed = chainFrom(games, game, limit, length, []);
    if (changed) return changed;
  }
  return [];
}

/** The exchanges in a chain, and how many are tried for each game. */
const chainMax = 4;
const chainBreadth = 6;

/** The games changed by a chain of at most `length` exchanges from this game, which is in no game of `before`. */
function chainFrom(
  games: ExchangeableGames,
  game: number,
  limit: number,
  length: number,
  before: readonly number[],
): readonly number[] | undefined {
  if (!games.exchangesFor) return undefined;
  const exchanges: OneSidedExchange[] = [];
  for (let distance = 1; distance <= games.reach; distance++) {
    for (const other of [game - distance, game + distance]) {
      if (other < 0 || other >= games.count || before.includes(other) || !games.hasBudget()) continue;
      for (const one of games.exchangesFor(game, other, limit, chainBreadth))
        keepLeast(exchanges, one, chainBreadth);
    }
  }
  for (const exchange of exchanges) {
    exchange.make();
    if (exchange.penaltyOfB < limit) return [...before, game, exchange.b];
    const changed = length > 1 && chainFrom(games, exchange.b, limit, length - 1, [...before, game]);
    if (changed) return changed;
    exchange.undo();
  }
  return undefined;
}

/**
 * Exchanges with the nearest neighbour for which an exchange helps, otherwise with tickets in no game. Returns that
 * neighbour, or the game itself; −1 if no exchange helps.
 */
export function exchangeNear(games: ExchangeableGames, game: number): number {
  for (let distance = 1; distance <= games.reach && games.hasBudget(); distance++) {
    for (const other of [game - distance, game + distance]) {
      if (other >= 0 && other < games.count && games.exchange(game, other)) return other;
    }
  }
  return games.hasBudget() && games.exchangeWithRest(game) ? game : -1;
}

/** Keeps the `max` exchanges of least penalty in order. Of equal ones the earlier stands first. */
export function keepLeast<T extends { readonly penaltyOfB: number }>(kept: T[], one: T, max: number): void {
  let at = kept.length;
  while (at > 0 && kept[at - 1].penaltyOfB > one.penaltyOfB) at--;
  if (at === max) return;
  kept.splice(at, 0, one);
  if (kept.length > max) kept.pop();
}

/**
 * Of all exchanges of one member of a game for one of another, by their indices, the first of least penalty below `limit`;
 * undefined if there is none. `penaltyAfter` may return ∞ instead of any penalty that is not below `least`.
 */
export function bestExchange(
  membersOfA: number,
  membersOfB: number,
  limit: number,
  penaltyAfter: (a: number, b: number, least: number) => number,
): [a: number, b: number] | undefined {
  let least = limit;
  let best: [number, number] | undefined;
  for (let a = 0; a < membersOfA; a++) {
    for (let b = 0; b < membersOfB; b++) {
      const penalty = penaltyAfter(a, b, least);
      if (penalty < least) {
        least = penalty;
        best = [a, b];
      }
    }
  }
  return best;
}
