import type { AttributeValue } from '../types.ts';

/** The options of a rule of type `custom`: `options` of the definition, or of the step of `relax` that is in force. Frozen. */
export type CustomOptions = Readonly<Record<string, CustomOption>>;
export type CustomOption = number | string | boolean | readonly (number | string)[];

/** A player of a game. Frozen, as all that a function of the studio receives. */
export interface CustomPlayer {
  readonly playerId: string;
  /** The ticket of the player. Players with the same one are a party. */
  readonly party: string;
  /** In a queue with `skillScale: "percentile"` the percentile. */
  readonly skill: number;
  /** The roles that the player accepts; absent for a player who accepts all. Seats are assigned after the rules are judged. */
  readonly roles?: readonly string[] | undefined;
  /** The values of the player, and the defaults of the queue for the others. */
  readonly attributes: Readonly<Record<string, AttributeValue>>;
  /** Milliseconds to each region in reach. */
  readonly latencyMs: Readonly<Record<string, number>>;
  /** The wait of the ticket, in seconds. */
  readonly waitSeconds: number;
}

export interface CustomTeam {
  /** The kind of the team; `team` in a queue whose teams have no names. */
  readonly name: string;
  readonly players: readonly CustomPlayer[];
}

/**
 * A whole game that the search considers. Bots are not in it. In games of up to 16 seats, a function that reads `players` and not
 * `teams` is called once for all divisions of the same players into teams.
 */
export interface CustomGame {
  /** All players of the game, sorted by `party`. */
  readonly players: readonly CustomPlayer[];
  /** In the order of the queue's teams. The order of teams of one kind, and of the players of a team, has no meaning. */
  readonly teams: readonly CustomTeam[];
  /** The moment of the search, in milliseconds since the epoch. Use it instead of a clock. */
  readonly nowMs: number;
}

/** A waiting ticket. */
export interface CustomTicket {
  readonly ticketId: string;
  readonly players: readonly CustomPlayer[];
  readonly waitSeconds: number;
}

/**
 * A rule: true if the game may be played, else the reason. Pure and synchronous: the same game and options, the same answer.
 */
export type CustomRule<Options extends CustomOptions = CustomOptions> = (
  game: CustomGame,
  options: Options,
) => true | string;

/** A cost: a number from 0 to 10,000, which the rule's `cost` multiplies. Pure and synchronous. */
export type CustomCost<Options extends CustomOptions = CustomOptions> = (
  game: CustomGame,
  options: Options,
) => number;

/**
 * Whether two tickets may be in one game: true or a reason. The search asks it before it has a whole game. It must be implied by the
 * rule: when it gives a reason, the rule forbids every game with both tickets. Symmetric.
 */
export type MayJoin<Options extends CustomOptions = CustomOptions> = (
  a: CustomTicket,
  b: CustomTicket,
  options: Options,
) => true | string;

/** What a game with these tickets costs at least, whoever else plays in it. The bounds of the search count it. */
export type Least<Options extends CustomOptions = CustomOptions> = (
  tickets: readonly CustomTicket[],
  options: Options,
) => number;
