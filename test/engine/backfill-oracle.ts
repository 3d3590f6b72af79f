import { BackfillPool, type Filling, type RunningGame } from '../../lib/engine/game-pool.ts';
import type { Constraints, Forbids, GameRules, Player, Ticket } from '../../lib/engine/types.ts';
import { acceptsTeam, canSeat, fixedPart, gapOf, teamsOf } from './brute-force.ts';

/** Running games, the tickets that may fill them, and what limits which players may play together. */
export interface BackfillCase {
  readonly rules: GameRules;
  readonly tickets: readonly Ticket[];
  readonly games: readonly RunningGame[];
  readonly nowMs: number;
  readonly forbids?: Forbids | undefined;
  readonly nodeBudget?: number | undefined;
  readonly constraints?: Constraints | undefined;
  /** What the rules add to the imbalance of these teams; undefined when they forbid it. */
  readonly costOf?: CostOf | undefined;
}

/** @param members the tickets, each whole; a team has only those players of a ticket who play on it */
type CostOf = (teams: readonly (readonly Ticket[])[], members: readonly Ticket[]) => number | undefined;

interface OracleFilling {
  readonly ticketIds: string;
  readonly newcomers: number;
  readonly imbalance: number;
}

/**
 * Compares fillings with brute force while tickets are removed one by one. Throws at the first mismatch. Returns the number
 * of comparisons.
 */
export function compareBackfills(example: BackfillCase, random: () => number): number {
  const { rules, tickets, games, nowMs, forbids, nodeBudget, constraints } = example;
  const pool = new BackfillPool(rules, tickets, games, nowMs, { forbids, constraints, nodeBudget });
  const waiting = new Map(tickets.map((ticket) => [ticket.ticketId, ticket]));
  let comparisons = 0;
  for (;;) {
    for (const game of games) {
      compareOne(pool.fill(game.backfillId), game, [...waiting.values()], example);
      comparisons++;
    }
    if (waiting.size === 0) return comparisons;
    const removed = [...waiting.keys()][Math.floor(random() * waiting.size)];
    pool.remove(removed);
    waiting.delete(removed);
  }
}

function compareOne(
  filling: Filling | undefined,
  game: RunningGame,
  waiting: readonly Ticket[],
  example: BackfillCase,
): void {
  const fail = (what: string): never => {
    const text = JSON.stringify({ game, rules: example.rules, waiting, filling }, (_, value) =>
      value === Number.POSITIVE_INFINITY ? 'inf' : value,
    );
    throw new Error(`${what}\n${text}`);
  };
  const all = allFillings(game, waiting, example);
  const isExact = example.nodeBudget === undefined;
  if (isExact && (filling !== undefined) !== all.length > 0)
    fail(`${all.length} fillings, and the pool has ${filling ? 'one' : 'none'}`);
  if (!filling) return;
  const ids = filling.ticketIds.join();
  const most = Math.max(...all.map(({ newcomers }) => newcomers));
  const own = all.filter(({ ticketIds }) => ticketIds === ids);
  if (own.length === 0) fail('the filling is not possible');
  if (isExact && own[0].newcomers < most) fail(`${most} seats can be filled, not only ${own[0].newcomers}`);
  const ofAsMany = all.filter(({ newcomers }) => newcomers === own[0].newcomers);
  const best = Math.min(...ofAsMany.map(({ imbalance }) => imbalance));
  const top = Math.max(
    ...game.players.map(({ skill }) => skill),
    ...waiting.flatMap(({ players }) => players.map(({ skill }) => skill)),
  );
  const error = Math.max(1e-9 * best, 1e-12 * top * (1 + example.rules.alpha) * 16);
  if (isExact && filling.imbalance > best + error)
    fail(`the best imbalance is ${best}, the pool says ${filling.imbalance}`);
  if (filling.imbalance < best - error) fail(`no filling is as good as ${filling.imbalance}: ${best}`);
  if (filling.lowerBound > best + error) fail(`the best is ${best}, the bound is ${filling.lowerBound}`);
  if (isExact && !filling.optimal) fail('the best filling is not proved');
  if (filling.optimal !== (filling.lowerBound === filling.imbalance)) fail('optimal is wrong');
  if (filling.increment < 0 || filling.increment > filling.imbalance + error) fail('the increment is wrong');
  checkRoster(filling, game, waiting, example, fail);
}

