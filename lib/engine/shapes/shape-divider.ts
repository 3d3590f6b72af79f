import { SearchClock } from '../model/search-clock.ts';
import type { GameRules } from '../types.ts';
import type { Layout } from './layout.ts';
import { type SeatKeeper, teamSeats } from './seat-counts.ts';
import type { ShapeTicket } from './shape-ticket.ts';
import { teamValue } from './team-values.ts';

/**
 * Divides the tickets of a game into its teams as fairly as possible, by trying all divisions team by team. Parties stay
 * together unless they may be split; sizes, kinds and roles of the teams are respected. For games of up to 16 players.
 *
 * The distance of a team from the value that all teams would have at best bounds teamGap: with weights w_t = k_t/N the
 * values have a fixed weighted mean, so a team that is x away from it leaves d ≥ x/(1 − w_t) (p = 1). So a team is given up
 * as soon as no players who are left can bring it near enough.
 */
export class ShapeDivider {
  /** The team of each player, in the order of the members and their players. Set by `divide` when it succeeds. */
  readonly teams: Uint8Array;
  /** The work since construction, in steps of a search. */
  steps = 0;
  /** Whether the last `divide` gave up before it had tried all divisions. */
  wasCut = false;

  readonly #layout: Layout;
  readonly #clock: SearchClock;
  readonly #p: number;
  /** By kind. */
  readonly #seatings: readonly (SeatKeeper | undefined)[];
  readonly #fewestAfter: number[];
  readonly #mostAfter: number[];
  readonly #lastOfKind: number;

  /** What moves together: a party, or one player of a party that may be split. */
  readonly #size: Int32Array;
  readonly #sum: Float64Array;
  readonly #kinds: Int32Array;
  readonly #first: Int32Array;
  readonly #isTwin: Uint8Array;
  readonly #team: Int8Array;
  /** By unit: the least and the greatest mean skill of it and those after it; the last is of none. */
  readonly #lowest: Float64Array;
  readonly #highest: Float64Array;
  #units = 0;
  readonly #skills: Float64Array;
  readonly #classes: Int32Array;
  /** By player: its unit or, of one who is seated, the complement of its team. */
  readonly #unitOf: Int32Array;
  /** By team: those who are seated there, and the sum of their values. */
  readonly #seated: Int32Array;
  readonly #seatedSum: Float64Array;
  #isSeated = false;
  #players = 0;
  #meanSize = 0;
  #origin = 0;
  /** The value that all teams have at best, and more than rounding can add to a value. */
  #target = 0;
  #error = 0;
  /** Whether the distance from it bounds teamGap. */
  #hasTarget = false;
  #best = 0;
  #isFound = false;
  #stepsLeft = 0;
  /** Judges each complete division, for `divideEach`. */
  #visit: Visit | undefined;
  /** By unit: the units that may not be on one team with it, as a bit set; and the units of the team being filled. */
  readonly #nonMates: Int32Array;
  #hasNonMates = false;
  #mates = 0;

  constructor(rules: Pick<GameRules, 'p'>, layout: Layout, clock = new SearchClock()) {
    this.#clock = clock;
    const { seats, kindOf, kinds } = layout;
    this.#layout = layout;
    this.#p = rules.p;
    this.teams = new Uint8Array(seats);
    this.#size = new Int32Array(seats);
    this.#sum = new Float64Array(seats);
    this.#kinds = new Int32Array(seats);
    this.#first = new Int32Array(seats);
    this.#isTwin = new Uint8Array(seats);
    this.#team = new Int8Array(seats);
    this.#lowest = new Float64Array(seats + 1);
    this.#highest = new Float64Array(seats + 1);
    this.#skills = new Float64Array(seats);
    this.#classes = new Int32Array(seats);
    this.#unitOf = new Int32Array(seats);
    this.#seated = new Int32Array(kindOf.length);
    this.#seatedSum = new Float64Array(kindOf.length);
    this.#nonMates = new Int32Array(seats);
    this.#seatings = teamSeats(layout);
    this.#fewestAfter = kindOf.map((_, t) => sum(kindOf.slice(t + 1).map((kind) => kinds[kind].minSize)));
    this.#mostAfter = kindOf.map((_, t) => sum(kindOf.slice(t + 1).map((kind) => kinds[kind].size)));
    this.#lastOfKind = kindOf.indexOf(kindOf[kindOf.length - 1]);
  }

