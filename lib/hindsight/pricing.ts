import type { Chooser } from './chooser.ts';
import { type Instance, waitUntil } from './instance.ts';

/** How finely games are examined. */
export interface Grid {
  /** The factor between two spreads, > 1. */
  readonly ratio: number;
  /** The step between two centres, as a share of the spread. */
  readonly step: number;
  /** How often a cell in which a game may be worth more than it costs is divided into four. */
  readonly divisions: number;
}

/** A cell of the grid in which a game may be worth more than it costs. */
export interface Finding {
  readonly tick: number;
  /** No game of the cell is worth more than its cost by more than this. */
  readonly excess: number;
  /** Calls back for each ticket in reach: its place, kind and value at the centre of the cell. */
  readonly each: (callback: (at: number, kind: number, value: number) => void) => void;
  /** The constant of the cell, which is subtracted from the values of a game. */
  readonly constant: number;
}

/**
 * Looks for games whose tickets have prices above the game's least cost.
 *
 * For a game of N players with mean m and spread v = v_2, N·v = min over μ, τ of Σ size·(mean − μ)²/(2τ) + within/(2τ) +
 * Nτ/2, with the minimum at μ = m, τ = v. So at a point (μ, τ) the best game is the one with the greatest sum of
 * price − wait − its own term, ticket by ticket. For every game of the cell |m − μ| ≤ h, τ/ρ ≤ v ≤ τρ, the value at its
 * centre is at most cosh(ln ρ) + h²ρ/(2τ²) times N·v. Dividing by this factor makes the centre a bound for the whole cell. A
 * game is examined at the tick when its last ticket has arrived: later it costs more. So it contains a newcomer of the tick.
 */
export class Pricing {
  readonly #instance: Instance;
  readonly #kinds: Uint8Array;
  readonly #chooser: Chooser;
  readonly #leastSpread: number;
  readonly #bySkill: Int32Array;
  readonly #slots: Int32Array;
  readonly #sizes: Uint8Array;
  /** The places of the tickets that have arrived by the current tick, by skill, from the first that counts on. */
  readonly #arrived: number[] = [];

  /** The tickets that count at the current tick, by skill: place, price − wait, mean and spread within. */
  readonly #at: Int32Array;
  readonly #worth: Float64Array;
  readonly #means: Float64Array;
  readonly #withins: Float64Array;
  #n = 0;
  /** The newcomers, as positions in these lists. */
  readonly #fresh: number[] = [];
  /** The greatest worth per player; and that of most tickets, with those that are worth more. */
  #most = 0;
  #usual = 0;
  readonly #rares: number[] = [];

  /** The cell that was evaluated last. */
  #low = 0;
  #high = 0;
  #absent = 0;

  /**
   * @param kinds of the tickets, for the chooser
   * @param leastSpread games of less spread are examined as if they had this one
   */
  constructor(instance: Instance, kinds: Uint8Array, chooser: Chooser, leastSpread: number) {
    const { parts } = instance;
    this.#instance = instance;
    this.#kinds = kinds;
    this.#chooser = chooser;
    this.#leastSpread = leastSpread;
    this.#bySkill = Int32Array.from(parts.keys()).sort((a, b) => parts[a].mean - parts[b].mean || a - b);
    this.#slots = Int32Array.from(parts, ({ slot }) => slot);
    this.#sizes = Uint8Array.from(parts, ({ size }) => size);
    this.#at = new Int32Array(parts.length);
    this.#worth = new Float64Array(parts.length);
    this.#means = new Float64Array(parts.length);
    this.#withins = new Float64Array(parts.length);
  }

