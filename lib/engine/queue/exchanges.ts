import { firstPlace } from '../collections/first-place.ts';
import { skillSpread } from '../model/imbalance.ts';
import type { SearchClock } from '../model/search-clock.ts';
import type { Layout } from '../shapes/layout.ts';
import { ShapeDivider } from '../shapes/shape-divider.ts';
import type { GameRules } from '../types.ts';
import type { FoundGame } from './game-search.ts';
import type { QueuedTicket } from './line.ts';

/** A member of a game replaced by a ticket of its size that takes its seats. */
interface Exchange {
  readonly at: number;
  readonly team: number;
  readonly to: QueuedTicket;
  /** What it adds to the sum of the skills, relative to an origin, and to the sum of their squares. */
  readonly sum: number;
  readonly squares: number;
  /** v_2 after it alone. */
  spread: number;
}

/**
 * Improves games by exchanging one or two of their tickets while the teams stay, dividing them again, and repeating. It proves
 * nothing. It computes imbalances from sums, so it serves full games with p = 1 and q = 2 without refused pairs,
 * constraints and parties that may be split.
 */
export class Exchanges {
  readonly #alpha: number;
  readonly #layout: Layout;
  readonly #isPossible: boolean;
  readonly #divider: ShapeDivider;
  readonly #clock: SearchClock;

  /** @param arePairsRefused whether some tickets may not meet; nothing is improved then */
  constructor(rules: GameRules, layout: Layout, arePairsRefused: boolean, clock: SearchClock) {
    this.#alpha = rules.alpha;
    this.#layout = layout;
    this.#isPossible = rules.p === 1 && rules.q === 2 && !arePairsRefused;
    this.#divider = new ShapeDivider(rules, layout, clock);
    this.#clock = clock;
  }

  /**
   * A better game, or the same one.
   *
   * @param near ascending by mean skill
   * @param anchor stays in the game
   */
  improve(game: FoundGame, near: readonly QueuedTicket[], anchor?: QueuedTicket): FoundGame {
    const players = game.queued.reduce((sum, { ticket }) => sum + ticket.size, 0);
    if (!this.#isPossible || players !== this.#layout.seats) return game;
    if (game.queued.some(({ ticket }) => ticket.isSplit)) return game;
    let best = game;
    for (let round = 0; round < roundsMax; round++) {
      const { exchanges, imbalance } = this.#bestExchanges(best, near, anchor);
      const next = exchanges.length > 0 ? this.#applied(best, exchanges, imbalance) : undefined;
      if (!next) break;
      best = next;
    }
    return best;
  }

  /** The one or two exchanges that lower the imbalance most while the teams stay, and to what; none if there are none. */
  #bestExchanges(
    { queued, teams, imbalance }: FoundGame,
    near: readonly QueuedTicket[],
    anchor: QueuedTicket | undefined,
  ): { exchanges: readonly Exchange[]; imbalance: number } {
    const { kinds, kindOf, seats } = this.#layout;
    const teamOf: number[] = [];
    for (let i = 0, player = 0; i < queued.length; player += queued[i++].ticket.size)
      teamOf.push(teams[player]);
    const origin = queued[0].ticket.mean;
    const scale = kindOf.map((kind) => seats / kindOf.length / kinds[kind].size);
    const values = kindOf.map((kind) => kinds[kind].offset);
    let sum = 0;
    let squares = 0;
    queued.forEach((one, i) => {
      values[teamOf[i]] += scale[teamOf[i]] * sumOf(one, origin);
      sum += sumOf(one, origin);
      squares += squaresOf(one, origin);
    });
    const singles: Exchange[] = [];
    queued.forEach((from, at) => {
      if (from === anchor) return;
      for (const to of alternatives(from, near, queued)) {
        const more = sumOf(to, origin) - sumOf(from, origin);
        const moreSquares = squaresOf(to, origin) - squaresOf(from, origin);
        singles.push({ at, team: teamOf[at], to, sum: more, squares: moreSquares, spread: 0 });
      }
    });
    const gapOf = () => {
      let low = Number.POSITIVE_INFINITY;
      let high = Number.NEGATIVE_INFINITY;
      for (let t = 0; t < values.length; t++) {
        if (values[t] < low) low = values[t];
        if (values[t] > high) high = values[t];
      }
      return this.#alpha * (high - low);
    };
    const spreadOf = (more: number, moreSquares: number) => {
      const total = sum + more;
      return Math.sqrt(Math.max(0, squares + moreSquares - (total * total) / seats) / seats);
    };
    let least = imbalance * (1 - 1e-9);
    let best: Exchange[] = [];
    for (const one of singles) {
      one.spread = spreadOf(one.sum, one.squares);
      values[one.team] += scale[one.team] * one.sum;
      const f = one.spread + gapOf();
      values[one.team] -= scale[one.team] * one.sum;
      if (f >= least) continue;
      least = f;
      best = [one];
    }
    // Two exchanges rarely make up for one that is too far.
    const close = singles.filter(({ spread }) => spread < least).sort((a, b) => a.spread - b.spread);
    for (let i = 0; i < close.length && close[i].spread < least && !this.#clock.isOver(close.length); i++) {
      const a = close[i];
      values[a.team] += scale[a.team] * a.sum;
      for (let j = i + 1; j < close.length && close[j].spread < least; j++) {
        const b = close[j];
        if (b.at === a.at || b.to === a.to) continue;
        const spread = spreadOf(a.sum + b.sum, a.squares + b.squares);
        if (spread >= least) continue;
        values[b.team] += scale[b.team] * b.sum;
        const f = spread + gapOf();
        values[b.team] -= scale[b.team] * b.sum;
        if (f >= least) continue;
        least = f;
        best = [a, b];
      }
      values[a.team] -= scale[a.team] * a.sum;
    }
    return { exchanges: best, imbalance: least };
  }

