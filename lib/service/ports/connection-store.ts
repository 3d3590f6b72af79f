import type { Connection } from '../domain/connection.ts';
import type { Consistency } from './consistency.ts';

/** The connections of players who watch tickets. A record expires a while after its connection must have ended. */
export interface ConnectionStore {
  /** Stores a connection. A repetition changes nothing. */
  add(connection: Connection): Promise<void>;
  /**
   * All connections of a ticket, the oldest first.
   * @param consistency @default 'strong'
   */
  of(ticketId: string, consistency?: Consistency): Promise<Connection[]>;
  remove(ticketId: string, connectionId: string): Promise<void>;
}
