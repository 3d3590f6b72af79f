import { expect, it } from 'vitest';
import { normal, seeded } from '../engine/random-pool.ts';
import { sample } from '../long.ts';
import { poolOf } from './missed-games.ts';
import { compareLargeCase } from './oracle-run.ts';

it('makes permitted games of many seats with valid bounds, and finds nearly all that are possible', () => {
  let found = 0;
  let missed = 0;
  for (let seed = 1; seed <= sample(40, 80); seed++) {
    const result = compareLargeCase(seed);
    found += result.found;
    missed += result.missed;
  }
  expect(found).toBeGreaterThan(sample(10, 20));
  expect(missed).toBeLessThan(found / 10);
});

it.each([7, 4])('finds a match of 49 teams of four whose mean levels differ by at most %i', (max) => {
  const random = seeded(max);
  const players = Array.from({ length: 600 }, (_, i) => ({
    playerId: `p${i}`,
    skill: Math.max(1, 1500 + 300 * normal(random)),
    attributes: { level: 1 + Math.floor(50 * random()) },
  }));
  const pool = poolOf({
    shape: { teams: 49, teamSize: 4 },
    rules: [{ name: 'levels', type: 'balance', attribute: 'level', max }],
    tickets: players.map((player, i) => ({ ticketId: `t${i}`, enqueuedAtMs: 0, players: [player] })),
  });
  const game = pool.best(1000)!;
  const means = game.teams.map((team) => {
    const levels = team.map(({ attributes }) => attributes!.level as number);
    return levels.reduce((sum, level) => sum + level, 0) / 4;
  });
  expect(means).toHaveLength(49);
  expect(Math.max(...means) - Math.min(...means)).toBeLessThanOrEqual(max);
});
