import type { Match, Ticket } from './api-types.ts';

/** A change of a ticket, or the ticket as it is at the begin. */
export interface Change {
  /** The type of the event, or `Ticket` when it is not known which one there was. */
  readonly type: string;
  /** ISO 8601. */
  readonly timestamp: string;
  /** The ticket as it is now. */
  readonly ticket: Ticket;
  /** Its match, if it has one. By long polls it is absent: read it with `match`. */
  readonly match?: Match | undefined;
  /** Grows with each change. By long polls it is absent. */
  readonly revision?: number | undefined;
  /** True on the one change from which on the players can play. */
  readonly ready?: true | undefined;
}

/** What a caller has seen of a ticket. */
export interface SeenState {
  readonly status: Ticket['status'];
  readonly matchId?: string | undefined;
  readonly roster?: number | undefined;
}

/** What a game client needs to watch a ticket: the part `watch` of a posted ticket, with the token of its player. */
export interface WatchTarget {
  readonly url: string;
  readonly token: string;
  /** How often to ping. @default 300, or what the first message says, in a queue with presence */
  readonly pingSeconds?: number | undefined;
  /**
   * The status that the game shows already, such as `QUEUED` after the POST: it saves the first message. The first change is then
   * one that says something else.
   * @default - the ticket as it is comes first
   */
  readonly seen?: Ticket['status'] | undefined;
}
