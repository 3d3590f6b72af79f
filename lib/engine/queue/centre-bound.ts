import type { SearchClock } from '../model/search-clock.ts';
import type { ShapeTicket } from '../shapes/shape-ticket.ts';
import type { CheapestPlayers, CheapSet } from './cheapest-players.ts';
import type { QueuedTicket } from './line.ts';

/**
 * Lower bounds on v_q of the games of a pool, q ≥ 2, as tickets leave it: of all games, and of those with one ticket.
 *
 * A cell holds the games whose mean μ is within `half` of its centre c. A game of N players has
 * Σ (s − c)² = N·(v_2² + (μ − c)²), so N·v_2² is at least the least sum Σ (s − c)² of all games less N·half². Removals only raise
 * these sums, so what is known of a cell stays a bound; an insert lowers the bounds of the cells to which the new ticket is
 * near. The cells whose bound is least are split and computed again. What a ticket adds to the sum of its games is known, so
 * the cells around it bound them: the least sum of the others is computed once for all tickets of its size and seats.
 */
export class CentreBound {
  readonly #cheapest: CheapestPlayers;
  readonly #clock: SearchClock;
  readonly #n: number;
  readonly #root: Cell;
  /** The steps that the query may still take. */
  #left = 0;
  /** The ticket whose games are bounded, the least bound so far, and its cell. */
  #with: QueuedTicket | undefined;
  #kind = 0;
  #least = 0;
  #cell: Cell | undefined;

  /** @param low,high the least and the greatest mean of a ticket */
  constructor(cheapest: CheapestPlayers, players: number, low: number, high: number, clock: SearchClock) {
    this.#cheapest = cheapest;
    this.#clock = clock;
    this.#n = players;
    const half = Math.max((high - low) / 2, 1e-9 * high) * (1 + 1e-9);
    this.#root = cellOf((low + high) / 2, half, 0);
  }

