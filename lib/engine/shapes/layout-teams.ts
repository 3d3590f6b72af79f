import { mayMeet } from '../model/forbids.ts';
import { skillSpreadOfRelative } from '../model/imbalance.ts';
import type { PooledTicket } from '../model/pooled-ticket.ts';
import type { SearchClock } from '../model/search-clock.ts';
import type { RuledChoice, RuledTeams } from '../ruled/ruled-teams.ts';
import type { Constraints, Forbids, GameRules } from '../types.ts';
import { highestOf, type Layout, lowestOf, whereAllFit } from './layout.ts';
import { perRangeOf } from './range-factor.ts';
import { Seating } from './seating.ts';
import { ShapeDivider } from './shape-divider.ts';
import { membersOf } from './shape-game.ts';
import type { ShapeTicket } from './shape-ticket.ts';
import { SizeMixes } from './size-mixes.ts';

/** The teams of a game of any shape of up to 16 seats, for searches under constraints. */
export class LayoutTeams implements RuledTeams {
  readonly seats: number;
  readonly seatsMin: number;
  readonly perRange: number;
  readonly gapPerRange: number;
  readonly emptySeatCost: number;
  readonly choice: RuledChoice | undefined;
  division: Uint8Array = new Uint8Array(0);
  wasCut = false;

  readonly #rules: GameRules;
  readonly #layout: Layout;
  readonly #constraints: Constraints;
  readonly #clock: SearchClock;
  readonly #divider: ShapeDivider;
  #leaf = new Float64Array(0);

  /** @param tickets all tickets of the pool */
  constructor(
    rules: GameRules,
    layout: Layout,
    forbids: Forbids | undefined,
    constraints: Constraints,
    tickets: readonly ShapeTicket[],
    clock: SearchClock,
  ) {
    this.#clock = clock;
    const fitted = whereAllFit(layout, tickets);
    const hasParties = tickets.some(({ size }) => size > 1);
    this.seats = layout.seats;
    this.seatsMin = layout.seatsMin;
    this.perRange = perRangeOf(layout, rules, layout.seats);
    this.gapPerRange = layout.isFreeForAll ? rules.alpha : 0;
    this.emptySeatCost = layout.emptySeatCost;
    this.choice = fitted.classes || hasParties || forbids ? new LayoutChoice(fitted, forbids) : undefined;
    this.#rules = rules;
    this.#layout = layout;
    this.#constraints = constraints;
    this.#divider = new ShapeDivider(rules, fitted, clock);
  }

