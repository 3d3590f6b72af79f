import { firstPlace } from '../collections/first-place.ts';
import { skillSpreadOfRelative } from '../model/imbalance.ts';
import type { SearchClock } from '../model/search-clock.ts';
import { type Seating, seatingOfTeam } from '../shapes/seating.ts';
import { areAlike, type ShapeTicket } from '../shapes/shape-ticket.ts';
import { teamValue } from '../shapes/team-values.ts';
import type { Constraints, Forbids } from '../types.ts';
import { filledTeams, fitsSomewhere, type Opening } from './opening.ts';
import { admittedLine, type SeatLine } from './seat-line.ts';

/** Newcomers and the team of each of their players, in the order of the tickets and their players. */
export interface Seated {
  readonly tickets: readonly ShapeTicket[];
  readonly teams: readonly number[];
  /** f with all costs. */
  readonly imbalance: number;
}

/** What a search does not change: the waiting tickets and what limits which players play together. */
export interface Seekers {
  readonly lines: readonly SeatLine[];
  readonly constraints: Constraints | undefined;
  readonly forbids: Forbids | undefined;
  /** The number of this search among all, for `SeatLine.asked`. */
  readonly search: number;
  readonly nowMs: number;
  readonly clock: SearchClock;
  /** Whether a ticket may come to this game. @default every ticket */
  readonly isFree?: ((ticketId: string) => boolean) | undefined;
}

/**
 * Searches newcomers for the empty seats of one running game, depth first: parties that may be split, then team by team,
 * large parties first, from the skill that the seats want outwards. The players who are there are joined from the start.
 *
 * With m players chosen, a further ticket of mean x is as good as `size` players of skill x (Jensen), and the spread of
 * the chosen players alone bounds v_q: Σ|s − μ|^q over some of them is least around their own centre. The bound grows with
 * the distance of x from the mean of the chosen on both sides, so that a window of each line is left.
 */
export class SeatSearch {
  /** The best newcomers that were found. */
  found: Seated | undefined;
  wasCut = false;
  nodes = 0;

  readonly #opening: Opening;
  readonly #seekers: Seekers;
  readonly #newcomers: number;
  readonly #wanted: readonly number[];
  /** The mean of what all open seats want, for parties that are split. */
  readonly #wantedOfAll: number;
  readonly #splitLines: readonly SeatLine[];
  readonly #wholeLines: readonly SeatLine[];
  /** The number of those who are there in the constraints. */
  readonly #together: number;
  readonly #seatings: readonly (Seating | undefined)[];
  readonly #canStart: boolean;

  /** Players in all, and by team. */
  readonly #players: number;
  readonly #meanSize: number;
  readonly #emptyCost: number;
  readonly #room: Int32Array;
  /** By team: it, as often as it has seats, for parties that stay together. */
  readonly #onTeam: readonly (readonly number[])[];
  readonly #need: Int32Array;
  readonly #sums: Float64Array;
  /** By player: the sum of its team before it was placed, because subtraction would not restore it to the last bit. */
  readonly #sumsBefore: Float64Array;
  readonly #sizes: Int32Array;
  readonly #values: Float64Array;
  readonly #teamOf: Int32Array;
  #placed = 0;
  readonly #tickets: ShapeTicket[] = [];
  readonly #numbers: number[] = [];
  readonly #taken = new Set<ShapeTicket>();
  #left: number;

  /** The chosen players: their mean, squared deviations, extremes, and for q < 2 their least Σ|s − c|. */
  #mean = 0;
  #squares = 0;
  #low = Number.POSITIVE_INFINITY;
  #high = Number.NEGATIVE_INFINITY;
  #apart = 0;
  #best = Number.POSITIVE_INFINITY;
  #nodesMax = 0;
  #isFirstEnough = false;
  #isOver = false;

