import type { Forbids, Game, GameRules, Player, Ticket } from '../../lib/engine/types.ts';
import { canSeat, spreadOf } from './brute-force.ts';
import { allShapedGames, checkShapedGame } from './shape-oracle.ts';

/**
 * A brute-force implementation of the engine's definitions that shares no code with it: it tries every set of tickets,
 * every division into two teams and every seating. For pools of at most about a dozen players.
 */
export interface OracleGame {
  ticketIds: string[];
  imbalance: number;
  priority: number;
}

/** Every game that can be formed: every set of tickets in every division into two teams. */
export function allGames(
  tickets: readonly Ticket[],
  rules: GameRules,
  nowMs: number,
  forbids?: Forbids,
): OracleGame[] {
  if (isShaped(tickets, rules)) return allShapedGames(tickets, rules, nowMs, forbids);
  const games: OracleGame[] = [];
  const k = rules.teamSize;
  const x: Ticket[] = [];
  const y: Ticket[] = [];
  const size = (team: Ticket[]) => team.reduce((sum, ticket) => sum + ticket.players.length, 0);
  const visit = (i: number) => {
    if (i === tickets.length) {
      if (size(x) !== k || size(y) !== k) return;
      const members = [...x, ...y];
      if (forbids && members.some((a, m) => members.slice(m + 1).some((b) => forbids(a, b)))) return;
      if (![x, y].every((team) => canSeat(playersOf(team), rules.roles))) return;
      const f = definition(x, y, rules);
      const wait = Math.max(...members.map((ticket) => (nowMs - ticket.enqueuedAtMs) / 1000));
      games.push({
        ticketIds: members.map((ticket) => ticket.ticketId).sort(),
        imbalance: f,
        priority: f - rules.beta * wait,
      });
      return;
    }
    const ticket = tickets[i];
    if (size(x) + ticket.players.length <= k) {
      x.push(ticket);
      visit(i + 1);
      x.pop();
    }
    // Teams are interchangeable: the first ticket chosen plays on the first team.
    if (x.length > 0 && size(y) + ticket.players.length <= k) {
      y.push(ticket);
      visit(i + 1);
      y.pop();
    }
    visit(i + 1);
  };
  visit(0);
  return games;
}

/** Whether the games are not simply two equal teams of undivided parties. */
function isShaped(tickets: readonly Ticket[], rules: GameRules): boolean {
  return rules.teams !== undefined || tickets.some(({ split }) => split);
}

/** Throws unless these tickets can play the game and its numbers are correct. */
export function checkGame(
  game: Game,
  tickets: readonly Ticket[],
  rules: GameRules,
  nowMs: number,
  forbids?: Forbids,
): void {
  if (isShaped(tickets, rules)) {
    checkShapedGame(game, tickets, rules, nowMs, forbids);
    return;
  }
  const byId = new Map(tickets.map((ticket) => [ticket.ticketId, ticket]));
  const expect = (holds: boolean, what: string) => {
    if (!holds) throw new Error(`${what}: ${JSON.stringify(game)}`);
  };
  const teams = game.teams.map((team) => {
    expect(team.length === rules.teamSize, 'a team is not full');
    const ids = [...new Set(team.map((seat) => seat.ticketId))];
    const members = ids.map((id) => byId.get(id)!);
    expect(
      members.every((ticket) => ticket !== undefined),
      'a ticket is not in the pool',
    );
    const expected = members.flatMap((ticket) => ticket.players.map((player) => player.playerId)).sort();
    expect(
      JSON.stringify(team.map((seat) => seat.playerId).sort()) === JSON.stringify(expected),
      'a ticket is split or a player missing',
    );
    if (rules.roles) {
      const left = { ...rules.roles };
      const players = new Map(members.flatMap((ticket) => ticket.players).map((p) => [p.playerId, p]));
      for (const seat of team) {
        expect(seat.role !== undefined && left[seat.role]-- > 0, 'a role is given too often');
        const accepted = players.get(seat.playerId)!.roles;
        expect(accepted === undefined || accepted.includes(seat.role!), 'a player is in a role it refuses');
      }
    } else
      expect(
        team.every((seat) => seat.role === undefined),
        'a role without roles',
      );
    return members;
  });
  const all = [...teams[0], ...teams[1]];
  expect(
    JSON.stringify(all.map((t) => t.ticketId).sort()) === JSON.stringify(game.ticketIds),
    'ticketIds are not the tickets of the teams',
  );
  if (forbids) {
    expect(!all.some((a, i) => all.slice(i + 1).some((b) => forbids(a, b))), 'two tickets meet that may not');
  }
  const f = definition(teams[0], teams[1], rules);
  const wait = Math.max(...all.map((ticket) => (nowMs - ticket.enqueuedAtMs) / 1000));
  const unit = scale(tickets, rules);
  expect(Math.abs(game.imbalance - f) <= unit, `the imbalance is not ${f}`);
  expect(Math.abs(game.priority - (f - rules.beta * wait)) <= unit, 'the priority is wrong');
  expect(
    Math.abs(rules.alpha * game.teamGap + game.skillSpread - game.imbalance) <= unit,
    'the parts do not sum',
  );
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

function definition(x: readonly Ticket[], y: readonly Ticket[], rules: GameRules): number {
  const { alpha, p, q } = rules;
  const skills = (team: readonly Ticket[]) => playersOf(team).map(({ skill }) => skill);
  const teamSkill = (team: readonly Ticket[]) => {
    const top = Math.max(1e-300, ...skills(team));
    return p === Number.POSITIVE_INFINITY
      ? Math.max(...skills(team))
      : top * skills(team).reduce((sum, s) => sum + (s / top) ** p, 0) ** (1 / p);
  };
  return alpha * Math.abs(teamSkill(x) - teamSkill(y)) + spreadOf(skills([...x, ...y]), q);
}

function playersOf(team: readonly Ticket[]): Player[] {
  return team.flatMap((ticket) => ticket.players);
}
