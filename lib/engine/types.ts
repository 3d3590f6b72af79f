/**
 * The engine's data types. Everything here is plain data; the engine has no clock, no I/O and no
 * dependencies, and the same input gives the same output to the byte.
 */
import type { Ruling, TeamKind, Ticket } from '../vocabulary/game.ts';

export type { AttributeValues, Game, Player, Ruling, Seat, TeamKind, Ticket } from '../vocabulary/game.ts';

/** A hard constraint: returns why two tickets may not be in one game, or undefined if they may. Symmetric and pure. */
export type Forbids = (a: Ticket, b: Ticket) => string | undefined;

/**
 * What a game has to fulfil besides its shape, and what it costs not to, at one moment. A search joins tickets one by one
 * and leaves them in reverse order. What the joined tickets violate, every larger set violates too; what only a whole game
 * can violate is decided by `judge`.
 *
 * Tickets are numbers here: those that `enter` returns.
 */
export interface Constraints {
  /** The number of a ticket. A ticket that has entered before keeps its number. */
  enter(ticket: Ticket): number;
  /**
   * Parts of the pool whose players share a value that all players of a game have to share. Each game is in one of them,
   * and a ticket stands in every one that it accepts, but for those of too few players. Undefined when the whole pool is
   * searched at once.
   */
  facets(tickets: readonly number[]): readonly Facet[] | undefined;
  /** Begins a search with no ticket joined; in a facet, only for games in it. */
  start(facet?: Facet): void;
  /** Whether a game may contain the joined tickets and this one, as far as it is known before the game is whole. */
  admits(ticket: number): boolean;
  /**
   * The same of many tickets, faster: puts the positions from `from` to `to` (exclusive) in `tickets` of those that it
   * admits into `kept`, ascending, and returns their number.
   */
  keep(tickets: Int32Array, from: number, to: number, kept: Int32Array): number;
  join(ticket: number): void;
  leave(ticket: number): void;
  /** Whether fewer of the other tickets may be admitted than before the last one joined. */
  hasNarrowed(): boolean;
  /** Whether any game costs anything. */
  readonly hasCosts: boolean;
  /** No game with the joined tickets costs less; in a facet, no game in it. */
  cost(): number;
  /** The same with this ticket too. */
  costWith(ticket: number): number;
  /** No game of the tickets that have entered costs more. */
  costMax(): number;
  /** Whether a whole game that `admits` has let through may still be refused, or cost more than `cost`. */
  readonly judgesGames: boolean;
  /** Whether that depends on who plays on which team. */
  readonly judgesTeams: boolean;
  /**
   * The ruling on a whole game, its teams in the order of the queue; undefined when it is refused.
   * @param isFound whether it is the ruling on a game that was permitted before. @default false
   */
  judge(teams: readonly (readonly TeamMember[])[], isFound?: boolean): Ruling | undefined;
  /** No game of the players whom `judge` saw last costs less, whatever their teams; ∞ when it refuses them in all teams. */
  readonly leastInTeams: number;
  /**
   * By how much a whole game breaks what it has to fulfil, in any unit; 0 exactly when `judge` does not refuse it, and infinite
   * when no exchange of players between as large teams mends it.
   */
  shortfall(teams: readonly (readonly TeamMember[])[]): number;
  /**
   * Which of these tickets, at most 31, may not be on one team, by position as bit sets, as far as it is known of pairs; undefined when
   * all may. Ends the search that has begun.
   */
  nonMates(tickets: readonly number[]): ArrayLike<number> | undefined;
  /** Why these two tickets may not be in one game, undefined if they may. Ends the search that has begun; fastest for one `a` after another. */
  refusal(a: number, b: number): string | undefined;
}

/** A ticket on a team: its number, or the players by their places in the ticket where the party is divided over teams. */
export type TeamMember = number | { readonly ticket: number; readonly players: readonly number[] };

/** The tickets of a facet, as numbers of `Constraints`. */
export interface Facet {
  readonly id: number;
  readonly tickets: readonly number[];
}

/** The shape of a game and the measure by which games are compared (Alman & McKay 2017, section 2). */
export interface GameRules {
  /** k, the number of players per team. With a list of `teams` it has no meaning. */
  readonly teamSize: number;
  /** The number of teams of `teamSize`, or a list of kinds in the order of a game's teams. Seats in all: 1 to 200. @default 2 */
  readonly teams?: number | readonly TeamKind[] | undefined;
  /**
   * When teams with a `minSize` may start short: in games whose every ticket has waited `afterSeconds`. Each empty seat
   * adds `cost` (0 by default) to the imbalance. @default never
   */
  readonly short?: { readonly afterSeconds: number; readonly cost?: number | undefined } | undefined;
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
