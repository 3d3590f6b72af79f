import type { GameRules } from '../types.ts';
import type { Division } from './division.ts';
import { partyDivisions } from './divisions.ts';
import { type GameShape, shapeOf } from './game-shape.ts';
import { leastPowerSum, skillSpread, teamGap } from './imbalance.ts';
import type { PooledTicket } from './pooled-ticket.ts';
import type { RoleTable } from './roles.ts';
import { TeamSeating } from './team-seating.ts';

/**
 * Divides the tickets of a game into two full teams as fairly as possible. No ticket is split, and every player
 * gets a role it accepts. PARTITION is NP-hard, but a game has at most 16 players. So all divisions are
 * tried, and only those that are fairer than the best so far are seated.
 */
export class TicketDivider {
  /** The result of `divide`; the first ticket is on team 0. */
  division: Division = 0;
  /** The work of the last `divide`, in steps of a `SearchClock`. */
  steps = 0;

  readonly #rules: GameRules;
  readonly #shape: GameShape;
  readonly #roles: RoleTable | undefined;
  /** Built at the first division. */
  #seating: TeamSeating | undefined;
  readonly #weights = new Float64Array(16);
  /** The weight of each subset of the lower half of the tickets, and of the upper half. */
  readonly #lower = new Float64Array(256);
  readonly #upper = new Float64Array(256);
  readonly #x: Float64Array;
  readonly #y: Float64Array;
  readonly #skills: Float64Array;
  #members: readonly PooledTicket[] = [];

  constructor(rules: GameRules, roles: RoleTable | undefined) {
    const shape = shapeOf(rules);
    this.#rules = rules;
    this.#shape = shape;
    this.#roles = roles;
    this.#x = new Float64Array(shape.teamSizes[0]);
    this.#y = new Float64Array(shape.teamSizes[1]);
    this.#skills = new Float64Array(shape.seats);
  }

  /** The exact v_q of the players of these tickets. */
  skillSpread(members: readonly PooledTicket[]): number {
    let filled = 0;
    for (const { skills } of members) {
      for (let i = 0; i < skills.length; i++) this.#skills[filled++] = skills[i];
    }
    return skillSpread(this.#skills, this.#rules.q);
  }

  /**
   * The least d_p of all divisions of these tickets, ∞ if there is none. Of equally fair ones it keeps the first.
   *
   * @param room divisions that are as unfair as this or more need not be found
   */
  divide(members: readonly PooledTicket[], room = Number.POSITIVE_INFINITY): number {
    const { p } = this.#rules;
    this.#members = members;
    this.#weigh();
    this.division = 0;
    const half = members.length >> 1;
    const lowest = 2 ** half - 1;
    const all = 2 ** members.length - 1;
    const lower = this.#lower;
    const upper = this.#upper;
    this.#weighSets(lower, 0, half);
    this.#weighSets(upper, half, members.length);
    if (this.#roles) {
      this.#seating ??= new TeamSeating(this.#roles, this.#shape.teamSizes[0]);
      this.#seating.prepare(members, masksOf);
    }
    const isTop = p === Number.POSITIVE_INFINITY;
    let least = p === 1 || isTop ? room * (1 + rounding) : Number.POSITIVE_INFINITY;
    const divisions = partyDivisions(members, this.#shape);
    this.steps = 1 + (divisions.length >> 6);
    for (const team of divisions) {
      const others = all & ~team;
      let distance: number;
      if (isTop) {
        const x = Math.max(lower[team & lowest], upper[team >> half]);
        const y = Math.max(lower[others & lowest], upper[others >> half]);
        distance = Math.abs(x - y);
      } else {
        const x = lower[team & lowest] + upper[team >> half];
        const y = lower[others & lowest] + upper[others >> half];
        // For 1 < p < ∞ and A + B fixed, |A^(1/p) − B^(1/p)| falls as the smaller of A and B grows. (Not taken from the
        // difference: the root is steep near zero, where a difference has lost all precision.)
        distance = p === 1 ? Math.abs(x - y) : -Math.min(x, y);
      }
      if (distance >= least) continue;
      if (!this.#canSeat(team, others)) continue;
      least = distance;
      this.division = team;
    }
    if (this.division === 0) return Number.POSITIVE_INFINITY;
    return p > 1 && !isTop && -least < leastPowerSum ? this.#leastGap() : this.#teamGap(this.division);
  }

  /** Large finite p: the least d_p when sums of powers cannot distinguish the divisions. */
  #leastGap(): number {
    const all = 2 ** this.#members.length - 1;
    let least = Number.POSITIVE_INFINITY;
    const divisions = partyDivisions(this.#members, this.#shape);
    this.steps += divisions.length;
    for (const team of divisions) {
      const gap = this.#teamGap(team);
      if (gap >= least) continue;
      if (!this.#canSeat(team, all & ~team)) continue;
      least = gap;
      this.division = team;
    }
    return least;
  }

  /** The exact d_p of a division. */
  #teamGap(division: Division): number {
    let x = 0;
    let y = 0;
    for (let i = 0; i < this.#members.length; i++) {
      const { skills } = this.#members[i];
      const first = (division >> i) & 1;
      for (let s = 0; s < skills.length; s++) {
        if (first) this.#x[x++] = skills[s];
        else this.#y[y++] = skills[s];
      }
    }
    return teamGap(this.#x, this.#y, this.#rules.p);
  }

  /**
   * A ticket's weight: its top skill for p = ∞; otherwise its sum of (s / top)^p, where for p = 1 s is relative to a
   * common origin.
   */
  #weigh(): void {
    const { p } = this.#rules;
    const members = this.#members;
    let top = Number.MIN_VALUE;
    for (const member of members) top = Math.max(top, member.high);
    const origin = members[0].low;
    for (let i = 0; i < members.length; i++) {
      let weight = 0;
      if (p === Number.POSITIVE_INFINITY) weight = members[i].high;
      else for (const skill of members[i].skills) weight += p === 1 ? skill - origin : (skill / top) ** p;
      this.#weights[i] = weight;
    }
  }

  /** For every subset of the tickets `from` to `to`, indexed by its bits: the sum of the weights, or for p = ∞ the greatest. */
  #weighSets(sets: Float64Array, from: number, to: number): void {
    const isTop = this.#rules.p === Number.POSITIVE_INFINITY;
    sets[0] = 0;
    for (let i = from, size = 1; i < to; i++, size *= 2) {
      const weight = this.#weights[i];
      for (let set = 0; set < size; set++)
        sets[size + set] = isTop ? Math.max(sets[set], weight) : sets[set] + weight;
    }
  }

  #canSeat(team: Division, others: Division): boolean {
    return !this.#seating || (this.#seating.canSeat(team) && this.#seating.canSeat(others));
  }
}

const masksOf = ({ masks }: PooledTicket) => masks;

/** The relative difference of two ways to compute a sum of skills, with a margin. */
const rounding = 1e-9;
