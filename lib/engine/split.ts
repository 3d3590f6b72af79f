import { fairness } from './imbalance.ts';
import type { PooledTicket } from './pooled-ticket.ts';
import type { RoleTable } from './roles.ts';
import type { GameRules } from './types.ts';

/**
 * Divides the tickets of a game into two full teams as fairly as possible: no ticket split, every player
 * in a role it accepts. PARTITION is NP-hard, but a game has at most 16 players: all divisions are
 * tried, and the seating only of those that are fairer than the best so far.
 */
export class Splitter {
  /** The answer: bit i is set when ticket i plays on the first team. The first ticket always does. */
  firstTeam = 0;

  readonly #rules: GameRules;
  readonly #roles: RoleTable | undefined;
  readonly #masks: Uint8Array;
  readonly #weights = new Float64Array(16);
  readonly #x: Float64Array;
  readonly #y: Float64Array;
  #members: readonly PooledTicket[] = [];
  #least = 0;

  constructor(rules: GameRules, roles: RoleTable | undefined) {
    this.#rules = rules;
    this.#roles = roles;
    this.#masks = new Uint8Array(rules.teamSize);
    this.#x = new Float64Array(rules.teamSize);
    this.#y = new Float64Array(rules.teamSize);
  }

  /** The least d_p of these tickets' divisions, ∞ if there is none. Equally fair ones: the first found. */
  split(members: readonly PooledTicket[]): number {
    const { p, teamSize } = this.#rules;
    this.#members = members;
    this.#weigh();
    this.#least = Number.POSITIVE_INFINITY;
    this.firstTeam = 0;
    if (p === Number.POSITIVE_INFINITY) this.#byTop(1, 1, teamSize - members[0].size, this.#weights[0], -1);
    else this.#bySum(1, 1, teamSize - members[0].size, this.#weights[0]);
    if (this.firstTeam === 0) return Number.POSITIVE_INFINITY;
    let x = 0;
    let y = 0;
    for (let i = 0; i < members.length; i++) {
      const first = (this.firstTeam >> i) & 1;
      for (const skill of members[i].skills) {
        if (first) this.#x[x++] = skill;
        else this.#y[y++] = skill;
      }
    }
    return fairness(this.#x, this.#y, p);
  }

  /**
   * A ticket's weight: its top skill for p = ∞, else its sum of (s / top)^p, for p = 1 of s relative to a
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

  #bySum(index: number, team: number, free: number, sum: number): void {
    if (free === 0) {
      let rest = 0;
      for (let i = 0; i < this.#members.length; i++) if (((team >> i) & 1) === 0) rest += this.#weights[i];
      // For 1 < p < ∞ and A + B fixed, |A^(1/p) − B^(1/p)| falls as the smaller of A and B grows. (Not taken from the
      // difference: the root is steep near zero, where a difference has lost all precision.)
      this.#consider(team, this.#rules.p === 1 ? Math.abs(sum - rest) : -Math.min(sum, rest));
      return;
    }
    if (index === this.#members.length) return;
    const { size } = this.#members[index];
    if (size <= free) this.#bySum(index + 1, team | (1 << index), free - size, sum + this.#weights[index]);
    this.#bySum(index + 1, team, free, sum);
  }

  #byTop(index: number, team: number, free: number, x: number, y: number): void {
    if (index === this.#members.length) {
      if (free === 0) this.#consider(team, Math.abs(x - y));
      return;
    }
    const weight = this.#weights[index];
    const { size } = this.#members[index];
    if (size <= free) this.#byTop(index + 1, team | (1 << index), free - size, Math.max(x, weight), y);
    this.#byTop(index + 1, team, free, x, Math.max(y, weight));
  }

  #consider(team: number, distance: number): void {
    if (distance >= this.#least) return;
    if (this.#roles && !(this.#canSeat(team) && this.#canSeat(~team))) return;
    this.#least = distance;
    this.firstTeam = team;
  }

  #canSeat(team: number): boolean {
    let filled = 0;
    for (let i = 0; i < this.#members.length; i++) {
      if (((team >> i) & 1) === 0) continue;
      for (const mask of this.#members[i].masks) this.#masks[filled++] = mask;
    }
    return this.#roles!.canSeat(this.#masks, 1);
  }
}

/** The skills of the tickets whose bit is set, in order. */
export function skillsOf(members: readonly PooledTicket[], team: number): number[] {
  const skills: number[] = [];
  for (let i = 0; i < members.length; i++) {
    if ((team >> i) & 1) for (const skill of members[i].skills) skills.push(skill);
  }
  return skills;
}
