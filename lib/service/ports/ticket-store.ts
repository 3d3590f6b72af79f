import type { Why } from '../../contract/reason-code.ts';
import type { BucketLayout, KeyRange } from '../domain/buckets.ts';
import type { StoredTicket } from '../domain/stored-ticket.ts';
import type { Consistency } from './consistency.ts';

/** Limits a read. */
export interface ReadBound {
  readonly limit: number;
  /** Called before each further page. When false, the pages read so far are returned. */
  readonly hasTime: () => boolean;
}

/** QUEUED tickets of a range. */
export interface WaitingTickets {
  readonly tickets: StoredTicket[];
  /** Ids of existing tickets that this version of Muster cannot parse. */
  readonly unreadable: string[];
  /** The number of tickets read under each pool key. */
  readonly pools: ReadonlyMap<string, number>;
  /** The sort key where the next read continues; absent when the range was read to its end. */
  readonly next?: string;
}

export interface PoolSurvey {
  readonly waiting: number;
  /** Ascending sort keys that split the counted tickets into parts of about the same size. */
  readonly cuts: readonly string[];
}

/** The outcome of storing a new ticket. */
export type Created =
  | { readonly created: true }
  | { readonly created: false; readonly existing: StoredTicket }
  | { readonly created: false; readonly isStale: true };

/** The places of some players. A place belongs to one ticket at a time; see `one-place.ts`. */
export interface Places {
  /** The queue, or all queues, in which a player has one place; see `placeScope`. */
  readonly scope: string;
  /** The ticket that holds each player's place, by player. */
  readonly holders: ReadonlyMap<string, string>;
}

/** Further writes in the transaction of a new ticket. */
export interface AlongsideWrites {
  /** The places of its players as they were read, for each scope. The ticket takes them. */
  readonly places?: readonly Places[];
  /** The ticket that it replaces. */
  readonly replaced?: ReplacedTicket;
  /** When the entries of a linked ticket are put, milliseconds since the epoch. */
  readonly nowMs?: number;
}

/** A ticket that a new one replaces. It is QUEUED, or in a match that no longer holds it. */
export interface ReplacedTicket {
  readonly ticket: StoredTicket;
  /** An abandoned or dissolved match that it is still in. */
  readonly freedFrom?: string | undefined;
  readonly nowMs: number;
}

/** Tickets, and the pool of those that are QUEUED. */
export interface TicketStore {
  /**
   * Stores a ticket as QUEUED in its pool. If a ticket with this id exists, returns it and changes nothing.
   * @param announced whether the stream reports it to `publish` whenever it becomes QUEUED @default false
   * @param alongside further writes in the same transaction. `isStale`: another ticket has taken a place since it was read, or
   * the replaced ticket has left the pool; nothing has changed
   */
  create(
    ticket: StoredTicket,
    layout: BucketLayout,
    announced?: boolean,
    alongside?: AlongsideWrites,
  ): Promise<Created>;
  places(scope: string, playerIds: readonly string[]): Promise<Places>;
  /** @param consistency @default 'strong' */
  get(ticketId: string, consistency?: Consistency): Promise<StoredTicket | undefined>;
  /** The existing tickets with these ids, by id. Each id once. */
  getMany(
    ticketIds: readonly string[],
    consistency?: Consistency,
  ): Promise<ReadonlyMap<string, StoredTicket>>;
  /**
   * The QUEUED tickets of a range in order of skill: all of them, or with `bound` the first ones. May lag behind writes
   * by moments.
   * @param linked whether linked tickets may wait in this queue, so that entries are read too. @default false
   */
  waiting(
    queue: string,
    layouts: readonly BucketLayout[],
    range: KeyRange,
    bound?: ReadBound,
    linked?: boolean,
  ): Promise<WaitingTickets>;
  /**
   * Counts the waiting tickets of a range without reading them, and splits them into parts of about the same size.
   * @param hasTime called before each further part; the count ends when it returns false
   */
  survey(
    queue: string,
    layouts: readonly BucketLayout[],
    range: KeyRange,
    hasTime: () => boolean,
    linked?: boolean,
  ): Promise<PoolSurvey>;
  /**
   * The QUEUED tickets nearest in skill to a ticket, at most `limit` on each side, including the ticket itself. Tickets
   * that cannot be parsed are omitted.
   */
  neighbours(
    ticket: StoredTicket,
    layouts: readonly BucketLayout[],
    limit: number,
    linked?: boolean,
  ): Promise<StoredTicket[]>;
  hasWaiting(queue: string, layout: BucketLayout, linked?: boolean): Promise<boolean>;
  /**
   * Claims a QUEUED ticket for a match: it leaves the pool and is MATCHED. Returns true if the match has the ticket, even from an
   * earlier request. A match that has released the ticket never gets it again, because a repeated request may arrive after the
   * release, and then nothing would return the ticket.
   */
  claim(ticketId: string, matchId: string, nowMs: number): Promise<boolean>;
  /**
   * Claims a linked ticket that a tick has read. It leaves all of its queues, and its queue becomes that of the match. A ticket
   * read by an entry also has to be the one for which the entry was put.
   * @returns also the ticket afterwards; undefined when it does not exist
   */
  claimLinked(
    ticket: StoredTicket,
    matchId: string,
    nowMs: number,
  ): Promise<{ readonly claimed: boolean; readonly ticket: StoredTicket | undefined }>;
  /** Removes the entries of a linked ticket that has left the pool. A failure leaves them to the ticks of their queues. */
  removeEntries(ticket: StoredTicket): Promise<void>;
  /** Removes the entry by which a tick has read a ticket. @param putBeforeMs removes it only if it was put before this time */
  removeEntry(ticket: StoredTicket, putBeforeMs?: number): Promise<void>;
  /**
   * Returns a ticket from a match that does not exist to the pool, with the time it was first enqueued. Does nothing when
   * the ticket is no longer in this match. The entries of an announced linked ticket are put before.
   * @param layout of its home
   * @param announced whether `TicketQueued` is published again, as for tickets of dissolved matches
   */
  release(
    ticket: StoredTicket,
    matchId: string,
    layout: BucketLayout,
    announced: boolean,
    nowMs: number,
  ): Promise<void>;
  /**
   * Returns a ticket from a match that was not placed to the pool, with the time it was first enqueued. Counts the failure and
   * publishes `TicketQueued` again. Does nothing when the ticket is no longer in this match, so a failure counts once.
   */
  requeue(ticket: StoredTicket, matchId: string, layout: BucketLayout, nowMs: number): Promise<void>;
  /** Fails a ticket with its match. Does nothing when the ticket is no longer in this match. */
  failWithMatch(ticketId: string, matchId: string, why: Partial<Why>, nowMs: number): Promise<void>;
  /**
   * Ends a QUEUED ticket. Returns the ticket's state afterwards, or undefined if it does not exist.
   * @param freedFrom also ends it while it is in this match, which must be abandoned or dissolved
   */
  end(
    ticketId: string,
    status: 'CANCELLED' | 'TIMED_OUT',
    why: Why,
    nowMs: number,
    freedFrom?: string,
  ): Promise<{ ended: boolean; ticket: StoredTicket } | undefined>;
  /** Cancels a ticket of a dissolved match. Does nothing when the ticket is no longer in this match. */
  cancelWithMatch(ticketId: string, matchId: string, why: Partial<Why>, nowMs: number): Promise<void>;
}
