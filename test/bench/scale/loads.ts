import type { QueueDefinition } from '../../../lib/contract/queue-definition.ts';
import { quantile } from '../../../lib/service/queues/quantile.ts';
import { seededRandom } from '../../../lib/simulation/random.ts';
import { ASSUMPTIONS } from './assumptions.ts';
import { type Bystanders, ScaleRun, skillOf } from './scale-run.ts';

export interface LoadOptions {
  /** The duration of a steady load. */
  readonly seconds: number;
  /** The number of players of a launch. */
  readonly players: number;
  readonly seed: number;
  readonly cpuFactor: number;
}

/** The results of a load. */
export interface LoadResult {
  readonly seconds: number;
  readonly tickets: number;
  readonly waitP50: number;
  readonly waitP99: number;
  readonly tickP99: number;
  readonly bucketsMax: number;
  /** The key with the most units in a second, as a share of DynamoDB's limit. */
  readonly hottest: { readonly name: string; readonly share: number };
  readonly refused: number;
  readonly missed: number;
  readonly lost: number;
  readonly twice: number;
  /** Messages about missed targets. */
  readonly short: readonly string[];
  readonly notes: readonly string[];
}

export interface Load {
  readonly title: string;
  readonly partyWeights: readonly number[];
  /** The number of tickets in a request. */
  readonly batch: number;
  /** Changes to the definition of the queue. */
  readonly definition?: Partial<QueueDefinition>;
  readonly bystanders?: Bystanders;
  /** Runs the load. Returns messages about its own missed targets. */
  run(run: ScaleRun, options: LoadOptions): Promise<string[]>;
}

const SOLOS = [1];
/** The percentages of tickets with 1, 2, … players. */
const PARTIES = [55, 25, 10, 3, 7];
/** As in `queues/arena.json`. With `greedy` the parties that fit no game remain, and each tick searches more of them. */
const WITH_PARTIES: Partial<QueueDefinition> = {
  release: { policy: 'option-value', waitCost: 10 },
  beta: 5,
};
/** A steady load is measured after the buckets have adapted to it, on a slow machine too. */
const SETTLE_SECONDS = 60;

export const LOADS = {
  'steady-1000': steady('1,000 players/s, solos', 1_000, SOLOS),
  'steady-1000-parties': steady('1,000 players/s, parties', 1_000, PARTIES, WITH_PARTIES),
  'steady-10000': steady('10,000 players/s, solos', 10_000, SOLOS),
  'steady-10000-parties': steady('10,000 players/s, parties', 10_000, PARTIES, WITH_PARTIES),
  launch: launch('a launch without preparation, 25,000 players/s', 25_000),
  'launch-at-once': launch('a launch without preparation, 100,000 players/s', 100_000),
  'launch-prepared': launch('a launch with 256 buckets, 100,000 players/s', 100_000, quantiles(256)),
  ramp: {
    title: '10 to 5,000 players/s in a minute, and back',
    partyWeights: SOLOS,
    batch: 25,
    run: ramp,
  },
  bystanders: bystanders(1_000),
} satisfies Readonly<Record<string, Load>>;

/** Runs a load on a new region. */
export async function measure(load: Load, options: LoadOptions): Promise<LoadResult> {
  const run = await startRun(load, options);
  const short = await load.run(run, options);
  const missed = run.missedTicks();
  const hottest = hottestOf(run);
  if (run.lost > 0) short.push(`${run.lost} tickets lost`);
  if (run.twice > 0) short.push(`${run.twice} tickets matched twice`);
  return {
    seconds: run.measuredSeconds,
    tickets: run.posted,
    waitP50: run.waitSeconds(0.5),
    waitP99: run.waitSeconds(0.99),
    tickP99: run.tickSeconds(0.99),
    bucketsMax: Math.max(...run.layouts.map(({ buckets }) => buckets)),
    hottest,
    refused: run.refused,
    missed: [...missed.values()].reduce((sum, count) => sum + count, 0),
    lost: run.lost,
    twice: run.twice,
    short,
    notes: [
      `layouts: ${run.layouts.map(({ second, buckets }) => `${buckets} at ${second} s`).join(', ')}`,
      `players matched in each second: ${Array.from(run.matchedPerSecond, (players = 0) => players).join(' ')}`,
      `units of whole tables in a second: ${[...run.region.meter.busiest].map(([name, units]) => `${name} ${units}`).join(', ')}`,
      `hottest keys: ${[...run.region.meter.hottest].map(([name, units]) => `${name} ${units}`).join(', ')}`,
      `ticks at once at most: ${run.region.executionsMax}; not searched: ${JSON.stringify(Object.fromEntries(missed))}`,
      ...run.notes,
      ...run.missedExamples(),
      `requests throttled: ${run.region.throttled}; ticks overtaken: ${run.overtakenTicks()}`,
      `mean imbalance: ${run.imbalanceMean().toFixed(2)}`,
    ],
  };
}

