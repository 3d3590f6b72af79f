import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { quantile } from '../../lib/service/queues/quantile.ts';
import { type RunResult, run } from './service-run.ts';
import { VARIANTS } from './service-variants.ts';

/**
 * `npm run bench:service`: POST-to-webhook latency and cost of the whole service on the local cloud, as the
 * table of docs/benchmarks.md. `--aws-delays` measures each row a second time with the delays of AWS
 * (lib/local/aws-delays.ts); `--variants` takes some of the rows, separated by semicolons.
 */
const { values } = parseArgs({
  options: {
    rates: { type: 'string', default: '20,50,100' },
    seconds: { type: 'string', default: '60' },
    seed: { type: 'string', default: '1' },
    'aws-delays': { type: 'boolean', default: false },
    variants: { type: 'string', default: Object.keys(VARIANTS).join(';') },
  },
});

const seconds = (ms: number) => (ms / 1_000).toFixed(2);

const FUNCTIONS = ['enqueue', 'publish', 'notify', 'tick'];

function latencyRow(rate: number, name: string, result: RunResult): string {
  const { postToWebhookMs: all, lastPostToWebhookMs: last } = result;
  return [
    `${rate} ${name}`,
    result.players,
    result.playersMatched,
    result.waiting,
    result.lost,
    result.ticketsMatchedTwice,
    ...[0.5, 0.95, 0.99].map((share) => seconds(quantile(all, share)!)),
    ...[0.5, 0.95, 0.99].map((share) => seconds(quantile(last, share)!)),
  ].join(' | ');
}

function costRow(rate: number, name: string, { usage, players }: RunResult): string {
  const dollars = usage.dollars();
  const perMillion = (value: number) => ((value / players) * 1_000_000).toFixed(2);
  const perPlayer = (value: number) => (value / players).toFixed(2);
  const invocations = [...usage.invocations.values()].reduce((sum, { count }) => sum + count, 0);
  return [
    `${rate} ${name}`,
    perPlayer(usage.writeUnits),
    perPlayer(usage.readUnits),
    perPlayer(invocations),
    ...Object.values(dollars).map(perMillion),
    perMillion(Object.values(dollars).reduce((a, b) => a + b, 0)),
  ].join(' | ');
}

/** The resources that a call of a function uses, in the form of `MEASURED` of the simulator's cost estimate. */
function timeRow(rate: number, name: string, { usage }: RunResult): string {
  const perCall = FUNCTIONS.map((fn) => {
    const { count = 0 } = usage.invocations.get(fn) ?? {};
    return count === 0 ? '–' : (usage.gbSeconds(fn) / count).toFixed(4);
  });
  return [`${rate} ${name}`, ...perCall].join(' | ');
}

function table(head: readonly string[], rows: readonly string[]): string {
  return [head.join(' | '), head.map((_, i) => (i === 0 ? '---' : '---:')).join(' | '), ...rows]
    .map((row) => `| ${row} |`)
    .join('\n');
}

console.log(
  `${cpus().length} × ${cpus()[0]!.model}, Node ${process.version}, seed ${values.seed}, ${values.seconds} s each\n`,
);
const latency: string[] = [];
const cost: string[] = [];
const time: string[] = [];
for (const rate of values.rates.split(',').map(Number)) {
  for (const variantName of values.variants.split(';')) {
    for (const awsDelays of values['aws-delays'] ? [false, true] : [false]) {
      const name = `${variantName}${awsDelays ? ", AWS's delays" : ''}`;
      const result = await run({
        playersPerSecond: rate,
        seconds: Number(values.seconds),
        ...VARIANTS[variantName]!,
        awsDelays,
        seed: Number(values.seed),
      });
      latency.push(latencyRow(rate, name, result));
      cost.push(costRow(rate, name, result));
      time.push(timeRow(rate, name, result));
      console.error(`measured ${rate} players a second, ${name}`);
    }
  }
}
const post = ['p50', 'p95', 'p99'];
console.log(
  table(
    [
      'players/s',
      'posted',
      'matched',
      'waiting',
      'lost',
      'matched twice',
      ...post.map((p) => `POST→webhook ${p} s`),
      ...post.map((p) => `last POST→webhook ${p} s`),
    ],
    latency,
  ),
);
console.log();
console.log(
  table(
    [
      'players/s',
      'write units',
      'read units',
      'invocations',
      'API $',
      'Lambda $',
      'DynamoDB $',
      'SQS $',
      'EventBridge $',
      'logs $',
      'total $',
    ],
    cost,
  ),
);
console.log();
console.log(table(['players/s', ...FUNCTIONS.map((fn) => `${fn} GB-s`)], time));
