import type { Forbids, Game, GameRules, Player, Ticket } from '../../lib/engine/types.ts';
import { acceptsTeam, canSeat, fixedPart, gapOf, spreadOf, teamsOf } from './brute-force.ts';

/** A set of tickets that can play together, with its best division. */
export interface OracleGame {
  readonly ticketIds: readonly string[];
  readonly imbalance: number;
  readonly priority: number;
}

/** What a game costs besides its shape; undefined when it is forbidden. Its teams are in the order of the rules. */
export type CostOf = (
  teams: readonly (readonly Placed[])[],
  members: readonly Ticket[],
) => number | undefined;

/** One player in a game. */
export interface Placed {
  readonly ticket: Ticket;
  readonly player: Player;
}

/**
 * A brute-force implementation of the engine's definitions that shares no code with it: it tries every set of tickets, every
 * division of their players into the teams and every seating. For pools of at most about a dozen players.
 * @param member the id of a ticket that all of the games have @default any
 */
export function allGames(
  tickets: readonly Ticket[],
  rules: GameRules,
  nowMs: number,
  forbids?: Forbids,
  costOf: CostOf = () => 0,
  member?: string,
): OracleGame[] {
  const teams = teamsOf(rules);
  const placed: Placed[][] = teams.map(() => []);
  /** Puts players into the teams, in every way. */
  const place = (ticket: Ticket, players: readonly Player[], then: () => void): void => {
    if (players.length === 0) {
      then();
      return;
    }
    const group = ticket.split ? players.slice(0, 1) : players;
    const rest = ticket.split ? players.slice(1) : [];
    teams.forEach((team, t) => {
      if (placed[t].length + group.length > team.size || !group.every((player) => acceptsTeam(player, team)))
        return;
      // Teams of one kind are interchangeable: of the empty ones the first is filled.
      if (
        placed[t].length === 0 &&
        teams.some((o, u) => u < t && o.kind === team.kind && placed[u].length === 0)
      )
        return;
      for (const player of group) placed[t].push({ ticket, player });
      place(ticket, rest, then);
      placed[t].length -= group.length;
    });
  };
  /** The least imbalance of a game of these tickets; ∞ if they can form none. */
  const leastOf = (members: readonly Ticket[]): number => {
    const short = isShort(members, rules, nowMs);
    const fixed = fixedPart(
      members.flatMap(({ players }) => players.map(({ skill }) => skill)),
      teams,
      rules,
    );
    let least = Number.POSITIVE_INFINITY;
    const divide = (at: number): void => {
      if (at < members.length) {
        place(members[at], members[at].players, () => divide(at + 1));
        return;
      }
      if (!teams.every(({ size, minSize }, t) => placed[t].length >= (short ? minSize : size))) return;
      const plain = rules.alpha * gapOf(skillsOf(placed), teams, rules) + fixed;
      // No cost is below 0.
      if (plain >= least) return;
      const canSeatAll = teams.every(({ roles }, t) =>
        canSeat(
          placed[t].map(({ player }) => player),
          roles,
        ),
      );
      if (!canSeatAll) return;
      least = Math.min(least, plain + (costOf(placed, members) ?? Number.POSITIVE_INFINITY));
    };
    divide(0);
    return least;
  };
  const games: OracleGame[] = [];
  const chosen: Ticket[] = [];
  const seatsMax = teams.reduce((sum, { size }) => sum + size, 0);
  const seatsMin = rules.short ? teams.reduce((sum, { minSize }) => sum + minSize, 0) : seatsMax;
  const choose = (at: number, seated: number, left: number): void => {
    if (seated > seatsMax || seated + left < seatsMin) return;
    if (at < tickets.length) {
      const ticket = tickets[at];
      const { length } = ticket.players;
      if (ticket.ticketId !== member) choose(at + 1, seated, left - length);
      if (forbids && chosen.some((other) => forbids(other, ticket))) return;
      chosen.push(ticket);
      choose(at + 1, seated + length, left - length);
      chosen.pop();
      return;
    }
    const imbalance = leastOf(chosen);
    if (imbalance === Number.POSITIVE_INFINITY) return;
    const ticketIds = chosen.map(({ ticketId }) => ticketId).sort();
    games.push({ ticketIds, imbalance, priority: imbalance - rules.beta * longestWait(chosen, nowMs) });
  };
  choose(0, 0, tickets.flatMap(({ players }) => players).length);
  return games;
}

