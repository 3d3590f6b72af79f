import type { QueuedTicket } from './line.ts';

/**
 * The tickets that may still join a game in the making, in the order in which a search chooses them, with running sums over
 * their players. The fill from any of them on, and every bound of it, is read from these sums.
 */
export class Candidates {
  count = 0;
  players = 0;
  /** By candidate: its ticket, the ticket's number in the constraints, and the place of its first player. */
  readonly tickets: QueuedTicket[] = [];
  numbers = new Int32Array(0);
  first = new Int32Array(0);
  /** By candidate: the greatest credit from it on, relative to the anchor's, or 0. Only where a search counts credits. */
  creditFrom = new Float64Array(1);
  /** By player: its value, and the sums of the values and their squares before it. */
  values = new Float64Array(0);
  sums = new Float64Array(1);
  squares = new Float64Array(1);
  /** By player, where the layout has classes of seats: those that it can take, and the size of its ticket. */
  masks = new Int32Array(0);
  sizes = new Uint8Array(0);
  /** Room for the positions that constraints keep. */
  kept = new Int32Array(0);

  /** Removes all, and makes room for this many. */
  clear(tickets: number, players: number): void {
    this.count = this.players = 0;
    if (this.first.length < tickets) {
      this.first = new Int32Array(2 * tickets);
      this.numbers = new Int32Array(2 * tickets);
      this.kept = new Int32Array(2 * tickets);
      this.creditFrom = new Float64Array(2 * tickets + 1);
    }
    if (this.values.length >= players) return;
    this.values = new Float64Array(2 * players);
    this.sums = new Float64Array(2 * players + 1);
    this.squares = new Float64Array(2 * players + 1);
    this.masks = new Int32Array(2 * players);
    this.sizes = new Uint8Array(2 * players);
  }

  /** @param value the mean skill of its players relative to the anchor, ascending in the order of the search */
  add(queued: QueuedTicket, value: number): void {
    const at = this.count++;
    this.tickets[at] = queued;
    this.numbers[at] = queued.number;
    this.first[at] = this.players;
    const { size, classes } = queued.ticket;
    for (let i = 0; i < size; i++) {
      const player = this.players++;
      this.values[player] = value;
      this.sums[player + 1] = this.sums[player] + value;
      this.squares[player + 1] = this.squares[player] + value * value;
      if (!classes) continue;
      this.masks[player] = classes[i];
      this.sizes[player] = size;
    }
  }

  /** Computes `creditFrom`. */
  readCredits(anchorCredit: number): void {
    this.creditFrom[this.count] = 0;
    for (let at = this.count - 1; at >= 0; at--)
      this.creditFrom[at] = Math.max(this.creditFrom[at + 1], this.tickets[at].credit - anchorCredit);
  }

  valueOf(at: number): number {
    return this.values[this.first[at]];
  }

  /** Whether a candidate and the one before it are solo players who differ in nothing that counts for a game. */
  isTwin(at: number): boolean {
    const { ticket: a, credit } = this.tickets[at];
    const { ticket: b, credit: other } = this.tickets[at - 1];
    return (
      this.valueOf(at) === this.valueOf(at - 1) &&
      credit === other &&
      a.size === 1 &&
      b.size === 1 &&
      a.classes?.[0] === b.classes?.[0]
    );
  }
}