  /** The cell of the least bound on all games, and the bound; undefined if there is no game. Takes a limited number of steps. */
  least(): { readonly cell: Cell; readonly bound: number } | undefined {
    this.#left = stepsMax;
    for (;;) {
      const cell = leastOf(this.#root);
      if (cell.bound === Number.POSITIVE_INFINITY) return undefined;
      if (this.#left <= 0 || !this.#improve(cell)) return { cell, bound: cell.bound };
    }
  }

  /**
   * A lower bound on the games with a ticket, as far as it is below `limit`, and the cell in which it was found; without a
   * cell it is at least the limit.
   */
  leastWith(
    queued: QueuedTicket,
    limit: number,
  ): { readonly cell: Cell | undefined; readonly bound: number } {
    this.#left = stepsMax;
    this.#with = queued;
    this.#kind = this.#cheapest.kindOf(queued.ticket);
    this.#least = limit;
    this.#cell = undefined;
    this.#lookWith(this.#root);
    return { cell: this.#cell, bound: this.#least };
  }

  /** Lowers the bounds of the cells whose games a new ticket may be in. False where it is too far from all others. */
  insert({ ticket }: QueuedTicket): boolean {
    const { centre, half } = this.#root;
    if (Math.abs(ticket.mean - centre) > half) return false;
    this.#admit(this.#root, ticket);
    return true;
  }

  #admit(cell: Cell, ticket: ShapeTicket): void {
    const least = this.#leastAdded(cell, ticket);
    if (least >= cell.most) return;
    if (cell.low) {
      this.#admit(cell.low, ticket);
      this.#admit(cell.high!, ticket);
      cell.bound = Math.min(cell.low.bound, cell.high!.bound);
      cell.most = Math.max(cell.low.most, cell.high!.most);
      return;
    }
    const [set] = cell.sets;
    const kept = set && !this.#cheapest.isUndercut(set) ? this.#boundOf(cell, set.cost) : 0;
    cell.bound = cell.most = Math.min(cell.bound, Math.max(least, kept));
  }

  /** A lower bound on the games of a cell with a ticket, from what it adds alone. */
  #leastAdded({ centre, half }: Cell, ticket: ShapeTicket): number {
    const n = this.#n;
    const distance = Math.max(0, Math.abs(ticket.mean - centre) - half);
    // A party that is x away from the mean of its game: the others are on the other side.
    const own = ticket.spread + (ticket.size * n * distance * distance) / Math.max(1, n - ticket.size);
    return Math.sqrt(own / n) * rounded;
  }

  /** What is cheapest around the centre of a cell with a ticket, or of all games. */
  cheapestIn(cell: Cell, queued?: QueuedTicket): CheapSet {
    const kind = queued ? this.#cheapest.kindOf(queued.ticket) : 0;
    cell.sets[kind] ??= this.#cheapest.around(cell.centre, queued?.ticket);
    return cell.sets[kind];
  }

  /** Looks for the cell in which games with the ticket are bounded least. */
  #lookWith(cell: Cell): void {
    const { ticket } = this.#with!;
    const far = Math.max(cell.bound, this.#leastAdded(cell, ticket));
    if (far >= this.#least) return;
    if (this.#clock.isOver()) {
      // What is known of all games of the cell.
      this.#least = far;
      this.#cell = cell;
      return;
    }
    if (cell.low) {
      const isLow = ticket.mean < cell.centre;
      this.#lookWith(isLow ? cell.low : cell.high!);
      this.#lookWith(isLow ? cell.high! : cell.low);
      return;
    }
    const apartFromCentre = ticket.mean - cell.centre;
    const added = ticket.spread + ticket.size * apartFromCentre * apartFromCentre;
    let set = cell.sets[this.#kind];
    const mayLook = this.#left > 0;
    const isOld = (old: CheapSet) =>
      this.#cheapest.isUndercut(old) ||
      (mayLook && this.#boundOf(cell, old.cost + added) < this.#least && hasLost(old));
    if (!set || isOld(set)) {
      this.#left -= this.#clock.isOver(stepsPerCell) ? stepsMax : 1;
      set = this.#cheapest.around(cell.centre, this.#with!.ticket);
      cell.sets[this.#kind] = set;
    }
    const bound = Math.max(far, this.#boundOf(cell, set.cost + added));
    if (bound >= this.#least) return;
    if (this.#left > 0 && this.#isCoarse(cell, set.cost + added)) {
      split(cell);
      this.#lookWith(cell);
      return;
    }
    this.#least = bound;
    this.#cell = cell;
  }

  /** Computes the sum of a cell without children, or splits it. Returns whether there was anything to do. */
  #improve(cell: Cell): boolean {
    const set = cell.sets[0];
    if (!set || this.#cheapest.isUndercut(set) || hasLost(set)) {
      this.#left -= this.#clock.isOver(stepsPerCell) ? stepsMax : 1;
      const { centre } = cell;
      const now = this.#cheapest.around(centre, undefined);
      cell.sets[0] = now;
      raise(this.#root, centre, cell, Math.max(cell.bound, this.#boundOf(cell, now.cost)));
      return true;
    }
    if (!this.#isCoarse(cell, set.cost)) return false;
    split(cell);
    return true;
  }

  #isCoarse({ centre, half }: Cell, sum: number): boolean {
    return half * half * this.#n > coarse * sum && half > 1e-9 * Math.abs(centre) + 1e-290;
  }

  #boundOf({ centre, half }: Cell, sum: number): number {
    if (sum === Number.POSITIVE_INFINITY) return sum;
    const square = sum / this.#n - half * half * (1 + 1e-9);
    return Math.sqrt(Math.max(0, square - 1e-28 * centre * centre)) * rounded;
  }
}

/** The games whose mean is within `half` of a centre. */
export interface Cell {
  readonly centre: number;
  readonly half: number;
  /** No game of the cell has a lower v_q. */
  bound: number;
  /** Not below the bounds of the cells that it is split into. */
  most: number;
  /** The bound when the cell was split. */
  splitAt: number;
  /** By kind of ticket, what is cheapest with it; at 0 what is cheapest of all games. */
  sets: CheapSet[];
  /** The tickets that had come and left when a game was searched for in it; −1 before. */
  searchedAt: number;
  low: Cell | undefined;
  high: Cell | undefined;
}

function cellOf(centre: number, half: number, bound: number): Cell {
  return {
    centre,
    half,
    bound,
    most: bound,
    splitAt: 0,
    sets: [],
    searchedAt: -1,
    low: undefined,
    high: undefined,
  };
}

function split(cell: Cell): void {
  const { centre, half, bound } = cell;
  cell.splitAt = bound;
  cell.low = cellOf(centre - half / 2, half / 2, bound);
  cell.high = cellOf(centre + half / 2, half / 2, bound);
}

/** The cell without children of the least bound. */
function leastOf(root: Cell): Cell {
  let cell = root;
  while (cell.low) {
    // Much worse games than when it was split need no cells as fine.
    if (cell.bound > 2 * cell.splitAt && cell.splitAt > 0) {
      cell.low = cell.high = undefined;
      cell.most = cell.bound;
      break;
    }
    cell = cell.high!.bound < cell.low.bound ? cell.high! : cell.low;
  }
  return cell;
}

/** Sets the bound of a cell with this centre, and those of the cells that it is in. */
function raise(cell: Cell, centre: number, to: Cell, bound: number): void {
  if (cell === to) {
    to.bound = to.most = bound;
    return;
  }
  raise(centre < cell.centre ? cell.low! : cell.high!, centre, to, bound);
  cell.bound = Math.max(cell.bound, Math.min(cell.low!.bound, cell.high!.bound));
  cell.most = Math.max(cell.low!.most, cell.high!.most);
}

/** Whether a member of the set has left, so that games cost more now. */
export function hasLost({ members }: CheapSet): boolean {
  for (let i = 0; i < members.length; i++) if (!members[i].isHere) return true;
  return false;
}

/** Cells are split until half² is below this part of the mean square of the cheapest game. */
const coarse = 0.01;
/** The sums that a query may compute. */
const stepsMax = 400;
/** The work of one, in steps of a `SearchClock`. */
const stepsPerCell = 16;
const rounded = 1 - 1e-9;
