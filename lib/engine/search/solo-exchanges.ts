import { type Division, teamAfterTeam, teamsOf } from '../model/division.ts';
import { mayAllMeet } from '../model/forbids.ts';
import { shapeOf } from '../model/game-shape.ts';
import { skillSpread, teamGap } from '../model/imbalance.ts';
import type { PooledTicket } from '../model/pooled-ticket.ts';
import type { RoleTable } from '../model/roles.ts';
import { SearchClock } from '../model/search-clock.ts';
import { TicketDivider } from '../model/ticket-divider.ts';
import type { Forbids, GameRules } from '../types.ts';

/**
 * Searches for a good game of solo players, starting from a set of similar skill. It makes the best of all exchanges of
 * one or two players, divides the players again, and repeats. Around a set of least v_q there are many games of about the
 * same skillSpread, and some of them are fair. It proves nothing.
 *
 * Cost: a few rounds of some thousand exchanges, a millisecond or two.
 */
export class SoloExchanges {
  /** The best game of the last `search`. */
  members: readonly PooledTicket[] = [];
  division: Division = 0;
  imbalance = Number.POSITIVE_INFINITY;

  readonly #rules: GameRules;
  readonly #roles: RoleTable | undefined;
  readonly #forbids: Forbids | undefined;
  readonly #divider: TicketDivider;
  readonly #clock: SearchClock;
  /** The skills of the two current teams, one after the other, and each team's own view. */
  readonly #skills: Float64Array;
  readonly #x: Float64Array;
  readonly #y: Float64Array;

  constructor(
    rules: GameRules,
    roles: RoleTable | undefined,
    forbids: Forbids | undefined,
    clock = new SearchClock(),
  ) {
    const { teamSizes, seats } = shapeOf(rules);
    this.#rules = rules;
    this.#roles = roles;
    this.#forbids = forbids;
    this.#clock = clock;
    this.#divider = new TicketDivider(rules, roles);
    this.#skills = new Float64Array(seats);
    this.#x = this.#skills.subarray(0, teamSizes[0]);
    this.#y = this.#skills.subarray(teamSizes[0]);
  }

  /**
   * Returns whether it found a game.
   *
   * @param basis 2k solo players who can be seated together
   * @param others solo players who may replace them
   */
  search(basis: readonly PooledTicket[], others: readonly PooledTicket[]): boolean {
    const all = [...basis, ...others];
    let teams = this.#divide(basis);
    this.imbalance = Number.POSITIVE_INFINITY;
    this.division = teamAfterTeam(shapeOf(this.#rules));
    if (this.#mayPlay(teams)) this.#keep(teams, this.#imbalanceOf(teams));
    for (let round = 0; round < roundsMax; round++) {
      const before = this.imbalance;
      this.#exchange(teams, all);
      if (!(this.imbalance < before)) break;
      teams = this.#divide(this.members);
      const divided = this.#imbalanceOf(teams);
      if (divided < this.imbalance) this.#keep(teams, divided);
    }
    return this.imbalance < Number.POSITIVE_INFINITY;
  }

  /** The same players in the fairest teams, one team after the other. */
  #divide(members: readonly PooledTicket[]): PooledTicket[] {
    this.#divider.divide(members);
    return teamsOf(members, this.#divider.division).flat();
  }

  #imbalanceOf(teams: readonly PooledTicket[]): number {
    this.#lineUp(teams);
    return this.#rules.alpha * this.#teamGap() + skillSpread(this.#skills, this.#rules.q);
  }

  #keep(teams: readonly PooledTicket[], f: number): void {
    this.members = teams;
    this.imbalance = f;
  }

  #lineUp(teams: readonly PooledTicket[]): void {
    for (let i = 0; i < teams.length; i++) this.#skills[i] = teams[i].mean;
  }

  #teamGap(): number {
    return teamGap(this.#x, this.#y, this.#rules.p);
  }

  /** Keeps the best game that one or two exchanges of these teams give, if it is better than the best so far. */
  #exchange(teams: readonly PooledTicket[], all: readonly PooledTicket[]): void {
    const skills = this.#skills;
    const singles = exchangesOf(teams, all);
    this.#lineUp(teams);
    for (let i = 0; i < singles.length; i++) {
      if (this.#clock.isOver(1 + (singles.length >> 2))) return;
      const first = singles[i];
      const { seat, skill } = first;
      const kept = skills[seat];
      skills[seat] = skill;
      this.#consider(teams, first, undefined);
      for (let j = i + 1; j < singles.length; j++) {
        const second = singles[j];
        if (second.seat === seat || second.taken === first.taken) continue;
        const keptToo = skills[second.seat];
        skills[second.seat] = second.skill;
        this.#consider(teams, first, second);
        skills[second.seat] = keptToo;
      }
      skills[seat] = kept;
    }
  }

  /** Keeps these teams after the exchanges, with skills already in place, if they form a better game. */
  #consider(teams: readonly PooledTicket[], first: Exchange, second: Exchange | undefined): void {
    const unfair = this.#rules.alpha * this.#teamGap();
    if (unfair >= this.imbalance) return;
    const f = unfair + skillSpread(this.#skills, this.#rules.q);
    if (f >= this.imbalance) return;
    const once = teams.with(first.seat, first.taken);
    const made = second ? once.with(second.seat, second.taken) : once;
    if (this.#mayPlay(made)) this.#keep(made, f);
  }

  /** Whether both teams can be seated and no pair is refused. */
  #mayPlay(teams: readonly PooledTicket[]): boolean {
    const roles = this.#roles;
    if (roles) {
      const masks = teams.map((player) => player.masks[0]);
      if (
        !roles.canSeatTeam(masks.slice(0, this.#x.length)) ||
        !roles.canSeatTeam(masks.slice(this.#x.length))
      )
        return false;
    }
    return mayAllMeet(teams, this.#forbids);
  }
}

/** Puts a player on the seat of another. */
interface Exchange {
  readonly seat: number;
  readonly taken: PooledTicket;
  readonly skill: number;
}

/** The exchanges of a player for one who accepts the same roles. */
function exchangesOf(teams: readonly PooledTicket[], all: readonly PooledTicket[]): Exchange[] {
  const inside = new Set(teams);
  const exchanges: Exchange[] = [];
  for (const taken of all) {
    if (inside.has(taken)) continue;
    for (let seat = 0; seat < teams.length; seat++) {
      if (teams[seat].masks[0] === taken.masks[0]) exchanges.push({ seat, taken, skill: taken.mean });
    }
  }
  return exchanges;
}

/** How often it restarts from a better game. One restart leaves wider gaps (p90 20% instead of 15% in a drain of extreme roles), ten give 14%. */
const roundsMax = 4;
