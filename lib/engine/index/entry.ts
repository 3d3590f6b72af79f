import type { DividedGame } from '../model/division.ts';
import type { PooledTicket } from '../model/pooled-ticket.ts';

/** A game of a queue, with the entries of its members. */
export interface FoundGame extends DividedGame {
  readonly entries: readonly Entry[];
  /** f + β·t of the longest-waiting ticket, with t in seconds since the queue's epoch: the priority without "now". */
  readonly cost: number;
}

/** A waiting ticket with everything known about the games filed under it. */
export class Entry {
  readonly pooled: PooledTicket;
  /** When it was enqueued, in seconds since the queue's epoch. */
  readonly seconds: number;
  /** Its id in the list, −1 before it is added, and its neighbours there. */
  id = -1;
  before: Entry | undefined;
  after: Entry | undefined;
  /** False once its ticket has left the queue. */
  isHere = true;
  /** When it was inserted, as a number that grows with each insert. */
  came = 0;
  /** No game of this entry has an imbalance below this. */
  key = 0;
  /** The searches that ended, and those that were cut short. After each of the latter the entry rests twice as many queries. */
  tries = 0;
  cuts = 0;
  /** How often the step from the proved bound to the best game is halved: more when a search is cut short, less when one ends. */
  halvings = 0;
  /** The number of the query that searches it again. */
  restsUntil = 0;
  /** The best game found so far, not always that of `key`. */
  game: FoundGame | undefined;

  constructor(pooled: PooledTicket, seconds: number) {
    this.pooled = pooled;
    this.seconds = seconds;
  }

  /** Its window has changed, so earlier attempts no longer count. */
  tryAgain(): void {
    this.tries = 0;
    this.cuts = 0;
    this.halvings = 0;
    this.restsUntil = 0;
  }

  /** Discards the games found as well. */
  forget(): void {
    this.tryAgain();
    this.game = undefined;
  }
}

/**
 * The other tickets that may be in the games of this entry: without β those that were inserted before it, so that it is
 * the newest; with β those that were enqueued after it, so that it has waited longest. So each game belongs to one entry.
 */
export function othersOf(entry: Entry, beta: number): (other: Entry) => boolean {
  if (beta === 0) return (other) => other.came < entry.came;
  return (other) =>
    other.seconds > entry.seconds ||
    (other.seconds === entry.seconds && other.pooled.ticket.ticketId > entry.pooled.ticket.ticketId);
}