  highest(low: number, high: number): number {
    return highestOf(this.#layout, this.#rules, low, high);
  }

  lowest(low: number, high: number): number {
    return lowestOf(this.#layout, this.#rules, low, high);
  }

  skillSpread(members: readonly PooledTicket[]): number {
    let players = 0;
    for (const { size } of members) players += size;
    if (this.#leaf.length !== players) this.#leaf = new Float64Array(players);
    let at = 0;
    for (const { skills } of members)
      for (let i = 0; i < skills.length; i++) this.#leaf[at++] = skills[i] - members[0].mean;
    return skillSpreadOfRelative(this.#leaf, this.#rules.q);
  }

  divide(
    members: readonly PooledTicket[],
    numbers: ArrayLike<number>,
    v: number,
    cost: number,
    limit: number,
  ): number {
    const tickets = members as readonly ShapeTicket[];
    const constraints = this.#constraints;
    const { alpha } = this.#rules;
    const divider = this.#divider;
    const judge = (teams: ArrayLike<number>) =>
      constraints.judge(membersOf(tickets, numbers, teams, this.#layout.teams));
    if (constraints.judgesTeams) {
      const apart = constraints.apart(Array.from(tickets, (_, i) => numbers[i]));
      let least = limit;
      let found: { gap: number; teams: Uint8Array }[] = [];
      // A ruling is slow, so the fairest divisions are judged first: mostly one of the first is permitted.
      const judgeFound = () => {
        found.sort((a, b) => a.gap - b.gap);
        for (const { gap, teams } of found) {
          const f = alpha * gap + v;
          if (f + cost >= least || this.#clock.isOver(stepsPerRuling)) break;
          const ruling = judge(teams);
          if (!ruling || f + ruling.cost >= least) continue;
          least = f + ruling.cost;
          this.division = teams;
        }
        found = [];
      };
      divider.divideEach(tickets, (limit - v - cost) / alpha, apart, (teams, gap) => {
        found.push({ gap, teams: teams.slice(0, this.#leaf.length) });
        if (found.length === judgedAtOnce) judgeFound();
        return (least - v - cost) / alpha;
      });
      judgeFound();
      this.wasCut = divider.wasCut || this.#clock.wasOver;
      return least < limit ? least : Number.POSITIVE_INFINITY;
    }
    const gap = divider.divide(tickets, (limit - v - cost) / alpha);
    this.wasCut = divider.wasCut;
    if (gap === Number.POSITIVE_INFINITY) return gap;
    this.division = divider.teams.slice(0, this.#leaf.length);
    let f = alpha * gap + v + cost;
    if (constraints.judgesGames) {
      const ruling = judge(divider.teams);
      f = ruling ? alpha * gap + v + ruling.cost : Number.POSITIVE_INFINITY;
    }
    return f < limit ? f : Number.POSITIVE_INFINITY;
  }

  takeWork(): number {
    const work = this.#divider.steps >> 4;
    this.#divider.steps = 0;
    return work;
  }
}

/** A ruling on up to 16 players under 30 rules takes some ten microseconds. */
const stepsPerRuling = 8;

/** The divisions that are sorted before they are judged. */
const judgedAtOnce = 6000;

/** Sizes, sides, roles and refused pairs in a layout. */
class LayoutChoice implements RuledChoice {
  readonly #forbids: Forbids | undefined;
  readonly #seating: Seating | undefined;
  readonly #mixes: SizeMixes;
  readonly #chosen: ShapeTicket[] = [];
  /** Whether each of the chosen tickets is seated. */
  readonly #isSeated: boolean[] = [];

  constructor(layout: Layout, forbids: Forbids | undefined) {
    const { classes, seats } = layout;
    this.#forbids = forbids;
    this.#mixes = new SizeMixes(layout);
    this.#seating =
      classes &&
      new Seating(
        classes.map((one) => one.seats),
        seats,
      );
  }

  start(anchor: PooledTicket, candidates: readonly PooledTicket[], n: number): boolean {
    const ticket = anchor as ShapeTicket;
    this.#chosen.length = this.#isSeated.length = 0;
    this.#seating?.clear();
    this.#mixes.start(ticket, candidates as readonly ShapeTicket[], n);
    return this.#mixes.fits(ticket) && this.join(ticket);
  }

  hasSeat(pooled: PooledTicket): boolean {
    return !this.#seating || this.#seating.admits((pooled as ShapeTicket).classes!);
  }

  mayJoin(pooled: PooledTicket, r: number): boolean {
    const ticket = pooled as ShapeTicket;
    return (
      ticket.size <= r &&
      this.#mixes.fits(ticket) &&
      this.hasSeat(ticket) &&
      mayMeet(ticket, this.#chosen, this.#forbids)
    );
  }

  join(pooled: PooledTicket): boolean {
    const ticket = pooled as ShapeTicket;
    const isSeated = !this.#seating || this.#seating.join(ticket.classes!);
    this.#chosen.push(ticket);
    this.#isSeated.push(isSeated);
    this.#mixes.join(ticket);
    return isSeated;
  }

  leave(): void {
    const ticket = this.#chosen.pop()!;
    this.#mixes.leave(ticket);
    if (this.#isSeated.pop()) this.#seating?.leave(ticket.size);
  }
}
