import { expect, it } from 'vitest';
import { CASES, warmTicks } from './warm-ticks.ts';

it.each(CASES)('the benchmark of ticks plays a queue for a cold and a warm function: $name', async (one) => {
  const { read, games, coldMs, warmMs } = await warmTicks(one, 100, 3, 1);
  expect(read).toBeGreaterThan(20);
  expect(games).toBeGreaterThanOrEqual(0);
  expect([coldMs.length, warmMs.length]).toEqual([3, 3]);
});
