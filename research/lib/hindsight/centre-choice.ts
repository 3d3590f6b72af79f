import type { Cell } from './cells.ts';
import type { Chooser } from './chooser.ts';
import type { TickList } from './tick-list.ts';

/** Which tickets may fill the seats. */
export interface Choice {
  /** The position of a ticket that is not among them. */
  readonly except?: number;
  /** Whether a newcomer of the tick has to be among them. */
  readonly needsNewcomer: boolean;
}

/**
 * Chooses the tickets of a tick that are worth most together at the centre of a cell, each less its own term of the cell's
 * cost. They fill a game, or one of its teams.
 */
export class CentreChoice {
  readonly #list: TickList;
  readonly #kinds: Uint8Array;
  readonly #chooser: Chooser;
  readonly #seats: number;
  /** The choice that was made last. */
  #centre = 0;
  #weight = 0;
  #constant = 0;
  #low = 0;
  #high = 0;
  #absent = 0;
  #best = 0;
  #excess = 0;
  #except = -1;
  /** What the rest of a game is worth beside a ticket of each kind. */
  readonly #beside = new Float64Array(256);

  /**
   * @param kinds of all tickets, for the chooser
   * @param seats that the chooser fills
   */
  constructor(list: TickList, kinds: Uint8Array, chooser: Chooser, seats: number) {
    this.#list = list;
    this.#kinds = kinds;
    this.#chooser = chooser;
    this.#seats = seats;
  }

  /** At most what the best choice is worth, less the cell's constant; −Infinity when there is none. */
  excess(centre: number, cell: Cell, choice: Choice): number {
    return this.#choose(centre, cell, choice, 0);
  }

  /**
   * The same choice as the last one, more exactly.
   *
   * At first tickets that are worth less than some −c per player count as if they were worth that much. If that leaves the best
   * choice a worth of b, then no choice with a ticket worth less than −c − b per player is worth its cost. So all others count
   * with their own values.
   */
  exactExcess(centre: number, cell: Cell, choice: Choice): number {
    return this.#choose(centre, cell, choice, Math.max(0, this.#best));
  }

  /** The positions of the last choice, newcomers or not; undefined when some are not listed. */
  positions(): number[] | undefined {
    return this.#chooser.members();
  }

  /** Its tickets. */
  members(): number[] | undefined {
    return this.positions()?.map((j) => this.#list.at[j]);
  }

  /**
   * After `exactExcess`: calls back with tickets and at most what a choice with each of them is worth, less the cell's constant.
   * Choices with other tickets are not worth their cost.
   */
  each(callback: (at: number, excess: number) => void): void {
    const { at, sizes, least } = this.#list;
    const absent = this.#absent;
    this.#beside.fill(Number.NaN);
    const offer = (place: number, value: number) => {
      const kind = this.#kinds[place];
      if (Number.isNaN(this.#beside[kind])) this.#beside[kind] = this.#chooser.beside(kind);
      callback(place, Math.min(this.#excess, this.#beside[kind] - this.#constant + value));
    };
    const offerFrom = (j: number) => {
      if (j !== this.#except) offer(at[j], Math.max(this.#value(j), absent * sizes[at[j]]));
    };
    for (let j = this.#low; j < this.#high; j++) offerFrom(j);
    for (const j of this.#list.rares) if (j < this.#low || j >= this.#high) offerFrom(j);
    if (absent > least) return;
    for (let place = 0; place < sizes.length; place++) offer(place, absent * sizes[place]);
  }

  #choose(centre: number, { weight, constant }: Cell, choice: Choice, below: number): number {
    const seats = this.#seats;
    const list = this.#list;
    const { at, sizes, means, worth } = list;
    const { except = -1, needsNewcomer } = choice;
    // No player is worth more than `top` at the centre, and no choice more than `most`.
    let top = list.usual;
    let most = seats * list.usual;
    for (const j of list.rares) {
      const size = sizes[at[j]];
      const far = means[j] - centre;
      const value = worth[j] / size - weight * far * far;
      if (value <= list.usual) continue;
      top = Math.max(top, value);
      most += size * (value - list.usual);
    }
    this.#best = 0;
    if (Math.min(seats * top, most) <= constant) return Number.NEGATIVE_INFINITY;
    if (needsNewcomer && !this.#mayHaveNewcomer(centre, weight, constant, top))
      return Number.NEGATIVE_INFINITY;
    const absent = Math.max(-CLIP * list.usual - below, list.least);
    this.#centre = centre;
    this.#weight = weight;
    this.#constant = constant;
    this.#absent = absent;
    this.#except = except;
    const radius = Math.sqrt((list.usual - absent) / weight);
    this.#low = list.placeOf(centre - radius);
    this.#chooser.clear(absent);
    let high = this.#low;
    for (; high < list.count && means[high] <= centre + radius; high++) this.#offer(high);
    this.#high = high;
    // Those that are worth more than others may be so farther away.
    for (const j of list.rares) if (j < this.#low || j >= high) this.#offer(j);
    this.#best = this.#chooser.best() - constant;
    this.#excess = needsNewcomer && this.#best > 0 ? this.#withNewcomer(top) : this.#best;
    return this.#excess;
  }

  /** Whether the best choice with a newcomer could be worth its cost, if all others were worth as much as the best player. */
  #mayHaveNewcomer(centre: number, weight: number, constant: number, top: number): boolean {
    const { at, sizes, means, worth, fresh } = this.#list;
    for (const j of fresh) {
      const size = sizes[at[j]];
      const far = means[j] - centre;
      if (worth[j] - weight * size * far * far + (this.#seats - size) * top > constant) return true;
    }
    return false;
  }

  #offer(j: number): void {
    const { at, sizes } = this.#list;
    if (j === this.#except) return;
    const value = this.#value(j);
    if (value > this.#absent * sizes[at[j]]) this.#chooser.offer(j, this.#kinds[at[j]], value);
  }

  /** @param top no player is worth more */
  #withNewcomer(top: number): number {
    const { at, sizes, fresh } = this.#list;
    let best = Number.NEGATIVE_INFINITY;
    for (const j of fresh) {
      if (j === this.#except) continue;
      const value = this.#value(j);
      if (value + (this.#seats - sizes[at[j]]) * top <= this.#constant) continue;
      best = Math.max(best, this.#chooser.beside(this.#kinds[at[j]]) - this.#constant + value);
      if (best >= this.#best) return this.#best;
    }
    return best;
  }

  #value(j: number): number {
    const { at, sizes, means, withins, worth } = this.#list;
    const far = means[j] - this.#centre;
    return worth[j] - this.#weight * (withins[j] + sizes[at[j]] * far * far);
  }
}

/** The c of `exactExcess`, as a share of what most tickets are worth at most per player. Any share is right; this one is fast. */
const CLIP = 0.3;
