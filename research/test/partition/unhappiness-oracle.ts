import { allGames, checkGame, scale } from '../../../test/engine/oracle.ts';
import { type PoolCase, randomCase, roundingCase } from '../../../test/engine/random-pool.ts';
import { shapeCase } from '../../../test/engine/random-shape.ts';
import { partitionTickets, type TicketPartitionOptions } from '../../lib/partition/ticket-partition.ts';

/** Random small pools of one kind each, in which two games or more are often possible. */
export const unhappinessCases = {
  'solo players': (random) => randomCase(random, { maxPlayers: 12, teamSizes: [1, 2, 2, 3], plain: true }),
  parties: (random) => without(randomCase(random, { maxPlayers: 13, teamSizes: [2, 2, 3] }), 'roles'),
  'roles and refused pairs': (random) => randomCase(random, { maxPlayers: 12, teamSizes: [1, 2, 2, 3] }),
  'numbers with rounding errors': (random) => {
    const made = roundingCase(random);
    return made.rules.teamSize > 3 ? made : withMore(made, random, 10);
  },
  'games of any shape': (random) => {
    let made = shapeCase(random);
    while (made.rules.short) made = shapeCase(random);
    return withMore(made, random, 10);
  },
} satisfies Record<string, (random: () => number) => UnhappinessCase>;

type UnhappinessCase = PoolCase & { readonly nodeBudget?: number };

interface Comparison {
  readonly games: number;
  /** Whether the bound is above 1, is that of the best partition, and whether the best partition was found. */
  readonly isBounded: boolean;
  readonly isTight: boolean;
  readonly isBest: boolean;
}

/**
 * Compares the partition of a pool by unhappiness with all partitions into as many games. Throws if a game is not playable,
 * the greatest unhappiness is understated, or the bound exceeds that of any partition.
 */
export function compareUnhappiness(
  { rules, tickets, nowMs, forbids, nodeBudget }: UnhappinessCase,
  options: TicketPartitionOptions = {},
): Comparison {
  const result = partitionTickets(tickets, rules, nowMs, {
    ...options,
    objective: 'unhappiness',
    ...(forbids && { forbids }),
    ...(nodeBudget && { nodeBudget }),
  });
  const count = result.games.length;
  const fail = (what: string): never => {
    throw new Error(
      `${what}: ${JSON.stringify({ rules, tickets, nowMs, nodeBudget, forbids: Boolean(forbids) })}`,
    );
  };
  for (const game of result.games) checkGame(game, tickets, rules, nowMs, forbids);
  const { objective, objectiveLowerBound } = result;
  if (count === 0) {
    if (objective !== 0 || objectiveLowerBound !== 0) fail(`no games have an unhappiness of ${objective}`);
    return { games: 0, isBounded: false, isTight: true, isBest: true };
  }

  const unit = scale(tickets, rules);
  const best = new Map<string, number>();
  // Tickets that have not waited long enough for a short game may have one later.
  for (const { ticketIds, imbalance } of allGames(tickets, rules, later, forbids))
    for (const ticketId of ticketIds)
      best.set(ticketId, Math.min(best.get(ticketId) ?? Number.POSITIVE_INFINITY, imbalance));
  const leastOf = (ticketIds: readonly string[]) =>
    Math.min(...ticketIds.map((ticketId) => best.get(ticketId)!));
  for (const { imbalance, ticketIds } of result.games) {
    const least = leastOf(ticketIds);
    if (imbalance > unit && !(objective * (least + unit) >= (imbalance - unit) * (1 - 1e-9)))
      fail(`a game has an unhappiness of ${imbalance / least}, the partition ${objective}`);
  }
  const places = new Map(tickets.map(({ ticketId }, place) => [ticketId, place]));
  const games = allGames(tickets, rules, nowMs, forbids).map(({ ticketIds, imbalance }) => ({
    set: ticketIds.reduce((set, ticketId) => set | (1 << places.get(ticketId)!), 0),
    unhappiness:
      imbalance <= unit ? 1 : Math.max(1, (imbalance + unit) / Math.max(0, leastOf(ticketIds) - unit)),
  }));
  const least = leastUnhappiness(games, 2 ** tickets.length - 1, count);
  if (!(objectiveLowerBound <= least * (1 + 1e-6)))
    fail(
      `a partition into ${count} games has an unhappiness of ${least}, the bound is ${objectiveLowerBound}`,
    );
  if (objectiveLowerBound > objective) fail(`the bound ${objectiveLowerBound} is above ${objective}`);
  return {
    games: count,
    isBounded: objectiveLowerBound > 1 + 1e-6,
    isTight: objectiveLowerBound >= least * (1 - 1e-6),
    isBest: objective <= least * (1 + 1e-6),
  };
}

const later = 1e15;

interface AnyGame {
  readonly set: number;
  readonly unhappiness: number;
}

/** The least greatest unhappiness of so many disjoint games. */
function leastUnhappiness(all: readonly AnyGame[], everyone: number, count: number): number {
  // Of the divisions of the same tickets only the least imbalanced counts.
  const least = new Map<number, number>();
  for (const { set, unhappiness } of all)
    least.set(set, Math.min(least.get(set) ?? Number.POSITIVE_INFINITY, unhappiness));
  const games = [...least].map(([set, unhappiness]) => ({ set, unhappiness }));
  const known = new Map<number, number>();
  const visit = (free: number, left: number): number => {
    if (left === 0) return 1;
    if (free === 0) return Number.POSITIVE_INFINITY;
    const key = free * (count + 1) + left;
    const before = known.get(key);
    if (before !== undefined) return before;
    // The lowest free ticket stays without a game, or is in one of its own.
    const low = free & -free;
    let best = visit(free & ~low, left);
    for (const { set, unhappiness } of games) {
      if ((set & low) === 0 || (set & ~free) !== 0 || unhappiness >= best) continue;
      best = Math.min(best, Math.max(unhappiness, visit(free & ~set, left - 1)));
    }
    known.set(key, best);
    return best;
  };
  return visit(everyone, count);
}

function without(made: PoolCase, key: 'roles'): PoolCase {
  const { [key]: _, ...rules } = made.rules;
  return { ...made, rules };
}

/** The pool with copies of its tickets, whose skills differ a little, as long as it has few players. */
function withMore(made: UnhappinessCase, random: () => number, playersMax: number): UnhappinessCase {
  const tickets = [...made.tickets];
  let players = tickets.reduce((sum, ticket) => sum + ticket.players.length, 0);
  for (const [i, ticket] of made.tickets.entries()) {
    players += ticket.players.length;
    if (players > playersMax) break;
    const ticketId = `more${i}`;
    const of = ticket.players.map((player, p) => ({
      ...player,
      playerId: `${ticketId}.${p}`,
      skill: random() < 0.5 ? player.skill : player.skill * (0.8 + 0.4 * random()),
    }));
    tickets.push({ ...ticket, ticketId, players: of });
  }
  return { ...made, tickets };
}
