import type { Ticket } from '../engine/types.ts';
import type { Filling } from '../policies/plan.ts';
import { type Distribution, distributionOf, Histogram, rounded } from './histogram.ts';

/**
 * What happened to the empty seats of the running matches of one simulated queue.
 *
 * Times are measured per seat, from the moment it becomes empty, so a server that asks again or asks for more players gains
 * nothing.
 */
export interface BackfillMeasures {
  /** Players who left a match before its end. */
  readonly leavers: number;
  /** The requests of the servers. Each replaces the one before it. */
  readonly requests: number;
  /** Requests that timed out and were repeated. */
  readonly timedOut: number;
  /** Requests that got players. */
  readonly rosters: number;
  /** Seats that became empty; the sum of the next three. */
  readonly emptySeats: number;
  readonly filledSeats: number;
  /** Seats that were empty when their match ended. */
  readonly unfilledSeats: number;
  /** Seats that were empty when the run ended. */
  readonly openSeats: number;
  /** The share of `filledSeats` in `filledSeats` and `unfilledSeats`, in [0, 1]; NaN without such seats. */
  readonly filledShare: number;
  /** The share of the time of all seats during which they were empty, in [0, 1]; NaN without matches. */
  readonly emptyShare: number;
  /** Of the filled seats alone. It is short when others are never filled, so read it together with `filledShare`. */
  readonly secondsToFill: Distribution;
  /** Of all empty seats: until they were filled, their match ended or the run ended. */
  readonly secondsEmpty: Distribution;
  /** The waits of the newcomers, in seconds; one value for each player. */
  readonly waitSeconds: Distribution;
  /** The imbalance of running matches with their newcomers. That of new matches is `imbalance` of all measures. */
  readonly imbalance: Distribution;
  /** What newcomers add to the imbalance of a match, above the least that newcomers of any skill would make. */
  readonly increment: Distribution;
}

/** Times below this are not distinguished. */
const UNIT_SECONDS = 0.01;

/** Counts what happens to the seats of running matches. */
export class BackfillMeter {
  readonly #toFill = new Histogram(UNIT_SECONDS);
  /** Of the seats that were filled or whose match ended. */
  readonly #empty = new Histogram(UNIT_SECONDS);
  readonly #waits = new Histogram(UNIT_SECONDS);
  readonly #imbalance: Histogram;
  readonly #increment: Histogram;
  readonly counts = { leavers: 0, requests: 0, timedOut: 0 };
  /** The time of the seats of matches that have ended. */
  seatSeconds = 0;
  /** How much of it they were empty. */
  #emptySeconds = 0;

  /** @param skillUnit the resolution of imbalances */
  constructor(skillUnit: number) {
    this.#imbalance = new Histogram(skillUnit);
    this.#increment = new Histogram(skillUnit);
  }

  /** A seat was filled after this time. */
  filled(seconds: number): void {
    this.#toFill.add(seconds);
    this.unfilled(seconds);
  }

  /** A match ended with a seat that was empty for this time. */
  unfilled(seconds: number): void {
    this.#empty.add(seconds);
    this.#emptySeconds += seconds;
  }

  /** Newcomers joined a match. */
  joined({ imbalance, increment }: Filling, tickets: readonly Ticket[], nowMs: number): void {
    this.#imbalance.add(imbalance);
    this.#increment.add(Math.max(0, increment));
    for (const { enqueuedAtMs, players } of tickets)
      this.#waits.add((nowMs - enqueuedAtMs) / 1000, players.length);
  }

  /**
   * The measures so far.
   * @param running the matches that have not ended: the time of all their seats, and how long each empty seat has been empty
   */
  read(
    running: readonly { readonly seatSeconds: number; readonly emptySeconds: readonly number[] }[],
  ): BackfillMeasures {
    const all = this.#empty.copy();
    let openSeats = 0;
    let { seatSeconds } = this;
    let emptySeconds = this.#emptySeconds;
    for (const match of running) {
      openSeats += match.emptySeconds.length;
      seatSeconds += match.seatSeconds;
      for (const seconds of match.emptySeconds) {
        emptySeconds += seconds;
        all.add(seconds);
      }
    }
    const [filledSeats, unfilledSeats] = [this.#toFill.count, this.#empty.count - this.#toFill.count];
    return {
      ...this.counts,
      rosters: this.#imbalance.count,
      emptySeats: filledSeats + unfilledSeats + openSeats,
      filledSeats,
      unfilledSeats,
      openSeats,
      filledShare: rounded(filledSeats / (filledSeats + unfilledSeats)),
      emptyShare: rounded(emptySeconds / seatSeconds),
      secondsToFill: distributionOf(this.#toFill),
      secondsEmpty: distributionOf(all),
      waitSeconds: distributionOf(this.#waits),
      imbalance: distributionOf(this.#imbalance),
      increment: distributionOf(this.#increment),
    };
  }
}
