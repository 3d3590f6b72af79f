import type { PooledTicket } from '../model/pooled-ticket.ts';
import type { Candidates } from './chosen-tickets.ts';

/** The candidates of an exact search as plain numbers, by their places. */
export class Lineup {
  tickets: readonly PooledTicket[] = [];
  credits: ArrayLike<number> = [];
  /** The anchor's place, and the players of its party. */
  anchor = 0;
  anchorSize = 1;
  /** The mean relative to the anchor, so that no precision is lost; ascending. */
  value = new Float64Array(64);
  /** The greatest credit, and the greatest skill, of this candidate and all after it. */
  creditFrom = new Float64Array(64);
  highFrom = new Float64Array(64);
  /** The next candidate that is not a solo player with the same role set; without roles, the next candidate. */
  nextOther = new Int32Array(64);

  prepare({ tickets, anchor, credits }: Candidates): void {
    const count = tickets.length;
    if (count > this.value.length) {
      const room = 2 * count;
      this.value = new Float64Array(room);
      this.creditFrom = new Float64Array(room);
      this.highFrom = new Float64Array(room);
      this.nextOther = new Int32Array(room);
    }
    this.tickets = tickets;
    this.credits = credits;
    this.anchor = anchor;
    this.anchorSize = tickets[anchor].size;
    const origin = tickets[anchor].mean;
    const sign = tickets[0].mean <= tickets[count - 1].mean ? 1 : -1;
    let credit = 0;
    let high = 0;
    for (let i = count - 1; i >= 0; i--) {
      const { mean, masks } = tickets[i];
      this.value[i] = sign * (mean - origin);
      this.creditFrom[i] = credit = Math.max(credit, credits[i]);
      this.highFrom[i] = high = Math.max(high, tickets[i].high);
      const isLikeNext = i + 1 < count && masks.length > 0 && areAlike(tickets[i], tickets[i + 1]);
      this.nextOther[i] = isLikeNext ? this.nextOther[i + 1] : i + 1;
    }
  }

  /** Whether candidate j forms the same games as its predecessor, if no pair is refused. */
  isTwin(j: number): boolean {
    return (
      this.value[j] === this.value[j - 1] &&
      j - 1 !== this.anchor &&
      this.credits[j] === this.credits[j - 1] &&
      areAlike(this.tickets[j], this.tickets[j - 1])
    );
  }
}

/** Whether both are solo players who accept the same roles. */
function areAlike(a: PooledTicket, b: PooledTicket): boolean {
  return a.size === 1 && b.size === 1 && a.masks[0] === b.masks[0];
}
