import type { Division } from '../model/division.ts';
import type { PooledTicket } from '../model/pooled-ticket.ts';

/** Tickets divided into the teams of a game that the constraints permit. */
export interface RuledGame {
  readonly members: readonly PooledTicket[];
  readonly division: RuledDivision;
  /** f with the cost of the ruling. */
  readonly imbalance: number;
  /** The members by their places in the pool. */
  readonly places: Int32Array;
}

/** The teams of a game: a number for two equal teams, otherwise the team of each player in the order of the members. */
export type RuledDivision = Division | Uint8Array;

/**
 * What a search under constraints knows about the teams of a game: their seats, who fits in together, and the fairest
 * division that the constraints permit. `TwoTeams` serves two equal teams of up to 8 players, `LayoutTeams` every shape.
 */
export interface RuledTeams {
  /** The most and the fewest players of a game. */
  readonly seats: number;
  readonly seatsMin: number;
  /** c of `imbalance ≥ c·(max − min)`, for games of every number of players. */
  readonly perRange: number;
  /** What the range of skills adds to skillSpread: α where a search adds teamGap to its bounds, otherwise 0. */
  readonly gapPerRange: number;
  /** The imbalance of each seat that stays empty. */
  readonly emptySeatCost: number;
  /** Sizes, roles, sides and refused pairs; undefined when all are solo players who can take every seat beside all others. */
  readonly choice: RuledChoice | undefined;
  /** Above the imbalance of every game of players within these skills, without the costs of constraints. */
  highest(low: number, high: number): number;
  /** At most the imbalance of every game of players within these skills: what the offsets of teams cost at least. */
  lowest(low: number, high: number): number;
  /** The exact v_q of these tickets. */
  skillSpread(members: readonly PooledTicket[]): number;
  /**
   * The least f, with costs, of these tickets below `limit`; ∞ if there is none.
   *
   * @param numbers of the members in the constraints
   * @param v their v_q, and the imbalance of empty seats
   * @param cost the cost of their game, as far as it does not depend on the whole game
   * @param values their skills relative to a common origin, for solo players
   */
  divide(
    members: readonly PooledTicket[],
    numbers: ArrayLike<number>,
    v: number,
    cost: number,
    limit: number,
    values: Float64Array | undefined,
  ): number;
  /** What `divide` found. */
  readonly division: RuledDivision;
  /** Whether the last `divide` gave up before it had tried all divisions. */
  readonly wasCut: boolean;
  /** The work of `divide` since the last call, in nodes of a search. */
  takeWork(): number;
}

/** The tickets that a search has chosen, and which may join them by size, roles, sides and refused pairs. */
export interface RuledChoice {
  /** Clears the choice and chooses the anchor, for games of n players. Returns whether it can be seated. */
  start(anchor: PooledTicket, candidates: readonly PooledTicket[], n: number): boolean;
  /** Whether each of its players could be seated beside the chosen ones. */
  hasSeat(pooled: PooledTicket): boolean;
  /** Whether the ticket may join while r players are missing, except that `join` may still fail to seat a party. */
  mayJoin(pooled: PooledTicket, r: number): boolean;
  /** Chooses the ticket. Returns whether all chosen can still be seated; call `leave` in both cases. */
  join(pooled: PooledTicket): boolean;
  leave(): void;
}
