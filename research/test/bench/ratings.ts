/**
 * `npx node research/test/bench/ratings.ts`: what the odds of ratings are worth on synthetic 5v5 whose truth is known, beside the best that can be
 * known of it, the library's defaults, Elo and a coin. Prints Markdown. It measures odds, not time, so a busy machine changes
 * nothing.
 */
import { parseArgs } from 'node:util';
import { machine, printMarked } from '../../../test/tables/print.ts';
import { oddsWorth } from './ratings-odds.ts';

const { values } = parseArgs({
  options: {
    players: { type: 'string', default: '10000' },
    matches: { type: 'string', default: '60000' },
    seeds: { type: 'string', default: '3' },
    seed: { type: 'string', default: '1' },
  },
});

const [players, matches, seeds, seed] = [values.players, values.matches, values.seeds, values.seed].map(
  Number,
) as [number, number, number, number];
console.log(`${machine()}, seeds ${seed} to ${seed + seeds - 1}\n`);
for (const friends of [false, true])
  printMarked(
    friends ? 'odds with parties' : 'odds without parties',
    oddsWorth({ players, matches, seeds, seed, friends }),
  );