  /**
   * Calls back for every cell in which a game may be worth more than it costs. During the call the chooser holds the best
   * game at the centre.
   *
   * @param prices of the tickets, in the order of `instance.parts`
   */
  find(prices: Float64Array, grid: Grid, found: (finding: Finding) => void): void {
    const { parts, end, seats } = this.#instance;
    const rho = Math.sqrt(grid.ratio);
    for (let tick = parts.reduce((first, { slot }) => Math.min(first, slot), end); tick <= end; tick++) {
      if (!this.#enter(tick, prices)) continue;
      for (let spread = this.#leastSpread; ; spread *= grid.ratio) {
        const isLeast = spread === this.#leastSpread;
        if (!isLeast && spread / rho >= this.#most) break;
        const half = (grid.step * spread) / 2;
        const cell = isLeast ? leastCell(spread, rho, half, seats) : cellOf(spread, rho, half, seats);
        let next = Number.NEGATIVE_INFINITY;
        for (const [from, to] of this.#spans(cell)) {
          next = Math.max(next, Math.floor(from / (2 * half)));
          for (; next * 2 * half <= to + 2 * half; next++) {
            const centre = next * 2 * half;
            if (isLeast || grid.divisions === 0) this.#examine(tick, centre, cell, found);
            else this.#refine(tick, centre, spread, rho, half, grid.divisions, found);
          }
        }
      }
    }
  }

  /** Divides a cell until no game can be worth more than it costs, or as often as allowed. */
  #refine(
    tick: number,
    centre: number,
    spread: number,
    rho: number,
    half: number,
    divisions: number,
    found: (finding: Finding) => void,
  ): void {
    const cell = cellOf(spread, rho, half, this.#instance.seats);
    if (divisions === 0) {
      this.#examine(tick, centre, cell, found);
      return;
    }
    if (this.#excess(centre, cell, 1) <= 0) return;
    const quarter = half / 2;
    const root = Math.sqrt(rho);
    for (const part of [spread / root, spread * root]) {
      this.#refine(tick, centre - quarter, part, root, quarter, divisions - 1, found);
      this.#refine(tick, centre + quarter, part, root, quarter, divisions - 1, found);
    }
  }

  #examine(tick: number, centre: number, cell: Cell, found: (finding: Finding) => void): void {
    // Tickets worth little less are considered only where those nearby do not rule the cell out.
    if (this.#excess(centre, cell, 1) <= 0) return;
    const excess = this.#excess(centre, cell, this.#instance.seats);
    if (excess <= 0) return;
    const { weight, constant } = cell;
    const each = (callback: (at: number, kind: number, value: number) => void) => {
      for (let j = this.#low; j < this.#high; j++) {
        const place = this.#at[j];
        const value = Math.max(this.#value(j, centre, weight), this.#absent * this.#sizes[place]);
        callback(place, this.#kinds[place], value);
      }
    };
    found({ tick, excess, constant, each });
  }

  /**
   * The greatest worth of a game of the cell with a newcomer, less its cost at the centre; −Infinity when there is none.
   *
   * @param reach how far below 0 the value of a ticket may be, per player and as a multiple of the greatest value. Farther
   *   tickets count with that value. With the number of seats no game that is worth its cost contains them.
   */
  #excess(centre: number, { weight, constant }: Cell, reach: number): number {
    const { seats } = this.#instance;
    const chooser = this.#chooser;
    let top = this.#usual;
    for (const j of this.#rares) {
      const far = this.#means[j] - centre;
      top = Math.max(top, this.#worth[j] / this.#sizes[this.#at[j]] - weight * far * far);
    }
    if (seats * top <= constant) return Number.NEGATIVE_INFINITY;
    const absent = -reach * top;
    this.#absent = absent;
    const radius = Math.sqrt((top - absent) / weight);
    this.#low = this.#placeOf(centre - radius);
    chooser.clear(absent);
    let high = this.#low;
    for (; high < this.#n && this.#means[high] <= centre + radius; high++) {
      const place = this.#at[high];
      const value = this.#value(high, centre, weight);
      if (value > absent * this.#sizes[place]) chooser.offer(place, this.#kinds[place], value);
    }
    this.#high = high;
    const best = chooser.best() - constant;
    if (best <= 0) return best;
    let withNewcomer = Number.NEGATIVE_INFINITY;
    for (const j of this.#fresh) {
      const value = this.#value(j, centre, weight);
      if (value + (seats - this.#sizes[this.#at[j]]) * top <= constant) continue;
      withNewcomer = Math.max(withNewcomer, chooser.beside(this.#kinds[this.#at[j]]) - constant + value);
      if (withNewcomer >= best) return best;
    }
    return withNewcomer;
  }

  #value(j: number, centre: number, weight: number): number {
    const far = this.#means[j] - centre;
    return this.#worth[j] - weight * (this.#withins[j] + this.#sizes[this.#at[j]] * far * far);
  }

  /** Lists the tickets of a tick that can be in a game worth its cost. Returns false when no newcomer is among them. */
  #enter(tick: number, prices: Float64Array): boolean {
    const instance = this.#instance;
    const { parts, seats } = instance;
    const bySkill = this.#bySkill;
    const arrived = this.#arrived;
    const values: number[] = [];
    arrived.length = 0;
    this.#most = 0;
    for (const i of bySkill) {
      if (this.#slots[i] > tick) continue;
      const value = (prices[i] - waitUntil(instance, parts[i], tick)) / this.#sizes[i];
      arrived.push(i);
      values.push(value);
      this.#most = Math.max(this.#most, value);
    }
    const sorted = [...values].sort((a, b) => b - a);
    this.#usual = Math.max(0, sorted[Math.floor(sorted.length * RARE)] ?? 0);
    this.#fresh.length = 0;
    this.#rares.length = 0;
    let n = 0;
    arrived.forEach((i, k) => {
      const size = this.#sizes[i];
      if (values[k] <= -seats * this.#most) return;
      if (this.#slots[i] === tick) this.#fresh.push(n);
      if (values[k] > this.#usual) this.#rares.push(n);
      this.#at[n] = i;
      this.#worth[n] = values[k] * size;
      this.#means[n] = parts[i].mean;
      this.#withins[n] = parts[i].within;
      n++;
    });
    this.#n = n;
    return this.#fresh.length > 0;
  }

  /** The centres at which a game with a newcomer could be worth its cost, ascending and without overlaps. */
  #spans({ weight, constant }: Cell): [from: number, to: number][] {
    const spans: [number, number][] = [];
    for (const j of this.#fresh) {
      const size = this.#sizes[this.#at[j]];
      const room = (this.#worth[j] + (this.#instance.seats - size) * this.#most - constant) / (weight * size);
      if (room <= 0) continue;
      spans.push([this.#means[j] - Math.sqrt(room), this.#means[j] + Math.sqrt(room)]);
    }
    const joined: [number, number][] = [];
    for (const [from, to] of spans.sort((a, b) => a[0] - b[0])) {
      const last = joined.at(-1);
      if (last !== undefined && from <= last[1]) last[1] = Math.max(last[1], to);
      else joined.push([from, to]);
    }
    return joined;
  }

  /** The first position whose mean is not below this skill. */
  #placeOf(skill: number): number {
    let low = 0;
    let high = this.#n;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#means[middle] < skill) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** What a game of a cell costs at least, without its waits: Σ weight·(size·(mean − μ)² + within) + constant. */
interface Cell {
  readonly weight: number;
  readonly constant: number;
}

function cellOf(spread: number, rho: number, half: number, seats: number): Cell {
  const factor = (rho + 1 / rho) / 2 + (half * half * rho) / (2 * spread * spread);
  return { weight: 1 / (2 * spread * factor), constant: (seats * spread) / (2 * factor) };
}

/** All games up to the least spread, by a straight line through 0: N·v ≥ N·v²/τ. */
function leastCell(spread: number, rho: number, half: number, seats: number): Cell {
  const weight = 1 / (spread * rho);
  return { weight, constant: -weight * seats * half * half };
}

/** The share of tickets whose values are looked at one by one. */
const RARE = 0.03;
