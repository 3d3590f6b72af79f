/**
 * The engine's data types. Everything here is plain data; the engine has no clock, no I/O and no
 * dependencies, and the same input gives the same output to the byte.
 */

/** One player. */
export interface Player {
  readonly playerId: string;
  /** 0, or a number from 1e-100 to 1e100. Imbalance is in the same unit. */
  readonly skill: number;
  /** The roles this player accepts. @default every role of the queue */
  readonly roles?: readonly string[];
}

/** A party of 1 to `teamSize` players who play on one team or not at all. */
export interface Ticket {
  readonly ticketId: string;
  /** Milliseconds since the epoch. */
  readonly enqueuedAtMs: number;
  readonly players: readonly Player[];
}

/** A hard constraint: returns why two tickets may not be in one game, or undefined if they may. Symmetric and pure. */
export type Forbids = (a: Ticket, b: Ticket) => string | undefined;

/** The shape of a game and the measure by which games are compared (Alman & McKay 2017, section 2). */
export interface GameRules {
  /** k, the number of players per team: 1 to 8. A game has two teams. */
  readonly teamSize: number;
  /** Seats per team by role; the counts sum to `teamSize`. @default no roles */
  readonly roles?: Readonly<Record<string, number>>;
  /** α > 0, the weight of teamGap. */
  readonly alpha: number;
  /** p ∈ [1, ∞], the norm of a team's skill. */
  readonly p: number;
  /** q ∈ [1, ∞], the norm of skillSpread. */
  readonly q: number;
  /** β ≥ 0, how much imbalance one second of the longest wait outweighs. */
  readonly beta: number;
}

/** One player's seat in a game. */
export interface Seat {
  readonly playerId: string;
  readonly ticketId: string;
  /** Present exactly when the rules have roles. */
  readonly role?: string;
  /** Present when a bot fills the seat; `playerId` and `ticketId` are then the bot's name. */
  readonly bot?: true;
}

export interface Game {
  /**
   * Two teams of `teamSize` players; no ticket is split. Teams are sorted by their smallest ticketId, seats by ticketId.
   */
  readonly teams: readonly (readonly Seat[])[];
  /** The tickets in the game, ascending. */
  readonly ticketIds: readonly string[];
  /** f = α·teamGap + skillSpread. */
  readonly imbalance: number;
  /** d_p, the absolute difference of the teams' p-skills. */
  readonly teamGap: number;
  /** v_q over all 2k players. */
  readonly skillSpread: number;
  /** imbalance − β × (longest wait in the game, in seconds, at `nowMs`). Lower is better. */
  readonly priority: number;
  /** A proven lower bound on the priority of every possible game in the pool at that moment. */
  readonly lowerBound: number;
  /** Whether the game is proved best: `lowerBound` equals `priority`. */
  readonly optimal: boolean;
}
