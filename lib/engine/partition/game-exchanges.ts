import type { DividedGame } from '../model/division.ts';
import { mayMeet } from '../model/forbids.ts';
import type { PooledTicket } from '../model/pooled-ticket.ts';
import type { RoleTable } from '../model/roles.ts';
import { TicketDivider } from '../model/ticket-divider.ts';
import type { Forbids, GameRules } from '../types.ts';
import { bestExchange, type ExchangeableGames, exchangeNear, improveWorst } from './exchange-loops.ts';

/** The objective of a partition's games: less is better. */
export interface Worth {
  /** The worth of a game of these tickets with this imbalance, ≥ 0; does not fall as the imbalance grows. */
  ofGame(members: readonly PooledTicket[], imbalance: number): number;
  /** Whether the objective is the greatest worth or the sum. */
  readonly total: 'greatest' | 'sum';
}

/**
 * Improves the games of a partition of tickets by exchanging tickets of one size between neighbouring games, the worst game first: first as
 * long as the greatest worth falls, if that is what counts, then as long as the sum falls and the greatest does not grow.
 * A game without such an exchange tries the tickets in no game. Roles and refused pairs are respected. Deterministic.
 *
 * @param games in order of skill, so that neighbours are near
 * @param left the tickets in no game, in the pool's order
 * @param budget how many games may be divided for it, some 500,000 a second for teams of five
 */
export function exchangeBetweenGames(
  games: readonly DividedGame[],
  left: readonly PooledTicket[],
  rules: GameRules,
  roles: RoleTable | undefined,
  forbids: Forbids | undefined,
  worth: Worth,
  budget: number,
): DividedGame[] {
  return new Exchanges(games, left, rules, roles, forbids, worth, budget).improve();
}

/** How many games on each side a game considers for an exchange. */
const neighbours = 3;

/** How many tickets in no game a game considers on each side of its mean skill. */
const leftNearby = 8;

class Exchanges {
  readonly #games: DividedGame[];
  readonly #worths: number[];
  /** In no game, in the pool's order. */
  readonly #left: PooledTicket[];
  readonly #rules: GameRules;
  readonly #forbids: Forbids | undefined;
  readonly #worth: Worth;
  readonly #divider: TicketDivider;
  #budget: number;

  constructor(
    games: readonly DividedGame[],
    left: readonly PooledTicket[],
    rules: GameRules,
    roles: RoleTable | undefined,
    forbids: Forbids | undefined,
    worth: Worth,
    budget: number,
  ) {
    this.#games = [...games];
    this.#left = [...left];
    this.#rules = rules;
    this.#forbids = forbids;
    this.#worth = worth;
    this.#divider = new TicketDivider(rules, roles);
    this.#budget = budget;
    this.#worths = games.map(({ members, imbalance }) => worth.ofGame(members, imbalance));
  }

  improve(): DividedGame[] {
    if (this.#worth.total === 'greatest') improveWorst(this.#exchangeable(Math.max));
    const greatest = this.#worth.total === 'greatest' ? this.#greatest() : Number.POSITIVE_INFINITY;
    const sum = (a: number, b: number) => (Math.max(a, b) > greatest ? Number.POSITIVE_INFINITY : a + b);
    const exchangeable = this.#exchangeable(sum);
    for (let improved = true; improved && this.#budget > 0; ) {
      improved = false;
      const worstFirst = this.#worths.map((_, game) => game);
      worstFirst.sort((a, b) => this.#worths[b] - this.#worths[a] || a - b);
      for (const game of worstFirst) if (exchangeNear(exchangeable, game) !== -1) improved = true;
    }
    return this.#games;
  }

  #greatest(): number {
    return this.#worths.reduce((most, worth) => Math.max(most, worth), 0);
  }

  /** The games for the loops of exchanges, where `together` is what two games are worth. */
  #exchangeable(together: (a: number, b: number) => number): ExchangeableGames {
    return {
      count: this.#games.length,
      reach: neighbours,
      worthOf: (game) => this.#worths[game],
      hasBudget: () => this.#budget > 0,
      exchange: (a, b) => this.#exchange(a, b, together),
      exchangeWithRest: (game) => this.#exchangeWithRest(game),
    };
  }