async function startRun(load: Load, { seed, cpuFactor }: LoadOptions): Promise<ScaleRun> {
  const run = new ScaleRun({
    seed,
    cpuFactor,
    partyWeights: load.partyWeights,
    definition: { release: { policy: 'greedy' }, ...load.definition },
    batch: load.batch,
    ...(load.bystanders && { bystanders: load.bystanders }),
  });
  await run.start();
  return run;
}

function steady(
  title: string,
  perSecond: number,
  partyWeights: readonly number[],
  definition: Partial<QueueDefinition> = {},
): Load {
  return {
    title,
    partyWeights,
    batch: 10,
    definition,
    async run(run, { seconds }) {
      for (let i = 0; i < SETTLE_SECONDS; i++) await run.aSecond(perSecond);
      run.forget();
      for (let i = 0; i < seconds; i++) await run.aSecond(perSecond);
      return shortfalls([
        [run.tickSeconds(0.99) < 1, 'tick p99 is 1 s or more'],
        [run.waitSeconds(0.5) < 2, 'wait p50 is 2 s or more'],
        [hottestOf(run).share <= 0.5, 'a key is above half of its limit'],
        [run.missedTicks().size === 0, 'ticks were missed'],
      ]);
    },
  };
}

const LAUNCH_MAX_SECONDS = 300;
/** At the end each bucket has a few players who are too few for a game until it is merged. */
const LAUNCH_LEFT = 0.01;

/** Players arrive at an idle queue faster than one key accepts them. Rejected clients retry. */
function launch(title: string, perSecond: number, buckets?: readonly number[]): Load {
  return {
    title,
    partyWeights: SOLOS,
    batch: 50,
    ...(buckets && { definition: { buckets: [...buckets] } }),
    async run(run, { players }) {
      const beginMs = run.region.time.nowMs;
      for (let left = players; left > 0; left -= perSecond) await run.aSecond(Math.min(left, perSecond));
      while ((run.outside > 0 || run.waiting > LAUNCH_LEFT * run.posted) && run.second < LAUNCH_MAX_SECONDS)
        await run.aSecond(0);
      const secondsTo = (ms: number) => (ms - beginMs) / 1_000;
      const firstSeconds = secondsTo(run.startMs + run.firstMatchMs!);
      const lastSeconds = secondsTo(run.region.time.nowMs);
      const matchedPerSecond = busiestRate(run.matchedPerSecond);
      run.notes.push(
        `first match after ${firstSeconds.toFixed(1)} s; all but a hundredth matched after ${lastSeconds.toFixed(0)} s; ${matchedPerSecond.toFixed(0)} players/s over the middle eight tenths`,
      );
      return shortfalls([
        [firstSeconds <= 3, `the first match came after ${firstSeconds.toFixed(1)} s`],
        [matchedPerSecond >= 20_000, `${matchedPerSecond.toFixed(0)} players/s were matched`],
      ]);
    },
  };
}

/** Boundaries at quantiles of the players' skills, N(1500, 300), for this number of buckets. */
function quantiles(buckets: number): number[] {
  const random = seededRandom(1);
  const skills = Float64Array.from({ length: 1_000 * buckets }, () => skillOf(random)).sort();
  return Array.from({ length: buckets - 1 }, (_, i) => Math.round(100 * skills[1_000 * (i + 1)]!) / 100);
}

/** Players matched per second, measured over the middle eight tenths of them. */
function busiestRate(perSecond: readonly number[]): number {
  const counts = Array.from(perSecond, (players = 0) => players);
  const total = counts.reduce((sum, players) => sum + players, 0);
  let before = 0;
  let seconds = 0;
  for (const players of counts) {
    if (before >= 0.1 * total && before < 0.9 * total) seconds++;
    before += players;
  }
  return (0.8 * total) / seconds;
}

