/** What is searched and what is found, as the engine and its callers name it. Everything here is plain data. */

/** One player. */
export interface Player {
  readonly playerId: string;
  /** 0, or a number from 1e-100 to 1e100. Imbalance is in the same unit. */
  readonly skill: number;
  /** The roles this player accepts. @default every role of the queue */
  readonly roles?: readonly string[];
  /** The kinds of team this player accepts, by name. @default every kind */
  readonly teams?: readonly string[];
  /** Carried to the player's seat; the engine does not read it. */
  readonly attributes?: AttributeValues | undefined;
}

/** Values by name. */
export type AttributeValues = Readonly<Record<string, number | string | readonly string[]>>;

/** A party of players who play on one team or not at all, unless it says that it may be split. */
export interface Ticket {
  readonly ticketId: string;
  /** Milliseconds since the epoch. */
  readonly enqueuedAtMs: number;
  /** true: the players may be divided over teams. @default false */
  readonly split?: boolean | undefined;
  readonly players: readonly Player[];
}

/** Teams of a game that have the same size, roles and name. */
export interface TeamKind {
  /** Unique among the kinds. With a `count` above 1 the teams are named NAME-1, NAME-2, … */
  readonly name: string;
  /** Players per team. */
  readonly size: number;
  /** How many teams of this kind a game has. @default 1 */
  readonly count?: number | undefined;
  /** The fewest players with which such a team may start, where `short` allows it. @default size */
  readonly minSize?: number | undefined;
  /** Seats per team by role; the counts sum to `size`. @default no roles */
  readonly roles?: Readonly<Record<string, number>> | undefined;
  /** Is added to the team's p-skill when teams are compared. @default 0 */
  readonly offset?: number | undefined;
}

/** One player's seat in a game. */
export interface Seat {
  readonly playerId: string;
  readonly ticketId: string;
  /** Present exactly when the rules have roles. */
  readonly role?: string;
  /** Present when a bot fills the seat; `playerId` and `ticketId` are then the bot's name. */
  readonly bot?: true;
  /** The player's attributes, where the ticket has them. */
  readonly attributes?: AttributeValues;
}

/** A game that can be played now, with its proof. Amounts are in units of imbalance, which are those of skill. */
export interface Game {
  /**
   * The teams. Two equal teams are sorted by their smallest ticketId; others are in the order of the rules, and those of
   * one kind by their smallest ticketId. Seats are sorted by ticketId.
   */
  readonly teams: readonly (readonly Seat[])[];
  /** The name of each team; absent where the rules name none. */
  readonly teamNames?: readonly string[];
  /** The tickets in the game, ascending. */
  readonly ticketIds: readonly string[];
  /** f = α·teamGap + skillSpread, plus the cost of the ruling and of empty seats. */
  readonly imbalance: number;
  /** d_p: the greatest p-skill of a team less the least; 0 for one team. */
  readonly teamGap: number;
  /** v_q over all players. */
  readonly skillSpread: number;
  /** imbalance − β × (longest wait in the game, in seconds, at `nowMs`). Lower is better. */
  readonly priority: number;
  /** A proven lower bound on the priority of every possible game in the pool at that moment. */
  readonly lowerBound: number;
  /** Whether the game is proved best: `lowerBound` equals `priority`. */
  readonly optimal: boolean;
  /** Present exactly when the pool has constraints. */
  readonly ruling?: Ruling;
}

/** What the constraints say about a game. */
export interface Ruling {
  /** Is added to the imbalance. */
  readonly cost: number;
  /** Where the game is played. */
  readonly region?: string;
  /** By name: what a rule cost, and what the players share. */
  readonly rules?: Readonly<Record<string, { readonly cost?: number; readonly values?: readonly string[] }>>;
}
