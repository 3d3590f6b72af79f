import { mayMeet } from '../model/forbids.ts';
import { SearchClock } from '../model/search-clock.ts';
import type { Forbids, GameRules } from '../types.ts';
import { type Draft, finishedGame, type Unit, unitsOf } from './draft.ts';
import type { Permit } from './permit.ts';
import type { ShapedGame } from './shape-game.ts';
import type { ShapeTicket } from './shape-ticket.ts';

/**
 * Balances the teams of a draft, for games of too many players to try all divisions: exchanges between the team that is
 * farthest from the common value and others, and exchanges with tickets in no game,
 * as long as one of them helps. It proves nothing; the numbers of the game are exact.
 */
export class Balancer {
  readonly #rules: GameRules;
  readonly #forbids: Forbids | undefined;
  readonly #permit: Permit | undefined;
  readonly #clock: SearchClock;

  constructor(
    rules: GameRules,
    forbids: Forbids | undefined,
    permit: Permit | undefined,
    clock = new SearchClock(),
  ) {
    this.#clock = clock;
    this.#rules = rules;
    this.#forbids = forbids;
    this.#permit = permit;
  }

  /** @param near tickets in no game, near the centre, which may replace others; empty if none may */
  balance(draft: Draft, near: readonly ShapeTicket[]): ShapedGame {
    const state = new Balance(draft, this.#rules, this.#forbids, this.#permit, this.#clock);
    if (draft.teams.length > 1 && this.#rules.p < Number.POSITIVE_INFINITY) state.improve(near);
    return finishedGame(draft, this.#rules);
  }
}

/** The sums of a draft's teams while they are balanced. For p ≠ 1 players count by a power of their skill. */
class Balance {
  readonly #draft: Draft;
  readonly #rules: GameRules;
  readonly #forbids: Forbids | undefined;
  readonly #permit: Permit | undefined;
  readonly #clock: SearchClock;
  /** By team: the sum of its values, and the factor and offset that make it comparable. */
  readonly #sums: Float64Array;
  readonly #scale: Float64Array;
  readonly #offset: Float64Array;
  readonly #hasRoles: boolean;
  readonly #n: number;
  readonly #valueOf: (unit: Unit) => number;
  /** The units of tickets that were not in the game, once they have been looked at. */
  readonly #units = new Map<ShapeTicket, Unit>();
  #sum = 0;
  #squares = 0;

  constructor(
    draft: Draft,
    rules: GameRules,
    forbids: Forbids | undefined,
    permit: Permit | undefined,
    clock: SearchClock,
  ) {
    this.#clock = clock;
    const { layout, teams } = draft;
    this.#draft = draft;
    this.#rules = rules;
    this.#forbids = forbids;
    this.#permit = permit;
    this.#n = draft.players;
    this.#hasRoles = layout.kinds.some(({ roles }) => roles !== undefined);
    this.#valueOf = rules.p === 1 ? ({ sum }) => sum : this.#powerSum(teams);
    const sizes = teams.map((units) => units.reduce((sum, { size }) => sum + size, 0));
    const meanSize = this.#n / teams.length;
    this.#scale = Float64Array.from(sizes, (size) => meanSize / size);
    this.#offset = Float64Array.from(layout.kindOf, (kind) =>
      rules.p === 1 ? layout.kinds[kind].offset : 0,
    );
    this.#sums = Float64Array.from(teams, (units) =>
      units.reduce((sum, unit) => sum + this.#valueOf(unit), 0),
    );
    for (const units of teams) {
      for (const { sum, squares } of units) {
        this.#sum += sum;
        this.#squares += squares;
      }
    }
  }

  improve(near: readonly ShapeTicket[]): void {
    const { teams } = this.#draft;
    const mayReplace = near.length > 0 && this.#rules.p === 1 && this.#rules.q < Number.POSITIVE_INFINITY;
    const isSmall = teams.length > 2 && teams.every(({ length }) => length <= 3);
    let stuck = 0;
    const rounds = roundsPerTeam * teams.length + 20;
    for (let round = 0; round < rounds && stuck < Math.min(4, teams.length); round++) {
      if (this.#clock.isOver(teams.length)) return;
      const off = this.#distances();
      const order = [...teams.keys()].sort((a, b) => Math.abs(off[b]) - Math.abs(off[a]) || a - b);
      const team = order[stuck];
      if (Math.abs(off[team]) <= 1e-12 * (1 + Math.abs(this.#sums[team]))) return;
      let helped = this.#exchange(team, off);
      if (mayReplace && (isSmall || !helped) && this.#replace(team, near)) helped = true;
      stuck = helped ? 0 : stuck + 1;
    }
  }

  /** How far each team is from the value that all teams would have at best. */
  #distances(): Float64Array {
    let target = 0;
    const values = this.#sums.map((sum, team) => sum * this.#scale[team] + this.#offset[team]);
    const share = values.length;
    for (let team = 0; team < share; team++) target += values[team] / (this.#scale[team] * share);
    return values.map((value) => value - target);
  }

  /** Makes the exchange of this team with another that brings both nearest to the target. */
  #exchange(team: number, off: Float64Array): boolean {
    const { teams, layout } = this.#draft;
    const kind = layout.kindOf[team];
    let gain = 1e-12 * off[team] * off[team];
    let best: [number, number, number] | undefined;
    const others = [...teams.keys()].filter((other) => other !== team);
    // The most opposite teams first; with large teams two of them are enough.
    others.sort((a, b) => Math.sign(off[team]) * (off[a] - off[b]) || a - b);
    const looked = teams[team].length > 12 ? others.slice(0, 2) : others.slice(0, 12);
    for (const other of looked) {
      const theirValues = Float64Array.from(teams[other], this.#valueOf);
      const otherKind = layout.kindOf[other];
      const before = off[team] ** 2 + off[other] ** 2;
      for (let i = 0; i < teams[team].length; i++) {
        const mine = teams[team][i];
        if (this.#clock.isOver(1 + (teams[other].length >> 3))) return false;
        if (((mine.kinds >> otherKind) & 1) === 0) continue;
        const value = this.#valueOf(mine);
        for (let j = 0; j < teams[other].length; j++) {
          const theirs = teams[other][j];
          if (theirs.size !== mine.size || ((theirs.kinds >> kind) & 1) === 0) continue;
          const change = theirValues[j] - value;
          const a = off[team] + change * this.#scale[team];
          const b = off[other] - change * this.#scale[other];
          const won = before - a * a - b * b;
          if (won <= gain) continue;
          if (this.#hasRoles && !this.#canExchange(team, i, other, j)) continue;
          if (this.#permit && !(this.#mayBeMates(team, i, theirs) && this.#mayBeMates(other, j, mine)))
            continue;
          gain = won;
          best = [other, i, j];
        }
      }
    }
    if (!best) return false;
    const [other, i, j] = best;
    const mine = teams[team][i];
    const theirs = teams[other][j];
    const change = this.#valueOf(theirs) - this.#valueOf(mine);
    teams[team][i] = theirs;
    teams[other][j] = mine;
    this.#sums[team] += change;
    this.#sums[other] -= change;
    return true;
  }

  #canExchange(team: number, i: number, other: number, j: number): boolean {
    const { teams } = this.#draft;
    const mine = teams[team].with(i, teams[other][j]);
    const theirs = teams[other].with(j, teams[team][i]);
    return this.#draft.canPlay(team, mine) && this.#draft.canPlay(other, theirs);
  }

  /** Whether the unit may play beside those of a team, except for the one at a place. */
  #mayBeMates(team: number, at: number, { ticket }: Unit): boolean {
    const permit = this.#permit;
    if (!permit?.judgesTeams) return true;
    return this.#draft.teams[team].every((unit, i) => i === at || permit.mayBeMates(unit.ticket, ticket));
  }

  /**
   * Replaces one ticket of a team by one in no game, if that lowers the imbalance. Where several teams are at the extremes
   * one replacement does not lower it, so the root mean square of the distances counts too.
   */
  #replace(team: number, near: readonly ShapeTicket[]): boolean {
    const { teams, layout, members } = this.#draft;
    const { alpha } = this.#rules;
    const n = this.#n;
    const kind = layout.kindOf[team];
    const off = this.#distances();
    let low = Number.POSITIVE_INFINITY;
    let high = Number.NEGATIVE_INFINITY;
    let others = 0;
    off.forEach((distance, t) => {
      if (t === team) return;
      low = Math.min(low, distance);
      high = Math.max(high, distance);
      others += distance * distance;
    });
    const cost = (sum: number, squares: number, distance: number) => {
      const v = Math.sqrt(Math.max(0, squares - (sum * sum) / n) / n);
      const gap = Math.max(high, distance) - Math.min(low, distance);
      return (
        v +
        alpha *
          (gap + (off.length > 2 ? rmsWeight : 0) * Math.sqrt((others + distance * distance) / off.length))
      );
    };
    const spare = this.#spareUnits(near);
    let best = cost(this.#sum, this.#squares, off[team]) * (1 - 1e-9);
    let found: { at: number; unit: Unit } | undefined;
    for (let at = 0; at < teams[team].length; at++) {
      const mine = teams[team][at];
      if (mine.ticket.isSplit) continue;
      for (const unit of spare) {
        if (this.#clock.isOver()) return false;
        if (unit.size !== mine.size || ((unit.kinds >> kind) & 1) === 0) continue;
        const sum = this.#sum - mine.sum + unit.sum;
        const squares = this.#squares - mine.squares + unit.squares;
        const distance = off[team] + (unit.sum - mine.sum) * this.#scale[team];
        const less = cost(sum, squares, distance);
        if (less >= best) continue;
        const added = this.#costOfJoining(unit, team, at);
        if (added === undefined || less + added >= best) continue;
        best = less + added;
        found = { at, unit };
      }
    }
    if (!found) return false;
    const gone = teams[team][found.at];
    const { unit } = found;
    teams[team][found.at] = unit;
    members.delete(gone.ticket);
    members.add(unit.ticket);
    this.#sum += unit.sum - gone.sum;
    this.#squares += unit.squares - gone.squares;
    this.#sums[team] += unit.sum - gone.sum;
    return true;
  }

  /** The units of the tickets in no game that may replace others. */
  #spareUnits(near: readonly ShapeTicket[]): Unit[] {
    const { members, centre } = this.#draft;
    const units: Unit[] = [];
    for (const ticket of near) {
      if (ticket.isSplit || members.has(ticket)) continue;
      let unit = this.#units.get(ticket);
      if (!unit) {
        [unit] = unitsOf(ticket, centre);
        this.#units.set(ticket, unit);
      }
      units.push(unit);
    }
    return units;
  }

  /** What constraints add to the cost of the game when a unit replaces the one at a place; undefined when it may not. */
  #costOfJoining(unit: Unit, team: number, at: number): number | undefined {
    const { teams, members } = this.#draft;
    const gone = teams[team][at].ticket;
    if (!mayMeet(unit.ticket, members, this.#forbids, gone)) return undefined;
    if (this.#hasRoles && !this.#draft.canPlay(team, teams[team].with(at, unit))) return undefined;
    if (!this.#permit) return 0;
    if (!this.#mayBeMates(team, at, unit) || this.#clock.isOver(members.size)) return undefined;
    return this.#permit.costOfReplacing(members, gone, unit.ticket);
  }

  /** Σ (s / top)^p of a unit, relative to the mean of all, so that sums lose no precision. */
  #powerSum(teams: readonly (readonly Unit[])[]): (unit: Unit) => number {
    const { p } = this.#rules;
    let top = Number.MIN_VALUE;
    for (const units of teams) for (const { ticket } of units) top = Math.max(top, ticket.high);
    const powers = new Map<Unit, number>();
    let total = 0;
    for (const units of teams) {
      for (const unit of units) {
        let sum = 0;
        for (let i = unit.first; i < unit.first + unit.size; i++) sum += (unit.ticket.skills[i] / top) ** p;
        powers.set(unit, sum);
        total += sum;
      }
    }
    const mean = total / this.#n;
    return (unit) => powers.get(unit)! - unit.size * mean;
  }
}

/** The rounds of improvement for each team of a game. */
const roundsPerTeam = 8;

/** How much the root mean square of the distances counts beside the gap. */
const rmsWeight = 1;
