import { expect, it } from 'vitest';
import { measureTheorems } from './theorems.ts';

it('the benchmark of the theorems runs', () => {
  const rows = measureTheorems(0.002, 1);
  expect(rows).toHaveLength(3);
  expect(rows[2]![2]).toMatch(/^\d+ ms, worst \d+\.\d, no partition below \d+\.\d$/);
});
