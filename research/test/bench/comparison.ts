/**
 * `npx node research/test/bench/comparison.ts`: compares policies and Colyseus' QueueRoom at equal mean wait.
 * Prints markdown; with --report FILE also a page of charts.
 */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { reportPage } from '../../../lib/cli/report/report.ts';
import { SCENARIOS } from '../../../test/bench/scenarios.ts';
import { machine, printMarked, table } from '../../../test/tables/print.ts';
import { compare } from './compare-policies.ts';
import { isNear, type Tried } from './equal-wait.ts';
import { compareQueueRoom, whyNoQueueRoom } from './queue-room.ts';

const SEED = 1;

const { values } = parseArgs({
  options: {
    players: { type: 'string', default: '20000' },
    scenarios: { type: 'string', default: SCENARIOS.map((_, at) => at + 1).join(',') },
    report: { type: 'string' },
  },
});

console.log(`${machine()}, seed ${SEED}\n`);

const sections = [];
const without: string[] = [];
const rows: (string | number)[][] = [];
for (const number of values.scenarios.split(',')) {
  const scenario = SCENARIOS[Number(number) - 1];
  if (scenario === undefined) continue;
  const players = Number(values.players);
  const policies = compare(scenario, players, SEED);
  const why = whyNoQueueRoom(scenario);
  if (why !== undefined) without.push(`${scenario.title}: ${why}.`);
  const rooms = why === undefined ? compareQueueRoom(scenario, players, SEED, policies[0]) : [];
  const contenders = [...policies, ...rooms];
  for (const [at, contender] of contenders.entries())
    rows.push(row(at === 0 ? scenario.title : '', contender, contenders[0]));
  console.error(`measured ${scenario.title}`);
  sections.push({
    title: scenario.title,
    text: `${players} players, seed ${SEED}; periodic, expanding and QueueRoom tuned to the same mean wait.${why === undefined ? '' : ` ${why}.`}`,
    runs: contenders.map(({ name, definition, result }) => ({ name, definition, ...result })),
  });
}
const head = [
  'scenario',
  'policy',
  'mean wait',
  '99 %',
  'longest',
  'timed out',
  'waiting',
  'imbalance',
  '90 %',
];
printMarked('policies at the same mean wait', table([...head, '`option-value` has'], rows, [0, 1]));
for (const line of without) console.log(`\nQueueRoom is not in ${line}`);
if (values.report !== undefined)
  writeFileSync(values.report, reportPage('Policies at equal mean wait', sections));

function row(title: string, { name, result }: Tried & { name: string }, own: Tried): (string | number)[] {
  const { waitSeconds, imbalance, outcome } = result.measures;
  const less = 1 - own.result.measures.imbalance.mean / imbalance.mean;
  const comparable = result !== own.result && isNear({ result }, own);
  return [
    title,
    name,
    `${waitSeconds.mean.toFixed(1)} s`,
    `${waitSeconds.p99.toFixed(0)} s`,
    `${waitSeconds.max.toFixed(0)} s`,
    outcome.timedOut,
    outcome.waiting,
    imbalance.mean.toFixed(1),
    imbalance.p90.toFixed(1),
    comparable ? `${(100 * less).toFixed(0)} % less` : '',
  ];
}
