import { checkQueueDefinition, type QueueDefinition } from '../../../lib/contract/queue-definition.ts';
import { type BlockTotals, compare, type Measure, meanOver } from '../../../lib/experiments/block-totals.ts';
import { type Effect, roundsToSee } from '../../../lib/experiments/effect.ts';
import { type Block, block, blocksOf, type Schedule } from '../../../lib/experiments/schedule.ts';
import type { RateProfile } from '../../../lib/simulation/arrivals.ts';
import {
  type ExperimentTotals,
  partOf,
  playAlone,
  playExperiment,
} from '../../../lib/simulation/experiment.ts';
import { generatedTraffic, type Traffic } from '../../../lib/simulation/traffic.ts';
import { table } from '../../../test/tables/print.ts';

const DAY_SECONDS = 86_400;
const BLOCK_MINUTES = 20;
/** A rate is measured for two days, with their rhythm, if these are not more players; else for as many at a steady rate. */
const PLAYERS_MAX = 500_000;
/** However many players these are: an interval needs six rounds. */
const ROUNDS_MIN = 8;

const duel = (growthPerSecond: number): QueueDefinition =>
  checkQueueDefinition(
    {
      name: 'duel',
      teamSize: 1,
      imbalance: { alpha: 1, p: 1, q: 2 },
      release: { policy: 'expanding', tolerance: 20, growthPerSecond },
      tickSeconds: 10,
      timeoutSeconds: 120,
    },
    'duel',
  );
const today = duel(5);
const wider = duel(6);

function scheduleFor(seconds: number, ofSeed: number, definition: QueueDefinition): Schedule {
  return {
    seed: ofSeed,
    startMs: 0,
    blockMs: BLOCK_MINUTES * 60_000,
    burnInMs: Math.min(BLOCK_MINUTES * 15_000, definition.timeoutSeconds * 1000),
    variants: 2,
    rounds: Math.floor(seconds / (2 * BLOCK_MINUTES * 60)),
  };
}

function trafficFor(rate: RateProfile, seconds: number, ofSeed: number): Traffic {
  const perSecond =
    rate.kind === 'day' ? (rate.night + rate.peak) / 2 : rate.kind === 'constant' ? rate.perSecond : 0;
  return generatedTraffic(
    {
      population: { skills: { kind: 'normal', mean: 1500, standardDeviation: 350 } },
      rate,
      players: Math.ceil(1.05 * perSecond * seconds),
    },
    ofSeed,
  );
}

function playThrough(
  definitions: readonly QueueDefinition[],
  schedule: Schedule,
  traffic: Traffic,
): ExperimentTotals {
  const { steps, result } = playExperiment(definitions, schedule, traffic);
  for (const _ of steps);
  return result();
}

/** One estimate with its interval, of one run. */
interface Estimate {
  readonly difference: number;
  readonly low: number;
  readonly high: number;
}

/** What a reader does who takes all players as independent, with their whole blocks. */
function naive(schedule: Schedule, { counted, burntIn }: ExperimentTotals): Estimate {
  const sides: [BlockTotals[], BlockTotals[]] = [[], []];
  for (const blocks of [counted, burntIn.beginning, burntIn.end])
    for (const [number, totals] of blocks) sides[block(schedule, number).variant as 0 | 1].push(totals);
  return ofIndependent(sides[0], sides[1]);
}

/** A part of each block: its share of the block, what was measured in it, and the block that carries over into it, as a step. */
interface PartOfBlocks {
  readonly share: number;
  readonly totals: ReadonlyMap<number, BlockTotals>;
  readonly carriedFrom: -1 | 0 | 1;
}

/**
 * Hu & Wager's bias-corrected estimator (arXiv 2209.00197): burn-ins count too, where the neighbouring block had the same variant,
 * so that nothing carries over. Our blocks burn in at both ends, because a ticket counts where it was enqueued and may be matched in
 * the next block. Means are over players. Standard errors by a jackknife over rounds.
 */
