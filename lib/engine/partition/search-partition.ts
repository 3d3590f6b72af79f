import { priority } from '../model/imbalance.ts';
import type { PooledTicket } from '../model/pooled-ticket.ts';
import { SearchClock } from '../model/search-clock.ts';
import type { Constraints, Forbids, Game, GameRules, Ticket } from '../types.ts';
import { exchangeBetweenGames, type GameDivider } from './game-exchanges.ts';
import { partitionBounds } from './partition-bounds.ts';
import type { PartitionObjective } from './solo-partition.ts';
import type { SeatRoles } from './spares.ts';
import type { NewPool, TicketPool } from './ticket-pool.ts';
import { nodesPerTicket, startsWith, TicketUnhappiness } from './unhappiness.ts';

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
  /** Games that exchanges may try out; by unhappiness, for each of a few starts. @default 20,000; solo players by unhappiness 200,000 */
  readonly swapBudget?: number;
  /** Pairs of tickets that may not be in one game. @default no pair is refused */
  readonly forbids?: Forbids;
  /** Makes what games have to fulfil besides their shape, for each pool that is searched. @default nothing */
  readonly constraintsOf?: () => Constraints;
  /**
   * Nodes that one search may visit, where games are searched one by one.
   * @default 1000; for the best game of each ticket, by unhappiness, up to 20,000 in small pools
   */
  readonly nodeBudget?: number;
  /** false: the reasons are empty strings and cost nothing. @default true */
  readonly reasons?: boolean;
  /**
   * Asked before and during searches. When it returns true, the remaining tickets stay without a game.
   * @default never out of time
   */
  readonly outOfTime?: () => boolean;
}

/** What is known of the games of a shape. */
export interface SearchedGames {
  /** The seats that not everybody can take; undefined where there are none, or games may start with some empty. */
  readonly roles?: SeatRoles | undefined;
  /** Divides games for exchanges. @default no exchanges are tried */
  readonly games?: ShapeGames | undefined;
}

/** Full games of given tickets. */
interface ShapeGames extends GameDivider<Uint8Array> {
  /** Whether a team takes the ticket. */
  mayPlay(ticket: PooledTicket): boolean;
  gameOf(members: readonly PooledTicket[], division: Uint8Array, nowMs: number): Game;
}

/**
 * A partition for games of any shape and under constraints: the games that the pool's search finds. The best game of all
 * is taken repeatedly; small pools are also searched in order of skill from both ends, each ticket for its best game among
 * the remaining ones. It keeps the partition with the most games, then the one of least value. Only by unhappiness it
 * tries exchanges, so its gaps are wider than those of two equal teams.
 *
 * @param pooled all tickets in the pool's order, with the values that their shape needs
 */
export function partitionBySearch(
  newPool: NewPool,
  pooled: readonly PooledTicket[],
  rules: GameRules,
  nowMs: number,
  options: TicketPartitionOptions,
  { roles, games: shape }: SearchedGames,
): TicketPartition {
  const { forbids, constraintsOf, nodeBudget = 1000, objective = 'worst', reasons = true } = options;
  const { outOfTime = () => false } = options;
  const order = ticketsOf(pooled);
  const poolOf = (waiting: readonly Ticket[], beta: number, nodes = nodeBudget): TicketPool => {
    const pool = newPool(
      { ...rules, beta },
      {
        nodeBudget: nodes,
        ...(forbids && { forbids }),
        ...(constraintsOf && { constraints: constraintsOf() }),
        outOfTime,
      },
    );
    for (const ticket of waiting) pool.insert(ticket);
    return pool;
  };
  const enqueuedAtMs = new Map(order.map((ticket) => [ticket.ticketId, ticket.enqueuedAtMs]));
  const oldestOf = (ticketIds: Iterable<string>) => {
    let oldest = nowMs;
    for (const ticketId of ticketIds) oldest = Math.min(oldest, enqueuedAtMs.get(ticketId)!);
    return oldest;
  };
  // Only balance counts: waiting has no weight where everyone plays.
  const starts = [bestFirst(poolOf(order, 0), nowMs, outOfTime)];
  if (order.length <= smallPoolMax) {
    for (const each of [order, order.toReversed()])
      starts.push(oneByOne(poolOf(order, 0), each, nowMs, outOfTime));
  }
  const unhappiness =
    objective === 'unhappiness'
      ? new TicketUnhappiness(pooled, rules, roles, () =>
          poolOf(order, 0, options.nodeBudget ?? nodesPerTicket(order.length)),
        )
      : undefined;
  const reachedBy = valueBy(objective, unhappiness);
  let games: readonly Game[] = [];
  let value = 0;
  const consider = (start: readonly Game[]) => {
    const reached = reachedBy(start);
    if (start.length < games.length || (start.length === games.length && reached >= value)) return;
    games = start;
    value = reached;
  };
  for (const start of starts) consider(start);
  let bound = unhappiness
    ? 0
    : partitionBounds(pooled, outOfTime() ? 0 : games.length, rules)[objective as 'worst' | 'sum'];
  if (unhappiness) {
    // A partition into more games can only have a greater one.
    const proved = unhappiness.bound(games.length);
    bound = proved.bound;
    const exchanged = (start: readonly Game[]) =>
      shape ? exchange(start, pooled, rules, shape, unhappiness, bound, nowMs, options) : start;
    consider(exchanged(games));
    for (const hardest of startsWith(proved.hardest)) {
      const fixed = hardest.flatMap((members) => poolOf(ticketsOf(members), 0).best(nowMs) ?? []);
      const seated = new Set(hardest.flat());
      const rest = pooled.filter((ticket) => !seated.has(ticket));
      for (const each of [rest, rest.toReversed()]) {
        const others = oneByOne(poolOf(ticketsOf(rest), 0), ticketsOf(each), nowMs, outOfTime);
        consider(exchanged([...fixed, ...others]));
      }
      if (value <= bound) break;
    }
  }

  // Found at the end, so that a proof that takes long costs no games.
  const poolBound =
    (outOfTime() ? undefined : poolOf(order, rules.beta).best(nowMs)?.lowerBound) ??
    priority(0, oldestOf(enqueuedAtMs.keys()), nowMs, rules.beta);
  const played = new Set(games.flatMap(({ ticketIds }) => ticketIds));
  const left = order.filter(({ ticketId }) => !played.has(ticketId));
  const pool = reasons ? poolOf(left, 0) : undefined;
  const meanOf = meanSkills(pooled);
  return {
    games: games
      .toSorted((a, b) => meanOf(a) - meanOf(b))
      .map((game) => {
        const g = priority(game.imbalance, oldestOf(game.ticketIds), nowMs, rules.beta);
        return { ...game, priority: g, lowerBound: Math.min(poolBound, g), optimal: poolBound >= g };
      }),
    waiting: left.map(({ ticketId }) => ({ ticketId, reason: pool?.explain(ticketId, nowMs) ?? '' })),
    objective: value,
    objectiveLowerBound: Math.min(bound, value),
  };
}

