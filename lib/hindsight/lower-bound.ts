import type { Chooser } from './chooser.ts';
import { CoverProgram } from './cover-program.ts';
import { costOfLeaving, type Instance, leastCost } from './instance.ts';
import { type Grid, Pricing } from './pricing.ts';

/** A lower bound on the cost of every schedule of an instance. Costs are per player. */
export interface LowerBound {
  /** No schedule costs less. */
  readonly certified: number;
  /** The value of the linear program that the bound approaches. */
  readonly program: number;
  /** The prices of the tickets that the linear program ended with; their sum is its value. */
  readonly programPrices: Float64Array;
  readonly rounds: number;
  /** Games in the program. */
  readonly games: number;
}

export interface LowerBoundOptions {
  /** The games of a schedule, as places in `instance.parts`. The search begins with them. */
  readonly schedule: readonly (readonly number[])[];
  /** The kind of each ticket, for the chooser. */
  readonly kinds: Uint8Array;
  readonly chooser: Chooser;
  /** The search ends after this many rounds. @default 150 */
  readonly rounds?: number;
  /** … or when the bound is within this share of the program's value. @default 0.002 */
  readonly gap?: number;
  onRound?(round: { round: number; program: number; bound: number; added: number; games: number }): void;
}

/** In the order in which the search uses them; the last one is for the certificate. */
const COARSE: Grid = { ratio: 1.3, step: 0.35, divisions: 0 };
const MIDDLE: Grid = { ratio: 1.15, step: 0.2, divisions: 0 };
const CERTIFICATE: Grid = { ratio: 1.3, step: 0.35, divisions: 2 };

/**
 * A lower bound on the cost of every schedule, also of one that knows all arrivals in advance.
 *
 * Weak duality: when no game costs less than the prices of its tickets, and no ticket's price exceeds the cost of leaving it
 * to tickets that arrive later, a schedule costs at least the sum of the prices. The prices come from the dual of
 * `CoverProgram`; games whose prices exceed their cost are found by `findGames` and added. At last every game is
 * examined on a fine grid, and where prices are still too high, they are lowered: ticket i by its part of the
 * greatest excess of a game with it. The result is a bound however far the search came.
 */
export async function lowerBound(instance: Instance, options: LowerBoundOptions): Promise<LowerBound> {
  const { parts, players, seats } = instance;
  const { schedule, kinds, chooser, rounds = 150, gap = 0.002, onRound } = options;
  const leaving = Float64Array.from(parts, (part) => costOfLeaving(instance, part));
  const program = await CoverProgram.of(leaving);
  let total = 0;
  let covered = 0;
  for (const members of schedule) {
    const cost = leastCost(instance, members);
    program.add(members, cost);
    total += cost;
    covered += seats;
  }
  // Without a schedule, players cost at most their waits until the end.
  const typical = covered > 0 ? total / covered : leaving.reduce((sum, cost) => sum + cost, 0) / players;
  const pricing = new Pricing(instance, kinds, chooser, LEAST_SPREAD * typical);
  let centre: Float64Array = Float64Array.from(parts, ({ size }, i) =>
    Math.min(leaving[i], 0.8 * typical * size),
  );
  let best = Number.NEGATIVE_INFINITY;
  let bestPrices = centre;
  let value = 0;
  let programPrices: Float64Array = centre;
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
    const excess = new Float64Array(parts.length);
    const games: { readonly members: number[]; readonly worth: number }[] = [];
    pricing.find(prices, grid, () => {
      const members = chooser.members();
      if (members === undefined) return;
      const cost = leastCost(instance, members);
      const worth = members.reduce((sum, i) => sum + prices[i], -cost);
      for (const i of members) excess[i] = Math.max(excess[i], worth);
      if (worth > 0.002 * typical) games.push({ members, worth });
    });
    const added = addBest(program, instance, games, parts.length);
    const lowered = prices.map((price, i) => price - (excess[i] * parts[i].size) / seats);
    const bound = lowered.reduce((sum, price) => sum + price, 0);
    if (bound > best) {
      best = bound;
      bestPrices = lowered;
      centre = prices;
      still = 0;
    } else still++;
    onRound?.({ round, program: value / players, bound: best / players, added, games: program.games });
    const isNear = best > (1 - gap) * value;
    if (added === 0) centre = solution.prices;
    if (isNear || (still > 12 && grid !== COARSE)) {
      if (grid === COARSE) {
        grid = MIDDLE;
        best = Number.NEGATIVE_INFINITY;
      } else break;
    }
  }
  const games = program.games;
  program.dispose();
  const prices = certifiedPrices(instance, pricing, bestPrices, leaving, chooser);
  const certified = prices.reduce((sum, price) => sum + price, 0);
  return { certified: certified / players, program: value / players, programPrices, rounds: round, games };
}

/** Adds the games of greatest worth, at most a few for each ticket. */
function addBest(
  program: CoverProgram,
  instance: Instance,
  games: { readonly members: number[]; readonly worth: number }[],
  tickets: number,
): number {
  const used = new Uint8Array(tickets);
  let added = 0;
  for (const { members } of games.sort((a, b) => b.worth - a.worth)) {
    if (members.some((i) => used[i] >= GAMES_PER_TICKET)) continue;
    if (!program.add(members, leastCost(instance, members))) continue;
    added++;
    for (const i of members) used[i]++;
  }
  return added;
}

/** New games of one ticket in a round. */
const GAMES_PER_TICKET = 6;

/**
 * Prices such that certainly no game costs less than the prices of its tickets. They may be negative: every ticket plays
 * exactly once, so the sum of all prices is a bound all the same.
 */
function certifiedPrices(
  instance: Instance,
  pricing: Pricing,
  wanted: Float64Array,
  leaving: Float64Array,
  chooser: Chooser,
): Float64Array {
  const { parts, seats } = instance;
  const prices = wanted.map((price, i) => Math.min(price, leaving[i]));
  const excess = new Float64Array(parts.length);
  const beside = new Float64Array(256);
  pricing.find(prices, CERTIFICATE, (found) => {
    beside.fill(Number.NaN);
    found.each((at, kind, value) => {
      if (excess[at] >= found.excess) return;
      if (Number.isNaN(beside[kind])) beside[kind] = chooser.beside(kind) - found.constant;
      excess[at] = Math.max(excess[at], Math.min(found.excess, beside[kind] + value));
    });
  });
  return prices.map((price, i) => price - (excess[i] * parts[i].size) / seats - ROUNDING * Math.abs(price));
}

/** Added to what prices are lowered by, as a share: far above the rounding of the sums. */
const ROUNDING = 1e-9;
/** Games of less spread than this share of a typical cost are examined as if they had it. */
const LEAST_SPREAD = 0.05;
