import { SearchClock } from '../model/search-clock.ts';
import type { GameRules } from '../types.ts';
import type { Layout } from './layout.ts';
import { type SeatKeeper, teamSeats } from './seat-counts.ts';
import type { ShapeTicket } from './shape-ticket.ts';
import { teamValue } from './team-values.ts';
import { TwoTeamDivider } from './two-team-divider.ts';

/**
 * Divides the tickets of a game into its teams as fairly as possible, by trying all divisions team by team. Parties stay
 * together unless they may be split; sizes, kinds and roles of the teams are respected. For games of up to 16 players.
 *
 * Once a team is complete, its distance from the value that all teams would have at best bounds teamGap: with weights
 * w_t = k_t/N the values have a fixed weighted mean, so a team that is x away from it leaves d ≥ x/(1 − w_t) (p = 1).
 */
export class ShapeDivider {
  /** The team of each player, in the order of the members and their players. Set by `divide` when it succeeds. */
  readonly teams: Uint8Array;
  /** Steps taken since construction. */
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
  /** For each team, the units left for it in order of skill, and the places of those that it picks. */
  readonly #sorted: Int32Array[];
  readonly #picked: Int32Array[];
  #units = 0;
  readonly #skills: Float64Array;
  readonly #classes: Int32Array;
  readonly #unitOf: Int32Array;
  #players = 0;
  #meanSize = 0;
  #origin = 0;
  #target = 0;
  #best = 0;
  #isFound = false;
  #stepsLeft = 0;
  readonly #twoTeams: TwoTeamDivider | undefined;
  /** Judges each complete division, for `divideEach`. */
  #visit: Visit | undefined;
  /** By unit: the units that may not be on one team with it, as a bit set; and the units of the team being filled. */
  readonly #apart: Int32Array;
  #areApart = false;
  #mates = 0;

  constructor(rules: Pick<GameRules, 'p'>, layout: Layout, clock = new SearchClock()) {
    this.#clock = clock;
    const { seats, kindOf, kinds } = layout;
    this.#layout = layout;
    this.#p = rules.p;
    this.#twoTeams = TwoTeamDivider.for(layout, rules.p, clock);
    this.teams = new Uint8Array(seats);
    this.#size = new Int32Array(seats);
    this.#sum = new Float64Array(seats);
    this.#kinds = new Int32Array(seats);
    this.#first = new Int32Array(seats);
    this.#isTwin = new Uint8Array(seats);
    this.#team = new Int8Array(seats);
    this.#sorted = kindOf.map(() => new Int32Array(seats));
    this.#picked = kindOf.map(() => new Int32Array(seats));
    this.#skills = new Float64Array(seats);
    this.#classes = new Int32Array(seats);
    this.#unitOf = new Int32Array(seats);
    this.#apart = new Int32Array(seats);
    this.#seatings = teamSeats(layout);
    this.#fewestAfter = kindOf.map((_, t) => sum(kindOf.slice(t + 1).map((kind) => kinds[kind].minSize)));
    this.#mostAfter = kindOf.map((_, t) => sum(kindOf.slice(t + 1).map((kind) => kinds[kind].size)));
    this.#lastOfKind = kindOf.indexOf(kindOf[kindOf.length - 1]);
  }

