import type { Connection } from '../domain/connection.ts';

/** The connections of the players who watch tickets. They expire by themselves a while after their last possible end. */
export interface ConnectionStore {
  /** Stores a connection. A repetition changes nothing. */
  add(connection: Connection): Promise<void>;
  /** All connections of a ticket, as they are now, the oldest first. */
  of(ticketId: string): Promise<Connection[]>;
  /** Marks a connection as GONE. Does nothing when it is GONE already, or removed. */
  lose(ticketId: string, connectionId: string, goneAtMs: number): Promise<void>;
  remove(ticketId: string, connectionId: string): Promise<void>;
}
