import { imbalancePerRange, lemma1 } from '../bounds/range-bounds.ts';
import type { Division } from '../model/division.ts';
import { teamsOf } from '../model/division.ts';
import { partyDivisions } from '../model/divisions.ts';
import { shapeOf } from '../model/game-shape.ts';
import { teamGap } from '../model/imbalance.ts';
import type { PooledTicket } from '../model/pooled-ticket.ts';
import type { RoleTable } from '../model/roles.ts';
import type { SearchClock } from '../model/search-clock.ts';
import { SoloDivider } from '../model/solo-divider.ts';
import { TicketDivider } from '../model/ticket-divider.ts';
import { ChosenTickets } from '../search/chosen-tickets.ts';
import type { Constraints, Forbids, GameRules, Ruling } from '../types.ts';
import type { RuledChoice, RuledTeams } from './ruled-teams.ts';

/** Two equal teams of up to 8 players. */
export class TwoTeams implements RuledTeams {
  readonly seats: number;
  readonly seatsMin: number;
  readonly perRange: number;
  readonly gapPerRange = 0;
  readonly emptySeatCost = 0;
  readonly choice: RuledChoice | undefined;
  wasCut = false;
  division: Division = 0;

  /** Rulings and divisions since `takeWork` was called last. */
  #rulings = 0;
  #divisions = 0;

  readonly #rules: GameRules;
  readonly #roles: RoleTable | undefined;
  readonly #constraints: Constraints;
  readonly #clock: SearchClock;
  readonly #tickets: TicketDivider;
  /** For solo players with p = 1. */
  readonly #solos: SoloDivider | undefined;

  constructor(
    rules: GameRules,
    roles: RoleTable | undefined,
    forbids: Forbids | undefined,
    constraints: Constraints,
    hasParties: boolean,
    clock: SearchClock,
  ) {
    this.#clock = clock;
    const { seats } = shapeOf(rules);
    this.seats = this.seatsMin = seats;
    this.perRange = imbalancePerRange(rules);
    this.choice = hasParties || roles || forbids ? new TwoTeamChoice(rules, roles, forbids) : undefined;
    this.#rules = rules;
    this.#roles = roles;
    this.#constraints = constraints;
    this.#tickets = new TicketDivider(rules, roles);
    this.#solos = rules.p === 1 && !roles ? new SoloDivider(rules) : undefined;
  }

  highest(low: number, high: number): number {
    const { alpha, teamSize } = this.#rules;
    return lemma1(Math.max(0, high - low), alpha * teamSize, high) * (1 + 1e-9);
  }

  lowest(): number {
    return 0;
  }

  skillSpread(members: readonly PooledTicket[]): number {
    return this.#tickets.skillSpread(members);
  }

  divide(
    members: readonly PooledTicket[],
    numbers: ArrayLike<number>,
    v: number,
    cost: number,
    limit: number,
    values: Float64Array | undefined,
  ): number {
    const constraints = this.#constraints;
    this.wasCut = false;
    if (constraints.judgesTeams) return this.#judgeEach(members, numbers, v, cost, limit);
    const gap = this.#fairest(members, values);
    const f = this.#rules.alpha * gap + v;
    if (f + cost >= limit) return Number.POSITIVE_INFINITY;
    if (!constraints.judgesGames) return f + cost;
    const ruling = this.#judge(members.length, numbers, this.division);
    const all = ruling ? f + ruling.cost : Number.POSITIVE_INFINITY;
    return all < limit ? all : Number.POSITIVE_INFINITY;
  }

  takeWork(): number {
    const work = this.#rulings / rulingsPerNode + this.#divisions / divisionsPerNode;
    this.#rulings = this.#divisions = 0;
    return Math.ceil(work);
  }

  /** The ruling on a division of these tickets. */
  #judge(members: number, numbers: ArrayLike<number>, division: Division): Ruling | undefined {
    this.#rulings++;
    this.#clock.isOver(stepsPerRuling);
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
      this.#clock.isOver(this.#solos.steps);
      this.division = this.#solos.division;
      return gap;
    }
    const gap = this.#tickets.divide(members);
    this.#clock.isOver(this.#tickets.steps);
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
      if (this.#clock.isOver()) {
        this.wasCut = true;
        break;
      }
      this.#divisions++;
      const [x, y] = teamsOf(members, division);
      const f = alpha * teamGap(skillsOf(x), skillsOf(y), p) + v;
      if (f + cost >= least) continue;
      if (this.#roles && !(canSeat(this.#roles, x) && canSeat(this.#roles, y))) continue;
      const ruling = this.#judge(members.length, numbers, division);
      if (!ruling || f + ruling.cost >= least) continue;
      least = f + ruling.cost;
      this.division = division;
    }
    return least < limit ? least : Number.POSITIVE_INFINITY;
  }
}

/** Sizes, roles and refused pairs of two equal teams. */
class TwoTeamChoice implements RuledChoice {
  readonly #chosen: ChosenTickets;

  constructor(rules: GameRules, roles: RoleTable | undefined, forbids: Forbids | undefined) {
    this.#chosen = new ChosenTickets(rules, roles, forbids);
  }

  start(anchor: PooledTicket, candidates: readonly PooledTicket[]): boolean {
    return this.#chosen.start({ tickets: [anchor, ...candidates], anchor: 0, credits: [] });
  }

  hasSeat({ masks }: PooledTicket): boolean {
    return this.#chosen.seating.hasSeat(masks);
  }

  mayJoin(pooled: PooledTicket, r: number): boolean {
    const chosen = this.#chosen;
    return (
      pooled.size <= r &&
      chosen.fitsSize(pooled.size) &&
      chosen.seating.hasSeat(pooled.masks) &&
      !chosen.refuses(pooled)
    );
  }

  join(pooled: PooledTicket): boolean {
    return this.#chosen.join(pooled);
  }

  leave(): void {
    this.#chosen.leave();
  }
}

function skillsOf(team: readonly PooledTicket[]): number[] {
  return team.flatMap(({ skills }) => [...skills]);
}

function canSeat(roles: RoleTable, team: readonly PooledTicket[]): boolean {
  return roles.canSeatTeam(team.flatMap(({ masks }) => [...masks]));
}

/** Rulings on divisions count towards the node budget, or a rule that few divisions fulfil would take minutes. */
const rulingsPerNode = 8;

/** Divisions that are not judged count, too. */
const divisionsPerNode = 64;

/** A ruling on up to 16 players under 30 rules takes some ten microseconds. */
const stepsPerRuling = 8;
