import { divisionsInto } from '../model/divisions.ts';
import { leastPowerSum, teamGap } from '../model/imbalance.ts';
import type { SearchClock } from '../model/search-clock.ts';
import type { Layout } from './layout.ts';
import { type SeatKeeper, teamSeats } from './seat-counts.ts';
import type { ShapeTicket } from './shape-ticket.ts';

/**
 * Divides the tickets of a full game into two teams as fairly as possible. Parties stay together.
 *
 * It tries every division. The tickets are cut into two halves, and the weights of the subsets of each half are added up
 * once, so the weight of a team is the sum of two of them. Only divisions that are fairer than the best so far are seated.
 */
export class TwoTeamDivider {
  /** The work since construction, in steps of a `ShapeDivider`. */
  steps = 0;
  /** Whether the last `divide` gave up before it had tried all divisions. */
  wasCut = false;

  readonly #layout: Layout;
  readonly #p: number;
  readonly #clock: SearchClock;
  readonly #sizes: readonly [number, number];
  /** What turns the weight of each team into its value. */
  readonly #scales: readonly [number, number];
  readonly #offsets: readonly [number, number];
  readonly #areAlike: boolean;
  /** By team. */
  readonly #seatings: readonly (SeatKeeper | undefined)[];
  readonly #lower = new Float64Array(256);
  readonly #upper = new Float64Array(256);
  readonly #skills: readonly [Float64Array, Float64Array];
  #members: readonly ShapeTicket[] = [];
  #areRefusalsReady = false;

  /** Undefined where the gap of two teams does not follow from sums over their tickets. */
  static for(layout: Layout, p: number, clock: SearchClock): TwoTeamDivider | undefined {
    const { kinds, kindOf, seats, seatsMin } = layout;
    if (kindOf.length !== 2 || seats > seatsMax || seatsMin < seats) return undefined;
    const a = kinds[kindOf[0]];
    const b = kinds[kindOf[1]];
    if (p > 1 && (a.size !== b.size || a.offset !== b.offset)) return undefined;
    return new TwoTeamDivider(layout, p, clock);
  }

  private constructor(layout: Layout, p: number, clock: SearchClock) {
    const { kinds, kindOf, seats } = layout;
    const [a, b] = kindOf.map((kind) => kinds[kind]);
    this.#layout = layout;
    this.#p = p;
    this.#clock = clock;
    this.#sizes = [a.size, b.size];
    this.#scales = [seats / 2 / a.size, seats / 2 / b.size];
    this.#offsets = [a.offset, b.offset];
    this.#areAlike = kinds.length === 1;
    this.#skills = [new Float64Array(a.size), new Float64Array(b.size)];
    const ofKind = teamSeats(layout);
    this.#seatings = kindOf.map((kind) => ofKind[kind]);
  }

  /** Whether these tickets fill the game and none of them may be split. */
  serves(members: readonly ShapeTicket[]): boolean {
    let players = 0;
    for (let m = 0; m < members.length; m++) {
      if (members[m].isSplit) return false;
      players += members[m].size;
    }
    return players === this.#layout.seats;
  }

