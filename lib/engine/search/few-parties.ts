import type { PartyLines } from '../bounds/party-lines.ts';
import { type DividedGame, divisionBy } from '../model/division.ts';
import { shapeOf } from '../model/game-shape.ts';
import { skillSpread, teamGap } from '../model/imbalance.ts';
import { gameMixes, teamMixes } from '../model/party-mixes.ts';
import type { PooledTicket } from '../model/pooled-ticket.ts';
import type { GameRules } from '../types.ts';

/**
 * The exact best game of a party mix with one party, the anchor, where at most two others are missing and p = 1.
 *
 * The last party decides the team gap. Let the sum of its players that makes the teams equal be s·x₀. A party whose mean is t
 * from x₀ makes a gap of s·t, and v_2 is at least its value at x₀ less ℓ·t with ℓ = √(s·(N − s))/N. So if α·s > ℓ, the parties
 * are tried outward from x₀, until this bound reaches the best game.
 */
export class FewParties {
  /** The best game of the last `search`, undefined if none is below its limit. */
  game: DividedGame | undefined;
  /** The parties tried since construction. */
  tried = 0;

  readonly #rules: GameRules;
  readonly #lines: PartyLines;
  readonly #n: number;
  readonly #scale: number;
  /** By mix and size of the anchor: the missing parties, each with its team (1: that of the anchor, −1: the other). */
  readonly #ways: Missing[][][];

  constructor(rules: GameRules, lines: PartyLines) {
    const shape = shapeOf(rules);
    this.#rules = rules;
    this.#lines = lines;
    this.#n = shape.seats;
    this.#scale = rules.q >= 2 ? 1 : Math.sqrt(2 / shape.seats);
    this.#ways = gameMixes(shape).map((mix) => Array.from(mix, (_, anchor) => this.#waysOf(mix, anchor)));
  }

  /** Whether it searches this mix with an anchor of this size. */
  handles(mix: number, anchor: number): boolean {
    return this.#ways[mix][anchor].length > 0;
  }

  /** The least imbalance below `limit` of a game of this mix with the anchor at this place, or `limit`. */
  search(mix: number, size: number, place: number, limit: number): number {
    const anchor = this.#lines.ticket(size, place);
    this.game = undefined;
    let least = limit;
    for (const missing of this.#ways[mix][size]) {
      if (missing.length === 1) least = this.#last([anchor], [1], missing[0], least);
      else least = this.#first(anchor, place, missing, least);
    }
    return least;
  }

  /** Tries every party in the first place, the nearest to the anchor first. */
  #first(anchor: PooledTicket, place: number, missing: Missing, limit: number): number {
    const [first, last] = missing;
    let least = limit;
    const pull = (first.size * anchor.size) / (first.size + anchor.size);
    const except = first.size === anchor.size ? place : -1;
    this.#lines.outward(first.size, anchor.mean, except, (other, distance) => {
      this.tried++;
      const squares = anchor.spread + pull * distance * distance;
      if (this.#scale * Math.sqrt(squares / this.#n) >= least) return false;
      if (this.#scale * Math.sqrt((squares + other.spread) / this.#n) < least)
        least = this.#last([anchor, other], [1, first.team], last, least);
      return true;
    });
    return least;
  }

  /** Tries every last party, outward from the mean skill that makes the teams equal. */
  #last(
    members: readonly PooledTicket[],
    teams: readonly number[],
    { size, team }: Missing[number],
    limit: number,
  ): number {
    const { alpha, q } = this.#rules;
    const n = this.#n;
    const origin = members[0].mean;
    let sum = 0;
    let gap = 0;
    let squares = 0;
    for (let i = 0; i < members.length; i++) {
      const value = members[i].size * (members[i].mean - origin);
      sum += value;
      gap += teams[i] * value;
      squares += value * (members[i].mean - origin) + members[i].spread;
    }
    const others = n - size;
    const middle = sum / others;
    const equal = (-team * gap) / size;
    const pull = (size * others) / n;
    const within = squares - sum * middle;
    const atEqual = this.#scale * Math.sqrt(Math.max(0, within + pull * (equal - middle) ** 2) / n);
    const slope = alpha * size - (this.#scale * Math.sqrt(size * others)) / n;
    let least = limit;
    this.#lines.outward(size, origin + equal, -1, (other, distance) => {
      this.tried++;
      if (atEqual + slope * distance >= least) return false;
      const away = other.mean - origin - middle;
      const v = this.#scale * Math.sqrt(Math.max(0, within + other.spread + pull * away * away) / n);
      const unfair = alpha * Math.abs(gap + team * size * (other.mean - origin));
      if (unfair + v >= least || members.includes(other)) return true;
      const all = [...members, other];
      const sides = [...teams, team];
      const imbalance = this.#imbalanceOf(all, sides, q);
      if (imbalance >= least) return true;
      least = imbalance;
      this.game = {
        members: all,
        division: divisionBy(all.length, (i) => (sides[i] === 1 ? 0 : 1)),
        imbalance,
      };
      return true;
    });
    return least;
  }

  #imbalanceOf(members: readonly PooledTicket[], sides: readonly number[], q: number): number {
    const teamOf = (side: number) =>
      members.flatMap(({ skills }, i) => (sides[i] === side ? [...skills] : []));
    const x = teamOf(1);
    const y = teamOf(-1);
    return this.#rules.alpha * teamGap(x, y, 1) + skillSpread([...x, ...y], q);
  }

  #waysOf(mix: Uint8Array, anchor: number): Missing[] {
    const { alpha, p, teamSize } = this.#rules;
    const parties = mix.reduce((sum, count) => sum + count, 0);
    if (anchor === 0 || mix[anchor] === 0 || parties > 3 || p !== 1) return [];
    const ways: Missing[] = [];
    const teams = teamMixes(teamSize);
    for (const own of teams) {
      const other = mix.map((all, size) => all - own[size]);
      if (
        own[anchor] === 0 ||
        !teams.some((team) => team.every((each, size) => size === 0 || each === other[size]))
      )
        continue;
      const missing: { size: number; team: number }[] = [];
      for (let size = teamSize; size >= 1; size--) {
        for (let i = size === anchor ? 1 : 0; i < own[size]; i++) missing.push({ size, team: 1 });
        for (let i = 0; i < other[size]; i++) missing.push({ size, team: -1 });
      }
      ways.push(missing.sort((a, b) => b.size - a.size));
    }
    const slopes = ways.map((missing) => {
      const { size } = missing[missing.length - 1];
      return alpha * size - (this.#scale * Math.sqrt(size * (this.#n - size))) / this.#n;
    });
    return slopes.every((slope) => slope > 1e-9) ? ways : [];
  }
}

/** The parties that the anchor needs, the largest first. */
type Missing = readonly { readonly size: number; readonly team: number }[];
