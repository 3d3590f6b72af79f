import { type DividedGame, teamAfterTeam } from '../model/division.ts';
import { makeGame } from '../model/game.ts';
import { shapeOf } from '../model/game-shape.ts';
import { priority } from '../model/imbalance.ts';
import { type PooledTicket, poolTicket, sortBySkill } from '../model/pooled-ticket.ts';
import { RoleTable } from '../model/roles.ts';
import type { Constraints, Forbids, Game, GameRules, Ticket } from '../types.ts';
import { type GameSearch, gamesInOrder, hardestFirst, leftOut, withTheRest } from './game-by-game.ts';
import { exchangeBetweenGames, type Penalty } from './game-exchanges.ts';
import { partitionBounds } from './partition-bounds.ts';
import { packParties } from './party-packing.ts';
import { partitionBySearch } from './search-partition.ts';
import { type PartitionObjective, partitionSolos } from './solo-partition.ts';
import type { NewPool, TicketPool } from './ticket-pool.ts';

/** A partition of everyone into games. */
export interface TicketPartition {
  /** In ascending order of skill. Each game's `lowerBound` holds for every game of these tickets. */
  readonly games: readonly Game[];
  /** In the pool's order. */
  readonly waiting: readonly { readonly ticketId: string; readonly reason: string }[];
  /** The objective reached. */
  readonly objective: number;
  /** No partition into as many games has a lower objective. */
  readonly objectiveLowerBound: number;
}

/** What a partition minimises, and how much work it may take. */
export interface TicketPartitionOptions {
  /** @default 'worst' */
  readonly objective?: PartitionObjective;
  /** Games that exchanges may try out. @default 20,000 */
  readonly swapBudget?: number;
  /** Pairs of tickets that may not be in one game. @default no pair is refused */
  readonly forbids?: Forbids;
  /** Makes what games have to fulfil besides their shape, for each pool that is searched. @default nothing */
  readonly constraintsOf?: () => Constraints;
  /** Nodes that one search may visit, where games are searched one by one. @default 1000 */
  readonly nodeBudget?: number;
  /** false: the reasons are empty strings and cost nothing. @default true */
  readonly reasons?: boolean;
  /**
   * Called before each search for a game. When it returns true, the remaining tickets stay without a game.
   * @default never out of time
   */
  readonly outOfTime?: () => boolean;
}

/**
 * `partitionTickets` of game-pool.ts, with the pools that it searches made by `newPool`.
 *
 * Solo players without roles and refused pairs go to `partitionSolos`. Otherwise `packParties` packs by the sizes of the
 * parties, and the tickets that remain because of roles and refused pairs are matched game by game. Small pools are also
 * partitioned game by game from the start. Of these partitions it keeps the one with the most games, then the one of
 * least value, after exchanges between neighbouring games. With constraints the pool's search makes the games.
 */
