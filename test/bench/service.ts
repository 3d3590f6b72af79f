import { parseArgs } from 'node:util';
import { quantile } from '../../lib/service/queues/quantile.ts';
import { machine, printMarked, table } from '../tables/print.ts';
import { type RunResult, run } from './service-run.ts';
import { MORE_VARIANTS, VARIANTS } from './service-variants.ts';

/**
 * `npm run bench:service`: POST-to-webhook latency and cost of the whole service on the local cloud, as the
 * tables of docs/benchmarks.md. `--aws-delays` measures each row a second time with the delays of AWS
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

const FUNCTIONS = ['enqueue', 'publish', 'notify', 'tick', 'matches', 'rate'];

type Row = readonly (string | number)[];

function latencyRow(rate: number, name: string, result: RunResult): Row {
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
  ];
}

function costRow(rate: number, name: string, { usage, players }: RunResult): Row {
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
  ];
}

/** The resources that a call of a function uses, as `lib/costs/usage-costs.ts` has them. */
function timeRow(rate: number, name: string, { usage }: RunResult): Row {
  const perCall = FUNCTIONS.map((fn) => {
    const { count = 0 } = usage.invocations.get(fn) ?? {};
    return count === 0 ? '–' : (usage.gbSeconds(fn) / count).toFixed(4);
  });
  return [`${rate} ${name}`, ...perCall];
}

console.log(`${machine()}, seed ${values.seed}, ${values.seconds} s each\n`);
const latency: Row[] = [];
const cost: Row[] = [];
const time: Row[] = [];
let fastest = '';
for (const rate of values.rates.split(',').map(Number)) {
  for (const variantName of values.variants.split(';')) {
    for (const awsDelays of values['aws-delays'] ? [false, true] : [false]) {
      const name = `${variantName}${awsDelays ? ", AWS's delays" : ''}`;
      const result = await run({
        playersPerSecond: rate,
        seconds: Number(values.seconds),
        ...{ ...VARIANTS, ...MORE_VARIANTS }[variantName]!,
        awsDelays,
        seed: Number(values.seed),
      });
      latency.push(latencyRow(rate, name, result));
      cost.push(costRow(rate, name, result));
      time.push(timeRow(rate, name, result));
      if (variantName === 'solos' && !awsDelays) fastest = inWords(rate, result);
      console.error(`measured ${rate} players a second, ${name}`);
    }
  }
}
const post = ['p50', 'p95', 'p99'];
const hasMore = values.variants.split(';').some((name) => name in MORE_VARIANTS);
const delays = hasMore ? ' of features' : values['aws-delays'] ? " with AWS's delays" : '';
printMarked(
  `latency${delays}`,
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
printMarked(
  `cost${delays}`,
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
printMarked(`how fast, the service${delays}`, fastest);
console.log(table(['players/s', ...FUNCTIONS.map((fn) => `${fn} GB-s`)], time));

/** The sentence of the README. */
function inWords(rate: number, { lastPostToWebhookMs: last }: RunResult): string {
  const [half, most] = [0.5, 0.95].map((share) => seconds(quantile(last, share)!));
  return (
    `The whole service on two cores that it shares with its emulators and the load: at ${rate} players a second and a tick a ` +
    `second, half of the \`MatchFound\` webhooks arrive within ${half} s of the POST of the last player, and 95 % within ${most} s.`
  );
}
