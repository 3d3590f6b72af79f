import { expect, it, onTestFinished, vi } from 'vitest';
import { GamePool } from '../../../lib/engine/game-pool.ts';
import { Candidates } from '../../../lib/engine/queue/candidates.ts';
import { normal, seeded } from '../random-pool.ts';

it('a search that filters thousands of candidates for each node looks at its clock as they go by', () => {
  const add = vi.spyOn(Candidates.prototype, 'add');
  onTestFinished(() => add.mockRestore());
  let most = 0;
  let last = 0;
  let looks = 0;
  const outOfTime = () => {
    most = Math.max(most, add.mock.calls.length - last);
    last = add.mock.calls.length;
    return ++looks > 300;
  };
  const random = seeded(3);
  const roles = { tank: 1, healer: 1, damage: 3 };
  const pool = new GamePool({ teamSize: 5, alpha: 1, p: 1, q: 2, beta: 0, roles }, { outOfTime });
  const count = 3000;
  for (let i = 0; i < count; i++) {
    const size = random() < 0.8 ? 2 : 1;
    pool.insert({
      ticketId: `t${i}`,
      enqueuedAtMs: 0,
      players: Array.from({ length: size }, (_, k) => ({
        playerId: `p${i}.${k}`,
        skill: Math.max(0, 1500 + 300 * normal(random)),
        roles: [['damage', 'tank', 'healer'][Math.floor(2.1 * random())]!],
      })),
    });
  }
  pool.bestWith('t0', 0);
  expect(looks).toBeGreaterThan(300);
  expect(most).toBeLessThan(2 * count);
});
