import type { BlockTotals } from '../../experiments/block-totals.ts';

/** The measurements of an experiment's blocks: sums and counts without data of single players. Kept for 120 days. */
export interface ExperimentStore {
  /** Adds to the totals of a block. A repetition counts twice. A write that fails is lost, and throws nothing. */
  add(experiment: ExperimentKey, block: number, totals: BlockTotals, nowMs: number): Promise<void>;
  /**
   * The totals of blocks by their number. Blocks without players are missing.
   * @throws StoreBusy
   */
  totals(experiment: ExperimentKey, blocks: readonly number[]): Promise<Map<number, BlockTotals>>;
}

/** An experiment, identified by its queue and its start: no two experiments of a queue that have tickets start at the same time. */
export interface ExperimentKey {
  readonly queue: string;
  readonly startMs: number;
}
