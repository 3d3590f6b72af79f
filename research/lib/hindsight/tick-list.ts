import { type Instance, waitUntil } from './instance.ts';

/** The tickets that can be in a game of one tick, by skill, with what they are worth: price − wait. */
export class TickList {
  readonly sizes: Uint8Array;
  /** Of each listed ticket: its place in `instance.parts`, its worth, its mean and the squares within it. */
  at: Int32Array;
  worth: Float64Array;
  means: Float64Array;
  withins: Float64Array;
  count = 0;
  /** The newcomers, as positions in these lists. */
  readonly fresh: number[] = [];
  /** The greatest worth per player; and that of most tickets, with the positions of those that are worth more. */
  most = 0;
  usual = 0;
  readonly rares: number[] = [];
  /** Tickets that are not listed are worth at most this much per player. */
  least = 0;

  readonly #instance: Instance;
  readonly #bySkill: readonly number[];
  readonly #slots: Int32Array;
  /** What a player's wait for a period costs, if the arrivals repeat: so much less is the copy of the period before worth. */
  readonly #perPeriod: number;
  /** The places of the tickets that have arrived. */
  readonly #arrived: number[] = [];

  /** @param sizeMax larger tickets are not listed */
  constructor(instance: Instance, sizeMax: number) {
    const { parts, period = Number.POSITIVE_INFINITY, waitCost } = instance;
    this.#instance = instance;
    this.#perPeriod = period * waitCost;
    this.#bySkill = [...parts.keys()]
      .filter((i) => parts[i].size <= sizeMax)
      .sort((a, b) => parts[a].mean - parts[b].mean || a - b);
    this.#slots = Int32Array.from(parts, ({ slot }) => slot);
    this.sizes = Uint8Array.from(parts, ({ size }) => size);
    this.at = new Int32Array(parts.length);
    this.worth = new Float64Array(parts.length);
    this.means = new Float64Array(parts.length);
    this.withins = new Float64Array(parts.length);
  }

  /** Lists the newcomers of a tick and all tickets before them, without those that are worth far less than nothing. */
  enter(tick: number, prices: Float64Array): void {
    const instance = this.#instance;
    const { period } = instance;
    const arrived = this.#arrived;
    const values: number[] = [];
    arrived.length = 0;
    this.most = 0;
    for (const i of this.#bySkill) {
      const isLater = this.#slots[i] > tick;
      if (isLater && period === undefined) continue;
      // Of a ticket that repeats, the copy that arrived last comes first.
      const until = isLater ? tick + period! : tick;
      const value = (prices[i] - waitUntil(instance, instance.parts[i], until)) / this.sizes[i];
      arrived.push(i);
      values.push(value);
      this.most = Math.max(this.most, value);
    }
    const sorted = [...values].sort((a, b) => b - a);
    this.usual = Math.max(0, sorted[Math.min(RARES, Math.floor(sorted.length * 0.1))] ?? 0);
    this.least = -(period === undefined ? LISTED : LISTED_OF_COPIES) * this.most;
    this.fresh.length = 0;
    this.rares.length = 0;
    this.count = 0;
    arrived.forEach((i, k) => {
      const isFresh = this.#slots[i] === tick;
      if (isFresh || values[k] > this.least) this.#list(i, values[k], isFresh);
      for (let value = values[k] - this.#perPeriod; value > this.least; value -= this.#perPeriod)
        this.#list(i, value, false);
    });
  }

  /** The first position whose mean is not below this skill. */
  placeOf(skill: number): number {
    let low = 0;
    let high = this.count;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.means[middle] < skill) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Lists a ticket with its value per player. */
  #list(i: number, value: number, isFresh: boolean): void {
    const n = this.count++;
    if (n === this.at.length) this.#grow();
    const { mean, within, size } = this.#instance.parts[i];
    if (isFresh) this.fresh.push(n);
    if (value > this.usual) this.rares.push(n);
    this.at[n] = i;
    this.worth[n] = value * size;
    this.means[n] = mean;
    this.withins[n] = within;
  }

  #grow(): void {
    const room = 2 * this.at.length;
    const longer = (list: Float64Array) => {
      const copy = new Float64Array(room);
      copy.set(list);
      return copy;
    };
    const at = new Int32Array(room);
    at.set(this.at);
    this.at = at;
    this.worth = longer(this.worth);
    this.means = longer(this.means);
    this.withins = longer(this.withins);
  }
}

/** Tickets are listed unless they are worth so many times less than nothing as the best one is worth more. */
const LISTED = 3;
const LISTED_OF_COPIES = 1;
/** The share of tickets whose values are looked at one by one. */
const RARES = 5;
