import { KeyHeap } from '../collections/key-heap.ts';
import { shapeOf } from '../model/game-shape.ts';
import type { PooledTicket } from '../model/pooled-ticket.ts';
import type { RoleTable } from '../model/roles.ts';
import { SearchClock } from '../model/search-clock.ts';
import type { GameRules } from '../types.ts';
import { scarcePlans } from './scarce-plans.ts';
import { type ScarcePool, ScarceSearch } from './scarce-search.ts';
import type { CostedGame } from './seat-filler.ts';
import { SkillLine } from './skill-line.ts';

/**
 * The best game of a pool in which most players accept one role only, the **dense** one, and the others only **scarce** roles.
 * It branches by scarcity: it enumerates the scarce players of a game with their teams, and then fills the dense seats.
 *
 * An entry is a scarce player with the games of which it is the first: the lowest of the rarest role set in them. Of players of
 * equal skill only the one who has waited longest has an entry: a game with another one instead costs no less. Removals leave
 * bounds valid; inserts need a new object.
 */
export class ScarceRoles {
  /** Whether the last `best` took too long, so that its bound may be low. */
  wasCut = false;

  readonly #pool: ScarcePool;
  readonly #search: ScarceSearch;
  /** The role set of each entry's player, and its place in the line of this set. */
  readonly #sets: readonly number[];
  readonly #places: readonly number[];
  readonly #entryOf = new Map<PooledTicket, number>();
  readonly #heap = new KeyHeap();
  /** By entry: a lower bound on the costs of its games, its best known game, and on whom the bound depends. */
  readonly #keys: Float64Array;
  readonly #games: (CostedGame | undefined)[];
  readonly #basis: (readonly PooledTicket[] | undefined)[];
  readonly #gone = new Set<PooledTicket>();

  /**
   * The pool of these tickets, undefined where it does not apply: parties, flexible players, or other p and q.
   *
   * @param epochMs the time from which the waits in costs are counted
   */
  static of(
    tickets: Iterable<PooledTicket>,
    rules: GameRules,
    roles: RoleTable,
    epochMs: number,
    clock = new SearchClock(),
  ): ScarceRoles | undefined {
    const { alpha, p, q } = rules;
    if (p !== 1 || q !== 2) return undefined;
    const all = [...tickets].filter(({ size, masks }) => size > 1 || masks[0] !== 0);
    if (all.some(({ size }) => size > 1)) return undefined;
    const counts = roles.seats.map((_, role) => all.filter(({ masks }) => (masks[0] >> role) & 1).length);
    let dense = 0;
    counts.forEach((count, role) => {
      if (count * roles.seats[dense] > counts[dense] * roles.seats[role]) dense = role;
    });
    const { seats, teamSizes } = shapeOf(rules);
    const denseSeats = teamSizes.length * roles.seats[dense];
    const scarceSeats = seats - denseSeats;
    if (scarceSeats < 2 || scarceSeats > scarceMax || denseSeats < 2) return undefined;
    // With less weight an unequal game may cost less than the bounds assume.
    if (alpha * alpha * seats < 1 || alpha * alpha * denseSeats * seats < 4) return undefined;
    const isDense = ({ masks }: PooledTicket) => masks[0] === 1 << dense;
    if (all.some((pooled) => !isDense(pooled) && (pooled.masks[0] >> dense) & 1)) return undefined;
    return new ScarceRoles(all, 1 << dense, scarceSeats, rules, roles, epochMs, clock);
  }

