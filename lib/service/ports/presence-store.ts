import type { PlayerPresence, PresenceRecord } from '../domain/presence.ts';
import type { Consistency } from './consistency.ts';

/** When the players of tickets were last there, for queues with `presence`. */
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
   * A player is there. It changes nothing when the player is known to be there for longer, so requests that overtake each other
   * say the same in any order.
   * @param player the place of the player in the ticket, from 0
   * @param isKnown only if the player was known to be there before @default false
   */
  seen(
    queue: string,
    ticketId: string,
    player: number,
    presence: PlayerPresence,
    isKnown?: boolean,
  ): Promise<void>;
  /** The first players of a ticket are expected to come. Those who are known already stay as they are. */
  expect(queue: string, ticketId: string, players: number, silentFromMs: number): Promise<void>;
  /**
   * The connection of a player has ended. It changes nothing when another one has said later that the player is there.
   * @param by the connection that has ended
   */
  left(queue: string, ticketId: string, player: number, by: string, next: PlayerPresence): Promise<void>;
}
