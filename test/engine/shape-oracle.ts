import type { Forbids, Game, GameRules, Player, Ticket } from '../../lib/engine/types.ts';
import { canSeat, spreadOf } from './brute-force.ts';
import type { OracleGame } from './oracle.ts';

/** A team of a game as the rules describe it. */
interface Team {
  readonly name: string | undefined;
  readonly kind: number;
  readonly size: number;
  readonly minSize: number;
  readonly offset: number;
  readonly roles: Readonly<Record<string, number>> | undefined;
}

/** What a game costs besides its shape; undefined when it is forbidden. Its teams are in the order of the rules. */
export type CostOf = (teams: readonly (readonly Placed[])[]) => number | undefined;

/** One player in a game. */
export interface Placed {
  readonly ticket: Ticket;
  readonly player: Player;
}

/** Every game of any shape: every set of tickets, every way to put their players into the teams. */
export function allShapedGames(
  tickets: readonly Ticket[],
  rules: GameRules,
  nowMs: number,
  forbids?: Forbids,
  costOf: CostOf = () => 0,
): OracleGame[] {
  const teams = teamsOf(rules);
  const placed: Placed[][] = teams.map(() => []);
  const members: Ticket[] = [];
  const best = new Map<string, OracleGame>();
  const accepts = (team: Team, { teams: wanted }: Player) =>
    wanted === undefined || team.name === undefined || wanted.includes(kindName(rules, team.kind)!);

  const place = (ticket: Ticket, players: readonly Player[], then: () => void): void => {
    if (players.length === 0) {
      then();
      return;
    }
    const group = ticket.split ? players.slice(0, 1) : players;
    const rest = ticket.split ? players.slice(1) : [];
    teams.forEach((team, t) => {
      if (placed[t].length + group.length > team.size || !group.every((player) => accepts(team, player)))
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
  const isShort = (list: readonly Ticket[]) =>
    rules.short !== undefined &&
    list.every(({ enqueuedAtMs }) => nowMs - enqueuedAtMs >= 1000 * rules.short!.afterSeconds);
  const visit = (i: number): void => {
    if (i === tickets.length) {
      const short = isShort(members);
      if (!teams.every((team, t) => placed[t].length >= (short ? team.minSize : team.size))) return;
      if (forbids && members.some((a, m) => members.slice(m + 1).some((b) => forbids(a, b)))) return;
      if (
        !teams.every((team, t) =>
          canSeat(
            placed[t].map(({ player }) => player),
            team.roles,
          ),
        )
      )
        return;
      const ticketIds = members.map(({ ticketId }) => ticketId).sort();
      const cost = costOf(placed);
      if (cost === undefined) return;
      const imbalance = definition(placed, teams, rules) + cost;
      const wait = Math.max(...members.map(({ enqueuedAtMs }) => (nowMs - enqueuedAtMs) / 1000));
      const key = ticketIds.join();
      const known = best.get(key);
      if (!known || imbalance < known.imbalance)
        best.set(key, { ticketIds, imbalance, priority: imbalance - rules.beta * wait });
      return;
    }
    visit(i + 1);
    members.push(tickets[i]);
    place(tickets[i], tickets[i].players, () => visit(i + 1));
    members.pop();
  };
  visit(0);
  return [...best.values()];
}

/** Throws unless the game is one that these tickets can play, and its numbers are right. */
export function checkShapedGame(
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
  const short =
    rules.short !== undefined &&
    members.every(({ enqueuedAtMs }) => nowMs - enqueuedAtMs >= 1000 * rules.short!.afterSeconds);
  teams.forEach((team, t) => {
    const { length } = placed[t];
    expect(length <= team.size && length >= (short ? team.minSize : team.size), 'a team has a wrong size');
    for (const { player } of placed[t]) {
      const kind = kindName(rules, team.kind);
      expect(
        player.teams === undefined || kind === undefined || player.teams.includes(kind),
        'a player is on a team it refuses',
      );
    }
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
  const cost = costOf(placed);
  expect(cost !== undefined, 'a rule is violated');
  const f = definition(placed, teams, rules) + cost!;
  const wait = Math.max(...members.map(({ enqueuedAtMs }) => (nowMs - enqueuedAtMs) / 1000));
  const top = Math.max(0, ...tickets.flatMap(({ players }) => players.map(({ skill }) => skill)));
  const unit = 1e-12 * (top * (1 + rules.alpha) * 16 + cost!);
  expect(Math.abs(game.imbalance - f) <= unit, `the imbalance is not ${f}`);
  expect(
    Math.abs(game.priority - (f - rules.beta * wait)) <= unit + 1e-12 * rules.beta * wait,
    'the priority is wrong',
  );
  expect(game.lowerBound <= game.priority, 'the lower bound is above the game itself');
  expect(
    game.optimal === (game.lowerBound === game.priority),
    'optimal does not say whether the bound is met',
  );
}

function teamsOf(rules: GameRules): Team[] {
  const { teamSize, teams = 2, roles } = rules;
  const kinds = Array.isArray(teams)
    ? teams
    : [
        {
          name: undefined,
          size: teamSize,
          count: teams as number,
          roles,
          minSize: undefined,
          offset: undefined,
        },
      ];
  return kinds.flatMap(({ name, size, count = 1, minSize = size, offset = 0, roles: seats }, kind) =>
    Array.from({ length: count }, (_, i) => ({
      name: name === undefined || count === 1 ? name : `${name}-${i + 1}`,
      kind,
      size,
      minSize,
      offset,
      roles: seats,
    })),
  );
}

function kindName({ teams }: GameRules, kind: number): string | undefined {
  return Array.isArray(teams) ? teams[kind].name : undefined;
}

function definition(
  placed: readonly (readonly Placed[])[],
  teams: readonly Team[],
  rules: GameRules,
): number {
  const { alpha, p, q } = rules;
  const skills = placed.map((team) => team.map(({ player }) => player.skill));
  const all = skills.flat();
  const meanSize = all.length / teams.length;
  const values = skills.map((team, t) => {
    const top = Math.max(1e-300, ...team);
    const mean =
      p === Number.POSITIVE_INFINITY
        ? Math.max(...team)
        : top * (team.reduce((sum, s) => sum + (s / top) ** p, 0) / team.length) ** (1 / p);
    return mean * meanSize ** (1 / p) + teams[t].offset;
  });
  const empty = teams.reduce((sum, team, t) => sum + team.size - placed[t].length, 0);
  return (
    alpha * (Math.max(...values) - Math.min(...values)) + spreadOf(all, q) + empty * (rules.short?.cost ?? 0)
  );
}
