import { KeyHeap } from '../collections/key-heap.ts';
import { skillSpreadOfRelative } from '../model/imbalance.ts';
import type { TicketLine } from './ticket-line.ts';

/**
 * Windows of consecutive solo players, as many as a game needs, in order of the least imbalance that their players have:
 * of all sets of n players some window has the least v_2, and the least v_1. With `perRange` the range counts too (teams of
 * one player). Keys are lower bounds, recomputed only when they come first.
 */
export class PlayerWindows {
  readonly #line: TicketLine;
  readonly #n: number;
  readonly #q: 1 | 2;
  readonly #perRange: number;
  readonly #keys: Float64Array;
  readonly #heap = new KeyHeap();
  /** The places of players who have left since the keys were settled. */
  readonly #gone: number[] = [];
  readonly #places: Int32Array;
  readonly #values: Float64Array;

  constructor(line: TicketLine, n: number, q: number, perRange: number) {
    this.#line = line;
    this.#n = n;
    this.#q = q >= 2 ? 2 : 1;
    this.#perRange = perRange;
    this.#places = new Int32Array(n);
    this.#values = new Float64Array(n);
    const { means } = line;
    this.#keys = new Float64Array(means.length).fill(Number.POSITIVE_INFINITY);
    // The range bounds v_2 and v_1 from below, so windows are computed only when they come first.
    const factor = (2 / n) ** (1 / this.#q) / 2 + perRange;
    for (let from = 0; from + n <= means.length; from++) {
      const range = means[from + n - 1] - means[from];
      this.#keys[from] = factor * range * (1 - 1e-12);
      this.#heap.push(this.#keys[from], from);
    }
  }

  /** Reports that the player at a place has left the line. */
  removed(place: number): void {
    this.#gone.push(place);
  }

  /** The places of the window of least cost, and that cost as a bound on all games; undefined when too few players wait. */
  least(): { places: Int32Array; bound: number } | undefined {
    this.#settle();
    const heap = this.#heap;
    for (;;) {
      const from = heap.topId;
      if (from === -1) return undefined;
      const key = heap.topKey;
      if (this.#line.isHere[from] === 0 || key !== this.#keys[from]) {
        heap.pop();
        continue;
      }
      const cost = this.#costOf(from);
      if (cost <= key) return { places: this.#places, bound: key };
      this.#keys[from] = cost;
      if (cost === Number.POSITIVE_INFINITY) heap.pop();
      else heap.replaceTop(cost, from);
    }
  }

  /**
   * Lowers the keys of windows that have lost players. A window that loses a player within gains the one after its last, and
   * may cost less than before. The best n of these n + 1 players in a row are the first or the last n of them, so it costs
   * at least what this window or the next one did. After several removals it costs at least the least of all windows from
   * its own to the one of the last player removed within, which one pass from the right knows for every window.
   */
  #settle(): void {
    const gone = this.#gone.sort((a, b) => a - b);
    const { before } = this.#line;
    const keys = this.#keys;
    let least = Number.POSITIVE_INFINITY;
    /** The windows further left that may contain the last player removed. */
    let affected = 0;
    let here = -1;
    for (let i = gone.length - 1; i >= 0 || affected > 0; ) {
      if (affected === 0) {
        least = Number.POSITIVE_INFINITY;
        here = this.#line.lastTo(gone[i]!);
      }
      if (i >= 0 && gone[i]! > here) {
        least = Math.min(least, keys[gone[i]!]!);
        affected = this.#n - 1;
        i--;
      } else if (here < 0) affected = 0;
      else {
        const own = keys[here]!;
        if (least < own) {
          keys[here] = least;
          this.#heap.push(least, here);
        } else least = own;
        affected--;
        here = before[here]!;
      }
    }
    this.#gone.length = 0;
  }

  #costOf(from: number): number {
    const { means, after } = this.#line;
    const n = this.#n;
    const places = this.#places;
    let place = from;
    for (let i = 0; i < n; i++) {
      if (place >= means.length) return Number.POSITIVE_INFINITY;
      places[i] = place;
      this.#values[i] = means[place] - means[from];
      place = after[place];
    }
    const range = this.#values[n - 1];
    return (this.#spread() + this.#perRange * range) * (1 - 1e-11);
  }

  /** v_2, or the mean distance from the median, which is at most v_1. */
  #spread(): number {
    if (this.#q === 2) return skillSpreadOfRelative(this.#values, 2);
    const n = this.#n;
    let sum = 0;
    for (let i = 0; 2 * i < n; i++) sum += this.#values[n - 1 - i] - this.#values[i];
    return sum / n;
  }
}
