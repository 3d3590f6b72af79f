import { expect, it } from 'vitest';
import { CASES, warmTicks } from './warm-ticks.ts';

it.each(CASES)('the benchmark of ticks plays a queue for cold and warm functions: $name', async (one) => {
  const { read, games, cpuMs, closer, looser } = await warmTicks(one, 100, 3, 1, 0);
  expect(read).toBeGreaterThan(20);
  expect(games).toBeGreaterThanOrEqual(0);
  expect(Object.values(cpuMs).map((times) => times.length)).toEqual([3, 3, 3]);
  expect([closer, looser]).toEqual([0, 0]);
});
