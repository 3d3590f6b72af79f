import type { BlockTotals } from '../../experiments/block-totals.ts';

/** What was measured of the blocks of experiments: sums and counts, nothing of a player. Kept for 120 days. */
export interface ExperimentStore {
  /**
   * Adds to the totals of a block. A repetition counts twice.
   * @throws StoreBusy
   */
  add(experiment: ExperimentKey, block: number, totals: BlockTotals, nowMs: number): Promise<void>;
  /**
   * The totals of blocks by their number. Blocks without players are missing.
   * @throws StoreBusy
   */
  totals(experiment: ExperimentKey, blocks: readonly number[]): Promise<Map<number, BlockTotals>>;
}

/** An experiment: no two of a queue begin at the same time and have tickets. */
export interface ExperimentKey {
  readonly queue: string;
  readonly startMs: number;
}