  private constructor(
    all: readonly PooledTicket[],
    denseMask: number,
    scarceSeats: number,
    rules: GameRules,
    roles: RoleTable,
    epochMs: number,
    clock: SearchClock,
  ) {
    const { beta } = rules;
    const { seats } = shapeOf(rules);
    const waitOf = ({ ticket }: PooledTicket) =>
      beta === 0 ? 0 : beta * ((ticket.enqueuedAtMs - epochMs) / 1000);
    const byMask = Map.groupBy(all, ({ masks }) => masks[0]);
    const dense = byMask.get(denseMask) ?? [];
    byMask.delete(denseMask);
    const groups = [...byMask].sort(([a, x], [b, y]) => x.length - y.length || a - b);
    const masks = groups.map(([mask]) => mask);
    this.#pool = {
      lines: groups.map(([, players]) => new SkillLine(players, seats, waitOf)),
      plans: scarcePlans(masks, scarceSeats, roles),
      dense: new SkillLine(dense, seats, waitOf),
      hasWaits: beta > 0,
    };
    this.#search = new ScarceSearch(rules, this.#pool, clock);
    const entries = this.#pool.lines.flatMap((line, set) =>
      Array.from({ length: line.end - 1 }, (_, i) => ({ set, place: i + 1, pooled: line.ticketAt(i + 1) })),
    );
    this.#sets = entries.map(({ set }) => set);
    this.#places = entries.map(({ place }) => place);
    this.#games = entries.map(() => undefined);
    this.#basis = entries.map(() => undefined);
    this.#keys = new Float64Array(entries.length).fill(Number.POSITIVE_INFINITY);
    for (const [entry, { set, place, pooled }] of entries.entries()) {
      this.#entryOf.set(pooled, entry);
      if (this.#pool.lines[set].hasTwinBefore(place)) continue;
      const isOver = clock.isOver(stepsPerEntry);
      this.#file(entry, isOver ? Number.NEGATIVE_INFINITY : this.#search.leastOf(set, place));
    }
  }

  remove(pooled: PooledTicket): void {
    const { lines, dense } = this.#pool;
    const entry = this.#entryOf.get(pooled);
    const place = dense.placeOf(pooled);
    if (entry === undefined && place === undefined) return;
    this.#gone.add(pooled);
    if (entry !== undefined) {
      const line = lines[this.#sets[entry]];
      const place = this.#places[entry];
      const next = line.next[place];
      line.remove(place);
      // The games of the next one of the same skill cost no less than its own.
      const isTwin = line.skills[next] === line.skills[place] && !line.hasTwinBefore(next);
      if (isTwin) this.#file(this.#entryOf.get(line.ticketAt(next))!, this.#keys[entry]);
      this.#keys[entry] = Number.NaN;
    } else {
      dense.remove(place!);
    }
  }

  /**
   * A lower bound on the cost of all games, and the best game found; the bound is not searched beyond `enough`. The cost is f
   * plus β times the enqueue time of the longest-waiting player, in seconds since the epoch.
   */
  best(enough: number): { bound: number; game: CostedGame | undefined } {
    const heap = this.#heap;
    const aside: number[] = [];
    let game = this.#bestKnown();
    let limit = Math.min(enough, game?.cost ?? enough);
    let bound = Number.POSITIVE_INFINITY;
    this.wasCut = false;
    this.#search.stepsLeft = stepsMax;
    for (;;) {
      while (heap.size > 0 && this.#keys[heap.topId] !== heap.topKey) heap.pop();
      const entry = heap.topId;
      if (entry === -1 || heap.topKey >= limit || this.wasCut) {
        bound = Math.min(bound, heap.topKey);
        break;
      }
      heap.pop();
      if (!this.#basis[entry]) {
        this.#searchAgain(entry, limit);
        this.wasCut = this.#search.wasCut;
        // Above its limit an entry is not searched yet.
        if (!this.wasCut && (this.#keys[entry] >= limit || !this.#basis[entry])) {
          heap.push(this.#keys[entry], entry);
          continue;
        }
      }
      aside.push(entry);
      bound = Math.min(bound, this.#keys[entry]);
      const found = this.#games[entry];
      if (found && found.cost < limit) {
        game = found;
        limit = found.cost;
      }
    }
    for (const entry of aside) heap.push(this.#keys[entry], entry);
    return { bound, game };
  }

  /** The best game of earlier searches that can still be played. Forgets games and bounds of players who have left. */
  #bestKnown(): CostedGame | undefined {
    const gone = this.#gone;
    let best: CostedGame | undefined;
    for (let entry = 0; entry < this.#games.length; entry++) {
      if (this.#basis[entry]?.some((player) => gone.has(player))) this.#basis[entry] = undefined;
      const game = this.#games[entry];
      if (!game) continue;
      if (game.members.some((member) => gone.has(member))) {
        this.#games[entry] = undefined;
        this.#basis[entry] = undefined;
      } else if (!best || game.cost < best.cost) best = game;
    }
    gone.clear();
    return best;
  }

  #file(entry: number, key: number): void {
    this.#keys[entry] = key;
    if (key < Number.POSITIVE_INFINITY) this.#heap.push(key, entry);
  }

  #searchAgain(entry: number, limit: number): void {
    const search = this.#search;
    search.run(this.#sets[entry], this.#places[entry], limit, this.#keys[entry], this.#games[entry]);
    this.#keys[entry] = Math.max(this.#keys[entry], search.least);
    this.#games[entry] = search.game;
    this.#basis[entry] = search.basis;
  }
}

/** The most scarce players of a game that it enumerates. */
const scarceMax = 6;

/** The work of the first bound of an entry, in steps of a `SearchClock`. */
const stepsPerEntry = 8;

/** The work of one query, in scarce players tried: some tenths of a second. Most queries need less than a hundredth. */
const stepsMax = 600_000;
