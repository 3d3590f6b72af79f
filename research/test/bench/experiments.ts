/**
 * `npx node research/test/bench/experiments.ts`: whether the intervals of experiments contain the truth, on simulated queues with the rhythm of a
 * day, beside what a naive reader would do; and how long an experiment takes to see a difference. Prints Markdown. It counts
 * simulated players, not time, so a busy machine changes nothing.
 */
import { parseArgs } from 'node:util';
import { machine, printMarked } from '../../../test/tables/print.ts';
import { coverage, daysToSee } from './experiment-coverage.ts';

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '400' },
    days: { type: 'string', default: '1' },
    rates: { type: 'string', default: '1,5,50' },
    seed: { type: 'string', default: '1' },
  },
});

const seed = Number(values.seed);
console.log(`${machine()}, seed ${seed}\n`);
const rates = values.rates.split(',').map(Number);
printMarked(
  'coverage of intervals',
  coverage({ runs: Number(values.runs), days: Number(values.days), seed }),
);
printMarked('days to see a difference', daysToSee({ rates, seed }));
