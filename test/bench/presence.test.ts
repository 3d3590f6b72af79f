import { expect, it } from 'vitest';
import { presenceTable } from './vanishing-players.ts';

it('the benchmark of presence runs: no player who is gone is matched too late, and one who is back keeps the place', async () => {
  const rows = (await presenceTable({ players: 30, seed: 1 })).split('\n');
  expect(rows).toHaveLength(4);
  const [, , vanished, back] = rows.map((row) => row.split('|').map((cell) => cell.trim()));
  expect(Number(vanished![3])).toBeGreaterThan(0);
  expect(Number.parseFloat(vanished![5]!)).toBeLessThanOrEqual(Number.parseFloat(vanished![6]!));
  expect(back!.slice(2, 5)).toEqual(['30', '0', '30']);
});
