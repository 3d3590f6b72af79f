import { expect, it } from 'vitest';
import { compareLargeCase } from './oracle-run.ts';

it('makes permitted games of many seats with valid bounds, and finds nearly all that are possible', () => {
  let found = 0;
  let missed = 0;
  for (let seed = 1; seed <= 80; seed++) {
    const result = compareLargeCase(seed);
    found += result.found;
    missed += result.missed;
  }
  expect(found).toBeGreaterThan(20);
  expect(missed).toBeLessThan(found / 10);
});
