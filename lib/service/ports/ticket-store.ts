import type { StoredTicket } from '../tickets/stored-ticket.ts';
import type { BucketPlan, KeyRange } from '../ticks/buckets.ts';

/** The QUEUED tickets of a range. */
export interface WaitingTickets {
  readonly tickets: StoredTicket[];
  /** Ids of tickets that are there and that this version of Muster cannot read. */
  readonly unreadable: string[];
}

/** Tickets, and the pool of those that are QUEUED. */
export interface TicketStore {
  /** Stores a ticket as QUEUED in its pool. A ticket that has this id is answered, and nothing changes. */
  create(
    ticket: StoredTicket,
    plan: BucketPlan,
  ): Promise<{ created: true } | { created: false; existing: StoredTicket }>;
  get(ticketId: string): Promise<StoredTicket | undefined>;
  /** All QUEUED tickets of a range, in order of skill; may lag behind writes by moments. */
  waiting(queue: string, plans: readonly BucketPlan[], range: KeyRange): Promise<WaitingTickets>;
  /**
   * The QUEUED tickets nearest in skill to one of them, at most `limit` on each side, itself included. Those
   * that cannot be read are left out.
   */
  neighbours(ticket: StoredTicket, plans: readonly BucketPlan[], limit: number): Promise<StoredTicket[]>;
  hasWaiting(queue: string, plan: BucketPlan): Promise<boolean>;
  /** Ends a ticket if it is QUEUED; answers the ticket as it is then, undefined when there is none. */
  end(
    ticketId: string,
    status: 'CANCELLED' | 'TIMED_OUT',
    reason: string,
    nowMs: number,
  ): Promise<{ ended: boolean; ticket: StoredTicket } | undefined>;
}
