import { poolTicket, RoleTable, TicketDivider } from '../engine/game-pool.ts';
import type { GameRules } from '../engine/types.ts';
import type { RandomSource } from '../simulation/random.ts';
import { type Instance, leastCost, waitUntil } from './instance.ts';
import type { PlayedSchedule } from './played-schedule.ts';

export interface HindsightOptions {
  readonly rules: GameRules;
  /** The kind of each ticket: only tickets of one kind and size are exchanged, so every game stays possible. */
  readonly kinds: Uint8Array;
  readonly random: RandomSource;
  /** Exchanges that are tried for each ticket. @default 2000 */
  readonly trials?: number;
}

/**
 * A better schedule, with hindsight: simulated annealing exchanges tickets between the games of a schedule that was played.
 * Games with later tickets stay as they are. Returns the cost per player.
 */
export function hindsightCost(
  instance: Instance,
  played: PlayedSchedule,
  { rules, kinds, random, trials = 2000 }: HindsightOptions,
): number {
  const { parts, players } = instance;
  const games = played.games.map((members) => [...members]);
  const gameOf = new Int32Array(parts.length).fill(-1);
  games.forEach((members, game) => {
    for (const at of members) gameOf[at] = game;
  });
  const inside = Array.from(parts.keys()).filter((at) => gameOf[at] >= 0);
  const near = nearestOf(instance, inside, kinds);
  const costOf = exactCost(instance, rules);
  const costs = games.map(costOf);
  const typical = costs.reduce((sum, cost) => sum + cost, 0) / Math.max(1, games.length) / instance.seats;
  const count = trials * inside.length;
  for (let trial = 0; trial < count; trial++) {
    const temperature = typical * HOT * (COLD / HOT) ** (trial / count);
    const a = inside[Math.floor(random.uniform() * inside.length)];
    const others = near[a];
    if (others.length === 0) continue;
    // The nearest tickets are tried most often: in exchange for this one, or for it to take somebody's place beside them.
    const nearby = others[Math.floor(others.length * random.uniform() * random.uniform())];
    const first = gameOf[a];
    const second = gameOf[nearby];
    if (first === second) continue;
    const b = random.uniform() < 0.5 ? nearby : games[second][random.integer(games[second].length)];
    if (kinds[b] !== kinds[a] || parts[b].size !== parts[a].size) continue;
    swap(games[first], a, b);
    swap(games[second], b, a);
    // Most exchanges are refused without a division: teams only add to the cost.
    const allowed = costs[first] + costs[second] - temperature * Math.log(1 - random.uniform());
    let firstCost = leastCost(instance, games[first]);
    let secondCost = leastCost(instance, games[second]);
    if (firstCost + secondCost <= allowed) {
      firstCost = costOf(games[first]);
      secondCost = costOf(games[second]);
    }
    if (firstCost + secondCost <= allowed) {
      costs[first] = firstCost;
      costs[second] = secondCost;
      gameOf[a] = second;
      gameOf[b] = first;
    } else {
      swap(games[first], b, a);
      swap(games[second], a, b);
    }
  }
  const fixed = played.costs.reduce((sum, cost, at) => sum + (gameOf[at] < 0 ? cost : 0), 0);
  return costs.reduce((sum, cost) => sum + cost, fixed) / players;
}

/** The cost of a game in the fairest division, when its last ticket has arrived; ∞ when it has none. */
function exactCost(instance: Instance, rules: GameRules): (members: readonly number[]) => number {
  const { parts, seats } = instance;
  const roles = RoleTable.of(rules);
  const divider = new TicketDivider(rules, roles);
  const pooled = parts.map(({ ticket }) => poolTicket(ticket, rules.teamSize, roles));
  return (members) => {
    const tickets = members.map((at) => pooled[at]);
    const imbalance = rules.alpha * divider.divide(tickets) + divider.skillSpread(tickets);
    const tick = members.reduce((last, at) => Math.max(last, parts[at].slot), 0);
    return members.reduce((sum, at) => sum + waitUntil(instance, parts[at], tick), seats * imbalance);
  };
}

/** For each ticket those of its kind and size that are nearest in skill and time, the nearest first. */
function nearestOf(instance: Instance, inside: readonly number[], kinds: Uint8Array): number[][] {
  const { parts, waitCost } = instance;
  const near: number[][] = parts.map(() => []);
  for (const at of inside) {
    const { mean, arrived, size } = parts[at];
    const distance = (other: number) =>
      Math.abs(parts[other].mean - mean) + waitCost * Math.abs(parts[other].arrived - arrived);
    near[at] = inside
      .filter((other) => other !== at && kinds[other] === kinds[at] && parts[other].size === size)
      .map((other) => [distance(other), other] as const)
      .sort((a, b) => a[0] - b[0])
      .slice(0, NEAR)
      .map(([, other]) => other);
  }
  return near;
}

function swap(members: number[], out: number, into: number): void {
  members[members.indexOf(out)] = into;
}

const NEAR = 60;
/** Temperatures at the start and at the end, as shares of the cost of a player. */
const HOT = 0.3;
const COLD = 0.01;
