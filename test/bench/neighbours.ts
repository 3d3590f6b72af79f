import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { HOSTILE_TENANTS } from './neighbours/hostile-tenants.ts';
import { measureBeside, type NeighbourResult } from './neighbours/run.ts';
import { judged, MEASURES, tableOf } from './neighbours/table.ts';

/**
 * `npm run bench:neighbours`: how much of its service a good tenant loses beside a hostile one, as the table of
 * docs/reliability.md. `--write` puts the table there, `--rows` takes some of the rows, by words of their names separated by
 * semicolons. The exit status is 1 when a row misses the aim, or when nothing hostile has happened in it.
 */
const { values } = parseArgs({
  options: {
    rate: { type: 'string', default: '20' },
    'warm-up': { type: 'string', default: '5' },
    alone: { type: 'string', default: '10' },
    seconds: { type: 'string', default: '15' },
    drain: { type: 'string', default: '10' },
    rounds: { type: 'string', default: '2' },
    seed: { type: 'string', default: '1' },
    rows: { type: 'string', default: '' },
    write: { type: 'boolean', default: false },
  },
});

const PAGE = fileURLToPath(new URL('../../docs/reliability.md', import.meta.url));

const wanted = values.rows.split(';').map((words) => words.trim());
const tenants = HOSTILE_TENANTS.filter(({ name }) => wanted.some((words) => name.includes(words)));
if (tenants.length === 0)
  throw new Error(
    `Expected --rows to name a row, got "${values.rows}". The rows are ${HOSTILE_TENANTS.map(({ name }) => `"${name}"`).join(', ')}.`,
  );

const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();
const title =
  `${cpus().length} × ${cpus()[0]!.model}, Node ${process.version}, seed ${values.seed}, commit ${commit}, ` +
  `${new Date().toISOString().slice(0, 10)}; ${values.rounds} rounds of ${values.alone} s alone and ${values.seconds} s beside the neighbour`;
console.log(`${title}\n`);

const results: [string, NeighbourResult][] = [];
for (const tenant of tenants) {
  const result = await measureBeside(tenant, {
    playersPerSecond: Number(values.rate),
    warmUpSeconds: Number(values['warm-up']),
    aloneSeconds: Number(values.alone),
    withSeconds: Number(values.seconds),
    drainSeconds: Number(values.drain),
    rounds: Number(values.rounds),
    seed: Number(values.seed),
  });
  results.push([tenant.name, result]);
  console.error(`${tenant.name}: ${JSON.stringify(judged(result))}`);
}
const table = tableOf(results);
console.log(table);
const missed = results.filter(([, result]) => {
  const found = judged(result);
  return !found.hostile || MEASURES.some((measure) => !found[measure].within);
});
console.log(`\n${results.length - missed.length} of ${results.length} rows are within the aim.`);
if (missed.length > 0) process.exitCode = 1;

if (values.write) {
  const page = readFileSync(PAGE, 'utf8');
  const [begin, end] = ['<!-- neighbours -->\n', '<!-- end of neighbours -->'];
  const [from, to] = [page.indexOf(begin) + begin.length, page.indexOf(end)];
  if (from < begin.length || to < from) throw new Error(`Expected ${begin.trim()} and ${end} in ${PAGE}`);
  writeFileSync(PAGE, `${page.slice(0, from)}${title}.\n\n${table}\n${page.slice(to)}`);
}
