import { expect, it } from 'vitest';
import { layoutOf } from '../../../lib/engine/shapes/layout.ts';
import { ShapeDivider } from '../../../lib/engine/shapes/shape-divider.ts';
import { poolShapeTicket } from '../../../lib/engine/shapes/shape-ticket.ts';
import { shapeImbalance } from '../../../lib/engine/shapes/team-values.ts';
import type { GameRules, Player, TeamKind, Ticket } from '../../../lib/engine/types.ts';
import { canSeat } from '../brute-force.ts';
import { seeded } from '../random-pool.ts';

const shapes: Record<string, Pick<GameRules, 'teamSize' | 'teams' | 'roles'>> = {
  'two equal teams': { teamSize: 4 },
  'two equal teams with roles': { teamSize: 3, roles: { tank: 1, damage: 2 } },
  'one against four': { teamSize: 4, teams: [kind('one', 1), kind('many', 4)] },
  'three against five, one ahead': { teamSize: 5, teams: [kind('few', 3, { offset: 40 }), kind('many', 5)] },
  'two named teams with roles of their own': {
    teamSize: 3,
    teams: [kind('a', 3, { roles: { tank: 1, damage: 2 } }), kind('b', 3, { roles: { damage: 3 } })],
  },
};

it.each(Object.entries(shapes))('divides %s as fairly as brute force', (_, shape) => {
  const random = seeded(5);
  let divided = 0;
  for (let round = 0; round < 150; round++) {
    const p = [1, 1, 2, Number.POSITIVE_INFINITY, 400][Math.floor(5 * random())];
    const rules: GameRules = { ...shape, alpha: 1, p, q: 2, beta: 0 };
    const layout = layoutOf(rules);
    const tickets = ticketsFor(random, layout.seats, layout.partyMax, shape);
    const divider = new ShapeDivider(rules, layout);
    const expected = leastGap(tickets, rules);
    const members = tickets.map((ticket) => poolShapeTicket(ticket, layout));
    const gap = divider.divide(members, Number.POSITIVE_INFINITY);
    if (expected === Number.POSITIVE_INFINITY) {
      expect(gap).toBe(expected);
      continue;
    }
    divided++;
    expect(Math.abs(gap - expected)).toBeLessThan(1e-9 * (expected + 1500));
    const teams = layout.kindOf.map((): Placed[] => []);
    let player = 0;
    for (const ticket of tickets)
      for (const one of ticket.players) teams[divider.teams[player++]].push({ ticket, player: one });
    expect(Math.abs(gapOf(teams, rules) - expected)).toBeLessThan(1e-9 * (expected + 1500));
    expect(divider.divide(members, 0.999 * expected - 1e-6)).toBe(Number.POSITIVE_INFINITY);
  }
  expect(divided).toBeGreaterThan(30);
});

interface Placed {
  readonly ticket: Ticket;
  readonly player: Player;
}

function kind(name: string, size: number, more: Partial<TeamKind> = {}): TeamKind {
  return { name, size, ...more };
}

/** Tickets that fill a game, some of them parties, some with roles and wanted teams. */
function ticketsFor(
  random: () => number,
  seats: number,
  partyMax: number,
  { teams, roles }: Pick<GameRules, 'teams' | 'roles'>,
): Ticket[] {
  const kinds = Array.isArray(teams) ? (teams as readonly TeamKind[]) : [];
  const hasRoles = roles !== undefined || kinds.some((one) => one.roles);
  const tickets: Ticket[] = [];
  for (let players = 0; players < seats; ) {
    const most = Math.min(partyMax, seats - players);
    const size = random() < 0.4 ? 1 + Math.floor(most * random()) : 1;
    const ticketId = `t${tickets.length}`;
    tickets.push({
      ticketId,
      enqueuedAtMs: 0,
      players: Array.from({ length: size }, (_, i) => ({
        playerId: `${ticketId}.${i}`,
        skill: 1400 + Math.floor(200 * random()),
        ...(hasRoles && random() < 0.5 && { roles: [random() < 0.3 ? 'tank' : 'damage'] }),
        ...(kinds.length > 0 && random() < 0.3 && { teams: [kinds[random() < 0.3 ? 0 : 1].name] }),
      })),
    });
    players += size;
  }
  return tickets;
}

/** The least teamGap of all divisions, ∞ if there is none. */
function leastGap(tickets: readonly Ticket[], rules: GameRules): number {
  const layout = layoutOf(rules);
  let least = Number.POSITIVE_INFINITY;
  for (let team = 0; team < 2 ** tickets.length; team++) {
    const teams: Placed[][] = [[], []];
    tickets.forEach((ticket, t) => {
      for (const player of ticket.players) teams[(team >> t) & 1].push({ ticket, player });
    });
    const canPlay = teams.every((placed, t) => {
      const { size, name, roles } = layout.kinds[layout.kindOf[t]];
      const players = placed.map(({ player }) => player);
      return (
        players.length === size &&
        players.every((player) => player.teams === undefined || player.teams.includes(name!)) &&
        canSeat(players, roles)
      );
    });
    if (canPlay) least = Math.min(least, gapOf(teams, rules));
  }
  return least;
}

function gapOf(teams: readonly (readonly Placed[])[], rules: GameRules): number {
  const skills = teams.map((placed) => placed.map(({ player }) => player.skill));
  return shapeImbalance(skills, layoutOf(rules), rules).teamGap;
}