  /**
   * The least teamGap below `limit` of all divisions, ∞ if there is none. Of equally fair ones it keeps the first.
   *
   * @param teams receives the team of each player, in the order of the members and their players
   */
  divide(members: readonly ShapeTicket[], limit: number, teams: Uint8Array): number {
    this.#members = members;
    this.#areRefusalsReady = false;
    this.wasCut = false;
    const p = this.#p;
    const half = members.length >> 1;
    this.#weighSubsets(this.#lower, 0, half);
    this.#weighSubsets(this.#upper, half, members.length);
    const divisions = divisionsInto(members, this.#sizes[0], this.#areAlike);
    this.steps += 1 + (divisions.length >> 4);
    this.#clock.isOver(1 + (divisions.length >> 6));
    const isPower = p > 1 && p < Number.POSITIVE_INFINITY;
    const at = isPower ? this.#mostEven(divisions) : this.#leastApart(divisions, limit);
    if (at === -1) return Number.POSITIVE_INFINITY;
    let team = divisions[at];
    let gap = this.#distance;
    if (isPower) {
      // Sums of powers that have lost their digits cannot tell the divisions apart.
      if (this.#distance < leastPowerSum) team = this.#fairest(divisions);
      if (team === 0) return Number.POSITIVE_INFINITY;
      gap = this.#gapOf(team);
      if (gap >= limit) return Number.POSITIVE_INFINITY;
    }
    let player = 0;
    for (let m = 0; m < members.length; m++)
      for (let left = members[m].size; left > 0; left--) teams[player++] = ((team >> m) & 1) ^ 1;
    return gap;
  }

  /** Of the division that was found last: the teamGap, or for 1 < p < ∞ the lesser sum of powers. */
  #distance = 0;

  /** The first division of least teamGap below `limit`, for p = 1 and p = ∞; −1 if there is none. */
  #leastApart(divisions: Uint16Array, limit: number): number {
    const lower = this.#lower;
    const upper = this.#upper;
    const half = this.#members.length >> 1;
    const lowest = 2 ** half - 1;
    const all = 2 ** this.#members.length - 1;
    const isTop = this.#p === Number.POSITIVE_INFINITY;
    const [scaleA, scaleB] = this.#scales;
    const shift = this.#offsets[0] - this.#offsets[1];
    let least = limit;
    let found = -1;
    for (let i = 0; i < divisions.length; i++) {
      const team = divisions[i];
      const others = all & ~team;
      const a = lower[team & lowest];
      const b = upper[team >> half];
      const c = lower[others & lowest];
      const d = upper[others >> half];
      const apart = isTop
        ? Math.max(a, b) - Math.max(c, d) + shift
        : scaleA * (a + b) - scaleB * (c + d) + shift;
      const distance = Math.abs(apart);
      if (distance >= least || !this.#canPlay(team, others)) continue;
      least = distance;
      found = i;
    }
    this.#distance = least;
    return found;
  }

  /**
   * The first division whose lesser sum of powers is greatest; −1 if none can be played. |A^(1/p) − B^(1/p)| falls as the
   * lesser of A and B grows, because A + B is the same for all. (It is not taken from the difference: the root is steep near
   * zero, where a difference has lost all precision.)
   */
  #mostEven(divisions: Uint16Array): number {
    const lower = this.#lower;
    const upper = this.#upper;
    const half = this.#members.length >> 1;
    const lowest = 2 ** half - 1;
    const all = 2 ** this.#members.length - 1;
    let most = -1;
    let found = -1;
    for (let i = 0; i < divisions.length; i++) {
      const team = divisions[i];
      const others = all & ~team;
      const a = lower[team & lowest] + upper[team >> half];
      const b = lower[others & lowest] + upper[others >> half];
      const lesser = a < b ? a : b;
      if (lesser <= most || !this.#canPlay(team, others)) continue;
      most = lesser;
      found = i;
    }
    this.#distance = most;
    return found;
  }

  /** The first division of least teamGap, computed one by one; 0 if none was tried. */
  #fairest(divisions: Uint16Array): number {
    const all = 2 ** this.#members.length - 1;
    let least = Number.POSITIVE_INFINITY;
    let fairest = 0;
    this.steps += divisions.length;
    for (const team of divisions) {
      if (this.#clock.isOver()) {
        this.wasCut = true;
        break;
      }
      const gap = this.#gapOf(team);
      if (gap >= least || !this.#canPlay(team, all & ~team)) continue;
      least = gap;
      fairest = team;
    }
    return fairest;
  }

  /** The teamGap of a division, for 1 < p < ∞. */
  #gapOf(team: number): number {
    const [x, y] = this.#skills;
    let inX = 0;
    let inY = 0;
    for (let m = 0; m < this.#members.length; m++) {
      const { skills } = this.#members[m];
      for (let i = 0; i < skills.length; i++) {
        if ((team >> m) & 1) x[inX++] = skills[i];
        else y[inY++] = skills[i];
      }
    }
    return teamGap(x, y, this.#p);
  }

  /**
   * For every subset of the tickets `from` to `to`, by its bits: the sum of their weights, or for p = ∞ the greatest. The
   * weight of a ticket is its top skill for p = ∞, otherwise its sum of (s / top)^p, where for p = 1 s is relative to a
   * common origin.
   */
  #weighSubsets(sets: Float64Array, from: number, to: number): void {
    const members = this.#members;
    const p = this.#p;
    const isTop = p === Number.POSITIVE_INFINITY;
    const origin = members[0].low;
    let top = Number.MIN_VALUE;
    if (p > 1) for (let m = 0; m < members.length; m++) top = Math.max(top, members[m].high);
    sets[0] = 0;
    for (let m = from, size = 1; m < to; m++, size *= 2) {
      const { high, skills } = members[m];
      let weight = 0;
      if (isTop) weight = high;
      else if (p === 1) for (let i = 0; i < skills.length; i++) weight += skills[i] - origin;
      else for (let i = 0; i < skills.length; i++) weight += (skills[i] / top) ** p;
      for (let set = 0; set < size; set++)
        sets[size + set] = isTop ? Math.max(sets[set], weight) : sets[set] + weight;
    }
  }

  /** Whether the players of both teams accept them, and all can be seated. */
  #canPlay(team: number, others: number): boolean {
    if (!this.#areRefusalsReady) this.#findRefusals();
    if ((team & this.#refuses[0]) !== 0 || (others & this.#refuses[1]) !== 0) return false;
    return this.#canSeat(this.#seatings[0], team) && this.#canSeat(this.#seatings[1], others);
  }

  #canSeat(seating: SeatKeeper | undefined, team: number): boolean {
    if (!seating) return true;
    seating.clear();
    for (let m = 0; m < this.#members.length; m++)
      if ((team >> m) & 1 && !seating.join(this.#members[m].classes!)) return false;
    return true;
  }

  /** By team: the tickets that do not accept its kind, as a bit set. */
  readonly #refuses = [0, 0];

  #findRefusals(): void {
    const { kindOf } = this.#layout;
    const members = this.#members;
    const refuses = this.#refuses;
    this.#areRefusalsReady = true;
    refuses[0] = refuses[1] = 0;
    for (let m = 0; m < members.length; m++) {
      const accepted = members[m].kinds[0];
      if (((accepted >> kindOf[0]) & 1) === 0) refuses[0] |= 1 << m;
      if (((accepted >> kindOf[1]) & 1) === 0) refuses[1] |= 1 << m;
    }
  }
}

/** The players of a game whose tickets are the bits of a `Uint16Array`. */
const seatsMax = 16;
