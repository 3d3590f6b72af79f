import type { TeamCentres } from '../bounds/mix-bound.ts';
import type { PartyLines } from '../bounds/party-lines.ts';
import { type DividedGame, teamOf } from '../model/division.ts';
import { shapeOf } from '../model/game-shape.ts';
import { skillSpread, teamGap } from '../model/imbalance.ts';
import { gameMixes } from '../model/party-mixes.ts';
import type { PooledTicket } from '../model/pooled-ticket.ts';
import type { SearchClock } from '../model/search-clock.ts';
import { TicketDivider } from '../model/ticket-divider.ts';
import type { GameRules } from '../types.ts';

/**
 * Searches for a good game of one party mix with one party, the anchor, around a centre. It starts with the parties that cost
 * least around the centre, divides them, and makes the best of all exchanges of one or two parties for others of their
 * sizes, as long as that improves the game. It proves nothing.
 *
 * For p = 1 and q = 2 an exchange costs a few additions, otherwise a pass over the players.
 */
export class MixGame {
  /** The games valued since construction. */
  valued = 0;
  /** The parties of the last search that cost least around its centre. */
  nearest: readonly PooledTicket[] = [];

  readonly #rules: GameRules;
  readonly #lines: PartyLines;
  readonly #mixes: readonly Uint8Array[];
  readonly #divider: TicketDivider;
  readonly #clock: SearchClock;
  readonly #isFast: boolean;
  readonly #n: number;
  readonly #teamSize: number;

  /** The members of the game, then the parties that may replace them: party, team of a member, sum and sum of squares. */
  readonly #tickets: PooledTicket[] = [];
  readonly #sides = new Int8Array(seatsMax);
  readonly #values = new Float64Array(partiesMax);
  readonly #squares = new Float64Array(partiesMax);
  #members = 0;
  /** The exchanges of one member for one party. */
  readonly #from = new Int16Array(exchangesMax);
  readonly #to = new Int16Array(exchangesMax);

  readonly #x: Float64Array;
  readonly #y: Float64Array;
  readonly #all: Float64Array;

  constructor(rules: GameRules, lines: PartyLines, clock: SearchClock) {
    this.#clock = clock;
    const { seats, teamSizes } = shapeOf(rules);
    this.#rules = rules;
    this.#lines = lines;
    this.#mixes = gameMixes(shapeOf(rules));
    this.#divider = new TicketDivider(rules, undefined);
    this.#isFast = rules.p === 1 && rules.q === 2;
    this.#n = seats;
    this.#teamSize = teamSizes[0];
    this.#x = new Float64Array(this.#teamSize);
    this.#y = new Float64Array(this.#teamSize);
    this.#all = new Float64Array(seats);
  }

  /** A game of this mix with the anchor at this place; undefined when parties are missing. */
  run(mix: number, size: number, place: number, centre: number): DividedGame | undefined {
    return this.#gather(this.#mixes[mix], size, place, centre) ? this.#improve() : undefined;
  }

  /** The same with the parties of each team from around its own centre. */
  runApart(size: number, place: number, { own, other }: TeamCentres): DividedGame | undefined {
    return this.#gatherApart(size, place, own, other) ? this.#improve() : undefined;
  }

  #improve(): DividedGame | undefined {
    let best: DividedGame | undefined;
    for (let round = 0; round < roundsMax; round++) {
      const members = this.#tickets.slice(0, this.#members);
      const gap = this.#divider.divide(members);
      const { division } = this.#divider;
      const imbalance = this.#rules.alpha * gap + this.#divider.skillSpread(members);
      if (best && imbalance >= best.imbalance) break;
      best = { members, division, imbalance };
      for (let i = 0; i < members.length; i++) this.#sides[i] = teamOf(division, i) === 0 ? 1 : -1;
      if (!this.#exchange()) break;
    }
    return best;
  }

