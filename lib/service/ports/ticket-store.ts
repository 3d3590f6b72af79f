import type { StoredTicket } from '../tickets/stored-ticket.ts';
import type { BucketLayout, KeyRange } from '../ticks/buckets.ts';

/** How much is read at once. */
export interface ReadBound {
  readonly limit: number;
  /** Asked before each further page. What is read by then is returned. */
  readonly hasTime: () => boolean;
}

/** QUEUED tickets of a range. */
export interface WaitingTickets {
  readonly tickets: StoredTicket[];
  /** Ids of tickets that are there and that this version of Muster cannot read. */
  readonly unreadable: string[];
  /** Where the next read goes on, a sort key; absent when the range was read to its end. */
  readonly next?: string;
}

export interface PoolSurvey {
  readonly waiting: number;
  /** Sort keys, ascending, that cut what was counted into parts of about the same size. */
  readonly cuts: readonly string[];
}

/** Tickets, and the pool of those that are QUEUED. */
export interface TicketStore {
  /** Stores a ticket as QUEUED in its pool. A ticket that has this id is answered, and nothing changes. */
  create(
    ticket: StoredTicket,
    layout: BucketLayout,
  ): Promise<{ created: true } | { created: false; existing: StoredTicket }>;
  get(ticketId: string): Promise<StoredTicket | undefined>;
  /**
   * The QUEUED tickets of a range, in order of skill: all of them, or with `bound` those that come first. May
   * lag behind writes by moments.
   */
  waiting(
    queue: string,
    layouts: readonly BucketLayout[],
    range: KeyRange,
    bound?: ReadBound,
  ): Promise<WaitingTickets>;
  /**
   * How many wait in a range, without reading them, and where parts of about the same size end.
   * @param hasTime asked before each further part; the count ends where the time does
   */
  survey(
    queue: string,
    layouts: readonly BucketLayout[],
    range: KeyRange,
    hasTime: () => boolean,
  ): Promise<PoolSurvey>;
  /**
   * The QUEUED tickets nearest in skill to one of them, at most `limit` on each side, itself included. Those
   * that cannot be read are left out.
   */
  neighbours(ticket: StoredTicket, layouts: readonly BucketLayout[], limit: number): Promise<StoredTicket[]>;
  hasWaiting(queue: string, layout: BucketLayout): Promise<boolean>;
  /** Ends a ticket if it is QUEUED; answers the ticket as it is then, undefined when there is none. */
  end(
    ticketId: string,
    status: 'CANCELLED' | 'TIMED_OUT',
    reason: string,
    nowMs: number,
  ): Promise<{ ended: boolean; ticket: StoredTicket } | undefined>;
}
