import { expect, it } from 'vitest';
import { IS_LONG } from '../../../test/long.ts';
import { imbalanceByMatches } from './rated-play-table.ts';

it.runIf(IS_LONG)('the benchmark of rated players runs', () => {
  const rows = imbalanceByMatches({ players: 1_500, community: 100, seeds: 1, seed: 1 }).split('\n');
  expect(rows).toHaveLength(12);
  expect(rows[2]).toMatch(
    /^\| everybody since the launch: first match \| \d+ \| \d+ \| \d+ \| \d+ \| \d+ \| [\d.]+ \|/,
  );
});
