import { skillSpread } from '../model/imbalance.ts';
import type { PooledTicket } from '../model/pooled-ticket.ts';
import type { Game, GameRules } from '../types.ts';
import type { Layout } from './layout.ts';
import { ShapeDivider } from './shape-divider.ts';
import { makeShapedGame } from './shape-game.ts';
import type { ShapeTicket } from './shape-ticket.ts';

/** Full games of up to 16 seats from given tickets, for exchanges between the games of a partition. */
export class ShapeGames {
  readonly #rules: GameRules;
  readonly #layout: Layout;
  readonly #divider: ShapeDivider;
  readonly #skills: Float64Array;

  constructor(rules: GameRules, layout: Layout) {
    this.#rules = rules;
    this.#layout = layout;
    this.#divider = new ShapeDivider(rules, layout);
    this.#skills = new Float64Array(layout.seats);
  }

  /** Whether some team takes each player of the ticket. The divider does not ask where all teams are of one kind. */
  mayPlay(ticket: PooledTicket): boolean {
    return !(ticket as ShapeTicket).kinds.includes(0);
  }

  skillSpread(members: readonly PooledTicket[]): number {
    let filled = 0;
    for (const { skills } of members) {
      for (let i = 0; i < skills.length; i++) this.#skills[filled++] = skills[i];
    }
    return skillSpread(this.#skills, this.#rules.q);
  }

  /** The least teamGap below `room` of the divisions of these tickets, ∞ if there is none. They have to fill all seats. */
  divide(members: readonly PooledTicket[], room: number): number {
    return this.#divider.divide(members as readonly ShapeTicket[], room);
  }

  /** The team of each player, in the order of the members that `divide` divided last. */
  get division(): Uint8Array {
    return this.#divider.teams.slice();
  }

  /** The game of these tickets in this division. */
  gameOf(members: readonly PooledTicket[], division: Uint8Array, nowMs: number): Game {
    const game = { members: members as readonly ShapeTicket[], teams: division };
    return makeShapedGame(game, this.#rules, this.#layout, nowMs, Number.NEGATIVE_INFINITY);
  }
}
