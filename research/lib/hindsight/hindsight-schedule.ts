import { type GameRules, layoutOf, poolShapeTicket, ShapeGames } from 'muster/engine';
import type { RandomSource } from 'muster/simulation';
import { type Instance, leastCost, waitUntil } from './instance.ts';
import type { PlayedSchedule } from './played-schedule.ts';

export interface HindsightOptions {
  readonly rules: GameRules;
  readonly random: RandomSource;
  /** Exchanges that are tried for each ticket. */
  readonly trials: number;
}

/**
 * A better schedule, with hindsight: simulated annealing exchanges tickets between the games of a schedule that was played. A
 * ticket is exchanged for one or more of together as many players, so parties move between games as well. Games with later
 * tickets stay as they are.
 *
 * With solo players, games at first cost the spread of their players without the difference between the teams: this is
 * fast, and the fairest division leaves little of it. With parties it leaves much, so all games cost what they do.
 *
 * Returns the cost per player.
 */
export function hindsightCost(
  instance: Instance,
  played: PlayedSchedule,
  { rules, random, trials }: HindsightOptions,
): number {
  const schedule = new Schedule(instance, played, random);
  const exact = exactCost(instance, rules);
  if (instance.parts.every(({ size }) => size === 1)) {
    schedule.anneal(roughCost(instance, rules), trials, HOT_ROUGH);
    schedule.anneal(exact, trials / 4, WARM);
  } else schedule.anneal(exact, trials, HOT);
  return schedule.total(exact) / instance.players;
}

/** The cost of a game; ∞ when it is impossible, or more than `most`. */
type CostOf = (members: readonly number[], most: number) => number;

/** The games of a schedule, whose tickets can be exchanged. */
class Schedule {
  readonly #instance: Instance;
  readonly #random: RandomSource;
  readonly #games: number[][];
  readonly #gameOf: Int32Array;
  /** The tickets in these games, and for each the nearest others. */
  readonly #inside: readonly number[];
  readonly #near: readonly (readonly number[])[];
  /** The cost of all other tickets. */
  readonly #fixed: number;

  constructor(instance: Instance, played: PlayedSchedule, random: RandomSource) {
    this.#instance = instance;
    this.#random = random;
    this.#games = played.games.map((members) => [...members]);
    this.#gameOf = new Int32Array(instance.parts.length).fill(-1);
    this.#games.forEach((members, game) => {
      for (const at of members) this.#gameOf[at] = game;
    });
    this.#inside = Array.from(instance.parts.keys()).filter((at) => this.#gameOf[at] >= 0);
    this.#near = nearestOf(instance, this.#inside);
    this.#fixed = played.costs.reduce((sum, cost, at) => sum + (this.#gameOf[at] < 0 ? cost : 0), 0);
  }

  /** The cost of all players. */
  total(costOf: CostOf): number {
    return this.#games.reduce((sum, members) => sum + costOf(members, Number.POSITIVE_INFINITY), this.#fixed);
  }

  /**
   * @param trials exchanges for each ticket
   * @param hot the temperature at the start, as a share of the cost of a player
   */
  anneal(costOf: CostOf, trials: number, hot: number): void {
    const games = this.#games;
    const inside = this.#inside;
    const random = this.#random;
    const costs = games.map((members) => costOf(members, Number.POSITIVE_INFINITY));
    const sum = costs.reduce((total, cost) => total + cost, 0);
    const typical = sum / Math.max(1, games.length) / this.#instance.seats;
    const count = trials * inside.length;
    for (let trial = 0; trial < count; trial++) {
      const a = inside[Math.floor(random.uniform() * inside.length)];
      const exchange = this.#exchangeFor(a);
      if (exchange === undefined) continue;
      const first = this.#gameOf[a];
      const second = this.#gameOf[exchange[0]];
      const temperature = typical * hot * (COLD / hot) ** (trial / count);
      const allowed = costs[first] + costs[second] - temperature * Math.log(1 - random.uniform());
      const firstMembers = replaced(games[first], [a], exchange);
      const firstCost = costOf(firstMembers, allowed);
      if (firstCost > allowed) continue;
      const secondMembers = replaced(games[second], exchange, [a]);
      const secondCost = costOf(secondMembers, allowed - firstCost);
      if (firstCost + secondCost > allowed) continue;
      games[first] = firstMembers;
      games[second] = secondMembers;
      costs[first] = firstCost;
      costs[second] = secondCost;
      this.#gameOf[a] = second;
      for (const at of exchange) this.#gameOf[at] = first;
    }
  }

  /** Tickets of another game, with as many players together as this one; undefined when the first try finds none. */
  #exchangeFor(a: number): number[] | undefined {
    const { parts } = this.#instance;
    const random = this.#random;
    const others = this.#near[a];
    if (others.length === 0) return undefined;
    // The nearest tickets are tried most often: in exchange for this one, or for it to take the place of another beside them.
    const nearby = others[Math.floor(others.length * random.uniform() * random.uniform())];
    const game = this.#gameOf[nearby];
    if (game === this.#gameOf[a]) return undefined;
    const members = this.#games[game];
    const chosen = [random.uniform() < 0.5 ? nearby : members[random.integer(members.length)]];
    let left = parts[a].size - parts[chosen[0]].size;
    for (let at = random.integer(members.length), seen = 0; left > 0 && seen < members.length; seen++, at++) {
      const other = members[at % members.length];
      if (other === chosen[0] || parts[other].size > left) continue;
      chosen.push(other);
      left -= parts[other].size;
    }
    return left === 0 ? chosen : undefined;
  }
}

