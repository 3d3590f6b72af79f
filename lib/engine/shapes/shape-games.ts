import { skillSpread } from '../model/imbalance.ts';
import { SearchClock } from '../model/search-clock.ts';
import type { Game, GameRules } from '../types.ts';
import { misfit } from './explain-shape.ts';
import type { Layout } from './layout.ts';
import { gameSeats, type SeatKeeper } from './seat-counts.ts';
import { ShapeDivider } from './shape-divider.ts';
import { makeShapedGame, type ShapedGame } from './shape-game.ts';
import type { ShapeTicket } from './shape-ticket.ts';

/** Full games of up to 16 seats from given tickets, without constraints, for partitions. */
export class ShapeGames {
  /** The work of all divisions, in steps of a `ShapeDivider`. */
  get steps(): number {
    return this.#divider.steps;
  }

  readonly #rules: GameRules;
  readonly #layout: Layout;
  readonly #divider: ShapeDivider;
  readonly #seats: SeatKeeper | undefined;
  readonly #skills: Float64Array;

  constructor(rules: GameRules, layout: Layout, clock = new SearchClock()) {
    this.#rules = rules;
    this.#layout = layout;
    this.#divider = new ShapeDivider(rules, layout, clock);
    this.#seats = gameSeats(layout);
    this.#skills = new Float64Array(layout.seats);
  }

  /** Whether some team takes the ticket. */
  mayPlay(ticket: ShapeTicket): boolean {
    return misfit(ticket, this.#layout) === undefined;
  }

  /** Whether the players of these tickets can be seated in one game, as if parties could be divided. */
  haveSeats(members: readonly ShapeTicket[]): boolean {
    const seats = this.#seats;
    if (!seats) return true;
    seats.clear();
    return members.every(({ classes }) => seats.join(classes!));
  }

  skillSpread(members: readonly ShapeTicket[]): number {
    let filled = 0;
    for (const { skills } of members) {
      for (let i = 0; i < skills.length; i++) this.#skills[filled++] = skills[i];
    }
    return skillSpread(this.#skills, this.#rules.q);
  }

  /** The least teamGap below `room` of the divisions of these tickets, ∞ if there is none. They have to fill all seats. */
  divide(members: readonly ShapeTicket[], room = Number.POSITIVE_INFINITY): number {
    return this.#divider.divide(members, room);
  }

  /** The team of each player, in the order of the members that `divide` divided last. */
  get teams(): Uint8Array {
    return this.#divider.teams.slice();
  }

  /** The fairest game of these tickets; its imbalance is ∞ if there is none. */
  fairest(members: readonly ShapeTicket[]): ShapedGame {
    const imbalance = this.#rules.alpha * this.divide(members) + this.skillSpread(members);
    return { members, teams: this.teams, imbalance };
  }

  /** Builds a game. */
  gameOf(game: Pick<ShapedGame, 'members' | 'teams'>, nowMs: number, lowerBound: number): Game {
    return makeShapedGame(game, this.#rules, this.#layout, nowMs, lowerBound);
  }
}
