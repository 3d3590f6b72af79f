import { parseArgs } from 'node:util';
import { BUCKET_LIMITS } from '../../lib/service/domain/bucket-limits.ts';
import { seededRandom } from '../../lib/simulation/random.ts';
import { AutoRun, type AutoRunOptions } from '../service/auto-run.ts';
import { machine, printMarked, table } from '../tables/print.ts';

/**
 * `node test/bench/bucket-quality.ts`: measures how much match quality the division into buckets costs. Runs the use cases
 * on stores in memory with the latencies of AWS, 5v5, a tick a second: buckets "auto" and one bucket without a capacity
 * limit, both with the same players.
 */
const { values } = parseArgs({
  options: {
    rates: { type: 'string', default: '300,1000,3000' },
    policies: { type: 'string', default: 'greedy,option-value,expanding' },
    players: { type: 'string', default: 'solos,with parties' },
    'warm-up': { type: 'string', default: '60' },
    seconds: { type: 'string', default: '60' },
    seed: { type: 'string', default: '1' },
  },
});

/** One bucket, on a DynamoDB without limits. */
const UNLIMITED = {
  ...BUCKET_LIMITS,
  readTickets: 1e9,
  commitsPerSecond: 1e9,
  drainsPerSecond: 1e9,
  endsPerSecond: 1e9,
};

const POPULATIONS: Readonly<Record<string, Partial<AutoRunOptions>>> = {
  solos: {},
  'with parties': { partyWeights: [55, 25, 10, 3, 7] },
};
const POLICIES: readonly AutoRunOptions['release'][] = [
  { policy: 'greedy' },
  { policy: 'option-value', waitCost: 1 } as never,
  { policy: 'expanding', tolerance: 100, growthPerSecond: 10 },
];

interface Measured {
  readonly buckets: number;
  readonly matches: number;
  readonly imbalanceMean: number;
  readonly waitMeanMs: number;
  readonly keyWritesMax: number;
}

async function measure(options: AutoRunOptions, perSecond: number): Promise<Measured> {
  const run = await AutoRun.start(seededRandom(Number(values.seed)), { teamSize: 5, ...options });
  await run.seconds(Number(values['warm-up']), () => perSecond);
  run.forget();
  await run.seconds(Number(values.seconds), () => perSecond);
  const { committed, keyWritesMax } = run.cloud;
  const imbalances = committed.map(({ imbalance }) => imbalance);
  return {
    buckets: run.buckets,
    matches: committed.length,
    imbalanceMean: imbalances.reduce((sum, one) => sum + one, 0) / imbalances.length,
    waitMeanMs: run.waitMeanMs(),
    keyWritesMax,
  };
}

console.log(
  `${machine()}, seed ${values.seed}, ${values['warm-up']} s to settle, ${values.seconds} s measured\n`,
);
const rows: (string | number)[][] = [];
for (const rate of values.rates.split(',').map(Number)) {
  for (const name of values.players.split(',')) {
    const population = POPULATIONS[name]!;
    for (const release of POLICIES.filter((one) => values.policies.split(',').includes(one!.policy))) {
      const one = await measure({ ...population, release: release!, buckets: [], limits: UNLIMITED }, rate);
      const auto = await measure({ ...population, release: release!, buckets: 'auto' }, rate);
      const change = (100 * (auto.imbalanceMean / one.imbalanceMean - 1)).toFixed(1);
      rows.push([
        `${rate} ${name}`,
        release!.policy,
        auto.buckets,
        auto.keyWritesMax,
        one.imbalanceMean.toFixed(2),
        auto.imbalanceMean.toFixed(2),
        `${change}%`,
        (one.waitMeanMs / 1_000).toFixed(2),
        (auto.waitMeanMs / 1_000).toFixed(2),
      ]);
      console.error(`measured ${rate} ${name}, ${release!.policy}`);
    }
  }
}
const head = ['tickets/s', 'policy', 'buckets', 'writes of a key', 'imbalance: one bucket', 'auto', 'change'];
printMarked('bucket quality', table([...head, 'mean wait s: one bucket', 'auto'], rows, [0, 1]));