function biasCorrected(schedule: Schedule, { counted, burntIn }: ExperimentTotals): Estimate {
  const share = schedule.burnInMs / schedule.blockMs;
  const parts: readonly PartOfBlocks[] = [
    { share: 1 - 2 * share, totals: counted, carriedFrom: 0 },
    { share, totals: burntIn.beginning, carriedFrom: -1 },
    { share, totals: burntIn.end, carriedFrom: 1 },
  ];
  const blocks = Array.from({ length: blocksOf(schedule) }, (_, number) => block(schedule, number));
  const without = (round?: number) => {
    const used = blocks.filter((one) => one.round !== round);
    return parts.reduce((sum, part) => sum + part.share * partDifference(part, used, blocks), 0);
  };
  const difference = without();
  const squares = Array.from({ length: schedule.rounds }, (_, round) => (without(round) - difference) ** 2);
  const half = 1.96 * Math.sqrt((schedule.rounds - 1) * mean(squares));
  return { difference, low: difference - half, high: difference + half };
}

/** The difference of mean waits in one part of the blocks. */
function partDifference(
  { totals, carriedFrom }: PartOfBlocks,
  used: readonly Block[],
  all: readonly Block[],
): number {
  const ofVariant = (wanted: number) =>
    used.flatMap(({ number, variant }) => {
      const isAlike = all[number + carriedFrom]?.variant === variant;
      return variant === wanted && isAlike ? (totals.get(number) ?? []) : [];
    });
  return meanOver(ofVariant(1), 'waitSeconds') - meanOver(ofVariant(0), 'waitSeconds');
}

/** The difference of mean waits with the interval of independent players, variances from the histograms. */
function ofIndependent(control: Iterable<BlockTotals>, variant: Iterable<BlockTotals>): Estimate {
  const [a, b] = [momentsOf(control), momentsOf(variant)];
  const difference = b.mean - a.mean;
  const half = 1.96 * Math.sqrt(a.variance / a.count + b.variance / b.count);
  return { difference, low: difference - half, high: difference + half };
}

function momentsOf(blocks: Iterable<BlockTotals>): { mean: number; variance: number; count: number } {
  const all = [...blocks];
  const mean = meanOver(all, 'waitSeconds');
  let count = 0;
  let squares = 0;
  for (const { waits } of all)
    for (const [bin, players] of Object.entries(waits)) {
      count += players;
      squares += players * ((Number(bin) < 0 ? 0.5 : 1.05 ** (Number(bin) + 0.5)) - mean) ** 2;
    }
  return { mean, variance: squares / count, count };
}

/**
 * How often the intervals of simulated experiments contain the truth, as a table: for equal variants, and for two whose difference
 * is the mean over runs of what each does alone. Beside it what a naive reader would do.
 */
