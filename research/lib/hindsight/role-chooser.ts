import { type GameRules, layoutOf, SeatCounts } from 'muster/engine';
import { type Chooser, Top } from './chooser.ts';

/**
 * Solo players by the roles that they accept: the kind is the set of roles, as bits. Players that can be seated are
 * independent in a matroid, so taking those of greatest value one after another is best.
 */
export class RoleChooser implements Chooser {
  readonly #seats: number;
  readonly #tops: Top[];
  readonly #next: Int32Array;
  readonly #seating: SeatCounts;
  readonly #members: number[] = [];
  #absent = 0;

  constructor(rules: GameRules, seats: number) {
    const classes = layoutOf(rules).classes!;
    const masks = 2 ** classes.length;
    this.#seats = seats;
    this.#seating = new SeatCounts(classes.map((one) => one.seats));
    this.#tops = Array.from({ length: masks }, () => new Top(seats));
    this.#next = new Int32Array(masks);
  }

  clear(absent: number): void {
    this.#absent = absent;
    for (const top of this.#tops) top.count = 0;
  }

  offer(at: number, mask: number, value: number): void {
    this.#tops[mask].offer(at, value);
  }

  best(): number {
    this.#seating.clear();
    return this.#fill(this.#seats);
  }

  members(): number[] | undefined {
    this.best();
    return this.#members.length < this.#seats ? undefined : [...this.#members];
  }

  beside(mask: number): number {
    this.#seating.clear();
    return this.#seating.joinOne(mask) ? this.#fill(this.#seats - 1) : Number.NEGATIVE_INFINITY;
  }

  /** Seats the players of greatest value. Seats that stay empty count as absent players. */
  #fill(seats: number): number {
    const seating = this.#seating;
    this.#next.fill(0);
    this.#members.length = 0;
    let sum = 0;
    while (this.#members.length < seats) {
      let best = -1;
      let value = Number.NEGATIVE_INFINITY;
      for (let mask = 1; mask < this.#tops.length; mask++) {
        const top = this.#tops[mask];
        const next = this.#next[mask];
        if (next === top.count || top.values[next] <= value || (mask & ~seating.full) === 0) continue;
        best = mask;
        value = top.values[next];
      }
      if (best < 0) break;
      this.#members.push(this.#tops[best].ats[this.#next[best]++]);
      seating.joinOne(best);
      sum += value;
    }
    return sum + (seats - this.#members.length) * this.#absent;
  }
}