  /** The least teamGap below `limit` of all divisions of these tickets, ∞ if there is none. */
  divide(members: readonly ShapeTicket[], limit: number): number {
    this.#read(members);
    this.#best = limit;
    this.#isFound = false;
    this.wasCut = false;
    this.#stepsLeft = stepsMax;
    const { kinds, classes, seats } = this.#layout;
    const isSolos =
      this.#players === seats && this.#units === seats && classes === undefined && !this.#isSeated;
    if (isSolos && kinds.length === 1 && kinds[0].size === 2) this.#leastWithGreatest();
    else {
      this.#findTwins();
      this.#divideFrom(0, this.#players, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, -1);
    }
    this.steps += 1 + Math.floor((stepsMax - this.#stepsLeft) / unitsPerStep);
    return this.#isFound ? this.#best : Number.POSITIVE_INFINITY;
  }

  /**
   * Calls `visit` with every division of these tickets whose teamGap is below the limit, which is the number that `visit`
   * returned last, or at first `limit`. Divisions that differ only in the order of interchangeable teams are one.
   *
   * @param nonMates by member: the members that may not be on one team with it, as a bit set; undefined when all may
   */
  divideEach(
    members: readonly ShapeTicket[],
    limit: number,
    nonMates: ArrayLike<number> | undefined,
    visit: Visit,
  ): void {
    this.#read(members);
    // Players of the same skill may differ in what the visitor judges.
    this.#isTwin.fill(0);
    this.#hasNonMates = nonMates !== undefined && this.#readNonMates(members, nonMates);
    this.#best = limit;
    this.wasCut = false;
    this.#stepsLeft = stepsMax;
    this.#visit = visit;
    this.#divideFrom(0, this.#players, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, -1);
    this.#visit = undefined;
    this.#hasNonMates = false;
    this.steps += 1 + Math.floor((stepsMax - this.#stepsLeft) / unitsPerStep);
  }

  /**
   * Reads by unit which units may not be on one team. A party that may be split has no such units as a whole, and those who are
   * seated are no unit. Returns whether there are any.
   */
  #readNonMates(members: readonly ShapeTicket[], nonMates: ArrayLike<number>): boolean {
    const unitOf = new Int32Array(members.length).fill(-1);
    let units = 0;
    members.forEach(({ isSplit, size, teams }, m) => {
      if (teams) return;
      if (!isSplit) unitOf[m] = units;
      units += isSplit ? size : 1;
    });
    this.#nonMates.fill(0);
    let isAny = false;
    for (let a = 0; a < members.length; a++) {
      for (let b = 0; b < members.length; b++) {
        if (((nonMates[a] >> b) & 1) === 0 || unitOf[a] < 0 || unitOf[b] < 0) continue;
        this.#nonMates[unitOf[a]] |= 1 << unitOf[b];
        isAny = true;
      }
    }
    return isAny;
  }

  #read(members: readonly ShapeTicket[]): void {
    const origin = members[0].low;
    const unitOf = this.#unitOf;
    let players = 0;
    let units = 0;
    let total = 0;
    let farthest = 0;
    if (this.#isSeated) {
      this.#seated.fill(0);
      this.#seatedSum.fill(0);
    }
    this.#isSeated = false;
    for (let m = 0; m < members.length; m++) {
      const { skills, kinds, classes, isSplit, size, teams } = members[m];
      let sum = 0;
      for (let i = 0; i < size; i++) {
        const value = skills[i] - origin;
        this.#skills[players] = skills[i];
        if (classes) this.#classes[players] = classes[i];
        if (teams) {
          this.#isSeated = true;
          this.#seated[teams[i]]++;
          this.#seatedSum[teams[i]] += value;
          farthest = Math.max(farthest, Math.abs(value));
          total += value;
          unitOf[players++] = ~teams[i];
          continue;
        }
        sum += value;
        unitOf[players++] = units;
        if (i + 1 < size && !isSplit) continue;
        this.#first[units] = isSplit ? players - 1 : players - size;
        this.#size[units] = isSplit ? 1 : size;
        this.#sum[units] = sum;
        this.#kinds[units++] = kinds[i];
        total += sum;
        sum = 0;
      }
    }
    this.#team.fill(-1, 0, units);
    this.#units = units;
    this.#players = players;
    this.#meanSize = players / this.#layout.teams;
    this.#origin = origin;
    // The weighted mean of the teams' values; with offsets only where all sizes are known.
    const { kinds, seats, seatsMin, teams } = this.#layout;
    let offsets = 0;
    let greatest = 0;
    for (const { count, size, offset } of kinds) {
      offsets += count * size * offset;
      greatest = Math.max(greatest, Math.abs(offset));
    }
    this.#target = (total * this.#meanSize + offsets) / players;
    this.#hasTarget = this.#p === 1 && seatsMin === seats && teams > 1;
    let lowest = Number.POSITIVE_INFINITY;
    let highest = Number.NEGATIVE_INFINITY;
    this.#lowest[units] = lowest;
    this.#highest[units] = highest;
    for (let u = units - 1; u >= 0; u--) {
      const mean = this.#sum[u] / this.#size[u];
      this.#lowest[u] = lowest = Math.min(lowest, mean);
      this.#highest[u] = highest = Math.max(highest, mean);
    }
    farthest = Math.max(farthest, Math.abs(lowest), Math.abs(highest));
    this.#error = 1e-12 * (this.#meanSize * farthest + greatest);
  }

  /** Finds the solo players who are like the one before them. */
  #findTwins(): void {
    for (let u = 0; u < this.#units; u++) {
      this.#isTwin[u] = Number(
        u > 0 &&
          this.#size[u] === 1 &&
          this.#size[u - 1] === 1 &&
          this.#sum[u] === this.#sum[u - 1] &&
          this.#kinds[u] === this.#kinds[u - 1] &&
          this.#classes[this.#first[u]] === this.#classes[this.#first[u - 1]],
      );
    }
  }

