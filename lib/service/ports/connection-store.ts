import type { Connection } from '../domain/connection.ts';
import type { Freshness } from './freshness.ts';

/** The connections of the players who watch tickets. They expire by themselves a while after their last possible end. */
export interface ConnectionStore {
  /** Stores a connection. A repetition changes nothing. */
  add(connection: Connection): Promise<void>;
  /**
   * All connections of a ticket, the oldest first.
   * @param freshness @default 'now'
   */
  of(ticketId: string, freshness?: Freshness): Promise<Connection[]>;
  remove(ticketId: string, connectionId: string): Promise<void>;
}