  /** @param newcomers how many players are to come */
  constructor(opening: Opening, seekers: Seekers, newcomers: number, wanted: readonly number[]) {
    const { layout, teams, together, open } = opening;
    const { lines, constraints } = seekers;
    this.#opening = opening;
    this.#seekers = seekers;
    this.#newcomers = newcomers;
    this.#wanted = wanted;
    this.#left = newcomers;
    const widest = Math.max(...teams.map((team) => team.open));
    this.#together = constraints ? constraints.enter(together) : -1;
    const admitted = constraints ? this.#admittedOf(lines, constraints) : lines;
    this.#splitLines = admitted.filter(({ isSplit, size }) => isSplit && size <= newcomers);
    this.#wholeLines = admitted
      .filter(({ isSplit, size }) => !isSplit && size <= Math.min(newcomers, widest))
      .sort((a, b) => b.size - a.size);
    const there = teams.reduce((sum, { skills }) => sum + skills.length, 0);
    this.#players = there + newcomers;
    this.#meanSize = this.#players / teams.length;
    this.#emptyCost = (open - newcomers) * layout.emptySeatCost;
    this.#room = Int32Array.from(teams, (team) => team.open);
    this.#onTeam = teams.map((team, t) => new Array<number>(team.open).fill(t));
    this.#need = Int32Array.from(teams, (team) => (newcomers === open ? team.open : team.fewest));
    this.#sums = new Float64Array(teams.length);
    this.#sumsBefore = new Float64Array(this.#players);
    this.#sizes = new Int32Array(teams.length);
    this.#values = new Float64Array(this.#players);
    this.#teamOf = new Int32Array(this.#players);
    this.#wantedOfAll =
      teams.reduce((sum, { open: seats }, t) => sum + seats * wanted[t], 0) / Math.max(1, open);
    this.#seatings = teams.map(({ kind }) => seatingOfTeam(layout, kind));
    this.#canStart = teams.every(
      ({ classes }, t) => this.#seatings[t] === undefined || this.#seatings[t].join(classes!),
    );
    teams.forEach(({ skills }, t) => {
      for (const skill of skills) this.#place(t, skill);
    });
  }

  #admittedOf(lines: readonly SeatLine[], constraints: Constraints): SeatLine[] {
    constraints.start();
    constraints.join(this.#together);
    const admitted = lines.map((line) => admittedLine(line, constraints));
    constraints.leave(this.#together);
    return admitted;
  }

  /** Whether those who are there play a game that may be filled at all: their roles have seats, the rules admit them. */
  get canStart(): boolean {
    if (!this.#canStart) return false;
    const { constraints } = this.#seekers;
    if (!constraints) return true;
    constraints.start();
    return constraints.admits(this.#together);
  }

  /** What every filling costs besides its imbalance: the seats that stay empty, and the costs of those who are there. */
  get costs(): number {
    const { constraints } = this.#seekers;
    if (!constraints) return this.#emptyCost;
    constraints.start();
    constraints.join(this.#together);
    const cost = constraints.cost();
    constraints.leave(this.#together);
    return this.#emptyCost + cost;
  }

  /** v_q of no filling is below this. */
  get leastSpread(): number {
    return this.#spreadWith(this.#mean, 0);
  }

  /**
   * Looks for a filling with an imbalance below `limit`; the best one is `found` unless the search was cut.
   * @param isFirstEnough ends at the first one
   */
  run(limit: number, nodesMax: number, isFirstEnough = false): void {
    this.found = undefined;
    this.wasCut = false;
    this.#isOver = false;
    this.#best = limit;
    this.#nodesMax = this.nodes + nodesMax;
    this.#isFirstEnough = isFirstEnough;
    const { constraints } = this.#seekers;
    if (constraints) {
      constraints.start();
      constraints.join(this.#together);
    }
    this.#splitFrom(0, -1, -1);
    constraints?.leave(this.#together);
  }

  /** Decides about the parties that may be split, from those not yet visited of this line on. */
  #splitFrom(line: number, below: number, above: number): void {
    this.#teamFrom(0, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY);
    for (let l = line; l < this.#splitLines.length && !this.#isOver; l++) {
      const own = this.#splitLines[l];
      if (own.size > this.#left) continue;
      const [down, up] = l === line ? [below, above] : [-1, -1];
      this.#outwards(own, this.#wantedOfAll, down, up, (i, from, to) =>
        this.#splitParty(own.tickets[i], own.numbers[i], 0, [], () => this.#splitFrom(l, from, to)),
      );
    }
  }

  /** Tries every way to put the players of a party that may be split into the teams, from this player on. */
  #splitParty(ticket: ShapeTicket, number: number, player: number, teams: number[], then: () => void): void {
    if (player === ticket.size) {
      this.#join(ticket, number, teams, then);
      return;
    }
    const { teams: open } = this.#opening;
    for (let t = 0; t < open.length && !this.#isOver; t++) {
      if (this.#room[t] === 0 || ((ticket.kinds[player] >> open[t].kind) & 1) === 0) continue;
      const seating = this.#seatings[t];
      if (seating && !seating.joinOne(ticket.classes![player])) continue;
      this.#room[t]--;
      teams.push(t);
      this.#splitParty(ticket, number, player + 1, teams, then);
      teams.pop();
      this.#room[t]++;
      seating?.leave(1);
    }
  }

  /** Fills team t and those after it; the values of the full teams before it are from `low` to `high`. */
  #teamFrom(t: number, low: number, high: number): void {
    const { teams } = this.#opening;
    if (t === teams.length) {
      if (this.#left === 0) this.#whole(low, high);
      return;
    }
    let mostAfter = 0;
    let fewestAfter = 0;
    for (let after = t + 1; after < teams.length; after++) {
      mostAfter += this.#room[after];
      fewestAfter += this.#needOf(after);
    }
    const most = Math.min(this.#room[t], this.#left - fewestAfter);
    const fewest = Math.max(this.#needOf(t), this.#left - mostAfter);
    if (fewest > most) return;
    this.#pick(t, 0, fewest, most, 0, -1, -1, low, high);
  }

  /** The players that team t still needs. */
  #needOf(t: number): number {
    const { open } = this.#opening.teams[t];
    return Math.max(0, this.#need[t] - (open - this.#room[t]));
  }

  /** Adds tickets to team t, of line `line` those not yet visited, until it has `fewest` to `most` newcomers more. */
  #pick(
    t: number,
    taken: number,
    fewest: number,
    most: number,
    line: number,
    below: number,
    above: number,
    low: number,
    high: number,
  ): void {
    if (this.#isOver) return;
    if (taken >= fewest) {
      const value = this.#valueOf(t);
      const least = Math.min(low, value);
      const greatest = Math.max(high, value);
      if (this.#boundWith(this.#mean, 0, greatest - least) < this.#best)
        this.#teamFrom(t + 1, least, greatest);
    }
    if (taken === most) return;
    const { kind } = this.#opening.teams[t];
    for (let l = line; l < this.#wholeLines.length && !this.#isOver; l++) {
      const own = this.#wholeLines[l];
      if (taken + own.size > most) continue;
      const [from, to] = l === line ? [below, above] : [-1, -1];
      const next = (i: number, nextBelow: number, nextAbove: number) => {
        const ticket = own.tickets[i];
        if (((ticket.kinds[0] >> kind) & 1) === 0) return;
        const seating = this.#seatings[t];
        if (seating && !seating.join(ticket.classes!)) return;
        this.#room[t] -= own.size;
        this.#join(ticket, own.numbers[i], this.#onTeam[t], () =>
          this.#pick(t, taken + own.size, fewest, most, l, nextBelow, nextAbove, low, high),
        );
        this.#room[t] += own.size;
        seating?.leave(own.size);
      };
      this.#outwards(own, this.#wanted[t], from, to, next);
    }
  }

  /**
   * Visits the tickets of a line from the skill that is wanted outwards, but for those strictly between `below` and `above`,
   * as long as their games may be better than the best one.
   */
  #outwards(
    line: SeatLine,
    wanted: number,
    below: number,
    above: number,
    visit: (place: number, below: number, above: number) => void,
  ): void {
    const { means, size, tickets } = line;
    const { origin } = this.#opening;
    const start = above === -1 ? firstPlace(means, (mean) => mean >= wanted + origin) : above;
    let down = above === -1 ? start - 1 : below;
    let up = start;
    let previous: ShapeTicket | undefined;
    // On the far side of the mean of those chosen the bound grows, on the near side it shrinks.
    while ((down >= 0 || up < means.length) && !this.#isOver) {
      if (this.#seekers.clock.isOver()) this.#cut();
      const toDown = down < 0 ? Number.POSITIVE_INFINITY : wanted - (means[down] - origin);
      const toUp = up === means.length ? Number.POSITIVE_INFINITY : means[up] - origin - wanted;
      const isDown = toDown <= toUp;
      const place = isDown ? down-- : up++;
      const x = means[place] - origin;
      if (this.#boundWith(x, size, 0) >= this.#best) {
        if (isDown ? x < this.#mean : x > this.#mean) {
          if (isDown) down = -1;
          else up = means.length;
        }
        continue;
      }
      const ticket = tickets[place];
      if (previous && this.#isSame(previous, ticket)) continue;
      if (!this.#mayCome(line, place)) continue;
      visit(place, down, up);
      previous = ticket;
    }
  }

  /** Whether a ticket makes the same games as another one that has been tried in its place. */
  #isSame(a: ShapeTicket, b: ShapeTicket): boolean {
    const { constraints, forbids, isFree } = this.#seekers;
    if (constraints || forbids || isFree || this.#newcomers < this.#opening.open) return false;
    return a.mean === b.mean && areAlike(a, b) && a.kinds[0] === b.kinds[0];
  }

  #mayCome(line: SeatLine, place: number): boolean {
    if (line.isAlive[place] === 0) return false;
    const ticket = line.tickets[place];
    const { search, constraints, forbids } = this.#seekers;
    if (line.asked[place] >> 1 !== search) line.asked[place] = 2 * search + Number(this.#isWelcome(ticket));
    if ((line.asked[place] & 1) === 0 || this.#taken.has(ticket)) return false;
    if (constraints && !constraints.admits(line.numbers[place])) return false;
    if (forbids) for (const other of this.#tickets) if (forbids(other.ticket, ticket.ticket)) return false;
    return true;
  }

  /** Whether the ticket may come to this game, whatever other tickets come. */
  #isWelcome(ticket: ShapeTicket): boolean {
    const { playerIds, open, rules } = this.#opening;
    const { isFree } = this.#seekers;
    if (!fitsSomewhere(ticket, this.#opening)) return false;
    if (isFree && !isFree(ticket.ticket.ticketId)) return false;
    if (this.#newcomers < open) {
      const waited = this.#seekers.nowMs - ticket.ticket.enqueuedAtMs;
      if (waited < 1000 * rules.short!.afterSeconds) return false;
    }
    return ticket.ticket.players.every(({ playerId }) => !playerIds.has(playerId));
  }

  /** Adds a ticket whose players have their seats in these teams, for as long as `then` takes. */
  #join(ticket: ShapeTicket, number: number, teams: readonly number[], then: () => void): void {
    if (this.nodes++ >= this.#nodesMax) this.#cut();
    if (this.#isOver) return;
    const { constraints } = this.#seekers;
    const cost = constraints?.hasCosts ? constraints.costWith(number) - constraints.cost() : 0;
    if (cost > 0 && this.#boundWith(ticket.mean - this.#opening.origin, ticket.size, 0) + cost >= this.#best)
      return;
    constraints?.join(number);
    this.#tickets.push(ticket);
    this.#numbers.push(number);
    this.#taken.add(ticket);
    this.#left -= ticket.size;
    const { origin } = this.#opening;
    const first = this.#placed;
    const mean = this.#mean;
    const squares = this.#squares;
    const low = this.#low;
    const high = this.#high;
    const apart = this.#apart;
    for (let i = 0; i < ticket.size; i++) this.#place(teams[i], ticket.skills[i] - origin);
    then();
    for (let i = ticket.size - 1; i >= 0; i--) {
      this.#placed--;
      this.#sums[teams[i]] = this.#sumsBefore[first + i];
      this.#sizes[teams[i]]--;
    }
    this.#mean = mean;
    this.#squares = squares;
    this.#low = low;
    this.#high = high;
    this.#apart = apart;
    this.#left += ticket.size;
    this.#taken.delete(ticket);
    this.#numbers.pop();
    this.#tickets.pop();
    constraints?.leave(number);
  }

  #cut(): void {
    this.wasCut = true;
    this.#isOver = true;
  }

  #place(t: number, skill: number): void {
    const n = this.#placed;
    this.#values[n] = skill;
    this.#teamOf[n] = t;
    this.#placed++;
    this.#sumsBefore[n] = this.#sums[t];
    this.#sums[t] += skill;
    this.#sizes[t]++;
    const off = skill - this.#mean;
    this.#mean += off / (n + 1);
    this.#squares += (off * off * n) / (n + 1);
    this.#low = Math.min(this.#low, skill);
    this.#high = Math.max(this.#high, skill);
    if (this.#opening.rules.q < 2) this.#apart = leastApart(this.#values.slice(0, n + 1));
  }

  /** No game of the chosen players and `size` players of mean skill x, whose teams are `gap` apart, is better. */
  #boundWith(x: number, size: number, gap: number): number {
    const { constraints } = this.#seekers;
    const cost = constraints?.hasCosts ? constraints.cost() : 0;
    return this.#opening.rules.alpha * gap + this.#spreadWith(x, size) + this.#emptyCost + cost;
  }

  #spreadWith(x: number, size: number): number {
    const { q } = this.#opening.rules;
    const m = this.#placed;
    const off = x - this.#mean;
    if (q < 2) return Math.max(this.#apart, Math.min(m, size) * Math.abs(off)) / this.#players;
    const ofSquares = Math.sqrt((this.#squares + (off * off * m * size) / (m + size)) / this.#players);
    if (q !== Number.POSITIVE_INFINITY) return ofSquares;
    const low = size === 0 ? this.#low : Math.min(this.#low, x);
    const high = size === 0 ? this.#high : Math.max(this.#high, x);
    return Math.max(ofSquares, (high - low) / 2);
  }

  #valueOf(t: number): number {
    const { teams, layout, rules, origin } = this.#opening;
    const { offset } = layout.kinds[teams[t].kind];
    if (this.#sizes[t] === 0) return offset;
    if (rules.p === 1) return (this.#sums[t] * this.#meanSize) / this.#sizes[t] + offset;
    const skills: number[] = [];
    for (let i = 0; i < this.#placed; i++)
      if (this.#teamOf[i] === t) skills.push(Math.max(0, this.#values[i] + origin));
    return teamValue(skills, this.#meanSize, rules.p, offset, 0);
  }

  /** All seats are taken: keeps the game if it is the best and the constraints permit it. */
  #whole(low: number, high: number): void {
    const { rules } = this.#opening;
    const { constraints } = this.#seekers;
    const f = rules.alpha * (high - low) + skillSpreadOfRelative(this.#values, rules.q) + this.#emptyCost;
    const least = f + (constraints?.hasCosts ? constraints.cost() : 0);
    if (least >= this.#best) return;
    const first = this.#placed - this.#newcomers;
    const ofNewcomers = Array.from(this.#teamOf.subarray(first, this.#placed));
    let imbalance = f;
    if (constraints) {
      const ruling = constraints.judge(
        filledTeams(this.#opening, this.#together, this.#tickets, this.#numbers, ofNewcomers),
      );
      if (!ruling) return;
      imbalance += ruling.cost;
      if (imbalance >= this.#best) return;
    }
    this.#best = imbalance;
    this.found = { tickets: [...this.#tickets], teams: ofNewcomers, imbalance };
    if (this.#isFirstEnough) this.#isOver = true;
  }
}

/** min over c of Σ|s − c|: around the median. */
function leastApart(values: Float64Array): number {
  values.sort();
  let apart = 0;
  for (let i = 0, j = values.length - 1; i < j; i++, j--) apart += values[j] - values[i];
  return apart;
}
