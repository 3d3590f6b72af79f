import { parseArgs } from 'node:util';
import { machine, printMarked, table } from '../../tables/print.ts';
import { ASSUMPTIONS } from './assumptions.ts';
import { LOADS, type Load, measure } from './loads.ts';

/** The loads that the documentation has; `--rows` plays others of `loads.ts`. */
const DOCUMENTED = ['steady-1000', 'steady-1000-parties', 'steady-10000', 'steady-10000-parties'];

/**
 * `npm run bench:scale -- [--rows steady-1000,…] [--seconds N] [--players N] [--seed 1] [--cpu-factor 1.5]`: one queue
 * of 5v5 with a tick a second under load, in a simulated region. It prints a table, and to stderr the missed targets and details.
 */
const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: DOCUMENTED.join(',') },
    seconds: { type: 'string', default: '60' },
    players: { type: 'string', default: '1000000' },
    seed: { type: 'string', default: '1' },
    'cpu-factor': { type: 'string', default: String(ASSUMPTIONS.cpuFactor) },
  },
});

console.log(`${machine()}; CPU times × ${values['cpu-factor']}, seed ${values.seed}\n`);
const rows: (string | number)[][] = [];
for (const name of values.rows.split(',')) {
  const load: Load | undefined = LOADS[name as keyof typeof LOADS];
  if (load === undefined) throw new Error(`Expected rows of ${Object.keys(LOADS)}, got ${name}`);
  const startMs = performance.now();
  const row = await measure(load, {
    seconds: Number(values.seconds),
    players: Number(values.players),
    seed: Number(values.seed),
    cpuFactor: Number(values['cpu-factor']),
  });
  rows.push([
    load.title,
    row.seconds,
    row.waitP50.toFixed(2),
    row.waitP99.toFixed(2),
    row.tickP99.toFixed(2),
    row.bucketsMax,
    `${(100 * row.hottest.share).toFixed(0)}% (${row.hottest.name})`,
    row.refused,
    row.missed,
    row.lost,
    row.twice,
  ]);
  const tookSeconds = ((performance.now() - startMs) / 1_000).toFixed(0);
  console.error(
    `${name}, ${row.tickets} tickets, in ${tookSeconds} s; targets missed: ${row.short.join('; ') || 'none'}`,
  );
  for (const line of row.notes) console.error(`  ${line}`);
}
const times = ['measured s', 'wait p50 s', 'wait p99 s', 'tick p99 s'];
const counts = ['tickets refused', 'ticks missed', 'lost', 'matched twice'];
printMarked(
  'scale',
  table(['load', ...times, 'buckets at most', 'hottest key, of its limit', ...counts], rows),
);
