import { KeyHeap } from '../../../lib/engine/collections/key-heap.ts';

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
  hasBudget(): boolean;
}

/**
 * Improves the game of greatest penalty (the first of several) until no exchange with neighbours or tickets in no game helps.
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
    if (partner === -1) return;
    file(worst);
    file(partner);
  }
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
