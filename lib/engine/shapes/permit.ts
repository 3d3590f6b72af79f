import type { Constraints, Facet, Ruling } from '../types.ts';
import { membersOf, type ShapedGame } from './shape-game.ts';
import type { ShapeTicket } from './shape-ticket.ts';

/** The constraints on the games of one facet, for games that are put together ticket by ticket. */
export class Permit {
  readonly #constraints: Constraints;
  readonly #facet: Facet | undefined;
  readonly #teams: number;
  /** By the numbers of two tickets: whether they may be on one team. */
  readonly #mates = new Map<number, Map<number, boolean>>();
  #pairs = 0;
  #areAllMates = false;

  /** @param teams of a game */
  constructor(constraints: Constraints, facet: Facet | undefined, teams: number) {
    this.#constraints = constraints;
    this.#facet = facet;
    this.#teams = teams;
    this.#areAllMates = !constraints.judgesTeams;
  }

  /** Whether it depends on who plays on which team whether a game is permitted, or what it costs. */
  get judgesTeams(): boolean {
    return this.#constraints.judgesTeams;
  }

  /** Whether any game costs anything before it is judged. */
  get hasCosts(): boolean {
    return this.#constraints.hasCosts;
  }

  /** Begins a game with these tickets. They may be in one game. */
  begin(members: Iterable<ShapeTicket>): void {
    this.#constraints.start(this.#facet);
    for (const ticket of members) this.join(ticket);
  }

  admits(ticket: ShapeTicket): boolean {
    return this.#constraints.admits(this.#numberOf(ticket));
  }

  join(ticket: ShapeTicket): void {
    this.#constraints.join(this.#numberOf(ticket));
  }

  /** Whether the cost grows when the ticket joins. */
  raisesCost(ticket: ShapeTicket): boolean {
    return this.#constraints.costWith(this.#numberOf(ticket)) > this.#constraints.cost();
  }

  /**
   * What a game costs less its cost before when a ticket is replaced by another; undefined when the other may not be in it.
   * Begins the game without the replaced ticket.
   */
  costOfReplacing(
    members: Iterable<ShapeTicket>,
    gone: ShapeTicket,
    ticket: ShapeTicket,
  ): number | undefined {
    const constraints = this.#constraints;
    constraints.start(this.#facet);
    for (const member of members) if (member !== gone) this.join(member);
    const number = this.#numberOf(ticket);
    if (!constraints.admits(number)) return undefined;
    if (!constraints.hasCosts) return 0;
    return constraints.costWith(number) - constraints.costWith(this.#numberOf(gone));
  }

  /** Whether two tickets may be on one team, as far as pairs tell. Parties that may be divided always may. */
  mayBeMates(a: ShapeTicket, b: ShapeTicket): boolean {
    if (this.#areAllMates || a === b || a.isSplit || b.isSplit) return true;
    const x = this.#numberOf(a);
    const y = this.#numberOf(b);
    const [low, high] = x < y ? [x, y] : [y, x];
    if (this.#pairs >= pairsMax) {
      this.#mates.clear();
      this.#pairs = 0;
    }
    let known = this.#mates.get(low);
    if (!known) {
      known = new Map();
      this.#mates.set(low, known);
    }
    let may = known.get(high);
    if (may === undefined) {
      const nonMates = this.#constraints.nonMates([low, high]);
      if (nonMates === undefined) {
        this.#areAllMates = true;
        return true;
      }
      may = nonMates[0] === 0;
      known.set(high, may);
      this.#pairs++;
    }
    return may;
  }

  /** The ruling on a whole game that has no shortfall. */
  judge(game: Pick<ShapedGame, 'members' | 'teams'>): Ruling {
    return this.#constraints.judge(this.#teamsOf(game), true)!;
  }

  /** By how much a whole game breaks what it has to fulfil; 0 exactly when `judge` permits it. */
  shortfall(game: Pick<ShapedGame, 'members' | 'teams'>): number {
    return this.#constraints.shortfall(this.#teamsOf(game));
  }

  #teamsOf({ members, teams }: Pick<ShapedGame, 'members' | 'teams'>) {
    const numbers = members.map((member) => this.#numberOf(member));
    return membersOf(members, numbers, teams, this.#teams);
  }

  #numberOf({ ticket }: ShapeTicket): number {
    return this.#constraints.enter(ticket);
  }
}

/** The maximum of pairs that are remembered, of which a large pool has many millions. */
const pairsMax = 100_000;