/** Throws unless these tickets can play the game and its numbers are correct. */
export function checkGame(
  game: Game,
  tickets: readonly Ticket[],
  rules: GameRules,
  nowMs: number,
  forbids?: Forbids,
  costOf: CostOf = () => 0,
): void {
  const expect = (holds: boolean, what: string) => {
    if (!holds) throw new Error(`${what}: ${JSON.stringify(game)}`);
  };
  const teams = teamsOf(rules);
  expect(game.teams.length === teams.length, 'the number of teams is wrong');
  const names = teams.map(({ name }) => name);
  expect(
    names[0] === undefined
      ? game.teamNames === undefined
      : JSON.stringify(game.teamNames) === JSON.stringify(names),
    'the names of the teams are wrong',
  );
  const byPlayer = new Map<string, Placed>();
  for (const ticket of tickets)
    for (const player of ticket.players) byPlayer.set(player.playerId, { ticket, player });
  const placed = game.teams.map((team) =>
    team.map(({ playerId, ticketId }) => {
      const found = byPlayer.get(playerId)!;
      expect(found?.ticket.ticketId === ticketId, 'a player is not in the pool');
      return found;
    }),
  );
  const seated = placed.flat();
  expect(new Set(seated).size === seated.length, 'a player is seated twice');
  const members = [...new Set(seated.map(({ ticket }) => ticket))];
  expect(
    JSON.stringify(members.map(({ ticketId }) => ticketId).sort()) === JSON.stringify(game.ticketIds),
    'ticketIds are not the tickets of the teams',
  );
  for (const ticket of members) {
    const of = placed.map((team) => team.filter((one) => one.ticket === ticket).length);
    expect(of.reduce((a, b) => a + b) === ticket.players.length, 'a player of a party is missing');
    expect(ticket.split === true || of.filter((count) => count > 0).length === 1, 'a party is split');
  }
  const short = isShort(members, rules, nowMs);
  teams.forEach((team, t) => {
    const { length } = placed[t];
    expect(length <= team.size && length >= (short ? team.minSize : team.size), 'a team has a wrong size');
    for (const { player } of placed[t]) expect(acceptsTeam(player, team), 'a player is on a team it refuses');
    const left = { ...team.roles };
    game.teams[t].forEach((seat, i) => {
      if (!team.roles) {
        expect(seat.role === undefined, 'a role without roles');
        return;
      }
      expect(seat.role !== undefined && left[seat.role]-- > 0, 'a role is given too often');
      expect(placed[t][i].player.roles?.includes(seat.role!) ?? true, 'a player is in a role it refuses');
    });
  });
  if (forbids)
    expect(
      !members.some((a, i) => members.slice(i + 1).some((b) => forbids(a, b))),
      'two tickets meet that may not',
    );
  const cost = costOf(placed, members);
  expect(cost !== undefined, 'a rule is violated');
  const skills = skillsOf(placed).flat();
  const f = rules.alpha * gapOf(skillsOf(placed), teams, rules) + fixedPart(skills, teams, rules) + cost!;
  const wait = longestWait(members, nowMs);
  const unit = scale(tickets, rules) + 1e-12 * cost!;
  expect(Math.abs(game.imbalance - f) <= unit, `the imbalance is not ${f}`);
  expect(
    Math.abs(game.priority - (f - rules.beta * wait)) <= unit + 1e-12 * rules.beta * wait,
    'the priority is wrong',
  );
  const parts = rules.alpha * game.teamGap + fixedPart(skills, teams, rules) + cost!;
  expect(Math.abs(parts - f) <= unit, 'the gap of the teams is wrong');
  expect(Math.abs(game.skillSpread - spreadOf(skills, rules.q)) <= unit, 'the spread of skills is wrong');
  expect(game.lowerBound <= game.priority, 'the lower bound is above the game itself');
  expect(
    game.optimal === (game.lowerBound === game.priority),
    'optimal does not say whether the bound is met',
  );
}

/** The tolerance for rounding: 1e-9 of the numbers in an imbalance. */
export function scale(tickets: readonly Ticket[], rules: GameRules): number {
  const top = Math.max(0, ...tickets.flatMap((ticket) => ticket.players.map((player) => player.skill)));
  return 1e-12 * top * (1 + rules.alpha) * (rules.teams === undefined ? rules.teamSize : 16);
}

function isShort(members: readonly Ticket[], { short }: GameRules, nowMs: number): boolean {
  return (
    short !== undefined &&
    members.every(({ enqueuedAtMs }) => nowMs - enqueuedAtMs >= 1000 * short.afterSeconds)
  );
}

function longestWait(members: readonly Ticket[], nowMs: number): number {
  return Math.max(...members.map(({ enqueuedAtMs }) => (nowMs - enqueuedAtMs) / 1000));
}

function skillsOf(placed: readonly (readonly Placed[])[]): number[][] {
  return placed.map((team) => team.map(({ player }) => player.skill));
}
