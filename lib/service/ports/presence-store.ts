import type { PlayerPresence, PresenceRecord } from '../domain/presence.ts';
import type { Consistency } from './consistency.ts';

/** Stores the last sign of life of each player of a ticket, for queues with `presence`. */
export interface PresenceStore {
  /**
   * The records of tickets, by ticket. Tickets without one are omitted.
   * @param consistency @default 'strong'
   */
  of(
    queue: string,
    ticketIds: readonly string[],
    consistency?: Consistency,
  ): Promise<ReadonlyMap<string, PresenceRecord>>;
  /**
   * Records a sign of life. Changes nothing when a later one is stored, so the order of concurrent requests does not matter.
   * @param player the index of the player in the ticket, from 0
   * @param isKnown writes only if a sign of the player is already stored @default false
   */
  seen(
    queue: string,
    ticketId: string,
    player: number,
    presence: PlayerPresence,
    isKnown?: boolean,
  ): Promise<void>;
  /** Records that the first players of a ticket have to send a sign. Players of whom one is stored do not change. */
  expect(queue: string, ticketId: string, players: number, silentFromMs: number): Promise<void>;
  /**
   * Records that the connection of a player has ended. Changes nothing when a later sign came over another connection.
   * @param by the connection that has ended
   */
  left(queue: string, ticketId: string, player: number, by: string, next: PlayerPresence): Promise<void>;
}
