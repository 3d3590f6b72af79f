import type { GameRules } from '../types.ts';
import type { Layout } from './layout.ts';
import { seatingOfTeam } from './seating.ts';
import type { ShapedGame } from './shape-game.ts';
import type { ShapeTicket } from './shape-ticket.ts';
import { shapeImbalance } from './team-values.ts';

/** What moves together when teams are balanced: a party, or one player of a party that may be divided. */
export interface Unit {
  readonly ticket: ShapeTicket;
  /** The place of its first player in the ticket. */
  readonly first: number;
  readonly size: number;
  /** The kinds of team, as a bit set, that it may move to: none for one who is seated in a running game. */
  readonly kinds: number;
  /** Σ (s − c) and Σ (s − c)² over its players, c the centre of the draft. */
  readonly sum: number;
  readonly squares: number;
}

/** A game in the making: units placed on teams, around a centre of skill. */
export class Draft {
  readonly layout: Layout;
  readonly centre: number;
  readonly teams: Unit[][];
  readonly free: number[];
  readonly #sums: number[];
  readonly members = new Set<ShapeTicket>();
  players = 0;

  readonly #isTight: boolean;
  readonly #mayBeMates: MayBeMates | undefined;

  /**
   * @param sizes how many players each team gets
   * @param isTight whether a party goes where it leaves the fewest free seats, so that more parties fit, or the most, so
   *   that the teams are easier to balance
   * @param mayBeMates which tickets may be on one team. @default all
   */
  constructor(
    layout: Layout,
    centre: number,
    sizes: readonly number[],
    isTight: boolean,
    mayBeMates?: MayBeMates,
  ) {
    this.#isTight = isTight;
    this.#mayBeMates = mayBeMates;
    this.layout = layout;
    this.centre = centre;
    this.teams = layout.kindOf.map(() => []);
    this.free = [...sizes];
    this.#sums = layout.kindOf.map(() => 0);
  }

  get isFull(): boolean {
    return this.free.every((seats) => seats === 0);
  }

  /** Whether every team has the players that it needs at least. */
  get hasMinimum(): boolean {
    const { kindOf, kinds } = this.layout;
    return this.teams.every((units, team) => playersOf(units) >= kinds[kindOf[team]].minSize);
  }

  /** Opens the seats that the teams have beyond those that they got. */
  open(): void {
    const { kindOf, kinds } = this.layout;
    this.teams.forEach((units, team) => {
      this.free[team] = kinds[kindOf[team]].size - playersOf(units);
    });
  }

  /** Leaves the free seats empty. */
  close(): void {
    this.free.fill(0);
  }

  /** Places a ticket where its players fit; false, and nothing changes, if they do not. */
  place(ticket: ShapeTicket): boolean {
    const units = unitsOf(ticket, this.centre);
    for (let at = 0; at < units.length; at++) {
      const team = ticket.teams ? ticket.teams[at] : this.#teamFor(units[at]);
      if (team === -1) {
        for (const unit of units.slice(0, at)) this.#takeOut(unit);
        return false;
      }
      this.teams[team].push(units[at]);
      this.free[team] -= units[at].size;
      this.#sums[team] += units[at].sum;
    }
    this.members.add(ticket);
    this.players += ticket.size;
    return true;
  }

