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
  /** By the numbers of tickets, which every search below a higher limit comes upon again. */
  readonly #judged = new Map<string, Judged>();
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
    if (nonMates) return this.#divideJudged(members, numbers, nonMates, v, cost, limit);
    const gap = divider.divide(members, (limit - v - cost) / this.#alpha);
    this.wasCut = divider.wasCut;
    if (gap === Number.POSITIVE_INFINITY) return gap;
    this.division = divider.teams;
    const f = this.#alpha * gap + v;
    if (!constraints?.judgesGames) return f + cost < limit ? f + cost : Number.POSITIVE_INFINITY;
    const ruling = this.#rulingOn(members, numbers, divider.teams, cost);
    const known = Math.max(cost, constraints.leastInTeams);
    const fairest = ruling ? f + ruling.cost : Number.POSITIVE_INFINITY;
    // No other division has a lower teamGap.
    if (f + known >= Math.min(limit, fairest)) return fairest < limit ? fairest : Number.POSITIVE_INFINITY;
    return this.#divideJudged(members, numbers, undefined, v, known, limit, fairest);
  }

  /** The steps of `divide` since the last call, as nodes of a search. */
  takeWork(): number {
    const work = (this.#divider.steps >> 4) + stepsPerRuling * this.#priced;
    this.#divider.steps = this.#priced = 0;
    return work;
  }

  /** The ruling on a division. @param cost the cost that was known before */
  #rulingOn(
    members: readonly ShapeTicket[],
    numbers: readonly number[],
    division: Uint8Array,
    cost: number,
  ): Ruling | undefined {
    const ruling = this.#constraints!.judge(membersOf(members, numbers, division, this.#teams));
    if (ruling && ruling.cost > cost) this.#priced++;
    return ruling;
  }

  /**
   * The same where another division may have a better ruling than the fairest: all whose teamGap leaves room are judged, the
   * fairest first, unless they were before.
   *
   * @param known what their game costs at least, whatever the teams
   * @param fairest the imbalance of `division`, ∞ when that is refused
   */
  #divideJudged(
    members: readonly ShapeTicket[],
    numbers: readonly number[],
    nonMates: ArrayLike<number> | undefined,
    v: number,
    known: number,
    limit: number,
    fairest = Number.POSITIVE_INFINITY,
  ): number {
    const players = members.reduce((sum, { size }) => sum + size, 0);
    const key = `${numbers}`;
    const before = { gap: 0, least: fairest, teams: this.division.slice(0, players) };
    let { gap: judgedGap, least, teams: best } = this.#judged.get(key) ?? before;
    let cost = known;
    const most = () => Math.min(limit, least, Number.MAX_VALUE);
    const roomBelow = (f: number) => (f - v - cost) / this.#alpha;
    let found: { gap: number; teams: Uint8Array }[] = [];
    // A ruling is slow, so the fairest divisions are judged first: mostly one of the first is permitted.
    const judgeFound = () => {
      found.sort((a, b) => a.gap - b.gap);
      for (const { gap, teams } of found) {
        const f = this.#alpha * gap + v;
        if (f + cost >= most() || this.#clock.isOver(stepsPerRuling)) break;
        const ruling = this.#rulingOn(members, numbers, teams, cost);
        cost = Math.max(cost, this.#constraints!.leastInTeams);
        if (!ruling || f + ruling.cost >= least) continue;
        least = f + ruling.cost;
        best = teams;
      }
      found = [];
    };
    this.#divider.divideEach(members, roomBelow(most()), nonMates, (teams, gap) => {
      if (gap >= judgedGap) found.push({ gap, teams: teams.slice(0, players) });
      if (found.length === judgedAtOnce) judgeFound();
      return roomBelow(most());
    });
    judgeFound();
    this.wasCut = this.#divider.wasCut || this.#clock.wasOver;
    // Rounding may keep out a division at the very end of the room.
    if (!this.wasCut) judgedGap = Math.max(judgedGap, roomBelow(most() * (1 - 1e-9)));
    if (this.#judged.size >= judgedMax) this.#judged.clear();
    this.#judged.set(key, { gap: judgedGap, least, teams: best });
    this.division = best;
    return least < limit ? least : Number.POSITIVE_INFINITY;
  }
}

/** A ruling on up to 16 players under 30 rules takes some ten microseconds. */
const stepsPerRuling = 8;

/** The maximum of sets of tickets whose divisions are remembered. */
const judgedMax = 10_000;

/** The divisions that are sorted before they are judged. */
const judgedAtOnce = 6000;

/** All divisions of some tickets with a teamGap below `gap` were judged; the best is `teams`, of imbalance `least`. */
type Judged = { readonly gap: number; readonly least: number; readonly teams: Uint8Array };
