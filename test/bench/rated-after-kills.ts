/**
 * `node test/bench/rated-after-kills.ts [--results 1000] [--rate 100] [--kills 3] [--seed 1]`: whether each result is rated once
 * when `muster serve --data` is killed while results are posted. Prints Markdown.
 */
import { parseArgs } from 'node:util';
import { machine, printMarked, table } from '../tables/print.ts';
import { killWhileRating } from './kills-while-rating.ts';

const { values } = parseArgs({
  options: {
    results: { type: 'string', default: '1000' },
    rate: { type: 'string', default: '100' },
    kills: { type: 'string', default: '3' },
    seed: { type: 'string', default: '1' },
  },
});
const [results, perSecond, kills, seed] = [values.results, values.rate, values.kills, values.seed].map(
  Number,
) as [number, number, number, number];

console.log(`${machine()}, seed ${seed}\n`);
const after = await killWhileRating({ results, perSecond, kills, seed });
printMarked(
  'rated after kills',
  table(
    [
      'results accepted',
      'a second',
      'kills',
      'requests repeated',
      'posted in s, with restarts',
      'all rated after s',
      'lost',
      'doubled',
      'players with a gap',
    ],
    [
      [
        after.accepted,
        perSecond,
        kills,
        after.repeated,
        after.postedSeconds.toFixed(1),
        after.ratedSeconds.toFixed(1),
        after.lost,
        after.doubled,
        after.broken,
      ],
    ],
  ),
);