  /** The game after these exchanges in its fairest division, of at most this imbalance; undefined if it is not better. */
  #applied(game: FoundGame, exchanges: readonly Exchange[], most: number): FoundGame | undefined {
    const queued = [...game.queued];
    for (const { at, to } of exchanges) queued[at] = to;
    const spread = skillSpread(
      queued.flatMap(({ ticket }) => [...ticket.skills]),
      2,
    );
    const room = (Math.min(game.imbalance, most * (1 + 1e-9)) - spread) / this.#alpha;
    const tickets = queued.map(({ ticket }) => ticket);
    const gap = room > 0 ? this.#divider.divide(tickets, room) : Number.POSITIVE_INFINITY;
    if (gap === Number.POSITIVE_INFINITY) return undefined;
    return { queued, teams: this.#divider.teams.slice(), imbalance: this.#alpha * gap + spread };
  }
}

/** Tickets that can take a member's place: the nearest on both sides, and fewer at larger distances. */
function alternatives(
  from: QueuedTicket,
  near: readonly QueuedTicket[],
  members: readonly QueuedTicket[],
): QueuedTicket[] {
  const low = firstPlace(near, ({ ticket }) => ticket.mean >= from.ticket.mean);
  const found: QueuedTicket[] = [];
  for (const step of [1, -1]) {
    let alike = 0;
    let next = 0;
    const start = step > 0 ? low : low - 1;
    for (let i = start, looked = 0; i >= 0 && i < near.length && looked < lookedMax; i += step, looked++) {
      if (!canReplace(near[i], from) || members.includes(near[i]) || alike++ < next) continue;
      next += 1 + (next >> 1);
      found.push(near[i]);
    }
  }
  return found;
}

/** Whether the first can take the second's place. */
function canReplace({ ticket: a }: QueuedTicket, { ticket: b }: QueuedTicket): boolean {
  if (a.size !== b.size || a.kinds[0] !== b.kinds[0]) return false;
  if (!a.classes || !b.classes) return true;
  for (let i = 0; i < a.size; i++) if ((a.classes[i] & b.classes[i]) !== b.classes[i]) return false;
  return true;
}

function sumOf({ ticket }: QueuedTicket, origin: number): number {
  return ticket.size * (ticket.mean - origin);
}

function squaresOf({ ticket }: QueuedTicket, origin: number): number {
  return ticket.size * (ticket.mean - origin) ** 2 + ticket.spread;
}

const roundsMax = 4;
const lookedMax = 400;