export function partitionWith(
  newPool: NewPool,
  tickets: readonly Ticket[],
  rules: GameRules,
  nowMs: number,
  options: TicketPartitionOptions,
): TicketPartition {
  const { objective = 'worst', swapBudget = 20_000, forbids, nodeBudget = 1000, reasons = true } = options;
  const roles = RoleTable.of(rules);
  const pooled = sortBySkill(tickets.map((ticket) => poolTicket(ticket, rules.teamSize, roles)));
  if (options.constraintsOf) return partitionBySearch(newPool, pooled, rules, nowMs, options);
  const poolOf = (waiting: readonly PooledTicket[], beta: number): TicketPool => {
    const pool = newPool({ ...rules, beta }, { nodeBudget, ...(forbids && { forbids }) });
    for (const { ticket } of waiting) pool.insert(ticket);
    return pool;
  };
  // If the budget runs out before a game is found: no game has a longer wait than this or an imbalance below 0.
  const oldestMs = tickets.reduce((least, { enqueuedAtMs }) => Math.min(least, enqueuedAtMs), nowMs);
  const poolBound =
    poolOf(pooled, rules.beta).best(nowMs)?.lowerBound ?? priority(0, oldestMs, nowMs, rules.beta);
  const release = ({ members, division }: DividedGame) =>
    makeGame(members, division, rules, roles, nowMs, poolBound);
  if (!roles && !forbids && pooled.every(({ size }) => size === 1)) {
    return partitionSoloTickets(pooled, rules, options, release);
  }

  // Only balance counts: waiting has no weight where everyone plays.
  const { outOfTime = () => false } = options;
  const search: GameSearch = { poolOf: (waiting) => poolOf(waiting, 0), nowMs, outOfTime };
  const penalty =
    objective === 'unhappiness' ? unhappiness(pooled, search.poolOf(pooled)) : imbalances(objective);
  const starts = [packParties(pooled, rules, roles, forbids)];
  if (pooled.length <= smallPoolMax) {
    for (const order of [pooled, pooled.toReversed(), hardestFirst(pooled, forbids)]) {
      starts.push(gamesInOrder(order, search));
    }
  }
  let best: { games: DividedGame[]; value: number } | undefined;
  for (const start of starts) {
    const complete = withTheRest(start, pooled, rules, roles, search);
    const rest = leftOut(pooled, complete);
    const games = exchangeBetweenGames(complete, rest, rules, roles, forbids, penalty, swapBudget);
    const value = totalPenalty(games, penalty);
    const more = best ? games.length - best.games.length : 1;
    if (more > 0 || (more === 0 && value < best!.value)) best = { games, value };
  }
  const { games } = best!;
  const left = leftOut(pooled, games);

  const released = games.map(release);
  const reached = totalPenalty(
    games.map((game, g) => ({ ...game, imbalance: released[g].imbalance })),
    penalty,
  );
  const bounds = partitionBounds(pooled, games.length, rules);
  const bound = { ...bounds, unhappiness: Math.min(1, games.length) }[objective];
  const pool = reasons ? search.poolOf(left) : undefined;
  return {
    games: released,
    waiting: left.map(({ ticket: { ticketId } }) => ({
      ticketId,
      reason: pool?.explain(ticketId, nowMs) ?? '',
    })),
    objective: reached,
    objectiveLowerBound: Math.min(bound, reached),
  };
}

/** Pools of at most this many tickets are partitioned by every method, and the best partition is kept. */
const smallPoolMax = 200;

function partitionSoloTickets(
  pooled: readonly PooledTicket[],
  rules: GameRules,
  options: TicketPartitionOptions,
  release: (game: DividedGame) => Game,
): TicketPartition {
  const skills = Float64Array.from(pooled, ({ mean }) => mean);
  const result = partitionSolos(skills, rules, options);
  const shape = shapeOf(rules);
  const size = shape.seats;
  const division = teamAfterTeam(shape);
  return {
    games: Array.from(result.imbalances, (imbalance, g) => {
      const players = result.players.subarray(g * size, (g + 1) * size);
      return release({ members: Array.from(players, (i) => pooled[i]), division, imbalance });
    }),
    waiting: result.leftOver.map((i) => ({
      ticketId: pooled[i].ticket.ticketId,
      reason: `Left over: ${pooled.length === 1 ? '1 player is' : `${pooled.length} players are`} not a multiple of ${size}.`,
    })),
    objective: result.objective,
    objectiveLowerBound: result.lowerBound,
  };
}

function imbalances(objective: 'worst' | 'sum'): Penalty {
  return { ofGame: (_, imbalance) => imbalance, total: objective === 'sum' ? 'sum' : 'greatest' };
}

/**
 * The greatest unhappiness in a game: its imbalance over that of the best game that one of its tickets could have had. If
 * a search is cut short, the proved lower bound of that game is used, so the unhappiness may be overstated.
 */
function unhappiness(pooled: readonly PooledTicket[], pool: TicketPool): Penalty {
  const best = new Map(pooled.map((ticket) => [ticket, pool.leastImbalanceWith(ticket.ticket.ticketId)]));
  return {
    ofGame: (members, imbalance) => {
      if (imbalance === 0) return 1;
      const least = members.reduce((f, ticket) => Math.min(f, best.get(ticket)!), Number.POSITIVE_INFINITY);
      return Math.max(1, imbalance / least);
    },
    total: 'greatest',
  };
}

function totalPenalty(games: readonly DividedGame[], penalty: Penalty): number {
  const penalties = games.map(({ members, imbalance }) => penalty.ofGame(members, imbalance));
  return penalties.reduce((all, one) => (penalty.total === 'sum' ? all + one : Math.max(all, one)), 0);
}