  /** The least teamGap below `limit` of all divisions of these tickets, ∞ if there is none. */
  divide(members: readonly ShapeTicket[], limit: number): number {
    const twoTeams = this.#twoTeams;
    if (twoTeams?.serves(members)) {
      const from = twoTeams.steps;
      const gap = twoTeams.divide(members, limit, this.teams);
      this.steps += twoTeams.steps - from;
      this.wasCut = twoTeams.wasCut;
      return gap;
    }
    this.#read(members);
    this.#best = limit;
    this.#isFound = false;
    this.wasCut = false;
    this.#stepsLeft = stepsMax;
    const { kinds, classes, seats } = this.#layout;
    const isFull = this.#players === seats && this.#units === seats;
    const isSolos = isFull && kinds.length === 1 && classes === undefined;
    if (isSolos && kinds[0].size === 1) this.#eachAlone();
    else if (isSolos && kinds[0].size === 2) this.#leastWithGreatest();
    else if (isFull && this.#p === 1 && this.#areFree()) this.#fillWithSolos();
    else {
      this.#findTwins();
      this.#fill(0, this.#players, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, -1);
    }
    this.steps += stepsMax - this.#stepsLeft;
    return this.#isFound ? this.#best : Number.POSITIVE_INFINITY;
  }

  /**
   * Calls `visit` with every division of these tickets whose teamGap is below the limit, which is the number that `visit`
   * returned last, or at first `limit`. Divisions that differ only in the order of interchangeable teams are one.
   *
   * @param apart by member: the members that may not be on one team with it, as a bit set; undefined when all may
   */
  divideEach(
    members: readonly ShapeTicket[],
    limit: number,
    apart: ArrayLike<number> | undefined,
    visit: Visit,
  ): void {
    this.#read(members);
    // Players of the same skill may differ in what the visitor judges.
    this.#isTwin.fill(0);
    this.#areApart = apart !== undefined && this.#readApart(members, apart);
    this.#best = limit;
    this.wasCut = false;
    this.#stepsLeft = stepsMax;
    this.#visit = visit;
    this.#fill(0, this.#players, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, -1);
    this.#visit = undefined;
    this.#areApart = false;
    this.steps += stepsMax - this.#stepsLeft;
  }

  /** Reads who is apart by unit. A party that may be split is apart from none as a whole. Returns whether any unit is. */
  #readApart(members: readonly ShapeTicket[], apart: ArrayLike<number>): boolean {
    const unitOf = new Int32Array(members.length).fill(-1);
    let units = 0;
    members.forEach(({ isSplit, size }, m) => {
      if (!isSplit) unitOf[m] = units;
      units += isSplit ? size : 1;
    });
    this.#apart.fill(0);
    let isAny = false;
    for (let a = 0; a < members.length; a++) {
      for (let b = 0; b < members.length; b++) {
        if (((apart[a] >> b) & 1) === 0 || unitOf[a] < 0 || unitOf[b] < 0) continue;
        this.#apart[unitOf[a]] |= 1 << unitOf[b];
        isAny = true;
      }
    }
    return isAny;
  }

  /** Whether every player can take every seat. */
  #areFree(): boolean {
    const { kinds } = this.#layout;
    if (kinds.some(({ roles }) => roles !== undefined)) return false;
    for (let u = 0; u < this.#units; u++) if (this.#kinds[u] !== 2 ** kinds.length - 1) return false;
    return true;
  }

