import type { Grid } from './cells.ts';
import { certifiedPrices } from './certificate.ts';
import type { Choosers } from './choosers.ts';
import { type Column, CoverProgram, gameColumn } from './cover-program.ts';
import { costOfLeaving, type Instance, leastCost } from './instance.ts';
import { Pricing } from './pricing.ts';

/** A lower bound on the cost of every schedule of an instance. Costs are per player. */
export interface LowerBound {
  /** No schedule costs less. */
  readonly certified: number;
  /** The value of the linear program that the bound approaches. */
  readonly program: number;
  readonly rounds: number;
  /** The prices of the tickets that the program ended with, and its games. */
  readonly prices: Float64Array;
  readonly games: readonly Column[];
}

export interface LowerBoundOptions {
  /** The games of a schedule, as places in `instance.parts`. The search begins with them. */
  readonly schedule: readonly (readonly number[])[];
  readonly choosers: Choosers;
  /** The prices and games of an instance in which no game costs less, with which the search begins as well. */
  readonly similar?: Pick<LowerBound, 'prices' | 'games'>;
  /** The search ends after this many rounds. @default 150 */
  readonly rounds?: number;
  /** … or when the bound is within this share of the program's value. @default 0.002 */
  readonly gap?: number;
  onRound?(round: { round: number; program: number; bound: number; added: number; games: number }): void;
}

/** In the order in which the search uses them. */
const COARSE: Grid = { ratio: 1.6, step: 0.6, divisions: 0 };
const MIDDLE: Grid = { ratio: 1.15, step: 0.2, divisions: 0 };

/**
 * A lower bound on the cost of every schedule, also of one that knows all arrivals in advance.
 *
 * Weak duality: when no game costs less than the prices of its tickets, and no ticket's price exceeds the cost of leaving it
 * to tickets that arrive later, a schedule costs at least the sum of the prices. In a stream that repeats for ever, nothing is
 * left to others, and a schedule costs at least that sum in each period, on average over ever more periods. The prices come from the dual of
 * `CoverProgram`; games whose prices exceed their cost are found by `findGames` and added. At last every game is
 * examined on a fine grid, and where prices are still too high, they are lowered: ticket i by its part of the
 * greatest excess of a game with it. The result is a bound however far the search came.
 */
export async function lowerBound(instance: Instance, options: LowerBoundOptions): Promise<LowerBound> {
  const { parts, players, seats } = instance;
  const { schedule, choosers, similar, rounds = 150, gap = 0.002, onRound } = options;
  const leaving = Float64Array.from(parts, (part) => costOfLeaving(instance, part));
  const outside = instance.period === undefined ? leaving : costsOfRepeating(instance, instance.period);
  const program = await CoverProgram.of(outside);
  const costs = schedule.map((members) => leastCost(instance, members));
  schedule.forEach((members, at) => void program.add(gameColumn(members, costs[at])));
  // Without a schedule, players cost at most what they cost outside all games.
  const typical =
    costs.length > 0
      ? costs.reduce((sum, cost) => sum + cost, 0) / (seats * costs.length)
      : outside.reduce((sum, cost) => sum + cost, 0) / players;
  if (typical === 0) {
    // No schedule costs less than one that costs nothing.
    program.dispose();
    return { certified: 0, program: 0, rounds: 0, prices: new Float64Array(parts.length), games: [] };
  }
  const pricing = new Pricing(instance, choosers, LEAST_SPREAD * typical);
  for (const game of similar?.games ?? []) program.add(game);
  let centre: Float64Array =
    similar?.prices ?? Float64Array.from(parts, ({ size }, i) => Math.min(outside[i], 0.8 * typical * size));
  let best = Number.NEGATIVE_INFINITY;
  let bestPrices = centre;
  let programPrices = centre;
  let value = 0;
  let round = 0;
  let grid = COARSE;
  let still = 0;
  for (; round < rounds; round++) {
    const solution = program.solve();
    value = solution.value;
    programPrices = solution.prices;
    // Prices between the last good ones and the new ones: the new ones alone swing widely.
    const share = round < 3 ? 0.2 : 0.5;
    const prices = centre.map((price, i) => (1 - share) * price + share * solution.prices[i]);
    const falls = new Float64Array(parts.length);
    const games: PricedGame[] = [];
    pricing.find(prices, grid, (found) => {
      for (const game of found.games()) {
        let worth = -game.cost;
        for (const [at, share] of game.shares) worth += share * prices[at];
        if (found.party !== undefined) falls[found.party] = Math.max(falls[found.party], worth);
        else
          for (const at of game.shares.keys())
            falls[at] = Math.max(falls[at], (worth * parts[at].size) / seats);
        if (worth > 0.002 * typical) games.push({ game, worth });
      }
    });
    const added = addBest(program, games, parts.length);
    const lowered = prices.map((price, i) => price - falls[i]);
    const bound = lowered.reduce((sum, price) => sum + price, 0);
    if (bound > best) {
      best = bound;
      bestPrices = lowered;
      centre = prices;
      still = 0;
    } else still++;
    onRound?.({ round, program: value / players, bound: best / players, added, games: program.games.length });
    const isNear = best > (1 - gap) * value;
    if (added === 0) centre = solution.prices;
    if (isNear || (still > 12 && (grid !== COARSE || added === 0))) {
      if (grid === COARSE) {
        grid = MIDDLE;
        best = Number.NEGATIVE_INFINITY;
      } else break;
    }
  }
  const games = program.games;
  program.dispose();
  const prices = certifiedPrices(instance, pricing, bestPrices);
  const certified = prices.reduce((sum, price) => sum + price, 0);
  return {
    certified: certified / players,
    program: value / players,
    rounds: round,
    prices: programPrices,
    games,
  };
}

/**
 * In a stream that repeats, what each ticket costs in games of copies of itself from as many periods as a game has players.
 * The program begins with these costs. They have no part in the certificate.
 */
function costsOfRepeating({ parts, seats, waitCost }: Instance, period: number): Float64Array {
  return Float64Array.from(parts, ({ size, within }) => {
    const periods = (seats - 1) / 2;
    return size * (periods * period * waitCost + Math.sqrt(within / size));
  });
}

interface PricedGame {
  readonly game: Column;
  /** How much more its tickets are worth than it costs. */
  readonly worth: number;
}

/** Adds the games of greatest worth, at most a few for each ticket. */
function addBest(program: CoverProgram, games: PricedGame[], tickets: number): number {
  const used = new Uint8Array(tickets);
  let added = 0;
  for (const { game } of games.sort((a, b) => b.worth - a.worth)) {
    const members = [...game.shares.keys()];
    if (members.some((i) => used[i] >= GAMES_PER_TICKET) || !program.add(game)) continue;
    added++;
    for (const i of members) used[i]++;
  }
  return added;
}

/** New games of one ticket in a round. */
const GAMES_PER_TICKET = 6;

/** Games of less spread than this share of a typical cost are examined as if they had it. */
const LEAST_SPREAD = 0.05;
