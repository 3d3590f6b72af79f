/** A program that measures, and the pages that have its tables. */
export interface Measurement {
  readonly program: string;
  readonly args?: readonly string[];
  /** Options of Node. */
  readonly node?: readonly string[];
  /** About how long it takes on two cores. */
  readonly minutes: number;
  /** The page of each table by the name of its marks. */
  readonly tables: Readonly<Record<string, string>>;
}

const [README, BENCHMARKS, ENGINE, RATINGS] = [
  'README.md',
  'docs/benchmarks.md',
  'research/docs/engine.md',
  'research/docs/ratings.md',
];

/** Every measurement whose tables stand in the documentation. `npm run docs:tables` makes them. */
export const MEASUREMENTS: readonly Measurement[] = [
  {
    program: 'test/bench/engine.ts',
    minutes: 4,
    tables: {
      'how fast': README,
      'engine results': ENGINE,
      'engine ticks': ENGINE,
      'engine shapes': ENGINE,
    },
  },
  {
    program: 'research/test/bench/theorems.ts',
    minutes: 1,
    tables: { theorems: ENGINE },
  },
  {
    program: 'test/bench/service.ts',
    minutes: 14,
    tables: { 'how fast, the service': README, latency: BENCHMARKS, cost: BENCHMARKS },
  },
  {
    program: 'test/bench/service.ts',
    args: ['--aws-delays', '--rates', '20', '--variants', 'solos'],
    minutes: 4,
    tables: { "latency with AWS's delays": BENCHMARKS },
  },
  {
    program: 'test/bench/service.ts',
    args: [
      '--rates',
      '5',
      '--seconds',
      '40',
      '--variants',
      'solos;solos in two queues;solos, ready one by one',
    ],
    minutes: 4,
    tables: { 'cost of features': BENCHMARKS },
  },
  {
    program: 'test/bench/scale/scale.ts',
    // It keeps a million tickets, and the time of a tick contains the collections.
    node: ['--max-semi-space-size=128', '--max-old-space-size=8000'],
    minutes: 20,
    tables: { scale: BENCHMARKS },
  },
  {
    program: 'test/bench/simulate.ts',
    minutes: 1,
    tables: { 'speed of the simulator': 'docs/simulation.md' },
  },
  {
    program: 'research/test/bench/comparison.ts',
    args: ['--players', '10000'],
    minutes: 60,
    tables: { 'policies at the same mean wait': 'research/docs/comparison.md' },
  },
  {
    program: 'research/test/bench/experiments.ts',
    args: ['--days', '0.5'],
    minutes: 20,
    tables: {
      'coverage of intervals': 'research/docs/intervals.md',
      'days to see a difference': 'docs/experiments.md',
    },
  },
  {
    program: 'research/test/bench/ratings.ts',
    args: ['--players', '2000', '--matches', '12000'],
    minutes: 4,
    tables: { 'odds without parties': RATINGS, 'odds with parties': RATINGS },
  },
  {
    program: 'research/test/bench/rated-play.ts',
    minutes: 5,
    tables: { 'true imbalance by matches played': RATINGS },
  },
  { program: 'test/bench/neighbours.ts', minutes: 20, tables: { neighbours: 'docs/reliability.md' } },
  {
    program: 'test/bench/watchers.ts',
    minutes: 12,
    tables: { 'price of watching': 'docs/players.md' },
  },
];

/** The command that makes the tables of a measurement. */
export function commandOf({ program, args = [], node = [] }: Measurement): string {
  return ['npx node', ...node, program, ...args.map((arg) => (/[ ;]/.test(arg) ? `'${arg}'` : arg))].join(
    ' ',
  );
}
