import type { Effect, Pair, Total } from './effect.ts';
import { effectOf } from './effect.ts';
import { block, blocksOf, type Schedule } from './schedule.ts';

/** Waits a factor of this apart may share a bin, so a quantile is within 2.5 %. */
const RESOLUTION = 1.05;
const LOG_RESOLUTION = Math.log(RESOLUTION);

/** How the wait of a player ended. */
export type WaitEnd = 'matched' | 'cancelled' | 'timedOut';

/**
 * What was measured of the players of one block, as plain data: sums and counts, so that totals of parts of a block add up, and
 * no ticket has to be read again.
 */
export interface BlockTotals {
  /** Players whose wait has ended, by how. */
  matched: number;
  cancelled: number;
  timedOut: number;
  /** The sum of the waits of all of them, however they ended: a variant gains nothing by leaving players unmatched. */
  waitSeconds: number;
  /** Players by wait: those of bin b waited from 1.05^b to 1.05^(b+1) seconds; shorter waits are in bin −1. */
  readonly waits: Record<number, number>;
  /** The sum over matched players of the imbalance of their match. */
  imbalance: number;
}

/** The totals of a block without players. */
export function noTotals(): BlockTotals {
  return { matched: 0, cancelled: 0, timedOut: 0, waitSeconds: 0, waits: {}, imbalance: 0 };
}

/**
 * Adds the players of a ticket whose wait has ended.
 *
 * @param waitSeconds ≥ 0
 * @param imbalance of their match; 0 for tickets without one
 */
export function addWait(
  totals: BlockTotals,
  players: number,
  end: WaitEnd,
  waitSeconds: number,
  imbalance = 0,
): void {
  const bin = waitSeconds < 1 ? -1 : Math.floor(Math.log(waitSeconds) / LOG_RESOLUTION);
  totals[end] += players;
  totals.waitSeconds += players * waitSeconds;
  totals.waits[bin] = (totals.waits[bin] ?? 0) + players;
  totals.imbalance += players * imbalance;
}

/** What an experiment compares, all per player: the name, and the total of a block. */
export const MEASURES = {
  /** Mean wait in seconds. */
  waitSeconds: (totals: BlockTotals): Total => ({ sum: totals.waitSeconds, count: endedOf(totals) }),
  /** The wait in seconds that nine of ten players of a block do not exceed, as a mean over players. */
  waitSecondsP90: (totals: BlockTotals): Total => quantileTotal(totals, 0.9),
  waitSecondsP99: (totals: BlockTotals): Total => quantileTotal(totals, 0.99),
  /** Mean imbalance of the match, of matched players. */
  imbalance: ({ imbalance, matched }: BlockTotals): Total => ({ sum: imbalance, count: matched }),
  /** The share of players who cancelled. */
  cancelled: (totals: BlockTotals): Total => ({ sum: totals.cancelled, count: endedOf(totals) }),
  /** The share of players who timed out. */
  timedOut: (totals: BlockTotals): Total => ({ sum: totals.timedOut, count: endedOf(totals) }),
} as const;
export type Measure = keyof typeof MEASURES;

/**
 * Compares a variant with the first one by a measure.
 *
 * @param totals by the number of the block; a block without an entry had no player
 * @param variant its position, from 1 up
 * @returns undefined without a round in which both have players
 */
export function compare(
  schedule: Schedule,
  totals: ReadonlyMap<number, BlockTotals>,
  variant: number,
  measure: Measure,
): Effect | undefined {
  const pairs: { control?: Total; variant?: Total }[] = [];
  for (let number = 0; number < blocksOf(schedule); number++) {
    const found = totals.get(number);
    const { round, variant: ofBlock } = block(schedule, number);
    if (found === undefined || (ofBlock !== 0 && ofBlock !== variant)) continue;
    pairs[round] ??= {};
    pairs[round][ofBlock === 0 ? 'control' : 'variant'] = MEASURES[measure](found);
  }
  const whole = pairs.filter(
    (pair): pair is Pair => pair.control !== undefined && pair.variant !== undefined,
  );
  return effectOf(whole, schedule.seed);
}

/** The mean of a measure over the players of some blocks; NaN without players. */
export function meanOver(blocks: Iterable<BlockTotals>, measure: Measure): number {
  let sum = 0;
  let count = 0;
  for (const totals of blocks) {
    const total = MEASURES[measure](totals);
    sum += total.sum;
    count += total.count;
  }
  return sum / count;
}

/** The players of a block whose wait has ended. */
export function endedOf({ matched, cancelled, timedOut }: BlockTotals): number {
  return matched + cancelled + timedOut;
}

/** The quantile of a block, with the weight of its players. */
function quantileTotal(totals: BlockTotals, share: number): Total {
  const count = endedOf(totals);
  return { sum: waitQuantile(totals, share) * count, count };
}

/** The wait in seconds that this share of the players of a block do not exceed, to within 2.5 %; 0 without players. */
export function waitQuantile(totals: BlockTotals, share: number): number {
  const count = endedOf(totals);
  let below = 0;
  const bins = Object.entries(totals.waits).sort(([a], [b]) => Number(a) - Number(b));
  for (const [bin, players] of bins) {
    below += players;
    if (below >= share * count) return Number(bin) < 0 ? 0.5 : RESOLUTION ** (Number(bin) + 0.5);
  }
  return 0;
}