/** The cost of a game of solo players when its last one has arrived, without the difference between the teams. */
function roughCost(instance: Instance, rules: GameRules): CostOf {
  const layout = layoutOf(rules);
  const games = new ShapeGames(rules, layout);
  const pooled = instance.parts.map(({ ticket }) => poolShapeTicket(ticket, layout));
  return (members, most) => {
    const cost = leastCost(instance, members);
    const isPossible = cost <= most && games.haveSeats(members.map((at) => pooled[at]));
    return isPossible ? cost : Number.POSITIVE_INFINITY;
  };
}

/** The cost of a game in the fairest division, when its last ticket has arrived. */
function exactCost(instance: Instance, rules: GameRules): CostOf {
  const { parts, seats } = instance;
  const layout = layoutOf(rules);
  const games = new ShapeGames(rules, layout);
  const pooled = parts.map(({ ticket }) => poolShapeTicket(ticket, layout));
  return (members, most) => {
    const tickets = members.map((at) => pooled[at]);
    const tick = members.reduce((last, at) => Math.max(last, parts[at].slot), 0);
    const waits = members.reduce((sum, at) => sum + waitUntil(instance, parts[at], tick), 0);
    const spread = games.skillSpread(tickets);
    const room = (most - waits) / seats - spread;
    // Most exchanges are refused without a division: teams only add to the cost.
    if (room < 0) return Number.POSITIVE_INFINITY;
    const gap = games.divide(tickets, rules.alpha > 0 ? (room / rules.alpha) * ROUNDING + TINY : room);
    return waits + seats * (rules.alpha * gap + spread);
  };
}

/** For each ticket those that are nearest in skill and time, the nearest first. */
function nearestOf(instance: Instance, inside: readonly number[]): number[][] {
  const { parts, waitCost } = instance;
  const near: number[][] = parts.map(() => []);
  for (const at of inside) {
    const { mean, arrived, size } = parts[at];
    const distance = (other: number) =>
      Math.abs(parts[other].mean - mean) + waitCost * Math.abs(parts[other].arrived - arrived);
    near[at] = inside
      .filter((other) => other !== at && parts[other].size <= size)
      .map((other) => [distance(other), other] as const)
      .sort((a, b) => a[0] - b[0])
      .slice(0, NEAR)
      .map(([, other]) => other);
  }
  return near;
}

function replaced(members: readonly number[], out: readonly number[], into: readonly number[]): number[] {
  return [...members.filter((at) => !out.includes(at)), ...into];
}

const NEAR = 60;
/** Temperatures at the start of each pass and at its end, as shares of the cost of a player. */
const HOT_ROUGH = 1;
const HOT = 0.2;
const WARM = 0.05;
const COLD = 0.007;
/** A division exactly as unfair as allowed is found as well. */
const ROUNDING = 1 + 1e-9;
const TINY = 1e-9;
