import type { SearchClock } from '../model/search-clock.ts';
import type { Constraints, GameRules, Ruling } from '../types.ts';
import type { Layout } from './layout.ts';
import { ShapeDivider } from './shape-divider.ts';
import { membersOf } from './shape-game.ts';
import type { ShapeTicket } from './shape-ticket.ts';

/** The fairest division of tickets into the teams of a layout that the constraints permit, if there are any. */
export class PermittedDivider {
  /** The team of each player, in the order of the members and their players. Set by `divide` when it succeeds. */
  division: Uint8Array = new Uint8Array(0);
  /** Whether the last `divide` gave up before it had tried all divisions that it had to. */
  wasCut = false;

  readonly #alpha: number;
  readonly #teams: number;
  readonly #constraints: Constraints | undefined;
  readonly #divider: ShapeDivider;
  readonly #clock: SearchClock;
  /** The rulings since the last `takeWork` on games that cost more than it was known before. */
  #priced = 0;

  constructor(rules: GameRules, layout: Layout, constraints: Constraints | undefined, clock: SearchClock) {
    this.#alpha = rules.alpha;
    this.#teams = layout.teams;
    this.#constraints = constraints;
    this.#divider = new ShapeDivider(rules, layout, clock);
    this.#clock = clock;
  }

  /**
   * The least imbalance below `limit` of these tickets, with the cost of the constraints; ∞ if there is none.
   *
   * @param numbers of the members in the constraints
   * @param v their v_q, and the imbalance of empty seats
   * @param cost the cost of their game, as far as it does not depend on the whole game
   */
  divide(
    members: readonly ShapeTicket[],
    numbers: readonly number[],
    v: number,
    cost: number,
    limit: number,
  ): number {
    const constraints = this.#constraints;
    const divider = this.#divider;
    const nonMates = constraints?.judgesTeams ? constraints.nonMates(numbers) : undefined;
    // The fairest division is rarely one of those that are left.
    if (constraints && nonMates)
      return this.#divideJudged(constraints, members, numbers, nonMates, v, cost, limit, limit);
    const gap = divider.divide(members, (limit - v - cost) / this.#alpha);
    this.wasCut = divider.wasCut;
    if (gap === Number.POSITIVE_INFINITY) return gap;
    this.division = divider.teams;
    const f = this.#alpha * gap + v;
    if (!constraints?.judgesGames) return f + cost < limit ? f + cost : Number.POSITIVE_INFINITY;
    const ruling = this.#rulingOn(constraints, members, numbers, divider.teams, cost);
    const known = Math.max(cost, constraints.leastInTeams);
    const least = Math.min(limit, ruling ? f + ruling.cost : limit);
    // No other division has a lower teamGap.
    if (f + known >= least) return least < limit ? least : Number.POSITIVE_INFINITY;
    return this.#divideJudged(constraints, members, numbers, undefined, v, known, limit, least);
  }

  /** The steps of `divide` since the last call, as nodes of a search. */
  takeWork(): number {
    const work = (this.#divider.steps >> 4) + stepsPerRuling * this.#priced;
    this.#divider.steps = this.#priced = 0;
    return work;
  }

  /** The ruling on a division. @param cost the cost that was known before */
  #rulingOn(
    constraints: Constraints,
    members: readonly ShapeTicket[],
    numbers: readonly number[],
    division: Uint8Array,
    cost: number,
  ): Ruling | undefined {
    const ruling = constraints.judge(membersOf(members, numbers, division, this.#teams));
    if (ruling && ruling.cost > cost) this.#priced++;
    return ruling;
  }

  /**
   * The same where another division may have a better ruling than the fairest: all whose teamGap leaves room are judged, the
   * fairest first.
   *
   * @param known what their game costs at least, whatever the teams
   * @param first the imbalance of the fairest if it is permitted and below `limit`, else `limit`
   */
  #divideJudged(
    constraints: Constraints,
    members: readonly ShapeTicket[],
    numbers: readonly number[],
    nonMates: ArrayLike<number> | undefined,
    v: number,
    known: number,
    limit: number,
    first: number,
  ): number {
    const alpha = this.#alpha;
    const divider = this.#divider;
    const players = members.reduce((sum, { size }) => sum + size, 0);
    let least = first;
    let cost = known;
    this.division = this.division.slice(0, players);
    let found: { gap: number; teams: Uint8Array }[] = [];
    // A ruling is slow, so the fairest divisions are judged first: mostly one of the first is permitted.
    const judgeFound = () => {
      found.sort((a, b) => a.gap - b.gap);
      for (const { gap, teams } of found) {
        const f = alpha * gap + v;
        if (f + cost >= least || this.#clock.isOver(stepsPerRuling)) break;
        const ruling = this.#rulingOn(constraints, members, numbers, teams, cost);
        cost = Math.max(cost, constraints.leastInTeams);
        if (!ruling || f + ruling.cost >= least) continue;
        least = f + ruling.cost;
        this.division = teams;
      }
      found = [];
    };
    divider.divideEach(members, (least - v - cost) / alpha, nonMates, (teams, gap) => {
      found.push({ gap, teams: teams.slice(0, players) });
      if (found.length === judgedAtOnce) judgeFound();
      return (least - v - cost) / alpha;
    });
    judgeFound();
    this.wasCut = divider.wasCut || this.#clock.wasOver;
    return least < limit ? least : Number.POSITIVE_INFINITY;
  }
}

/** A ruling on up to 16 players under 30 rules takes some ten microseconds. */
const stepsPerRuling = 8;

/** The divisions that are sorted before they are judged. */
const judgedAtOnce = 6000;
