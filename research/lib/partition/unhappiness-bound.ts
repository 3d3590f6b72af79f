import { firstPlace } from '../../../lib/engine/collections/first-place.ts';
import type { BestGame, ShrinkingPool } from './best-games.ts';
import type { Spare } from './spares.ts';

/** What is proved about the greatest unhappiness of a partition. */
export interface UnhappinessBound {
  /** No partition has a lower greatest unhappiness. 1 or above. */
  readonly bound: number;
  /** Of the tickets that can only be in unhappy games, the most unhappy first: the least unhappy game found with each. */
  readonly hardest: readonly (readonly number[])[];
}

/**
 * A lower bound on the greatest unhappiness of every partition in which no more players than the spares stay without a game.
 *
 * The unhappiness of a game is its imbalance over the least best game of its tickets. A ticket far from all others makes
 * others unhappy: whatever game it is in, some of them could have had a better one. For one ticket the least unhappy game is
 * found by searching its best game among the tickets whose own best games have an imbalance of b or more, for ascending b.
 * Between b and the least best game of the game found, its imbalance is a bound on all others. Of the tickets with the
 * greatest values as many may stay out as the spare allows; the next one bounds every partition. research/docs/engine-proofs.md has
 * the proof.
 *
 * Only the tickets that may decide the bound are searched for: no value is above the unhappiness of the ticket's best game.
 *
 * @param best the best game of each ticket
 * @param newPool a pool of all tickets
 * @param error what imbalances may differ by because of rounding
 */
export function unhappinessBound(
  best: readonly BestGame[],
  spares: readonly Spare[],
  newPool: () => ShrinkingPool,
  error: number,
): UnhappinessBound {
  const least = new LeastUnhappiness(best, error);
  const open = new Set(spares);
  for (;;) {
    const order = least.order();
    const top = greatest([...open].map((spare) => ({ spare, ...crossing(order, spare, least.atMost) })));
    if (!top) break;
    const unknown = top.until.filter((ticket) => !least.isOver(ticket));
    if (unknown.length === 0) break;
    if (least.proved + unknown.length > searchedMax) {
      open.delete(top.spare);
      continue;
    }
    // Each round begins with a pool of all tickets, so a few more are searched for at once.
    const more = order.filter((ticket) => !least.isOver(ticket) && !unknown.includes(ticket));
    least.prove([...unknown, ...more.slice(0, Math.max(0, roundMin - unknown.length))], newPool());
  }
  const order = least.order();
  const provedOf = (ticket: number) => (least.isProved(ticket) ? least.atMost[ticket] : 1);
  order.sort((a, b) => ascending(provedOf(b), provedOf(a)) || a - b);
  const proved = Float64Array.from(best, (_, ticket) => provedOf(ticket));
  const bounds = spares.map((spare) => crossing(order, spare, proved).value);
  return { bound: bounds.reduce((a, b) => Math.max(a, b), 1), hardest: least.games(least.order()) };
}

/** How many tickets may be searched for, and the fewest in one round. */
const searchedMax = 160;
/** How many searches they may take together, some seconds with parties. */
const searchesMax = 600;
const roundMin = 8;

/** The value of the first ticket of an order that cannot stay out when all before it do, and the tickets up to it. */
function crossing(
  order: readonly number[],
  { counts, most }: Spare,
  values: Float64Array,
): { readonly value: number; readonly until: readonly number[] } {
  const until: number[] = [];
  let out = 0;
  for (const ticket of order) {
    if (values[ticket] <= 1) break;
    if (counts[ticket] === 0) continue;
    until.push(ticket);
    out += counts[ticket];
    if (out > most) return { value: values[ticket], until };
  }
  return { value: 1, until: [] };
}

function greatest<T extends { readonly value: number }>(of: readonly T[]): T | undefined {
  return of.reduce<T | undefined>((best, one) => (best && best.value >= one.value ? best : one), undefined);
}

/** The least unhappiness of a game with each ticket: at first a value that it does not exceed, later what is proved. */
class LeastUnhappiness {
  /** By ticket. */
  readonly atMost: Float64Array;
  /** The number of tickets searched for. */
  proved = 0;
  /** The number of searches for them. */
  #searches = 0;
  readonly #best: readonly BestGame[];
  readonly #error: number;
  /** The tickets by the imbalance found for them, these imbalances, and where each ticket is. */
  readonly #sorted: readonly number[];
  readonly #found: Float64Array;
  readonly #placeOf: Int32Array;
  readonly #isProved: Uint8Array;
  readonly #isGivenUp: Uint8Array;
  /** The least unhappy game found with each ticket, and its unhappiness. */
  readonly #games: (readonly number[] | undefined)[];
  readonly #reached: Float64Array;

