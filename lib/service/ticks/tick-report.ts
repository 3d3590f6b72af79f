import type { TickMemory } from '../../policies/plan.ts';

/** What a tick leaves behind for the statistics and for the next tick's release policy. */
export interface TickReport {
  readonly slotMs: number;
  readonly durationMs: number;
  readonly waiting: number;
  readonly oldestWaitMs: number;
  readonly matches: number;
  /** The last matches of this range, newest last. */
  readonly recent: readonly RecentMatch[];
  /** What the release policy has learned of the range. */
  readonly memory?: TickMemory | undefined;
}
export interface RecentMatch {
  readonly imbalance: number;
  readonly waitsMs: readonly number[];
}
