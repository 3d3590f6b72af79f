import type { Forbids, ShapeGames, ShapeTicket } from 'muster/engine';
import { firstPlace } from '../../../lib/engine/collections/first-place.ts';
import { mayMeet } from '../../../lib/engine/model/forbids.ts';
import { areAlike } from '../../../lib/engine/shapes/shape-ticket.ts';
import { bestExchange, type ExchangeableGames, exchangeNear, improveWorst } from './exchange-loops.ts';

/** Tickets divided into the teams of a game. */
export type SeatedGame = ReturnType<ShapeGames['fairest']>;

/** What the games of a partition add to its objective: imbalance or unhappiness. Less is better. */
export interface Penalty {
  /** The penalty of a game of these tickets with this imbalance, ≥ 0. It does not fall as the imbalance grows. */
  ofGame(members: readonly ShapeTicket[], imbalance: number): number;
  /** No game of these tickets with this imbalance or more has a penalty below this one. */
  imbalanceOf(members: readonly ShapeTicket[], penalty: number): number;
  /** Whether the objective is the greatest penalty or the sum. */
  readonly total: 'greatest' | 'sum';
}

/** How many games on each side a game considers for an exchange. */
const neighbours = 3;

/** How many tickets in no game a game considers on each side of its mean skill. */
const leftNearby = 8;

/**
 * Improves the games of a partition by exchanging tickets of one size between neighbouring games, the worst game first.
 * Roles and refused pairs are respected. Deterministic.
 */
export class GameExchanges {
  readonly #games: SeatedGame[];
  readonly #penalties: number[];
  /** In no game, in the pool's order. */
  readonly #left: ShapeTicket[];
  readonly #alpha: number;
  readonly #forbids: Forbids | undefined;
  readonly #penalty: Penalty;
  readonly #divider: ShapeGames;
  #budget: number;

  /**
   * @param games in order of skill, so that neighbours are near
   * @param left the tickets in no game, in the pool's order
   * @param budget how many games may be divided for it, some 500,000 a second for teams of five; one that takes many steps
   * counts as several
   */
  constructor(
    games: readonly SeatedGame[],
    left: readonly ShapeTicket[],
    alpha: number,
    divider: ShapeGames,
    forbids: Forbids | undefined,
    penalty: Penalty,
    budget: number,
  ) {
    this.#games = [...games];
    this.#left = [...left];
    this.#alpha = alpha;
    this.#forbids = forbids;
    this.#penalty = penalty;
    this.#divider = divider;
    this.#budget = budget;
    this.#penalties = games.map(({ members, imbalance }) => penalty.ofGame(members, imbalance));
  }

  /**
   * If the objective is the greatest penalty, exchanges as long as that falls. Then exchanges as long as the sum falls and the
   * greatest does not grow. A game without such an exchange tries the tickets in no game.
   *
   * @param least a bound on the greatest penalty: once it is reached, that does not fall
   */
  improve(least?: number): SeatedGame[] {
    if (this.#penalty.total === 'greatest') improveWorst(this.#exchangeable(Math.max), least);
    const greatest = this.#penalty.total === 'greatest' ? this.#greatest() : Number.POSITIVE_INFINITY;
    const sum = (a: number, b: number) => (Math.max(a, b) > greatest ? Number.POSITIVE_INFINITY : a + b);
    const exchangeable = this.#exchangeable(sum);
    for (let improved = true; improved && this.#budget > 0; ) {
      improved = false;
      const worstFirst = this.#penalties.map((_, game) => game);
      worstFirst.sort((a, b) => this.#penalties[b] - this.#penalties[a] || a - b);
      for (const game of worstFirst) if (exchangeNear(exchangeable, game) !== -1) improved = true;
    }
    return this.#games;
  }

  #greatest(): number {
    return this.#penalties.reduce((most, penalty) => Math.max(most, penalty), 0);
  }

  /** The games for the loops of exchanges, where `together` is the penalty of two games. */
  #exchangeable(together: (a: number, b: number) => number): ExchangeableGames {
    return {
      count: this.#games.length,
      reach: neighbours,
      penaltyOf: (game) => this.#penalties[game],
      hasBudget: () => this.#budget > 0,
      exchange: (a, b) => this.#exchange(a, b, together),
      exchangeWithRest: (game) => this.#exchangeWithRest(game),
    };
  }