  /** Makes the exchange of one ticket each between two games that improves them most together. Returns whether there was one. */
  #exchange(a: number, b: number, together: (a: number, b: number) => number): boolean {
    const x = [...this.#games[a].members];
    const y = [...this.#games[b].members];
    let best: [DividedGame, DividedGame] | undefined;
    const limit = together(this.#worths[a], this.#worths[b]) * (1 - 1e-12);
    bestExchange(x.length, y.length, limit, (i, j, least) => {
      const p = x[i];
      const q = y[j];
      if (p.size !== q.size || (p.size === 1 && p.mean === q.mean && p.masks[0] === q.masks[0]))
        return Number.POSITIVE_INFINITY;
      x[i] = q;
      y[j] = p;
      const games = this.#tryOut(x, y, q, p, together, least);
      x[i] = p;
      y[j] = q;
      if (!games) return Number.POSITIVE_INFINITY;
      best = games;
      return this.#together(games, together);
    });
    if (!best) return false;
    this.#set(a, best[0]);
    this.#set(b, best[1]);
    return true;
  }

  /** Makes the exchange of one ticket of a game for one in no game that lowers its worth most. Returns whether there was one. */
  #exchangeWithRest(a: number): boolean {
    if (this.#left.length === 0) return false;
    const x = [...this.#games[a].members];
    const rest = this.#leftNear(x);
    let best: DividedGame | undefined;
    const limit = this.#worths[a] * (1 - 1e-12);
    const taken = bestExchange(x.length, rest.length, limit, (i, j, least) => {
      const p = x[i];
      const q = rest[j];
      if (p.size !== q.size || this.#budget <= 0) return Number.POSITIVE_INFINITY;
      x[i] = q;
      const game = this.#tryAlone(x, q, least);
      x[i] = p;
      if (!game) return Number.POSITIVE_INFINITY;
      best = game;
      return this.#worth.ofGame(game.members, game.imbalance);
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
  #leftNear(members: readonly PooledTicket[]): PooledTicket[] {
    let skill = 0;
    let players = 0;
    for (const { mean, size } of members) {
      skill += size * mean;
      players += size;
    }
    let low = 0;
    for (let high = this.#left.length; low < high; ) {
      const middle = (low + high) >> 1;
      if (this.#left[middle].mean * players < skill) low = middle + 1;
      else high = middle;
    }
    return this.#left.slice(Math.max(0, low - leftNearby), low + leftNearby);
  }

  /** The game of x after q has joined, if it is allowed and its worth is below `least`. */
  #tryAlone(x: readonly PooledTicket[], q: PooledTicket, least: number): DividedGame | undefined {
    const v = this.#divider.skillSpread(x);
    if (this.#worth.ofGame(x, v) >= least || !mayMeet(q, x, this.#forbids)) return undefined;
    const game = this.#divide(x, v);
    return this.#worth.ofGame(x, game.imbalance) < least ? game : undefined;
  }

  /** The games of x and y after p and q have changed places, if both are allowed and their joint worth is below `least`. */
  #tryOut(
    x: readonly PooledTicket[],
    y: readonly PooledTicket[],
    q: PooledTicket,
    p: PooledTicket,
    together: (a: number, b: number) => number,
    least: number,
  ): [DividedGame, DividedGame] | undefined {
    if (this.#budget <= 0) return undefined;
    const u = this.#divider.skillSpread(x);
    const v = this.#divider.skillSpread(y);
    // Check before dividing: teamGap can only increase the worth.
    if (together(this.#worth.ofGame(x, u), this.#worth.ofGame(y, v)) >= least) return undefined;
    if (!mayMeet(q, x, this.#forbids) || !mayMeet(p, y, this.#forbids)) return undefined;
    const games: [DividedGame, DividedGame] = [this.#divide(x, u), this.#divide(y, v)];
    return this.#together(games, together) < least ? games : undefined;
  }

  #together([a, b]: [DividedGame, DividedGame], together: (a: number, b: number) => number): number {
    return together(this.#worth.ofGame(a.members, a.imbalance), this.#worth.ofGame(b.members, b.imbalance));
  }

  #set(at: number, game: DividedGame): void {
    this.#games[at] = game;
    this.#worths[at] = this.#worth.ofGame(game.members, game.imbalance);
  }

  #divide(members: readonly PooledTicket[], v: number): DividedGame {
    this.#budget--;
    const imbalance = this.#rules.alpha * this.#divider.divide(members) + v;
    return { members: [...members], division: this.#divider.division, imbalance };
  }
}
