import type { Division } from '../model/division.ts';
import { teamsOf } from '../model/division.ts';
import { partyDivisions } from '../model/divisions.ts';
import { shapeOf } from '../model/game-shape.ts';
import { teamGap } from '../model/imbalance.ts';
import type { PooledTicket } from '../model/pooled-ticket.ts';
import type { RoleTable } from '../model/roles.ts';
import { SoloDivider } from '../model/solo-divider.ts';
import { TicketDivider } from '../model/ticket-divider.ts';
import type { Constraints, GameRules, Ruling } from '../types.ts';

/** Tickets divided into the teams of a game that the constraints permit. */
export interface RuledGame {
  readonly members: readonly PooledTicket[];
  readonly division: Division;
  /** f with the cost of the ruling. */
  readonly imbalance: number;
  /** The members by their places in the pool. */
  readonly places: Int32Array;
}

/** Divides the tickets of a game so that f with its costs is least and the constraints permit it. */
export class RuledDivider {
  /** What `divide` found. */
  division: Division = 0;

  readonly #rules: GameRules;
  readonly #roles: RoleTable | undefined;
  readonly #constraints: Constraints;
  readonly #tickets: TicketDivider;
  /** For solo players with p = 1. */
  readonly #solos: SoloDivider | undefined;

  constructor(rules: GameRules, roles: RoleTable | undefined, constraints: Constraints) {
    this.#rules = rules;
    this.#roles = roles;
    this.#constraints = constraints;
    this.#tickets = new TicketDivider(rules, roles);
    this.#solos = rules.p === 1 && !roles ? new SoloDivider(rules) : undefined;
  }

  /** The exact v_q of these tickets. */
  skillSpread(members: readonly PooledTicket[]): number {
    return this.#tickets.skillSpread(members);
  }

  /**
   * The least f, with costs, of these tickets below `limit`; ∞ if there is none.
   *
   * @param v their v_q
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
  ): number {
    const constraints = this.#constraints;
    if (constraints.judgesTeams) return this.#judgeEach(members, numbers, v, cost, limit);
    const gap = this.#fairest(members, values);
    const f = this.#rules.alpha * gap + v;
    if (f + cost >= limit) return Number.POSITIVE_INFINITY;
    if (!constraints.judgesGames) return f + cost;
    const ruling = this.judge(members.length, numbers, this.division);
    const all = ruling ? f + ruling.cost : Number.POSITIVE_INFINITY;
    return all < limit ? all : Number.POSITIVE_INFINITY;
  }

  /** The ruling on a division of these tickets. */
  judge(members: number, numbers: ArrayLike<number>, division: Division): Ruling | undefined {
    return this.#constraints.judge(
      teamsOf(
        Array.from({ length: members }, (_, i) => numbers[i]),
        division,
      ),
    );
  }

  #fairest(members: readonly PooledTicket[], values: Float64Array | undefined): number {
    if (this.#solos && values) {
      const gap = this.#solos.divide(values, 0);
      this.division = this.#solos.division;
      return gap;
    }
    const gap = this.#tickets.divide(members);
    this.division = this.#tickets.division;
    return gap;
  }

  /** Tries every division whose teamGap leaves room for a better game. */
  #judgeEach(
    members: readonly PooledTicket[],
    numbers: ArrayLike<number>,
    v: number,
    cost: number,
    limit: number,
  ): number {
    const { alpha, p } = this.#rules;
    let least = limit;
    for (const division of partyDivisions(members, shapeOf(this.#rules))) {
      const [x, y] = teamsOf(members, division);
      const f = alpha * teamGap(skillsOf(x), skillsOf(y), p) + v;
      if (f + cost >= least) continue;
      if (this.#roles && !(canSeat(this.#roles, x) && canSeat(this.#roles, y))) continue;
      const ruling = this.judge(members.length, numbers, division);
      if (!ruling || f + ruling.cost >= least) continue;
      least = f + ruling.cost;
      this.division = division;
    }
    return least < limit ? least : Number.POSITIVE_INFINITY;
  }
}

function skillsOf(team: readonly PooledTicket[]): number[] {
  return team.flatMap(({ skills }) => [...skills]);
}

function canSeat(roles: RoleTable, team: readonly PooledTicket[]): boolean {
  return roles.canSeatTeam(team.flatMap(({ masks }) => [...masks]));
}
