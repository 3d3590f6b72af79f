import type { Match, Ticket } from './api-types.ts';

/** A change of a ticket, or its state at the start. */
export interface Change {
  /** The type of the event, `ReadyCheck` when more players are ready, or `Ticket` when the event is unknown. */
  readonly type: string;
  /** ISO 8601. */
  readonly timestamp: string;
  /** The current ticket. */
  readonly ticket: Ticket;
  /** Its match, if it has one. By long polls and in a `ReadyCheck` it is absent: read it with `match`. */
  readonly match?: Match | undefined;
  /** Grows with each change. By long polls it is absent. */
  readonly revision?: number | undefined;
  /** True on the change after which the players can play. It may be missed; the status of the ticket is COMPLETED from then on. */
  readonly ready?: true | undefined;
}

/** The state of a ticket that a caller has seen. */
export interface SeenState {
  readonly status: Ticket['status'];
  readonly matchId?: string | undefined;
  readonly roster?: number | undefined;
}

/** The data with which a game client watches a ticket: `watch` of a posted ticket, with the token of its player. */
export interface WatchTarget {
  readonly url: string;
  readonly token: string;
  /** The interval between pings. @default 300; in a queue with presence, that of the first message */
  readonly pingSeconds?: number | undefined;
  /**
   * The status that the game already shows, such as `QUEUED` after the POST. It saves the first message. The first change then
   * has another status.
   * @default - the current ticket comes first
   */
  readonly seen?: Ticket['status'] | undefined;
}
