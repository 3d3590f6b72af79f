import { expect, it } from 'vitest';
import { IS_LONG } from '../../../test/long.ts';
import { coverage, daysToSee } from './experiment-coverage.ts';

it.runIf(IS_LONG)('the benchmark of experiments runs', () => {
  const rows = coverage({ runs: 1, days: 0.25, seed: 1 }).split('\n');
  expect(rows).toHaveLength(11);
  expect(rows[2]).toMatch(/^\| two equal variants: mean wait in s \| 1 \| 0\.000 \|/);
  expect(daysToSee({ rates: [0.1], seed: 1, players: 2000 })).toMatch(
    /^\| 0\.1 \| 6 h at a steady rate \| [\d.]+ (h|days) \|/m,
  );
});