  /**
   * Places whole tickets, none of which may be divided: `packed` says how many of each size each team gets. The largest and
   * most skilled go first, each to the team of the least sum.
   */
  placePacked(tickets: readonly ShapeTicket[], packed: readonly ArrayLike<number>[]): void {
    const room = packed.map((counts) => Int32Array.from(counts));
    for (const ticket of tickets.toSorted((a, b) => b.size - a.size || b.mean - a.mean)) {
      const [unit] = unitsOf(ticket, this.centre);
      let best = -1;
      for (let team = 0; team < room.length; team++)
        if (room[team][ticket.size] > 0 && (best === -1 || this.#sums[team] < this.#sums[best])) best = team;
      room[best][ticket.size]--;
      this.teams[best].push(unit);
      this.free[best] -= ticket.size;
      this.#sums[best] += unit.sum;
      this.members.add(ticket);
      this.players += ticket.size;
    }
  }

  /** Whether these units can play the roles of a team together. */
  canPlay(team: number, units: readonly Unit[]): boolean {
    const { kindOf, kinds } = this.layout;
    const kind = kindOf[team];
    const seating = seatingOfTeam(this.layout, kind);
    if (!seating) return true;
    if (playersOf(units) > kinds[kind].size) return false;
    return units.every(({ ticket, first, size }) => {
      for (let i = first; i < first + size; i++) if (!seating.joinOne(ticket.classes![i])) return false;
      return true;
    });
  }

  /**
   * The team for a unit, −1 if there is none: one with the most free seats or, for parties of a tight draft, the fewest. Of
   * equal ones it is that of the least sum, so that teams are even when the most skilled are placed first.
   */
  #teamFor(unit: Unit): number {
    const { kindOf } = this.layout;
    let best = -1;
    let bestScore = Number.POSITIVE_INFINITY;
    for (let team = 0; team < this.free.length; team++) {
      const free = this.free[team];
      if (free < unit.size || ((unit.kinds >> kindOf[team]) & 1) === 0) continue;
      const score = this.#isTight && unit.size > 1 ? free : -free;
      if (score > bestScore || (score === bestScore && this.#sums[team] >= this.#sums[best])) continue;
      if (!this.canPlay(team, [...this.teams[team], unit])) continue;
      if (this.#mayBeMates && !this.teams[team].every(({ ticket }) => this.#mayBeMates!(ticket, unit.ticket)))
        continue;
      best = team;
      bestScore = score;
    }
    return best;
  }

  #takeOut(unit: Unit): void {
    const team = this.teams.findIndex((units) => units.includes(unit));
    this.teams[team].splice(this.teams[team].indexOf(unit), 1);
    this.free[team] += unit.size;
    this.#sums[team] -= unit.sum;
  }
}

function playersOf(units: readonly Unit[]): number {
  return units.reduce((sum, { size }) => sum + size, 0);
}

/** Whether two tickets may be on one team. */
export type MayBeMates = (a: ShapeTicket, b: ShapeTicket) => boolean;

/** The game of a full draft, with its exact imbalance. */
export function finishedGame(draft: Draft, rules: GameRules): ShapedGame {
  const members = [...new Set(draft.teams.flatMap((units) => units.map(({ ticket }) => ticket)))];
  const teamOf = new Map<ShapeTicket, number[]>(members.map((ticket) => [ticket, []]));
  draft.teams.forEach((units, team) => {
    for (const { ticket, first, size } of units) {
      for (let i = first; i < first + size; i++) teamOf.get(ticket)![i] = team;
    }
  });
  const skills = draft.teams.map((units) =>
    units.flatMap(({ ticket, first, size }) => [...ticket.skills.subarray(first, first + size)]),
  );
  return {
    members,
    teams: members.flatMap((ticket) => teamOf.get(ticket)!),
    imbalance: shapeImbalance(skills, draft.layout, rules).imbalance,
  };
}

export function unitsOf(ticket: ShapeTicket, centre: number): Unit[] {
  if (!ticket.isSplit) return [unitOf(ticket, 0, ticket.size, centre)];
  return Array.from({ length: ticket.size }, (_, i) => unitOf(ticket, i, 1, centre));
}

function unitOf(ticket: ShapeTicket, first: number, size: number, centre: number): Unit {
  let sum = 0;
  let squares = 0;
  for (let i = first; i < first + size; i++) {
    const value = ticket.skills[i] - centre;
    sum += value;
    squares += value * value;
  }
  return { ticket, first, size, kinds: ticket.teams ? 0 : ticket.kinds[first], sum, squares };
}