/** The roster is those who were there, on their teams, and the newcomers, each with a role that it accepts. */
function checkRoster(
  { teams: roster, ticketIds, imbalance }: Filling,
  game: RunningGame,
  waiting: readonly Ticket[],
  { rules, costOf }: BackfillCase,
  fail: (what: string) => never,
): void {
  const byId = new Map<string, { player: Player; ticket?: Ticket }>();
  for (const player of game.players) byId.set(player.playerId, { player });
  for (const ticket of waiting.filter((one) => ticketIds.includes(one.ticketId)))
    for (const player of ticket.players) byId.set(player.playerId, { player, ticket });
  const seats = roster.flat();
  if (seats.length !== byId.size || new Set(seats.map(({ playerId }) => playerId)).size !== byId.size)
    fail('the roster is not those who are there and the newcomers');
  const teams = teamsOf(rules);
  for (const { playerId, team } of game.players)
    if (!roster[team].some((seat) => seat.playerId === playerId)) fail('a player has changed teams');
  roster.forEach((players, t) => {
    if (players.length > teams[t].size) fail('a team has too many players');
    const left = { ...teams[t].roles };
    for (const { playerId, role, ticketId } of players) {
      const { player, ticket } = byId.get(playerId)!;
      if (ticketId !== (ticket?.ticketId ?? game.backfillId)) fail('a seat has a wrong ticket');
      if (ticket && !acceptsTeam(player, teams[t])) fail('a newcomer is on a team it refuses');
      if (teams[t].roles === undefined) {
        if (role !== undefined) fail('a role without roles');
      } else if (role === undefined || left[role]-- <= 0 || player.roles?.includes(role) === false)
        fail('a role is wrong');
    }
  });
  for (const ticketId of ticketIds) {
    const ticket = waiting.find((one) => one.ticketId === ticketId)!;
    const on = new Set(
      roster.flatMap((players, t) => (players.some((s) => s.ticketId === ticketId) ? [t] : [])),
    );
    if (on.size > 1 && !ticket.split) fail('a party is split');
  }
  const groups = roster.map((players) => partsOn(players, game, waiting));
  const members = [thereOf(game), ...waiting.filter(({ ticketId }) => ticketIds.includes(ticketId))];
  const cost = costOf ? costOf(groups, members) : 0;
  if (cost === undefined) fail('the rules forbid it');
  const skills = roster.map((players) => players.map(({ playerId }) => byId.get(playerId)!.player.skill));
  const f = imbalanceOf(skills, rules) + cost!;
  const top = Math.max(...skills.flat());
  if (Math.abs(imbalance - f) > Math.max(1e-9 * f, 1e-12 * top * (1 + rules.alpha) * 16))
    fail(`the imbalance is not ${f}`);
}

/** Those who are there, as one ticket. */
function thereOf({ backfillId, requestedAtMs, players }: RunningGame): Ticket {
  return { ticketId: backfillId, enqueuedAtMs: requestedAtMs, players };
}

/** The tickets on a team, each with those of its players who are on it. */
function partsOn(
  players: readonly { readonly playerId: string }[],
  game: RunningGame,
  waiting: readonly Ticket[],
): Ticket[] {
  const ids = new Set(players.map(({ playerId }) => playerId));
  const there = new Set(game.players.map(({ playerId }) => playerId));
  return [thereOf(game), ...waiting].flatMap((ticket, i) => {
    const own = ticket.players.filter(
      ({ playerId }) => ids.has(playerId) && (i === 0 || !there.has(playerId)),
    );
    return own.length > 0 ? [{ ...ticket, players: own }] : [];
  });
}

/** Every filling: every set of tickets, every way to put their players into the empty seats. */
export function allFillings(
  game: RunningGame,
  waiting: readonly Ticket[],
  { rules, nowMs, forbids, costOf }: BackfillCase,
): OracleFilling[] {
  const teams = teamsOf(rules);
  const placed = teams.map((_, t) => game.players.filter(({ team }) => team === t) as Player[]);
  const members: Ticket[] = [];
  const best = new Map<string, OracleFilling>();
  const there = new Set(game.players.map(({ playerId }) => playerId));
  const open = teams.reduce((sum, { size }, t) => sum + size - placed[t].length, 0);
  const hasWaited = ({ enqueuedAtMs }: { enqueuedAtMs: number }) =>
    rules.short !== undefined && nowMs - enqueuedAtMs >= 1000 * rules.short.afterSeconds;

  const place = (ticket: Ticket, players: readonly Player[], then: () => void): void => {
    if (players.length === 0) {
      then();
      return;
    }
    const group = ticket.split ? players.slice(0, 1) : players;
    teams.forEach((team, t) => {
      if (placed[t].length + group.length > team.size) return;
      if (!group.every((player) => acceptsTeam(player, team))) return;
      placed[t].push(...group);
      place(ticket, ticket.split ? players.slice(1) : [], then);
      placed[t].length -= group.length;
    });
  };
  const whole = (): void => {
    const newcomers = members.reduce((sum, { players }) => sum + players.length, 0);
    if (newcomers === 0) return;
    const mayBeShort =
      hasWaited({ enqueuedAtMs: game.requestedAtMs }) && members.every((ticket) => hasWaited(ticket));
    if (newcomers < open && !mayBeShort) return;
    if (!teams.every(({ size, minSize }, t) => placed[t].length >= (newcomers < open ? minSize : size)))
      return;
    if (forbids && members.some((a, m) => members.slice(m + 1).some((b) => forbids(a, b)))) return;
    if (!teams.every(({ roles }, t) => canSeat(placed[t], roles))) return;
    let cost = 0;
    if (costOf) {
      const own = costOf(
        placed.map((players) => partsOn(players, game, members)),
        [thereOf(game), ...members],
      );
      if (own === undefined) return;
      cost = own;
    }
    const skills = placed.map((team) => team.map(({ skill }) => skill));
    const imbalance = imbalanceOf(skills, rules) + cost;
    const ticketIds = members
      .map(({ ticketId }) => ticketId)
      .sort()
      .join();
    const known = best.get(ticketIds);
    if (!known || imbalance < known.imbalance) best.set(ticketIds, { ticketIds, newcomers, imbalance });
  };
  const visit = (i: number): void => {
    if (i === waiting.length) {
      whole();
      return;
    }
    visit(i + 1);
    if (waiting[i].players.some(({ playerId }) => there.has(playerId))) return;
    members.push(waiting[i]);
    place(waiting[i], waiting[i].players, () => visit(i + 1));
    members.pop();
  };
  visit(0);
  return [...best.values()];
}

function imbalanceOf(skills: readonly (readonly number[])[], rules: GameRules): number {
  const teams = teamsOf(rules);
  return rules.alpha * gapOf(skills, teams, rules) + fixedPart(skills.flat(), teams, rules);
}