  constructor(best: readonly BestGame[], error: number) {
    this.#best = best;
    this.#error = error;
    this.#sorted = best
      .map((_, ticket) => ticket)
      .sort((a, b) => ascending(best[a].imbalance, best[b].imbalance) || a - b);
    this.#found = Float64Array.from(this.#sorted, (ticket) => best[ticket].imbalance);
    this.#placeOf = new Int32Array(best.length);
    this.#sorted.forEach((ticket, place) => {
      this.#placeOf[ticket] = place;
    });
    this.#games = best.map(({ members }) => members);
    this.#reached = Float64Array.from(best, (game) => this.#unhappiness(game));
    this.#isProved = new Uint8Array(best.length);
    this.#isGivenUp = new Uint8Array(best.length);
    this.atMost = Float64Array.from(best, (game, ticket) => {
      if (game.members) return this.#quotient(game.lowerBound, this.#leastFound(game.members));
      this.#isProved[ticket] = 1;
      return game.lowerBound === Number.POSITIVE_INFINITY ? Number.POSITIVE_INFINITY : 1;
    });
  }

  /** Whether nothing more will be known about a ticket. */
  isOver(ticket: number): boolean {
    return this.isProved(ticket) || this.#isGivenUp[ticket] === 1;
  }

  isProved(ticket: number): boolean {
    return this.#isProved[ticket] === 1;
  }

  /** The tickets, those of greatest value first. */
  order(): number[] {
    const { atMost } = this;
    return this.#best.map((_, ticket) => ticket).sort((a, b) => ascending(atMost[b], atMost[a]) || a - b);
  }

  /** The least unhappy games found with the tickets searched for, in this order. */
  games(order: readonly number[]): (readonly number[])[] {
    return order.flatMap((ticket) => {
      const game = this.#games[ticket];
      return this.isOver(ticket) && game && this.atMost[ticket] > 1 ? [game] : [];
    });
  }

  /**
   * Proves the values of these tickets, as far as the searches that are left allow; the others are given up. The pool loses
   * tickets in ascending order of their best games.
   */
  prove(tickets: readonly number[], pool: ShrinkingPool): void {
    // From which place on the tickets remain in the next search for each of these.
    const next = new Map(
      tickets.map((ticket) => [ticket, this.#after(this.#leastFound(this.#best[ticket].members!))]),
    );
    for (let removed = 0; next.size > 0 && this.#searches < searchesMax; ) {
      const [ticket, from] = [...next].reduce((first, one) => (one[1] < first[1] ? one : first));
      const isThere = from <= this.#placeOf[ticket];
      for (; isThere && removed < from; removed++) pool.remove(this.#sorted[removed]);
      const then = isThere ? this.#search(ticket, this.#found[from], pool) : undefined;
      if (then === undefined) next.delete(ticket);
      else next.set(ticket, then);
    }
    for (const ticket of tickets) {
      if (next.has(ticket)) this.#isGivenUp[ticket] = 1;
      else this.#isProved[ticket] = 1;
    }
    this.proved += tickets.length;
  }

  /**
   * Lowers the value of a ticket to the least of its games in this pool, whose tickets have best games of `floor` or more, as
   * far as one search shows. Returns from which place on the tickets may form games of a lower value, undefined if none can.
   */
  #search(ticket: number, floor: number, pool: ShrinkingPool): number | undefined {
    this.#searches++;
    const game = pool.bestWith(ticket);
    // A search among fewer tickets that is cut short may prove less.
    const least = Math.max(game.lowerBound, this.#best[ticket].lowerBound);
    if (least === Number.POSITIVE_INFINITY) return undefined;
    const until = game.members ? this.#leastFound(game.members) : stride * floor;
    const value = this.#quotient(least, Math.min(until, this.#best[ticket].imbalance));
    if (value < this.atMost[ticket]) this.atMost[ticket] = value;
    const reached = this.#unhappiness(game);
    if (reached < this.#reached[ticket]) {
      this.#reached[ticket] = reached;
      this.#games[ticket] = game.members;
    }
    if (this.atMost[ticket] <= 1) return undefined;
    return Math.max(this.#after(until), this.#placeOfValue(ticket, least));
  }

  /** The least imbalance found for the best games of these tickets. */
  #leastFound(members: readonly number[]): number {
    return members.reduce(
      (least, ticket) => Math.min(least, this.#best[ticket].imbalance),
      Number.POSITIVE_INFINITY,
    );
  }

  /** The unhappiness of a game is not above this. */
  #unhappiness({ members, imbalance }: BestGame): number {
    if (!members) return Number.POSITIVE_INFINITY;
    if (imbalance === 0) return 1;
    const least = members.reduce(
      (f, ticket) => Math.min(f, this.#best[ticket].lowerBound),
      Number.POSITIVE_INFINITY,
    );
    return imbalance / least;
  }

  /** A game of at least this imbalance with a ticket whose best game has at most this one is at least so unhappy. */
  #quotient(imbalance: number, best: number): number {
    const certain = imbalance * relative - this.#error;
    return certain > 0 ? Math.max(1, certain / (best + this.#error)) : 1;
  }

  /** The first place of tickets whose best games have more imbalance than this. */
  #after(imbalance: number): number {
    return firstPlace(this.#found, (found) => found > imbalance);
  }

  /** The first place of tickets that may be in a game of a lower value with this one, if all its games have `least`. */
  #placeOfValue(ticket: number, least: number): number {
    const from = (least * relative - this.#error) / this.atMost[ticket] - this.#error;
    return firstPlace(this.#found, (found) => found >= from);
  }
}

/** By how much the least best game of a game's tickets is assumed to grow where a search finds no game. */
const stride = 1.1;

/** Imbalances have rounding errors in proportion to them. */
const relative = 1 - 1e-9;

/** The order of numbers of which some may be infinite. */
function ascending(a: number, b: number): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