export function coverage({ runs, days, seed }: { runs: number; days: number; seed: number }): string {
  const seconds = days * DAY_SECONDS;
  const rate: RateProfile = { kind: 'day', night: 0.05, peak: 0.25 };
  const found = new Map<string, Estimate[]>();
  const add = (name: string, estimate: Estimate) => found.set(name, [...(found.get(name) ?? []), estimate]);
  const truths: Record<'waitSeconds' | 'imbalance', number[]> = { waitSeconds: [], imbalance: [] };
  for (let run = 0; run < runs; run++) {
    const schedule = scheduleFor(seconds, seed * 1_000_003 + run, today);
    const traffic = trafficFor(rate, seconds, seed * 1_000_003 + run);
    const same = playThrough([today, today], schedule, traffic);
    const different = playThrough([today, wider], schedule, traffic);
    for (const measure of ['waitSeconds', 'imbalance'] as const) {
      add(`A/A ${measure}`, compare(schedule, same.counted, 1, measure)!);
      add(`A/B ${measure}`, compare(schedule, different.counted, 1, measure)!);
    }
    add('corrected A/A', biasCorrected(schedule, same));
    add('corrected A/B', biasCorrected(schedule, different));
    add('naive A/A', naive(schedule, same));
    add('naive A/B', naive(schedule, different));
    // Each variant alone, and each with a half of the players, for every fourth run.
    if (run % 4 === 0) {
      const [alone, other] = [today, wider].map((one) => playAlone(one, schedule, traffic));
      for (const measure of ['waitSeconds', 'imbalance'] as const)
        truths[measure].push(meanOver(other!.values(), measure) - meanOver(alone!.values(), measure));
      const halves = [today, wider].map((one, at) =>
        playAlone(one, schedule, partOf(traffic, at, 2, schedule.seed)),
      );
      add('split A/B', ofIndependent(halves[0]!.values(), halves[1]!.values()));
    }
    if (run % 20 === 19) console.error(`${run + 1} of ${runs} runs`);
  }
  const [wait, imbalance] = [mean(truths.waitSeconds), mean(truths.imbalance)];
  const row = (name: string, key: string, truth: number) => {
    // The corrected one has none in a run whose neighbouring blocks never had the same variant.
    const all = found.get(key)!.filter(({ low, high }) => Number.isFinite(high - low));
    const contains = all.filter(({ low, high }) => low <= truth && truth <= high).length / all.length;
    return [
      name,
      all.length,
      truth.toFixed(3),
      (mean(all.map(({ difference }) => difference)) - truth).toFixed(3),
      mean(all.map(({ low, high }) => (high - low) / 2)).toFixed(3),
      `${(100 * contains).toFixed(1)}%`,
    ];
  };
  return table(
    ['estimate', 'runs', 'truth', 'bias', 'half width', '95% intervals that contain the truth'],
    [
      row('two equal variants: mean wait in s', 'A/A waitSeconds', 0),
      row('two equal variants: imbalance', 'A/A imbalance', 0),
      row('tolerance grows by 6 instead of 5: mean wait in s', 'A/B waitSeconds', wait),
      row('tolerance grows by 6 instead of 5: imbalance', 'A/B imbalance', imbalance),
      row('bias-corrected (Hu & Wager), equal variants: mean wait', 'corrected A/A', 0),
      row('bias-corrected (Hu & Wager), 6 instead of 5: mean wait', 'corrected A/B', wait),
      row('whole blocks, players as if independent, equal variants: mean wait', 'naive A/A', 0),
      row('whole blocks, players as if independent, 6 instead of 5: mean wait', 'naive A/B', wait),
      row('players split, as if independent, 6 instead of 5: mean wait', 'split A/B', wait),
    ],
  );
}

/** How long an experiment takes to see a difference of 5 or 10 % four times in five, as a table. */
export function daysToSee({
  rates,
  seed,
  players = PLAYERS_MAX,
}: {
  rates: readonly number[];
  seed: number;
  players?: number;
}): string {
  const rows = rates.map((perSecond) => {
    const leastSeconds = ROUNDS_MIN * 2 * BLOCK_MINUTES * 60;
    const seconds = Math.min(2 * DAY_SECONDS, Math.max(leastSeconds, players / perSecond));
    const steady = seconds < DAY_SECONDS;
    const rate: RateProfile = steady
      ? { kind: 'constant', perSecond }
      : { kind: 'day', night: perSecond / 3, peak: (5 * perSecond) / 3 };
    const schedule = scheduleFor(seconds, seed, today);
    const { counted } = playThrough([today, wider], schedule, trafficFor(rate, seconds, seed));
    const cells = (['waitSeconds', 'imbalance'] as const).flatMap((measure: Measure) => {
      const effect = compare(schedule, counted, 1, measure)!;
      return [0.05, 0.1].map((share) => daysOf(effect, share));
    });
    console.error(`measured ${perSecond} players a second`);
    return [perSecond, `${(seconds / 3600).toFixed(0)} h${steady ? ' at a steady rate' : ''}`, ...cells];
  });
  return table(['players a second', 'measured over', 'mean wait: 5%', '10%', 'imbalance: 5%', '10%'], rows);
}

/** Days of rounds, at least the six that an interval needs. */
function daysOf(effect: Effect, share: number): string {
  const rounds = roundsToSee(effect, share);
  if (rounds === undefined) return '–';
  const found = (Math.max(6, rounds) * 2 * BLOCK_MINUTES) / (24 * 60);
  return found < 1 ? `${(24 * found).toFixed(0)} h` : `${found.toFixed(1)} days`;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
