/**
 * `npm run bench:simulate -- [players] [scenario…]`: policies at equal mean wait, and the speed of the simulator.
 * Prints markdown; with --report FILE also a page of charts.
 */
import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { type Contender, compare, SCENARIOS } from '../../lib/simulation/comparison.ts';
import { reportPage } from '../../lib/simulation/report.ts';
import { measureSpeed } from './simulate-speed.ts';

const SEED = 1;

const { values } = parseArgs({
  options: {
    players: { type: 'string', default: '20000' },
    scenarios: { type: 'string', default: SCENARIOS.map((_, at) => at + 1).join(',') },
    speed: { type: 'string', default: '1000000' },
    report: { type: 'string' },
  },
});

console.log(`${cpus()[0].model}, ${cpus().length} cores, Node ${process.version}, seed ${SEED}\n`);
if (Number(values.speed) > 0) console.log(`${measureSpeed(Number(values.speed), SEED)}\n`);

const sections = [];
console.log(
  '| scenario | policy | mean wait | 99 % | longest | timed out | imbalance | 90 % | option-value has |',
);
console.log('| --- | --- | --- | --- | --- | --- | --- | --- | --- |');
for (const number of values.scenarios.split(',')) {
  const scenario = SCENARIOS[Number(number) - 1];
  if (scenario === undefined) continue;
  const contenders = compare(scenario, Number(values.players), SEED);
  for (const contender of contenders) console.log(row(scenario.title, contender, contenders[0]));
  sections.push({
    title: scenario.title,
    text: `${values.players} players, seed ${SEED}; periodic and expanding tuned to the same mean wait.`,
    runs: contenders.map(({ name, definition, result }) => ({ name, definition, ...result })),
  });
}
if (values.report !== undefined)
  writeFileSync(values.report, reportPage('Policies at equal mean wait', sections));

function row(title: string, { name, result, waitMean }: Contender, own: Contender): string {
  const { waitSeconds, imbalance, outcome } = result.measures;
  const less = 1 - own.result.measures.imbalance.mean / imbalance.mean;
  return (
    `| ${title} | ${name} | ${waitMean.toFixed(1)} s | ${waitSeconds.p99.toFixed(0)} s | ${waitSeconds.max.toFixed(0)} s | ` +
    `${outcome.timedOut} | ${imbalance.mean.toFixed(1)} | ${imbalance.p90.toFixed(1)} | ` +
    `${name === own.name ? '' : `${(100 * less).toFixed(0)} % less`} |`
  );
}
