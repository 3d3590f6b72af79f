import type { Player, Ruling, Seat } from '../types.ts';

/** A player of a game that is being played. */
export interface PresentPlayer extends Player {
  /** The player's team: its index among the teams of the game. */
  readonly team: number;
  /** The ticket with which the player came. @default the id of the backfill */
  readonly ticketId?: string | undefined;
}

/** A game that is being played and has empty seats: all seats of its teams but those of `players`. */
export interface RunningGame {
  readonly backfillId: string;
  /** Milliseconds since the epoch. Rules that relax with age relax with that of the request, as with a ticket's. */
  readonly requestedAtMs: number;
  /** At least one. They stay on their teams; which of their roles they play may change. */
  readonly players: readonly PresentPlayer[];
}

/**
 * The tickets that fill the empty seats of a running game, with the game that they make. Amounts are in the unit of
 * imbalance.
 */
export interface Filling {
  readonly backfillId: string;
  /** The tickets of the newcomers, ascending. */
  readonly ticketIds: readonly string[];
  /** The teams in the order of the running game. Those who were there come first, then the newcomers by ticketId. */
  readonly teams: readonly (readonly Seat[])[];
  /** The name of each team; absent where the rules name none. */
  readonly teamNames?: readonly string[];
  /** f of the whole game, plus the cost of the ruling and of seats that stay empty. */
  readonly imbalance: number;
  readonly teamGap: number;
  readonly skillSpread: number;
  /**
   * `imbalance` less the least that newcomers of any skill could have made of this game. By it running games compete with
   * each other and with new games, so that a poor game neither waits for ever nor takes better players than it needs.
   */
  readonly increment: number;
  /** No filling of as many seats has a lower imbalance. Equal to `imbalance` when `optimal`. */
  readonly lowerBound: number;
  readonly optimal: boolean;
  /** Present exactly when the pool has constraints. */
  readonly ruling?: Ruling;
}
