import { type Forbids, type GameRules, imbalancePerRange, type ShapeTicket, shapeOf } from 'muster/engine';
import { firstPlace } from '../../../lib/engine/collections/first-place.ts';
import { type BestGame, BestGames } from './best-games.ts';
import type { Penalty } from './game-exchanges.ts';
import { type SeatRoles, sparesOf } from './spares.ts';
import { unhappinessBound } from './unhappiness-bound.ts';

/** The greatest unhappiness of games of these tickets. The best game of each ticket takes a search. */
export class TicketUnhappiness {
  readonly #tickets: readonly ShapeTicket[];
  readonly #rules: GameRules;
  readonly #roles: SeatRoles | undefined;
  readonly #newPool: () => BestGames;
  readonly #best: readonly BestGame[];
  readonly #least: ReadonlyMap<string, number>;

  constructor(
    tickets: readonly ShapeTicket[],
    rules: GameRules,
    roles: SeatRoles | undefined,
    options: { readonly forbids: Forbids | undefined; readonly nodeBudget: number },
  ) {
    this.#tickets = tickets;
    this.#rules = rules;
    this.#roles = roles;
    const all = tickets.map(({ ticket }) => ticket);
    this.#newPool = () => new BestGames(all, rules, options);
    const pool = this.#newPool();
    const atLeast = leastImbalances(tickets, rules);
    this.#best = tickets.map((_, ticket) => {
      const game = pool.bestWith(ticket);
      return { ...game, lowerBound: Math.min(game.imbalance, Math.max(game.lowerBound, atLeast[ticket])) };
    });
    this.#least = new Map(all.map(({ ticketId }, ticket) => [ticketId, this.#best[ticket].lowerBound]));
  }

  /**
   * The greatest unhappiness in a game. If the search for a ticket's best game was cut short, the bound that it proved is used,
   * so the unhappiness may be overstated but is never understated.
   */
  get penalty(): Penalty {
    const leastOf = (members: readonly ShapeTicket[]) =>
      members.reduce(
        (least, { ticket }) => Math.min(least, this.#least.get(ticket.ticketId)!),
        Number.POSITIVE_INFINITY,
      );
    return {
      ofGame: (members, imbalance) => unhappiness(imbalance, leastOf(members)),
      // Where the best game has an imbalance of 0, every other game has an unhappiness of ∞.
      imbalanceOf: (members, penalty) => {
        const least = leastOf(members);
        return least > 0 ? penalty * least : Number.POSITIVE_INFINITY;
      },
      total: 'greatest',
    };
  }

  /** What no partition into this many games or more is below, and the games of tickets that are unhappy in all games. */
  bound(games: number): { readonly bound: number; readonly hardest: readonly (readonly ShapeTicket[])[] } {
    if (games === 0) return { bound: 0, hardest: [] };
    const tickets = this.#tickets;
    const sizes = tickets.map(({ size }) => size);
    const top = tickets.reduce((most, { high }) => Math.max(most, high), 0);
    const { bound, hardest } = unhappinessBound(
      this.#best,
      sparesOf(sizes, shapeOf(this.#rules).seatsMin, games, this.#roles),
      this.#newPool,
      roundingOf(top, this.#rules),
    );
    return { bound, hardest: hardest.map((members) => members.map((ticket) => tickets[ticket])) };
  }
}

/** The nodes of a search for the best game with one of so many tickets. Of 550 parties 93% have a proved best game. */
export function nodesPerTicket(tickets: number): number {
  return Math.max(1000, Math.min(20_000, Math.round(1e7 / tickets)));
}

/** By ticket, what no game with it is below by the range of its players (Lemma 6), for searches that are cut short. */
function leastImbalances(tickets: readonly ShapeTicket[], rules: GameRules): Float64Array {
  const size = shapeOf(rules).seatsMin;
  const sorted = Float64Array.from(tickets.flatMap(({ skills }) => [...skills])).sort();
  const perRange = imbalancePerRange(rules) * (1 - 1e-12);
  return Float64Array.from(tickets, ({ skills, low, high }) => {
    const ranges = Array.from(skills, (skill) => narrowestAround(sorted, skill, size));
    return perRange * ranges.reduce((widest, range) => Math.max(widest, range), high - low);
  });
}

/** The range of the narrowest `size` players, one of which has this skill, ∞ if there are too few. */
function narrowestAround(sorted: Float64Array, skill: number, size: number): number {
  const place = firstPlace(sorted, (value) => value >= skill);
  const last = Math.min(firstPlace(sorted, (value) => value > skill) - 1, sorted.length - size);
  let least = Number.POSITIVE_INFINITY;
  for (let start = Math.max(0, place - size + 1); start <= last; start++)
    least = Math.min(least, sorted[start + size - 1] - sorted[start]);
  return least;
}

/** The greatest unhappiness in a game: its imbalance over the least that one of its players could have had. 1 when both are 0. */
export function unhappiness(imbalance: number, least: number): number {
  return imbalance === 0 ? 1 : Math.max(1, imbalance / least);
}

/** What imbalances of games of skills up to `top` may differ by because of rounding. */
export function roundingOf(top: number, rules: GameRules): number {
  return 1e-12 * top * (1 + rules.alpha) * shapeOf(rules).seats;
}

/**
 * With which games a partition may begin: none, the first of these, four times as many each time, or all. Of games that share a
 * ticket only the first is taken.
 */
export function startsWith<Game extends readonly unknown[]>(games: readonly Game[]): Game[][] {
  const seated = new Set<unknown>();
  const disjoint = games.filter((game) => {
    if (game.some((ticket) => seated.has(ticket))) return false;
    for (const ticket of game) seated.add(ticket);
    return true;
  });
  const starts: Game[][] = [[]];
  for (let count = 1; count < 4 * disjoint.length; count *= 4) starts.push(disjoint.slice(0, count));
  return starts;
}