  /** The anchor, the parties that cost least, and those that may replace them. Returns whether there are enough. */
  #gather(mix: Uint8Array, anchorSize: number, anchorPlace: number, centre: number): boolean {
    const lines = this.#lines;
    const tickets = this.#tickets;
    tickets.length = 0;
    tickets.push(lines.ticket(anchorSize, anchorPlace));
    const others: PooledTicket[] = [];
    for (let size = mix.length - 1; size >= 1; size--) {
      const count = mix[size] - (size === anchorSize ? 1 : 0);
      if (count <= 0) continue;
      const except = size === anchorSize ? anchorPlace : -1;
      const found = lines.nearest(size, centre, count + spares, except, Number.POSITIVE_INFINITY);
      if (found < count) return false;
      for (let i = 0; i < found; i++)
        (i < count ? tickets : others).push(lines.ticket(size, lines.places[i]));
    }
    this.#prepare(others, centre);
    return true;
  }

  #gatherApart(anchorSize: number, anchorPlace: number, ...teams: readonly TeamCentres['own'][]): boolean {
    const lines = this.#lines;
    const tickets = this.#tickets;
    tickets.length = 0;
    tickets.push(lines.ticket(anchorSize, anchorPlace));
    const others: PooledTicket[] = [];
    for (const { parties, centre } of teams) {
      for (let i = 0; i < parties.sizes.length; i++) {
        const size = parties.sizes[i];
        const except = size === anchorSize ? anchorPlace : -1;
        let missing = parties.counts[i];
        const found = lines.nearest(size, centre, 2 * missing + spares, except, Number.POSITIVE_INFINITY);
        for (let near = 0; near < found; near++) {
          const pooled = lines.ticket(size, lines.places[near]);
          if (tickets.includes(pooled)) continue;
          if (missing-- > 0) tickets.push(pooled);
          else if (!others.includes(pooled)) others.push(pooled);
        }
        if (missing > 0) return false;
      }
    }
    this.#prepare(
      others.filter((pooled) => !tickets.includes(pooled)),
      teams[0].centre,
    );
    return true;
  }

  /** Computes the numbers of the members and the parties that may replace them. */
  #prepare(others: readonly PooledTicket[], centre: number): void {
    const tickets = this.#tickets;
    this.#members = tickets.length;
    this.nearest = tickets.slice();
    tickets.push(...others);
    for (let i = 0; i < tickets.length; i++) {
      const { size, mean, spread } = tickets[i];
      const away = mean - centre;
      this.#values[i] = size * away;
      this.#squares[i] = size * away * away + spread;
    }
  }

  /** Makes the best exchange of one or two parties. Returns whether any improves the game. */
  #exchange(): boolean {
    const tickets = this.#tickets;
    let count = 0;
    for (let i = 1; i < this.#members; i++) {
      for (let j = this.#members; j < tickets.length; j++) {
        if (tickets[i].size !== tickets[j].size) continue;
        this.#from[count] = i;
        this.#to[count++] = j;
      }
    }
    const pair = this.#isFast ? this.#bestPairFast(count) : this.#bestPair(count);
    if (!pair) return false;
    for (const exchange of pair) {
      const i = this.#from[exchange];
      const j = this.#to[exchange];
      [tickets[i], tickets[j]] = [tickets[j], tickets[i]];
      for (const numbers of [this.#values, this.#squares])
        [numbers[i], numbers[j]] = [numbers[j], numbers[i]];
    }
    return true;
  }

  #bestPairFast(count: number): number[] | undefined {
    const { alpha } = this.#rules;
    const n = this.#n;
    const values = this.#values;
    const squares = this.#squares;
    const sides = this.#sides;
    const from = this.#from;
    const to = this.#to;
    let sum = 0;
    let gap = 0;
    let square = 0;
    for (let i = 0; i < this.#members; i++) {
      sum += values[i];
      gap += sides[i] * values[i];
      square += squares[i];
    }
    let least = (alpha * Math.abs(gap) + Math.sqrt(Math.max(0, square - (sum * sum) / n) / n)) * (1 - 1e-9);
    let best: number[] | undefined;
    for (let a = 0; a < count && !this.#clock.isOver(1 + (count >> 5)); a++) {
      const i = from[a];
      const change = values[to[a]] - values[i];
      const sumA = sum + change;
      const gapA = gap + sides[i] * change;
      const squareA = square + squares[to[a]] - squares[i];
      const spreadA = Math.max(0, squareA - (sumA * sumA) / n) / n;
      const f = alpha * Math.abs(gapA) + Math.sqrt(spreadA);
      if (f < least) {
        least = f;
        best = [a];
      }
      for (let b = a + 1; b < count; b++) {
        const j = from[b];
        if (j === i || to[b] === to[a]) continue;
        const changeB = values[to[b]] - values[j];
        const unfair = alpha * Math.abs(gapA + sides[j] * changeB);
        if (unfair >= least) continue;
        const sumB = sumA + changeB;
        const v = (squareA + squares[to[b]] - squares[j] - (sumB * sumB) / n) / n;
        if (v >= (least - unfair) ** 2) continue;
        least = unfair + Math.sqrt(Math.max(0, v));
        best = [a, b];
      }
    }
    this.valued += (count * count) / 2;
    return best;
  }

  /** For other p and q: exchanges of one party only. */
  #bestPair(count: number): number[] | undefined {
    let least = this.#valueOf(-1, -1) * (1 - 1e-9);
    let best: number[] | undefined;
    for (let a = 0; a < count && !this.#clock.isOver(); a++) {
      const f = this.#valueOf(this.#from[a], this.#to[a]);
      if (f >= least) continue;
      least = f;
      best = [a];
    }
    this.valued += 10 * count;
    return best;
  }

  /** The imbalance of the members, with `to` in place of member `from`. */
  #valueOf(from: number, to: number): number {
    let x = 0;
    let y = 0;
    let all = 0;
    for (let i = 0; i < this.#members; i++) {
      const { skills } = this.#tickets[i === from ? to : i];
      for (let s = 0; s < skills.length; s++) {
        this.#all[all++] = skills[s];
        if (this.#sides[i] > 0) this.#x[x++] = skills[s];
        else this.#y[y++] = skills[s];
      }
    }
    const { alpha, p, q } = this.#rules;
    return alpha * teamGap(this.#x, this.#y, p) + skillSpread(this.#all, q);
  }
}

/** The parties of each size, besides those that cost least, that may replace them. */
const spares = 6;

/** How often it divides again after an exchange. */
const roundsMax = 4;

const seatsMax = 16;
const partiesMax = 3 * seatsMax + 16 * spares;
const exchangesMax = seatsMax * (2 * seatsMax + 2 * spares);
