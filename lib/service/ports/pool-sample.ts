import type { BucketLayout } from '../domain/buckets.ts';
import type { StoredTicket } from '../domain/stored-ticket.ts';

/** Reads a part of the waiting tickets of a queue at a limited cost, however many are waiting. */
export interface PoolSample {
  /**
   * Waiting tickets in order of skill. May lag behind writes by moments. Tickets that this version of Muster cannot parse are
   * omitted.
   * @param limit from 1; the maximum of tickets returned
   * @param linked whether entries are read too. @default false
   */
  of(
    queue: string,
    layouts: readonly BucketLayout[],
    limit: number,
    linked?: boolean,
  ): Promise<{
    readonly tickets: StoredTicket[];
    /** Whether these are all waiting tickets. If not, they are a sample, evenly spread over the skills. */
    readonly isComplete: boolean;
  }>;
}
