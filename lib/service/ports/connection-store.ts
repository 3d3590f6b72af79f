import type { Connection } from '../domain/connection.ts';
import type { Consistency } from './consistency.ts';

/** How long the frames of a connection are counted together, from the epoch on. */
export const FRAMES_COUNTED_MS = 10_000;

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
  /**
   * Counts a frame. Returns how many have been counted in the current {@link FRAMES_COUNTED_MS}, whichever function has received
   * them; undefined when it could not be counted, also because the connection has no record.
   */
  countFrame(ticketId: string, connectionId: string, nowMs: number): Promise<number | undefined>;
}
