/**
 * Chooses the tickets of a game with the greatest sum of values, among those offered. A ticket that was not offered counts
 * as `absent` per player.
 */
export interface Chooser {
  /** Starts a new choice. */
  clear(absent: number): void;
  /** Offers a ticket with its value. */
  offer(at: number, kind: number, value: number): void;
  /** The greatest sum of a game, −Infinity when there is none. */
  best(): number;
  /** The tickets of the best game; undefined when some of them were not offered. */
  members(): number[] | undefined;
  /** The greatest sum that the other tickets of a game can have beside one ticket of this kind. */
  beside(kind: number): number;
}

/** Tickets of one kind with the greatest values, in descending order. */
export class Top {
  readonly values: Float64Array;
  readonly ats: Int32Array;
  count = 0;

  constructor(room: number) {
    this.values = new Float64Array(room);
    this.ats = new Int32Array(room);
  }

  offer(at: number, value: number): void {
    const { values, ats } = this;
    let place = this.count;
    if (place < values.length) this.count++;
    else if (value > values[place - 1]) place--;
    else return;
    while (place > 0 && values[place - 1] < value) {
      values[place] = values[place - 1];
      ats[place] = ats[place - 1];
      place--;
    }
    values[place] = value;
    ats[place] = at;
  }
}

/**
 * Tickets by their size: the kinds are 1, 2, … players. A game is one of the mixes; `mix[s]` tickets of size s.
 */
export class SizeChooser implements Chooser {
  readonly #mixes: readonly ArrayLike<number>[];
  readonly #tops: Top[];
  /** `#sums[s][c]`: the sum of the c best tickets of size s. */
  readonly #sums: Float64Array[];
  #absent = 0;
  #best = -1;

  constructor(mixes: readonly ArrayLike<number>[]) {
    this.#mixes = mixes;
    const sizes = Math.max(...mixes.map((mix) => mix.length));
    const most = Array.from({ length: sizes }, (_, size) => Math.max(...mixes.map((mix) => mix[size] ?? 0)));
    this.#tops = most.map((count) => new Top(count));
    this.#sums = most.map((count) => new Float64Array(count + 1));
  }

  clear(absent: number): void {
    this.#absent = absent;
    for (const top of this.#tops) top.count = 0;
  }

  offer(at: number, size: number, value: number): void {
    const top = this.#tops[size];
    if (top !== undefined && top.values.length > 0) top.offer(at, value);
  }

  best(): number {
    this.#tops.forEach((top, size) => {
      const sums = this.#sums[size];
      for (let i = 0; i < top.values.length; i++)
        sums[i + 1] = sums[i] + (i < top.count ? top.values[i] : this.#absent * size);
    });
    let best = Number.NEGATIVE_INFINITY;
    for (let m = 0; m < this.#mixes.length; m++) {
      const sum = this.#sumOf(this.#mixes[m], 0);
      if (sum <= best) continue;
      best = sum;
      this.#best = m;
    }
    return best;
  }

  members(): number[] | undefined {
    const mix = this.#mixes[this.#best];
    const members: number[] = [];
    for (let size = 1; size < mix.length; size++) {
      const top = this.#tops[size];
      if (mix[size] > top.count) return undefined;
      for (let i = 0; i < mix[size]; i++) members.push(top.ats[i]);
    }
    return members;
  }

  beside(size: number): number {
    let best = Number.NEGATIVE_INFINITY;
    for (const mix of this.#mixes) if (mix[size] > 0) best = Math.max(best, this.#sumOf(mix, size));
    return best;
  }

  /** The sum of a mix, without one ticket of this size. */
  #sumOf(mix: ArrayLike<number>, without: number): number {
    let sum = 0;
    for (let size = 1; size < mix.length; size++)
      if (mix[size] > 0) sum += this.#sums[size][mix[size] - (size === without ? 1 : 0)];
    return sum;
  }
}