const LOW = 10;
const HIGH = 5_000;
const RAMP_SECONDS = 60;
const CALM_SECONDS = 120;

/** The load rises for a minute and falls for a minute. Two minutes follow in which nothing may change. */
async function ramp(run: ScaleRun): Promise<string[]> {
  for (let i = 0; i <= RAMP_SECONDS; i++) await run.aSecond(LOW + ((HIGH - LOW) * i) / RAMP_SECONDS);
  for (let i = RAMP_SECONDS; i >= 0; i--) await run.aSecond(LOW + ((HIGH - LOW) * i) / RAMP_SECONDS);
  for (let i = 0; i < CALM_SECONDS; i++) await run.aSecond(LOW);
  const buckets = run.layouts.map((one) => one.buckets);
  const top = buckets.indexOf(Math.max(...buckets));
  const isRising = buckets.slice(0, top).every((count, i) => count <= buckets[i + 1]!);
  const isFalling = buckets.slice(top).every((count, i, all) => i === 0 || count <= all[i - 1]!);
  return shortfalls([
    [run.missedTicks().size === 0, 'ticks were missed'],
    [isRising && isFalling, 'the buckets flapped'],
    [run.tickSeconds(0.99) < 1, 'tick p99 is 1 s or more'],
  ]);
}

/** The highest change of the matching that other traffic may cause. */
const CHANGE_MAX = 1.1;

/** The matching of a steady load, with and without polls and webhooks in the same account. */
function bystanders(perSecond: number): Load {
  const alone = steady('', perSecond, SOLOS);
  return {
    ...alone,
    title: `${perSecond.toLocaleString('en')} players/s, 10,000 polls/s, 10 of 1,000 receivers hang`,
    bystanders: { pollsPerSecond: 10_000, receivers: 1_000, hanging: 10 },
    async run(run, options) {
      const short = await alone.run(run, options);
      const base = await startRun(alone, options);
      await alone.run(base, options);
      const measures: [string, (of: ScaleRun) => number][] = [
        ['wait p50', (of) => of.waitSeconds(0.5)],
        ['wait p99', (of) => of.waitSeconds(0.99)],
        ['tick p99', (of) => of.tickSeconds(0.99)],
        ['matches', (of) => of.imbalances.length],
      ];
      for (const [name, of] of measures) {
        const [own, other] = [of(run), of(base)];
        run.notes.push(`${name}: ${own.toFixed(3)}, without the other traffic ${other.toFixed(3)}`);
        const ratio = name === 'matches' ? other / own : own / other;
        if (ratio > CHANGE_MAX) short.push(`${name} changed by a factor of ${ratio.toFixed(2)}`);
      }
      run.notes.push(...othersOf(run));
      return short;
    },
  };
}

function othersOf(run: ScaleRun): string[] {
  const { executions } = run.region;
  const polls = Float64Array.from(run.polls).sort();
  const delays = run.webhooks!.delaysMs((receiver) => receiver >= run.hanging);
  const [first, slow] = [run.webhooks!.first, run.webhooks!.slow];
  return [
    `polls: ${polls.length}, p50 ${quantile(polls, 0.5)?.toFixed(3)} s, p99 ${quantile(polls, 0.99)?.toFixed(3)} s, failed ${run.failedPolls}`,
    `webhooks to receivers that respond: ${delays.length}, p50 ${quantile(delays, 0.5)} ms, p99 ${quantile(delays, 0.99)} ms; executions at most ${first.runningMax} and ${slow.runningMax} in the slow lane`,
    `executions of the account at most: ${executions.max}, rejected: ${executions.throttled}`,
  ];
}

function shortfalls(aims: readonly (readonly [held: boolean, otherwise: string])[]): string[] {
  return aims.flatMap(([held, otherwise]) => (held ? [] : [otherwise]));
}

function hottestOf(run: ScaleRun): { name: string; share: number } {
  const shares = [...run.region.meter.hottest].map(([name, units]) => ({
    name,
    share: units / ASSUMPTIONS.keyLimits[name.endsWith('write') ? 'write' : 'read'],
  }));
  return shares.reduce((a, b) => (a.share >= b.share ? a : b));
}
