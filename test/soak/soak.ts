import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { type SoakResult, soak } from './soak-run.ts';
import { MEASURES, type Sample, type Trend, trendsOf } from './trend.ts';

/**
 * `npm run soak -- [--minutes 60] [--rate 100] [--seed 1]`: runs the local cloud under load from clients that cancel,
 * poll, accept late and disconnect. Prints memory and handles over time, a line fitted to each, and the problems. The exit
 * status is 1 when a measure grows, a ticket is lost, or a client got a response that is not allowed.
 */
const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '60' },
    rate: { type: 'string', default: '100' },
    seed: { type: 'string', default: '1' },
  },
});
const minutes = Number(values.minutes);
const rate = Number(values.rate);
const seed = Number(values.seed);
/** About forty rows for a run of any length. */
const sampleSeconds = Math.max(5, (minutes * 60) / 40);

console.log(
  `${cpus().length} × ${cpus()[0]!.model}, Node ${process.version}, seed ${seed}, ${rate} players a second for ${minutes} minutes\n`,
);
console.log('| minute | RSS MB | heap MB | external MB | handles | tickets |');
console.log('| ---: | ---: | ---: | ---: | ---: | ---: |');
const result = await soak({
  minutes,
  playersPerSecond: rate,
  seed,
  sampleSeconds,
  onSample: (sample) => console.log(row(sample)),
});
const trends = trendsOf(result.samples);
console.log(`\n${trends?.map(trendLine).join('\n') ?? 'The run is too short to judge growth.'}`);
const { statuses, matches } = result.audit;
console.log(`\ntickets at the end: ${listed(statuses)}; ${matches} matches`);
console.log(`requests: ${listed(result.clients.requests)}`);
const problems = problemsOf(result, trends ?? []);
for (const problem of problems) console.log(problem);
console.log(problems.length === 0 ? '\nNo problems.' : `\n${problems.length} problems.`);
process.exitCode = problems.length === 0 ? 0 : 1;

function row({ minutes, tickets, ...sample }: Sample): string {
  const cells = MEASURES.map((measure) => sample[measure].toFixed(measure === 'handles' ? 0 : 1));
  return `| ${[minutes.toFixed(1), ...cells, tickets].join(' | ')} |`;
}

function trendLine({ measure, mean, perMinute, error, grows }: Trend): string {
  const slope = `${perMinute.toFixed(3)} ± ${error.toFixed(3)} a minute`;
  return `${measure}: mean ${mean.toFixed(1)}, ${slope}${grows ? ': grows' : ''}`;
}

function problemsOf({ audit, clients, errors }: SoakResult, trends: readonly Trend[]): string[] {
  const named = (what: string, ids: readonly string[]) =>
    ids.length === 0 ? [] : [`${ids.length} ${what}, such as ${ids.slice(0, 5).join(', ')}`];
  return [
    ...trends.filter(({ grows }) => grows).map(({ measure }) => `${measure} grows`),
    ...named('tickets are lost', audit.lost),
    ...named('tickets have not ended', audit.stuck),
    ...named('tickets are in two matches, or not in the match that their item names', audit.misplaced),
    ...named('matches had no webhook', audit.unnotified),
    ...clients.failures,
    ...errors.map((error) => `logged: ${error.slice(0, 400)}`),
  ];
}

function listed(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([what, count]) => `${what} ${count}`)
    .join(', ');
}
