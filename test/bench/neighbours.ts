import { parseArgs } from 'node:util';
import { machine, printMarked } from '../tables/print.ts';
import { HOSTILE_TENANTS } from './neighbours/hostile-tenants.ts';
import { measureBeside, type NeighbourResult } from './neighbours/run.ts';
import { judged, MEASURES, tableOf } from './neighbours/table.ts';

/**
 * `npm run bench:neighbours`: how much of its service a good tenant loses beside a hostile one, as the table of
 * docs/reliability.md. `--rows` takes some of the rows, by words of their names separated by semicolons. The exit status is 1 when a row misses the aim, or when nothing hostile has happened in it.
 */
const { values } = parseArgs({
  options: {
    rate: { type: 'string', default: '10' },
    'warm-up': { type: 'string', default: '5' },
    alone: { type: 'string', default: '10' },
    settle: { type: 'string', default: '10' },
    seconds: { type: 'string', default: '30' },
    drain: { type: 'string', default: '10' },
    rounds: { type: 'string', default: '1' },
    watchers: { type: 'string', default: '200' },
    seed: { type: 'string', default: '1' },
    rows: { type: 'string', default: '' },
  },
});

const wanted = values.rows.split(';').map((words) => words.trim());
const tenants = HOSTILE_TENANTS.filter(({ name }) => wanted.some((words) => name.includes(words)));
if (tenants.length === 0)
  throw new Error(
    `Expected --rows to name a row, got "${values.rows}". The rows are ${HOSTILE_TENANTS.map(({ name }) => `"${name}"`).join(', ')}.`,
  );

console.log(
  `${machine()}, seed ${values.seed}; ${values.rounds} rounds of ${values.alone} s alone and ${values.seconds} s beside the neighbour\n`,
);

const results: [string, NeighbourResult][] = [];
const alone = () => results.flatMap(([, result]) => result.alone);
for (const tenant of tenants) {
  const result = await measureBeside(tenant, {
    playersPerSecond: Number(values.rate),
    warmUpSeconds: Number(values['warm-up']),
    aloneSeconds: Number(values.alone),
    settleSeconds: Number(values.settle),
    withSeconds: Number(values.seconds),
    drainSeconds: Number(values.drain),
    rounds: Number(values.rounds),
    watchers: Number(values.watchers),
    seed: Number(values.seed),
  });
  results.push([tenant.name, result]);
  console.error(`${tenant.name}: ${JSON.stringify(judged(result, alone()))}`);
}
printMarked('neighbours', tableOf(results));
const missed = results.filter(([, result]) => {
  const found = judged(result, alone());
  return !found.hostile || MEASURES.some((measure) => !found[measure].within);
});
console.log(`${results.length - missed.length} of ${results.length} rows are within the aim.`);
if (missed.length > 0) process.exitCode = 1;
