import { type DividedGame, teamAfterTeam } from '../model/division.ts';
import { makeGame } from '../model/game.ts';
import { shapeOf } from '../model/game-shape.ts';
import { priority } from '../model/imbalance.ts';
import { type PooledTicket, poolTicket, sortBySkill } from '../model/pooled-ticket.ts';
import { RoleTable } from '../model/roles.ts';
import { SearchClock } from '../model/search-clock.ts';
import { TicketDivider } from '../model/ticket-divider.ts';
import type { Game, GameRules, Ticket } from '../types.ts';
import { type GameSearch, gamesInOrder, hardestFirst, leftOut, withTheRest } from './game-by-game.ts';
import { exchangeBetweenGames, type Penalty } from './game-exchanges.ts';
import { partitionBounds } from './partition-bounds.ts';
import { packParties } from './party-packing.ts';
import { partitionBySearch, type TicketPartition, type TicketPartitionOptions } from './search-partition.ts';
import { type PartitionObjective, partitionSolos, type SoloPartitionOptions } from './solo-partition.ts';
import type { NewPool, TicketPool } from './ticket-pool.ts';
import { nodesPerTicket, startsWith, TicketUnhappiness } from './unhappiness.ts';

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
  const { outOfTime = () => false } = options;
  const clock = new SearchClock(outOfTime);
  const roles = RoleTable.of(rules);
  const pooled = sortBySkill(tickets.map((ticket) => poolTicket(ticket, rules.teamSize, roles)));
  const seatRoles = roles && {
    seats: roles.seats.map((seats) => 2 * seats),
    masks: pooled.map(({ masks }) => masks),
  };
  if (options.constraintsOf)
    return partitionBySearch(newPool, pooled, rules, nowMs, options, { roles: seatRoles });
  const poolOf = (waiting: readonly PooledTicket[], beta: number, nodes = nodeBudget): TicketPool => {
    const pool = newPool({ ...rules, beta }, { nodeBudget: nodes, ...(forbids && { forbids }), outOfTime });
    for (const { ticket } of waiting) pool.insert(ticket);
    return pool;
  };
  // If the budget runs out before a game is found: no game has a longer wait than this or an imbalance below 0.
  const oldestMs = tickets.reduce((least, { enqueuedAtMs }) => Math.min(least, enqueuedAtMs), nowMs);
  // Found at the end, so that a proof that takes long costs no games.
  let poolBound: number | undefined;
  const release = ({ members, division }: DividedGame) => {
    poolBound ??=
      (outOfTime() ? undefined : poolOf(pooled, rules.beta).best(nowMs)?.lowerBound) ??
      priority(0, oldestMs, nowMs, rules.beta);
    return makeGame(members, division, rules, roles, nowMs, poolBound);
  };
  if (!roles && !forbids && pooled.every(({ size }) => size === 1)) {
    return partitionSoloTickets(pooled, rules, { ...options, clock }, release);
  }

  // Only balance counts: waiting has no weight where everyone plays.
  const search: GameSearch = { poolOf: (waiting) => poolOf(waiting, 0), nowMs, outOfTime };
  const unhappiness =
    objective === 'unhappiness'
      ? new TicketUnhappiness(pooled, rules, seatRoles, () =>
          poolOf(pooled, 0, options.nodeBudget ?? nodesPerTicket(pooled.length)),
        )
      : undefined;
  const penalty = penaltyOf(objective, unhappiness);
  const divider = new TicketDivider(rules, roles);
  let kept: { readonly games: DividedGame[]; readonly value: number } | undefined;
  const exchanged = (games: readonly DividedGame[], least: number | undefined) => {
    const rest = leftOut(pooled, games);
    return exchangeBetweenGames(games, rest, rules, divider, forbids, penalty, swapBudget, clock, least);
  };
  const consider = (start: readonly DividedGame[], least?: number) => {
    const games = exchanged(withTheRest(start, pooled, rules, roles, search), least);
    const value = totalPenalty(games, penalty);
    const more = kept ? games.length - kept.games.length : 1;
    if (more > 0 || (more === 0 && value < kept!.value)) kept = { games, value };
  };
  consider(packParties(pooled, rules, roles, forbids, clock));
  if (pooled.length <= smallPoolMax) {
    for (const order of [pooled, pooled.toReversed(), hardestFirst(pooled, forbids)])
      consider(gamesInOrder(order, search));
  }
  const bounds = {
    ...partitionBounds(pooled, clock.isOver() ? 0 : kept!.games.length, rules),
    unhappiness: 0,
  };
  if (unhappiness) {
    // A partition into more games can only have a greater one.
    const { bound, hardest } = unhappiness.bound(kept!.games.length);
    bounds.unhappiness = bound;
    for (const members of startsWith(hardest)) {
      const fixed = members.map((members) => divided(members, rules, divider));
      const seated = new Set(members.flat());
      const rest = pooled.filter((ticket) => !seated.has(ticket));
      consider([...fixed, ...packParties(rest, rules, roles, forbids, clock)], bound);
      // Packing does not plan for roles and refused pairs.
      if (fixed.length === 0 && (roles || forbids))
        for (const order of [pooled, pooled.toReversed()]) consider(gamesInOrder(order, search), bound);
      if (kept!.value <= bound) break;
    }
  }
  const { games } = kept!;
  const released = games.map(release);
  const reached = totalPenalty(
    games.map((game, g) => ({ ...game, imbalance: released[g].imbalance })),
    penalty,
  );
  return {
    games: released,
    waiting: waitingOf(leftOut(pooled, games), reasons ? search : undefined),
    objective: reached,
    objectiveLowerBound: Math.min(bounds[objective], reached),
  };
}

/** The tickets in no game, with the reasons that a pool of them gives. @param search undefined: without reasons */
function waitingOf(
  left: readonly PooledTicket[],
  search: GameSearch | undefined,
): { readonly ticketId: string; readonly reason: string }[] {
  const pool = search?.poolOf(left);
  return left.map(({ ticket: { ticketId } }) => ({
    ticketId,
    reason: pool?.explain(ticketId, search!.nowMs) ?? '',
  }));
}

/** Pools of at most this many tickets are partitioned by every method, and the best partition is kept. */
const smallPoolMax = 200;

function partitionSoloTickets(
  pooled: readonly PooledTicket[],
  rules: GameRules,
  options: SoloPartitionOptions,
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

function penaltyOf(objective: PartitionObjective, unhappiness: TicketUnhappiness | undefined): Penalty {
  if (unhappiness) return unhappiness.penalty;
  return {
    ofGame: (_, imbalance) => imbalance,
    imbalanceOf: (_, penalty) => penalty,
    total: objective === 'sum' ? 'sum' : 'greatest',
  };
}

function divided(members: readonly PooledTicket[], rules: GameRules, divider: TicketDivider): DividedGame {
  const imbalance = rules.alpha * divider.divide(members) + divider.skillSpread(members);
  return { members, division: divider.division, imbalance };
}

function totalPenalty(games: readonly DividedGame[], penalty: Penalty): number {
  const penalties = games.map(({ members, imbalance }) => penalty.ofGame(members, imbalance));
  return penalties.reduce((all, one) => (penalty.total === 'sum' ? all + one : Math.max(all, one)), 0);
}