  #read(members: readonly ShapeTicket[]): void {
    const origin = members[0].low;
    const unitOf = this.#unitOf;
    let players = 0;
    let units = 0;
    let total = 0;
    for (let m = 0; m < members.length; m++) {
      const { skills, kinds, classes, isSplit, size } = members[m];
      let sum = 0;
      for (let i = 0; i < size; i++) {
        const value = skills[i] - origin;
        this.#skills[players] = skills[i];
        if (classes) this.#classes[players] = classes[i];
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
    let offsets = 0;
    for (const { count, size, offset } of this.#layout.kinds) offsets += count * size * offset;
    this.#target = (total * this.#meanSize + offsets) / players;
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
  #fill(t: number, playersLeft: number, low: number, high: number, firstBefore: number): void {
    const { kindOf, kinds } = this.#layout;
    const kind = kindOf[t];
    const { size, minSize } = kinds[kind];
    const most = Math.min(size, playersLeft - this.#fewestAfter[t]);
    const fewest = Math.max(minSize, playersLeft - this.#mostAfter[t]);
    if (fewest > most) return;
    if (t === this.#layout.teams - 1) {
      this.#fillLast(t, playersLeft, low, high);
      return;
    }
    const isSame = t > 0 && kindOf[t - 1] === kind;
    // Interchangeable teams come in the order of their first units; where only such are left, the first free unit is next.
    let from = isSame ? firstBefore + 1 : 0;
    let upTo = this.#units;
    if (t >= this.#lastOfKind) {
      let free = 0;
      while (this.#team[free] >= 0) free++;
      if (free < from) return;
      from = free;
      upTo = free + 1;
    }
    const mates = this.#mates;
    this.#mates = 0;
    this.#choose(t, from, upTo, 0, 0, fewest, most, playersLeft, low, high, -1);
    this.#mates = mates;
  }

  /** The last team gets the units that are left. */
  #fillLast(t: number, playersLeft: number, low: number, high: number): void {
    const team = this.#team;
    const kind = 1 << this.#layout.kindOf[t];
    let total = 0;
    let mates = 0;
    let canPlay = true;
    for (let u = 0; u < this.#units; u++) {
      if (team[u] >= 0) continue;
      canPlay &&= (this.#kinds[u] & kind) !== 0 && !(this.#areApart && (this.#apart[u] & mates) !== 0);
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
    const kind = 1 << this.#layout.kindOf[t];
    const end = players === 0 ? upTo : this.#units;
    for (let u = from; u < end; u++) {
      if (this.#team[u] >= 0 || (this.#kinds[u] & kind) === 0) continue;
      const size = players + this.#size[u];
      if (size > most) continue;
      if (u > from && this.#isTwin[u] && this.#team[u - 1] < 0) continue;
      if (this.#areApart && (this.#apart[u] & this.#mates) !== 0) continue;
      if ((--this.#stepsLeft & stepsMask) === 0 && this.#clock.isOver(stepsMask)) this.#stepsLeft = -1;
      if (this.#stepsLeft < 0) {
        this.#stepsLeft = 0;
        this.wasCut = true;
        return;
      }
      this.#team[u] = t;
      this.#mates ^= 1 << u;
      const next = total + this.#sum[u];
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
    const { offset, size } = layout.kinds[layout.kindOf[t]];
    const value =
      this.#p === 1
        ? (players === this.#meanSize ? total : (total * this.#meanSize) / players) + offset
        : this.#valueOf(t);
    const least = Math.min(low, value);
    const greatest = Math.max(high, value);
    if (greatest - least >= this.#best) return;
    if (this.#p === 1 && layout.seatsMin === layout.seats && this.#players > size) {
      const room = this.#best * (1 - players / this.#players) * (1 + 1e-9) + 1e-12 * Math.abs(this.#target);
      if (Math.abs(value - this.#target) > room) return;
    }
    if (!this.#canPlayRoles(t)) return;
    if (t + 1 < layout.teams) {
      this.#fill(t + 1, playersLeft, least, greatest, first);
      return;
    }
    if (playersLeft > 0) return;
    this.#keep(greatest - least);
  }

  #valueOf(t: number): number {
    const { kinds, kindOf } = this.#layout;
    const skills: number[] = [];
    for (let player = 0; player < this.#players; player++)
      if (this.#team[this.#unitOf[player]] === t) skills.push(this.#skills[player]);
    return teamValue(skills, this.#meanSize, this.#p, kinds[kindOf[t]].offset, this.#origin);
  }

  #canPlayRoles(t: number): boolean {
    const seating = this.#seatings[this.#layout.kindOf[t]];
    if (!seating) return true;
    seating.clear();
    for (let player = 0; player < this.#players; player++)
      if (this.#team[this.#unitOf[player]] === t && !seating.joinOne(this.#classes[player])) return false;
    return true;
  }

  /**
   * Solo players who can take every seat, p = 1: they are sorted, so the sum that a team needs decides which last player
   * it can have. A greedy division comes first, so that few sums are in question.
   */
  #fillWithSolos(): void {
    const order = this.#sorted[0];
    const sums = this.#sum;
    for (let u = 0; u < this.#units; u++) {
      let at = u;
      for (; at > 0 && sums[order[at - 1]] > sums[u]; at--) order[at] = order[at - 1];
      order[at] = u;
    }
    this.#deal(order);
    this.#nextTeam(0, this.#units, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, -1);
  }

  /** The greedy division: the most skilled first, each to the team that is farthest below its share. */
  #deal(order: Int32Array): void {
    const { kindOf, kinds, teams } = this.#layout;
    const free = kindOf.map((kind) => kinds[kind].size);
    const totals = kindOf.map(() => 0);
    for (let i = this.#units - 1; i >= 0; i--) {
      let to = -1;
      let most = Number.NEGATIVE_INFINITY;
      for (let t = 0; t < teams; t++) {
        if (free[t] === 0) continue;
        const { size, offset } = kinds[kindOf[t]];
        const lacking = ((this.#target - offset) * size) / this.#meanSize - totals[t];
        if (lacking / free[t] <= most) continue;
        most = lacking / free[t];
        to = t;
      }
      this.#team[order[i]] = to;
      totals[to] += this.#sum[order[i]];
      free[to]--;
    }
    let low = Number.POSITIVE_INFINITY;
    let high = Number.NEGATIVE_INFINITY;
    for (let t = 0; t < teams; t++) {
      const { size, offset } = kinds[kindOf[t]];
      const value = (size === this.#meanSize ? totals[t] : (totals[t] * this.#meanSize) / size) + offset;
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
    if (high - low < this.#best) this.#keep(high - low);
  }

  /** Team t of the players left in `#sorted[t]`, with values from `low` to `high` so far. */
  #nextTeam(t: number, left: number, low: number, high: number, firstBefore: number): void {
    const { kindOf, kinds, teams } = this.#layout;
    const { size, offset } = kinds[kindOf[t]];
    const rest = this.#sorted[t];
    if (t === teams - 1) {
      let total = 0;
      for (let i = 0; i < left; i++) total += this.#sum[rest[i]];
      const value = (size === this.#meanSize ? total : (total * this.#meanSize) / size) + offset;
      const gap = Math.max(high, value) - Math.min(low, value);
      if (gap >= this.#best) return;
      for (let i = 0; i < left; i++) this.#team[rest[i]] = t;
      this.#keep(gap);
      return;
    }
    const isForced = t >= this.#lastOfKind;
    const isSame = t > 0 && kindOf[t - 1] === kindOf[t];
    const upTo = isForced ? 1 : left - size + 1;
    for (let first = 0; first < upTo; first++) {
      // Interchangeable teams come in the order of their least players.
      if (isSame && this.#sum[rest[first]] < firstBefore) continue;
      this.#picked[t][0] = first;
      this.#pick(t, left, 1, first + 1, this.#sum[rest[first]], low, high);
    }
  }

  /** Picks player number `picked` of team t from place `from` on; the sum of those before is `total`. */
  #pick(
    t: number,
    left: number,
    picked: number,
    from: number,
    total: number,
    low: number,
    high: number,
  ): void {
    const { kindOf, kinds } = this.#layout;
    const { size, offset } = kinds[kindOf[t]];
    const rest = this.#sorted[t];
    const sums = this.#sum;
    const places = this.#picked[t];
    const needed = size - picked;
    const scale = size / this.#meanSize;
    if (needed === 0) {
      this.#teamPicked(t, left, total, low, high);
      return;
    }
    for (let i = from; i + needed <= left; i++) {
      const room = this.#best * (1 - size / this.#players) * (1 + 1e-9) + 1e-12 * Math.abs(this.#target);
      const least = Math.max(this.#target - room, high - this.#best);
      const most = Math.min(this.#target + room, low + this.#best);
      // The least sum is that of the next players, the greatest that of this one and the last.
      let lowest = total;
      for (let j = i; j < i + needed; j++) lowest += sums[rest[j]];
      if (lowest > (most - offset) * scale) return;
      let highest = total + sums[rest[i]];
      for (let j = left - needed + 1; j < left; j++) highest += sums[rest[j]];
      if (highest < (least - offset) * scale) {
        if (needed > 1) continue;
        // The last player: go straight to the first who is skilled enough.
        const wanted = (least - offset) * scale - total;
        let end = left;
        while (i + 1 < end) {
          const middle = (i + end) >> 1;
          if (sums[rest[middle]] < wanted) i = middle;
          else end = middle;
        }
        continue;
      }
      if (i > from && sums[rest[i]] === sums[rest[i - 1]]) continue;
      if ((--this.#stepsLeft & stepsMask) === 0 && this.#clock.isOver(stepsMask)) this.#stepsLeft = -1;
      if (this.#stepsLeft < 0) {
        this.#stepsLeft = 0;
        this.wasCut = true;
        return;
      }
      places[picked] = i;
      this.#pick(t, left, picked + 1, i + 1, total + sums[rest[i]], low, high);
    }
  }

  /** Team t is complete: the others go on with the next one. */
  #teamPicked(t: number, left: number, total: number, low: number, high: number): void {
    const { kindOf, kinds } = this.#layout;
    const { size, offset } = kinds[kindOf[t]];
    const value = (size === this.#meanSize ? total : (total * this.#meanSize) / size) + offset;
    const least = Math.min(low, value);
    const greatest = Math.max(high, value);
    if (greatest - least >= this.#best) return;
    const rest = this.#sorted[t];
    const next = this.#sorted[t + 1];
    const places = this.#picked[t];
    let at = 0;
    let kept = 0;
    for (let i = 0; i < left; i++) {
      if (at < size && places[at] === i) {
        this.#team[rest[i]] = t;
        at++;
      } else next[kept++] = rest[i];
    }
    this.#nextTeam(t + 1, kept, least, greatest, this.#sum[rest[places[0]]]);
  }

  /** Keeps the division in `#team`, with this gap. */
  #keep(gap: number): void {
    for (let player = 0; player < this.#players; player++)
      this.teams[player] = this.#team[this.#unitOf[player]];
    if (this.#visit) {
      this.#best = this.#visit(this.teams, gap);
      return;
    }
    this.#best = gap;
    this.#isFound = true;
  }

  /** Teams of one: the gap is the range. */
  #eachAlone(): void {
    let low = Number.POSITIVE_INFINITY;
    let high = Number.NEGATIVE_INFINITY;
    for (let i = 0; i < this.#players; i++) {
      low = Math.min(low, this.#skills[i]);
      high = Math.max(high, this.#skills[i]);
    }
    if (high - low >= this.#best) return;
    this.#best = high - low;
    this.#isFound = true;
    for (let i = 0; i < this.#players; i++) this.teams[i] = i;
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

/** The clock is asked after so many steps, a power of two less one. */
const stepsMask = 63;

/** Steps after which a division is given up: all divisions of 12 players are tried within it. */
const stepsMax = 300_000;