/** Pools of at most this many tickets are partitioned by every method, and the best partition is kept. */
const smallPoolMax = 500;

function bestFirst(pool: TicketPool, nowMs: number, outOfTime: () => boolean): Game[] {
  const games: Game[] = [];
  while (!outOfTime()) {
    const game = pool.best(nowMs);
    if (!game) break;
    games.push(game);
    for (const ticketId of game.ticketIds) pool.remove(ticketId);
  }
  return games;
}

/** For each ticket in this order, the best game among the remaining tickets. A ticket without one stays for the others. */
function oneByOne(
  pool: TicketPool,
  order: readonly Ticket[],
  nowMs: number,
  outOfTime: () => boolean,
): Game[] {
  const games: Game[] = [];
  const played = new Set<string>();
  for (const { ticketId } of order) {
    if (played.has(ticketId)) continue;
    if (outOfTime()) break;
    const game = pool.bestWith(ticketId, nowMs);
    if (!game) continue;
    games.push(game);
    for (const member of game.ticketIds) {
      pool.remove(member);
      played.add(member);
    }
  }
  return games;
}

/** The games after exchanges that make the greatest unhappiness less. */
function exchange(
  games: readonly Game[],
  pooled: readonly PooledTicket[],
  rules: GameRules,
  shape: ShapeGames,
  unhappiness: TicketUnhappiness,
  bound: number,
  nowMs: number,
  { forbids, swapBudget = 20_000, outOfTime }: TicketPartitionOptions,
): Game[] {
  const byId = new Map(pooled.map((each) => [each.ticket.ticketId, each]));
  const meanOf = meanSkills(pooled);
  const before = games
    .toSorted((a, b) => meanOf(a) - meanOf(b))
    .map(({ ticketIds, imbalance }) => ({
      members: ticketIds.map((ticketId) => byId.get(ticketId)!),
      division: noDivision,
      imbalance,
    }));
  const seated = new Set(before.flatMap(({ members }) => members));
  const rest = pooled.filter((each) => !seated.has(each) && shape.mayPlay(each));
  const { penalty } = unhappiness;
  const clock = new SearchClock(outOfTime);
  const after = exchangeBetweenGames(before, rest, rules, shape, forbids, penalty, swapBudget, clock, bound);
  const known = new Map(games.map((game) => [game.ticketIds.join(), game]));
  return after.map(({ members, division }) => {
    const unchanged = division === noDivision && known.get(idsOf(members).join());
    return unchanged || shape.gameOf(members, division, nowMs);
  });
}

/** The division of a game that has not been changed. */
const noDivision = new Uint8Array(0);

function idsOf(members: readonly PooledTicket[]): string[] {
  return ticketsOf(members).map(({ ticketId }) => ticketId);
}

function ticketsOf(members: readonly PooledTicket[]): Ticket[] {
  return members.map(({ ticket }) => ticket);
}

/** What an objective minimises, for any games of the tickets. */
function valueBy(
  objective: PartitionObjective,
  unhappiness: TicketUnhappiness | undefined,
): (games: readonly Game[]) => number {
  if (objective === 'sum') return (games) => games.reduce((sum, { imbalance }) => sum + imbalance, 0);
  const penaltyOf = ({ ticketIds, imbalance }: Game) =>
    unhappiness?.ofGame(ticketIds, imbalance) ?? imbalance;
  return (games) => games.reduce((worst, game) => Math.max(worst, penaltyOf(game)), 0);
}

/** The mean skill of a game's players. */
function meanSkills(pooled: readonly PooledTicket[]): (game: Game) => number {
  const tickets = new Map(pooled.map((each) => [each.ticket.ticketId, each]));
  return ({ ticketIds }) => {
    let sum = 0;
    let players = 0;
    for (const ticketId of ticketIds) {
      const { size, mean } = tickets.get(ticketId)!;
      sum += size * mean;
      players += size;
    }
    return sum / players;
  };
}
