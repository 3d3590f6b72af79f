import { makeGame } from './game.ts';
import { type Forbids, GamePool } from './game-pool.ts';
import { type PartitionObjective, partition } from './partition.ts';
import { bySkill, poolTicket } from './pooled-ticket.ts';
import { RoleTable } from './roles.ts';
import type { Game, GameRules, Ticket } from './types.ts';

/** Everyone in games at once. */
export interface TicketPartition {
  /** In the order made. Each game's `lowerBound` speaks of every game of these tickets. */
  readonly games: readonly Game[];
  readonly waiting: readonly { readonly ticketId: string; readonly reason: string }[];
  /** The value reached. */
  readonly objective: number;
  /** No partition into as many games has a lower value. */
  readonly objectiveLowerBound: number;
}

/**
 * Puts everyone into games at once.
 *
 * Without roles, parties and refused pairs this is the partition of Theorem 5 with its bound. With them, finding
 * whether everyone can be in a game is a packing problem: the largest parties get their best games first, while there are
 * small ones to complete them, then the next smaller, within a size by skill. The bound is only what holds for every
 * single game.
 */
export function partitionTickets(
  tickets: readonly Ticket[],
  rules: GameRules,
  nowMs: number,
  options: {
    objective?: PartitionObjective;
    swapBudget?: number;
    forbids?: Forbids;
    nodeBudget?: number;
  } = {},
): TicketPartition {
  const { objective = 'worst', forbids, nodeBudget = 1000 } = options;
  const roles = RoleTable.of(rules);
  const pooled = tickets.map((ticket) => poolTicket(ticket, rules.teamSize, roles)).sort(bySkill);
  const pool = new GamePool(rules, { nodeBudget, ...(forbids && { forbids }) });
  for (const { ticket } of pooled) pool.insert(ticket);
  const poolBound = pool.best(nowMs)?.lowerBound ?? Number.POSITIVE_INFINITY;

  if (!roles && !forbids && pooled.every(({ size }) => size === 1)) {
    const skills = Float64Array.from(pooled, ({ mean }) => mean);
    const result = partition(skills, rules, options);
    const size = 2 * rules.teamSize;
    const games = Array.from(result.imbalances, (_, g) => {
      const members = Array.from(result.players.subarray(g * size, (g + 1) * size), (i) => pooled[i]);
      return makeGame(members, 2 ** rules.teamSize - 1, rules, undefined, nowMs, poolBound);
    });
    return {
      games,
      waiting: result.leftOver.map((i) => ({
        ticketId: pooled[i].ticket.ticketId,
        reason: `left over: ${pooled.length} players are not a multiple of ${size}`,
      })),
      objective: result.objective,
      objectiveLowerBound: result.lowerBound,
    };
  }

  // Unhappiness compares with the best game that each ticket could have had, among all.
  const best = new Map<string, number>();
  if (objective === 'unhappiness') {
    for (const { ticket } of pooled)
      best.set(ticket.ticketId, pool.bestWith(ticket.ticketId, nowMs)?.imbalance ?? 0);
  }
  const games: Game[] = [];
  const waiting: { ticketId: string; reason: string }[] = [];
  const seated = new Set<string>();
  for (const { ticket } of [...pooled].sort((a, b) => b.size - a.size || bySkill(a, b))) {
    if (seated.has(ticket.ticketId)) continue;
    const game = pool.bestWith(ticket.ticketId, nowMs);
    if (!game) {
      waiting.push({ ticketId: ticket.ticketId, reason: pool.explain(ticket.ticketId, nowMs) });
      pool.remove(ticket.ticketId);
      continue;
    }
    for (const ticketId of game.ticketIds) {
      seated.add(ticketId);
      pool.remove(ticketId);
    }
    games.push({ ...game, lowerBound: Math.min(poolBound, game.priority) });
  }
  const value = (game: Game): number => {
    if (objective !== 'unhappiness') return game.imbalance;
    const least = Math.min(...game.ticketIds.map((ticketId) => best.get(ticketId)!));
    return game.imbalance === 0 ? 1 : Math.max(1, game.imbalance / least);
  };
  const total = (values: readonly number[]) =>
    objective === 'sum'
      ? values.reduce((sum, f) => sum + f, 0)
      : values.reduce((most, f) => Math.max(most, f), 0);
  const reached = total(games.map(value));
  const leastImbalance = rules.beta === 0 && games.length > 0 ? Math.max(0, poolBound) : 0;
  const bound =
    objective === 'unhappiness' ? Math.min(1, games.length) : total(games.map(() => leastImbalance));
  return { games, waiting, objective: reached, objectiveLowerBound: Math.min(bound, reached) };
}
