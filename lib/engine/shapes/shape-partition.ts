import { priority } from '../model/imbalance.ts';
import { sortBySkill } from '../model/pooled-ticket.ts';
import { partitionBounds } from '../partition/partition-bounds.ts';
import type { TicketPartition, TicketPartitionOptions } from '../partition/ticket-partition.ts';
import type { NewPool, TicketPool } from '../partition/ticket-pool.ts';
import type { Game, GameRules, Ticket } from '../types.ts';
import { layoutOf } from './layout.ts';
import { poolShapeTicket } from './shape-ticket.ts';

/**
 * Puts everyone into games of any shape: the best games for the tickets in order of skill, from the least skilled up and
 * from the most skilled down, and the best games of all, one after the other. It keeps the partition with the most games,
 * then the one of least value. It tries no exchanges, so its gaps are wider than those of two equal teams.
 */
export function partitionShapes(
  newPool: NewPool,
  tickets: readonly Ticket[],
  rules: GameRules,
  nowMs: number,
  options: TicketPartitionOptions,
): TicketPartition {
  const { objective = 'worst', forbids, nodeBudget = 1000, reasons = true } = options;
  const { outOfTime = () => false } = options;
  const layout = layoutOf(rules);
  const pooled = sortBySkill(tickets.map((ticket) => poolShapeTicket(ticket, layout)));
  const poolOf = (waiting: readonly Ticket[], beta: number): TicketPool => {
    const pool = newPool({ ...rules, beta }, { nodeBudget, ...(forbids && { forbids }) });
    for (const ticket of waiting) pool.insert(ticket);
    return pool;
  };
  const sorted = pooled.map(({ ticket }) => ticket);
  const oldestMs = tickets.reduce((least, { enqueuedAtMs }) => Math.min(least, enqueuedAtMs), nowMs);
  const poolBound =
    poolOf(sorted, rules.beta).best(nowMs)?.lowerBound ?? priority(0, oldestMs, nowMs, rules.beta);
  const leasts = objective === 'unhappiness' ? leastImbalances(sorted, poolOf(sorted, 0)) : undefined;
  const worthOf = (made: readonly Game[]) => {
    const worths = made.map(({ imbalance, ticketIds }) =>
      leasts === undefined ? imbalance : unhappiness(imbalance, ticketIds, leasts),
    );
    return worths.reduce((all, one) => (objective === 'sum' ? all + one : Math.max(all, one)), 0);
  };
  let best: { made: Game[]; value: number } | undefined;
  const orders = sorted.length <= thinPool ? [sorted, sorted.toReversed(), undefined] : [undefined];
  for (const order of orders) {
    const made = gamesOf(poolOf(sorted, 0), order, nowMs, outOfTime);
    const value = worthOf(made);
    const more = best ? made.length - best.made.length : 1;
    if (more > 0 || (more === 0 && value < best!.value)) best = { made, value };
  }
  const { made, value } = best!;
  const seated = new Set(made.flatMap(({ ticketIds }) => ticketIds));
  const left = sorted.filter(({ ticketId }) => !seated.has(ticketId));
  const pool = reasons ? poolOf(left, 0) : undefined;
  const bounds = partitionBounds(pooled, made.length, rules);
  const bound = { ...bounds, unhappiness: Math.min(1, made.length) }[objective];
  const skills = new Map(pooled.map((one) => [one.ticket.ticketId, one.size * one.mean]));
  const skillOf = ({ ticketIds }: Game) => ticketIds.reduce((sum, id) => sum + skills.get(id)!, 0);
  const enqueued = new Map(tickets.map(({ ticketId, enqueuedAtMs }) => [ticketId, enqueuedAtMs]));
  return {
    games: made.toSorted((a, b) => skillOf(a) - skillOf(b)).map((game) => withWaits(game)),
    waiting: left.map(({ ticketId }) => ({ ticketId, reason: pool?.explain(ticketId, nowMs) ?? '' })),
    objective: value,
    objectiveLowerBound: Math.min(bound, value),
  };

  /** The game with its priority, in which waiting counts, and the bound on all games of these tickets. */
  function withWaits(game: Game): Game {
    const oldest = game.ticketIds.reduce((least, id) => Math.min(least, enqueued.get(id)!), nowMs);
    const g = priority(game.imbalance, oldest, nowMs, rules.beta);
    return { ...game, priority: g, lowerBound: Math.min(g, poolBound), optimal: poolBound >= g };
  }
}

/** Larger pools are only partitioned best game first. */
const thinPool = 500;

/** For each ticket in this order the best game of those that are left or, without an order, the best games of all. */
function gamesOf(
  pool: TicketPool,
  order: readonly Ticket[] | undefined,
  nowMs: number,
  outOfTime: () => boolean,
): Game[] {
  const made: Game[] = [];
  const take = (game: Game) => {
    made.push(game);
    for (const ticketId of game.ticketIds) pool.remove(ticketId);
  };
  const seated = new Set<string>();
  for (const { ticketId } of order ?? []) {
    if (seated.has(ticketId)) continue;
    if (outOfTime()) return made;
    const game = pool.bestWith(ticketId, nowMs);
    for (const id of game?.ticketIds ?? []) seated.add(id);
    if (game) take(game);
    else pool.remove(ticketId);
  }
  if (order) return made;
  for (let game = pool.best(nowMs); game && !outOfTime(); game = pool.best(nowMs)) take(game);
  return made;
}

function leastImbalances(tickets: readonly Ticket[], pool: TicketPool): ReadonlyMap<string, number> {
  return new Map(tickets.map(({ ticketId }) => [ticketId, pool.leastImbalanceWith(ticketId)]));
}

/** The imbalance of a game over that of the best game that one of its tickets could have had. */
function unhappiness(
  imbalance: number,
  ticketIds: readonly string[],
  leasts: ReadonlyMap<string, number>,
): number {
  if (imbalance === 0) return 1;
  const least = ticketIds.reduce((f, id) => Math.min(f, leasts.get(id)!), Number.POSITIVE_INFINITY);
  return Math.max(1, imbalance / least);
}
