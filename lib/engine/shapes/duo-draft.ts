import type { GameRules } from '../types.ts';
import type { Layout } from './layout.ts';
import type { ShapedGame } from './shape-game.ts';
import type { ShapeTicket } from './shape-ticket.ts';
import { Near, type SizeLine } from './size-line.ts';

/**
 * Makes games of teams of two around a centre: pairs whose means are near it, and solo players with another one who brings
 * their mean there. Of the cheapest such teams it chooses those that make the best game. It proves nothing.
 */
export class DuoDraft {
  readonly #alpha: number;
  readonly #teams: number;
  readonly #n: number;
  readonly #solos: SizeLine;
  readonly #pairs: SizeLine;
  readonly #leaders: Near;
  readonly #mates = new Near(mates);
  readonly #nearPairs: Near;

  #candidates: readonly Duo[] = [];
  readonly #chosen: Duo[] = [];
  #best: Duo[] | undefined;
  #limit = 0;
  #away = 0;
  #stepsLeft = 0;

  constructor(rules: GameRules, layout: Layout, solos: SizeLine, pairs: SizeLine) {
    this.#alpha = rules.alpha;
    this.#teams = layout.teams;
    this.#n = layout.seats;
    this.#solos = solos;
    this.#pairs = pairs;
    this.#leaders = new Near(layout.seats + spare);
    this.#nearPairs = new Near(layout.teams + spare);
  }

  /** The best game below `limit` found of teams whose means are about within `slack` of a centre. */
  make(centre: number, slack: number, limit: number): ShapedGame | undefined {
    const candidates: Duo[] = [];
    this.#pairs.nearest(centre, this.#nearPairs, { reach: 2 * slack });
    for (let i = 0; i < this.#nearPairs.count; i++) {
      const { tickets, offsets, costs } = this.#nearPairs;
      candidates.push({ a: tickets[i], b: undefined, sum: offsets[i], cost: costs[i] });
    }
    this.#solos.nearest(centre, this.#leaders);
    for (let i = 0; i < this.#leaders.count; i++) {
      const { tickets, offsets, costs } = this.#leaders;
      this.#solos.nearest(centre - offsets[i], this.#mates);
      for (let m = 0; m < this.#mates.count; m++) {
        const b = this.#mates.tickets[m];
        const away = b.mean - centre;
        // The other one finds this team too, if it is among the leaders.
        if (b === tickets[i]) continue;
        candidates.push({ a: tickets[i], b, sum: offsets[i] + away, cost: costs[i] + away * away });
      }
    }
    candidates.sort((x, y) => x.cost - y.cost);
    this.#candidates = candidates;
    this.#limit = limit;
    this.#away = slack;
    this.#best = undefined;
    this.#stepsLeft = stepsMax;
    this.#choose(0, 0, 0, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY);
    return this.#best && this.#game(this.#best);
  }

  /** Chooses the next team from place `from` on. */
  #choose(from: number, cost: number, sum: number, low: number, high: number): void {
    const left = this.#teams - this.#chosen.length;
    if (left === 0) {
      const f = this.#alpha * (high - low) + Math.sqrt(Math.max(0, cost / this.#n - (sum / this.#n) ** 2));
      if (f >= this.#limit) return;
      this.#limit = f;
      this.#best = this.#chosen.slice();
      return;
    }
    for (let i = from; i + left <= this.#candidates.length; i++) {
      const duo = this.#candidates[i];
      const least = Math.sqrt(Math.max(0, (cost + left * duo.cost) / this.#n - this.#away ** 2));
      if (least >= this.#limit || this.#stepsLeft-- <= 0) return;
      const nextLow = Math.min(low, duo.sum);
      const nextHigh = Math.max(high, duo.sum);
      if (least + this.#alpha * (nextHigh - nextLow) >= this.#limit) continue;
      if (this.#chosen.some((other) => share(other, duo))) continue;
      this.#chosen.push(duo);
      this.#choose(i + 1, cost + duo.cost, sum + duo.sum, nextLow, nextHigh);
      this.#chosen.pop();
    }
  }

  #game(duos: readonly Duo[]): ShapedGame {
    const members: ShapeTicket[] = [];
    const teams = new Uint8Array(this.#n);
    duos.forEach(({ a, b }, team) => {
      members.push(a);
      if (b) members.push(b);
      teams[2 * team] = team;
      teams[2 * team + 1] = team;
    });
    return { members, teams, imbalance: this.#limit };
  }
}

/** A team: a pair, or two solo players; the sum of their distances from the centre, and that of the squares. */
interface Duo {
  readonly a: ShapeTicket;
  readonly b: ShapeTicket | undefined;
  readonly sum: number;
  readonly cost: number;
}

function share(x: Duo, y: Duo): boolean {
  return x.a === y.a || x.a === y.b || (x.b !== undefined && (x.b === y.a || x.b === y.b));
}

/** The parties beyond those of a game that are tried, and the players tried beside each solo player. */
const spare = 10;
const mates = 4;

/** The steps of one game. */
const stepsMax = 4000;