  /** Completes team t and those after it, with values from `low` to `high` so far. */
  #divideFrom(t: number, playersLeft: number, low: number, high: number, firstBefore: number): void {
    const { kindOf, kinds } = this.#layout;
    const kind = kindOf[t];
    const { size, minSize } = kinds[kind];
    const most = Math.min(size, playersLeft - this.#fewestAfter[t]);
    const fewest = Math.max(minSize, playersLeft - this.#mostAfter[t]);
    if (fewest > most) return;
    if (t === this.#layout.teams - 1) {
      this.#giveRest(t, playersLeft, low, high);
      return;
    }
    const isSame = t > 0 && kindOf[t - 1] === kind && !this.#isSeated;
    // Interchangeable teams come in the order of their first units; where only teams of this kind are left, the first free unit is next.
    let from = isSame ? firstBefore + 1 : 0;
    let upTo = this.#units;
    if (t >= this.#lastOfKind && !this.#isSeated) {
      let free = 0;
      while (this.#team[free] >= 0) free++;
      if (free < from) return;
      from = free;
      upTo = free + 1;
    }
    const mates = this.#mates;
    this.#mates = 0;
    const seated = this.#seated[t];
    const sum = this.#seatedSum[t];
    this.#choose(t, from, upTo, seated, sum, fewest, most, playersLeft, low, high, -1);
    this.#mates = mates;
  }

  /** The last team gets the units that are left. */
  #giveRest(t: number, playersLeft: number, low: number, high: number): void {
    const team = this.#team;
    const kind = 1 << this.#layout.kindOf[t];
    let total = this.#seatedSum[t];
    let mates = 0;
    let canPlay = true;
    for (let u = 0; u < this.#units; u++) {
      if (team[u] >= 0) continue;
      canPlay &&= (this.#kinds[u] & kind) !== 0 && !(this.#hasNonMates && (this.#nonMates[u] & mates) !== 0);
      mates |= 1 << u;
      total += this.#sum[u];
      team[u] = t;
    }
    if (canPlay) this.#complete(t, playersLeft, total, 0, low, high, -1);
    for (let u = 0; u < this.#units; u++) if (team[u] === t) team[u] = -1;
  }

  /** Adds units from `from` on (the first one before `upTo`) to team t until it has enough players. */
  #choose(
    t: number,
    from: number,
    upTo: number,
    players: number,
    total: number,
    fewest: number,
    most: number,
    playersLeft: number,
    low: number,
    high: number,
    first: number,
  ): void {
    if (players >= fewest && players > 0)
      this.#complete(t, players, total, playersLeft - players, low, high, first);
    if (players === most) return;
    const { kindOf, kinds } = this.#layout;
    const kind = 1 << kindOf[t];
    const { offset } = kinds[kindOf[t]];
    const end = players === 0 ? upTo : this.#units;
    for (let u = from; u < end; u++) {
      if (this.#team[u] >= 0 || (this.#kinds[u] & kind) === 0) continue;
      const size = players + this.#size[u];
      if (size > most) continue;
      const next = total + this.#sum[u];
      if (u > from && this.#isTwin[u] && this.#team[u - 1] < 0) continue;
      if (this.#hasNonMates && (this.#nonMates[u] & this.#mates) !== 0) continue;
      if ((--this.#stepsLeft & stepsMask) === 0 && this.#clock.isOver(stepsMask)) this.#stepsLeft = -1;
      if (this.#stepsLeft < 0) {
        this.#stepsLeft = 0;
        this.wasCut = true;
        return;
      }
      if (this.#hasTarget && this.#isFar(next, most - size, most, u + 1, low, high, offset)) continue;
      this.#team[u] = t;
      this.#mates ^= 1 << u;
      this.#choose(
        t,
        u + 1,
        upTo,
        size,
        next,
        fewest,
        most,
        playersLeft,
        low,
        high,
        players === 0 ? u : first,
      );
      this.#mates ^= 1 << u;
      this.#team[u] = -1;
    }
  }

  /** Team t is complete: goes on with the next one if the game may still be the fairest. */
  #complete(
    t: number,
    players: number,
    total: number,
    playersLeft: number,
    low: number,
    high: number,
    first: number,
  ): void {
    const layout = this.#layout;
    const { offset } = layout.kinds[layout.kindOf[t]];
    const value =
      this.#p === 1
        ? (players === this.#meanSize ? total : (total * this.#meanSize) / players) + offset
        : this.#valueOf(t);
    const least = Math.min(low, value);
    const greatest = Math.max(high, value);
    if (greatest - least >= this.#best) return;
    if (!this.#canPlayRoles(t)) return;
    if (t + 1 < layout.teams) {
      this.#divideFrom(t + 1, playersLeft, least, greatest, first);
      return;
    }
    if (playersLeft > 0) return;
    this.#keep(greatest - least);
  }

  /**
   * Whether a team of `size` players, `needed` of whom come from unit `from` on, is too far from the target or from the teams
   * before it, whoever they are.
   *
   * @param total the sum of those that it has
   */
  #isFar(
    total: number,
    needed: number,
    size: number,
    from: number,
    low: number,
    high: number,
    offset: number,
  ): boolean {
    const best = this.#best * (1 + 1e-9);
    const room = best * (1 - size / this.#players);
    const scale = this.#meanSize / size;
    const least = Math.max(this.#target - room, high - best) - this.#error;
    const most = Math.min(this.#target + room, low + best) + this.#error;
    if (needed === 0) {
      const value = scale * total + offset;
      return value < least || value > most;
    }
    return (
      scale * (total + needed * this.#lowest[from]) + offset > most ||
      scale * (total + needed * this.#highest[from]) + offset < least
    );
  }

  #valueOf(t: number): number {
    const { kinds, kindOf } = this.#layout;
    const skills: number[] = [];
    for (let player = 0; player < this.#players; player++)
      if (this.#teamOf(player) === t) skills.push(this.#skills[player]);
    return teamValue(skills, this.#meanSize, this.#p, kinds[kindOf[t]].offset, this.#origin);
  }

  #canPlayRoles(t: number): boolean {
    const seating = this.#seatings[this.#layout.kindOf[t]];
    if (!seating) return true;
    seating.clear();
    for (let player = 0; player < this.#players; player++)
      if (this.#teamOf(player) === t && !seating.joinOne(this.#classes[player])) return false;
    return true;
  }

  #teamOf(player: number): number {
    const unit = this.#unitOf[player];
    return unit < 0 ? ~unit : this.#team[unit];
  }

  /** Keeps the division in `#team`, with this gap. */
  #keep(gap: number): void {
    for (let player = 0; player < this.#players; player++) this.teams[player] = this.#teamOf(player);
    if (this.#visit) {
      this.#best = this.#visit(this.teams, gap);
      return;
    }
    this.#best = gap;
    this.#isFound = true;
  }

  /** Teams of two: the least with the greatest gives the least maximum and the greatest minimum, for every p. */
  #leastWithGreatest(): void {
    const skills = this.#skills;
    const order = Array.from({ length: this.#players }, (_, i) => i);
    order.sort((a, b) => skills[a] - skills[b] || a - b);
    let low = Number.POSITIVE_INFINITY;
    let high = Number.NEGATIVE_INFINITY;
    for (let t = 0; t < this.#layout.teams; t++) {
      const pair = [skills[order[t]], skills[order[order.length - 1 - t]]];
      const value = teamValue(pair, 2, this.#p, 0, this.#origin);
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
    if (high - low >= this.#best) return;
    this.#best = high - low;
    this.#isFound = true;
    for (let t = 0; t < this.#layout.teams; t++)
      this.teams[order[t]] = this.teams[order[order.length - 1 - t]] = t;
  }
}

/** Gets the team of each player and the teamGap of a division. Returns the gap from which on divisions are of no use. */
export type Visit = (teams: Uint8Array, gap: number) => number;

function sum(values: readonly number[]): number {
  return values.reduce((a, b) => a + b, 0);
}

/** The units that are placed in about the time of a step of a search. */
const unitsPerStep = 8;

/** The steps between two questions to the clock, a power of two less one. */
const stepsMask = 63;

/** Steps after which a division is given up: all divisions of 12 players are tried within it. */
const stepsMax = 300_000;
