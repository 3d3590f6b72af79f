import { expect, it } from 'vitest';
import { GamePool, shapeOf } from '../../../lib/engine/game-pool.ts';
import type { GameRules, Ticket } from '../../../lib/engine/types.ts';
import { sample } from '../../long.ts';
import { allGames } from '../oracle.ts';
import { seeded } from '../random-pool.ts';
import { shapeCase } from '../random-shape.ts';

/** More than the skills of these tests differ. */
const EMPTY_SEAT = 1_000_000;

it('makes the largest possible match where an empty seat costs more than skills differ', () => {
  const random = seeded(4_100);
  let larger = 0;
  for (let round = 0; round < sample(300, 800); round++) {
    const { rules: plain, tickets, nowMs, forbids } = shapeCase(random);
    if (plain.short === undefined || plain.beta > 0) continue;
    const rules: GameRules = { ...plain, short: { afterSeconds: 0, cost: EMPTY_SEAT } };
    const sizeOf = new Map(tickets.map(({ ticketId, players }) => [ticketId, players.length]));
    const playersOf = (ids: readonly string[]) => ids.reduce((sum, id) => sum + sizeOf.get(id)!, 0);
    const sizes = allGames(tickets, rules, nowMs, forbids).map(({ ticketIds }) => playersOf(ticketIds));
    const pool = new GamePool(rules, { ...(forbids && { forbids }) });
    for (const ticket of tickets) pool.insert(ticket);
    const game = pool.best(nowMs);
    expect(game === undefined ? 0 : playersOf(game.ticketIds)).toBe(Math.max(0, ...sizes));
    if (game && playersOf(game.ticketIds) > shapeOf(rules).seatsMin) larger++;
  }
  expect(larger).toBeGreaterThan(sample(7, 20));
});

it.each<[string, GameRules['teams'], number, number]>([
  ['one team that starts with one player', [{ name: 'crew', size: 30, minSize: 1 }], 7, 7],
  [
    'one team that starts with one player, and more than it takes',
    [{ name: 'crew', size: 30, minSize: 1 }],
    44,
    30,
  ],
  [
    'two teams',
    [
      { name: 'red', size: 20, minSize: 10 },
      { name: 'blue', size: 20, minSize: 10 },
    ],
    33,
    33,
  ],
  [
    'a team that is always full beside ten that are not',
    [
      { name: 'monsters', size: 5 },
      { name: 'hunters', size: 15, minSize: 8, count: 10 },
    ],
    131,
    131,
  ],
])('fills a match of many seats with all who wait, in %s', (_, teams, players, expected) => {
  const rules: GameRules = {
    teamSize: 1,
    teams,
    short: { afterSeconds: 0, cost: EMPTY_SEAT },
    alpha: 1,
    p: 1,
    q: 2,
    beta: 0,
  };
  const random = seeded(players);
  const pool = new GamePool(rules);
  for (let i = 0; i < players; i++) {
    const ticket: Ticket = {
      ticketId: `t${i}`,
      enqueuedAtMs: 0,
      players: [{ playerId: `p${i}`, skill: Math.round(2000 * random()) }],
    };
    pool.insert(ticket);
  }
  expect(pool.best(0)?.teams.flat()).toHaveLength(expected);
});

it('makes a match of many seats of any parties that are enough for its teams', () => {
  const random = seeded(4_200);
  let largest = 0;
  for (let round = 0; round < 300; round++) {
    const count = 1 + Math.floor(2 * random());
    const size = 17 + Math.floor(8 * random());
    const minSize = 1 + Math.floor(random() * size);
    const teams = [{ name: 'crew', size, minSize, count }];
    const short = { afterSeconds: 0, cost: EMPTY_SEAT };
    const pool = new GamePool({ teamSize: 1, teams, short, alpha: 1, p: 1, q: 2, beta: 0 });
    const partyMax = 1 + Math.floor(Math.min(size, 12) * random());
    const parties = Array.from(
      { length: 1 + Math.floor(7 * random()) },
      () => 1 + Math.floor(partyMax * random()),
    );
    parties.forEach((players, i) => {
      const skill = Math.round(2000 * random());
      pool.insert({
        ticketId: `t${i}`,
        enqueuedAtMs: 0,
        players: Array.from({ length: players }, (_, j) => ({ playerId: `p${i}.${j}`, skill })),
      });
    });
    const most = mostPlayers(parties, count, size, minSize);
    const made = pool.best(0)?.teams.flat().length ?? 0;
    expect(made > 0, `${parties.join()} in ${count} of ${minSize} to ${size}`).toBe(most > 0);
    if (made === most) largest++;
  }
  expect(largest).toBeGreaterThan(285);
});

/** The most players of whole parties in so many teams of these sizes; 0 when there is no match. */
function mostPlayers(parties: readonly number[], count: number, size: number, minSize: number): number {
  let reached = new Set([new Array<number>(count).fill(0).join()]);
  for (const party of parties) {
    const next = new Set(reached);
    for (const one of reached) {
      const teams = one.split(',').map(Number);
      teams.forEach((players, team) => {
        if (players + party <= size) next.add(teams.with(team, players + party).join());
      });
    }
    reached = next;
  }
  const matches = [...reached].map((one) => one.split(',').map(Number));
  const sums = matches.map((teams) =>
    teams.every((n) => n >= minSize) ? teams.reduce((a, b) => a + b, 0) : 0,
  );
  return Math.max(...sums);
}
