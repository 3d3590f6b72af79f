import { expect, it } from 'vitest';
import { LIMITS } from '../../../lib/contract/queue-definition.ts';
import { GamePool, layoutOf } from '../../../lib/engine/game-pool.ts';
import type { GameRules, Ticket } from '../../../lib/engine/types.ts';
import { checkGame } from '../oracle.ts';
import { seeded } from '../random-pool.ts';

const most = LIMITS.teamKindsMax;
const rolesOf = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`r${i}`, 1]));
const rulesOf = (shape: Pick<GameRules, 'teamSize' | 'teams' | 'roles'>): GameRules => ({
  alpha: 1,
  p: 1,
  q: 2,
  beta: 0,
  ...shape,
});

it.each<[string, GameRules, readonly string[]]>([
  ['two teams', rulesOf({ teamSize: most, roles: rolesOf(most) }), Object.keys(rolesOf(most))],
  [
    'one team',
    rulesOf({ teamSize: 1, teams: [{ name: 'all', size: most, roles: rolesOf(most) }] }),
    Object.keys(rolesOf(most)),
  ],
  [
    'as many kinds of team as a list has',
    rulesOf({
      teamSize: 1,
      teams: Array.from({ length: most }, (_, i) => ({ name: `k${i}`, size: 1, roles: { [`r${i}`]: 1 } })),
    }),
    Object.keys(rolesOf(most)),
  ],
  [
    'two kinds of 8 seats, in an exact search',
    rulesOf({
      teamSize: 1,
      teams: ['a', 'b'].map((name) => ({ name, size: 8, roles: rolesOf(8) })),
    }),
    Object.keys(rolesOf(8)),
  ],
])(
  'seats players in roles that they accept where there are as many as there may be: %s',
  (_, rules, names) => {
    const random = seeded(3);
    const seats = layoutOf(rules).seats;
    for (let round = 0; round < 5; round++) {
      // One player for each seat of three games, some of whom accept another role as well.
      const tickets = Array.from({ length: 3 * seats }, (_, i): Ticket => {
        const roles = [names[i % names.length]!];
        if (random() < 0.3) roles.push(names[(i + 1) % names.length]!);
        const ticketId = `t${i}`;
        return {
          ticketId,
          enqueuedAtMs: 0,
          players: [{ playerId: ticketId, skill: 1000 * random(), roles }],
        };
      });
      const pool = new GamePool(rules);
      for (const ticket of tickets) pool.insert(ticket);
      const games = [...pool.drain(0)];
      expect(games.length).toBeGreaterThan(0);
      for (const game of games) checkGame(game, tickets, rules, 0);
    }
  },
);

it.each([
  ['roles', rulesOf({ teamSize: most + 1, roles: rolesOf(most + 1) })],
  [
    'kinds of team',
    rulesOf({
      teamSize: 1,
      teams: Array.from({ length: most + 1 }, (_, i) => ({ name: `k${i}`, size: 1 })),
    }),
  ],
])('refuses more %s than the search can tell apart', (_, rules) => {
  expect(() => layoutOf(rules)).toThrow(
    `Expected at most ${most} pairs of a team and a role, got ${most + 1}`,
  );
});