  /** Makes the exchange of one ticket each between two games that improves them most together. Returns whether there was one. */
  #exchange(a: number, b: number, together: (a: number, b: number) => number): boolean {
    const x = [...this.#games[a].members];
    const y = [...this.#games[b].members];
    let best: [SeatedGame, SeatedGame] | undefined;
    const limit = together(this.#penalties[a], this.#penalties[b]) * (1 - 1e-12);
    bestExchange(x.length, y.length, limit, (i, j, least) => {
      const ofX = x[i];
      const ofY = y[j];
      if (ofX.size !== ofY.size || changesNothing(ofX, ofY)) return Number.POSITIVE_INFINITY;
      x[i] = ofY;
      y[j] = ofX;
      const games = this.#tryOut(x, y, ofY, ofX, together, least);
      x[i] = ofX;
      y[j] = ofY;
      if (!games) return Number.POSITIVE_INFINITY;
      best = games;
      return this.#penaltyOfBoth(games, together);
    });
    if (!best) return false;
    this.#set(a, best[0]);
    this.#set(b, best[1]);
    return true;
  }

  /** Makes the exchange of one ticket of a game for one in no game that lowers its penalty most. Returns whether there was one. */
  #exchangeWithRest(a: number): boolean {
    if (this.#left.length === 0) return false;
    const x = [...this.#games[a].members];
    const rest = this.#leftNear(x);
    let best: SeatedGame | undefined;
    const limit = this.#penalties[a] * (1 - 1e-12);
    const taken = bestExchange(x.length, rest.length, limit, (i, j, least) => {
      const ofX = x[i];
      const ofRest = rest[j];
      if (ofX.size !== ofRest.size || this.#budget <= 0) return Number.POSITIVE_INFINITY;
      x[i] = ofRest;
      const game = this.#tryAlone(x, ofRest, least);
      x[i] = ofX;
      if (!game) return Number.POSITIVE_INFINITY;
      best = game;
      return this.#penalty.ofGame(game.members, game.imbalance);
    });
    if (!taken || !best) return false;
    const [i, j] = taken;
    this.#left.splice(this.#left.indexOf(rest[j]), 1);
    const { mean } = x[i];
    const at = this.#left.findIndex((other) => other.mean > mean);
    this.#left.splice(at === -1 ? this.#left.length : at, 0, x[i]);
    this.#set(a, best);
    return true;
  }

  /** The tickets in no game whose skill is nearest to the mean of a game. */
  #leftNear(members: readonly ShapeTicket[]): ShapeTicket[] {
    let skill = 0;
    let players = 0;
    for (const { mean, size } of members) {
      skill += size * mean;
      players += size;
    }
    const low = firstPlace(this.#left, ({ mean }) => mean * players >= skill);
    return this.#left.slice(Math.max(0, low - leftNearby), low + leftNearby);
  }

  /** The game of x after `joined` has joined, if it is allowed and its penalty is below `least`. */
  #tryAlone(x: readonly ShapeTicket[], joined: ShapeTicket, least: number): SeatedGame | undefined {
    const v = this.#divider.skillSpread(x);
    if (this.#penalty.ofGame(x, v) >= least || !mayMeet(joined, x, this.#forbids)) return undefined;
    const game = this.#divide(x, v, least);
    return this.#penalty.ofGame(x, game.imbalance) < least ? game : undefined;
  }

  /** The games of x and y after a ticket has joined each, if both are allowed and their joint penalty is below `least`. */
  #tryOut(
    x: readonly ShapeTicket[],
    y: readonly ShapeTicket[],
    joinedX: ShapeTicket,
    joinedY: ShapeTicket,
    together: (a: number, b: number) => number,
    least: number,
  ): [SeatedGame, SeatedGame] | undefined {
    if (this.#budget <= 0) return undefined;
    const u = this.#divider.skillSpread(x);
    const v = this.#divider.skillSpread(y);
    // Check before dividing: teamGap can only increase the penalty.
    if (together(this.#penalty.ofGame(x, u), this.#penalty.ofGame(y, v)) >= least) return undefined;
    if (!mayMeet(joinedX, x, this.#forbids) || !mayMeet(joinedY, y, this.#forbids)) return undefined;
    const games: [SeatedGame, SeatedGame] = [this.#divide(x, u, least), this.#divide(y, v, least)];
    return this.#penaltyOfBoth(games, together) < least ? games : undefined;
  }

  #penaltyOfBoth([a, b]: [SeatedGame, SeatedGame], together: (a: number, b: number) => number): number {
    return together(
      this.#penalty.ofGame(a.members, a.imbalance),
      this.#penalty.ofGame(b.members, b.imbalance),
    );
  }

  #set(at: number, game: SeatedGame): void {
    this.#games[at] = game;
    this.#penalties[at] = this.#penalty.ofGame(game.members, game.imbalance);
  }

  /** The game of these tickets, as far as its penalty may be below `least`. */
  #divide(members: readonly ShapeTicket[], v: number, least: number): SeatedGame {
    const from = this.#divider.steps;
    const most = this.#penalty.imbalanceOf(members, least) * (1 + 1e-9);
    const imbalance = this.#alpha * this.#divider.divide(members, (most - v) / this.#alpha) + v;
    this.#budget -= 1 + ((this.#divider.steps - from) >> 5);
    return { members: [...members], teams: this.#divider.teams, imbalance };
  }
}

/** Whether exchanging the two changes nothing: solo players of the same skill who can take the same seats. */
function changesNothing(a: ShapeTicket, b: ShapeTicket): boolean {
  return a.mean === b.mean && areAlike(a, b);
}
