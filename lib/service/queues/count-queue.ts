import { type FailingStep, failingStep, type Outcome, STEPS } from '../domain/match-outcomes.ts';
import type { Counts } from '../domain/minute-counts.ts';
import type { OutcomeStore } from '../ports/outcome-store.ts';
import { StoreBusy } from '../ports/store-busy.ts';

export interface CountDeps {
  readonly outcomes: OutcomeStore;
  /** The maximum share of matches that may fail at a step, above 0 to 1. */
  readonly failedShareMax: number;
}

/** The result of counting outcomes of a queue. */
export interface CountedQueue {
  readonly queue: string;
  readonly counts: Counts<Outcome>;
  /** The step at which too many matches fail. Checked only if a match has failed now. */
  readonly failing: FailingStep | undefined;
  /** Whether the counts are lost, because the store was too busy. */
  readonly isLost: boolean;
}

/** Counts outcomes of a queue, in one write. If one of them is a failed match, checks whether too many matches fail. */
export async function countQueue(
  { outcomes, failedShareMax }: CountDeps,
  queue: string,
  counts: Counts<Outcome>,
  nowMs: number,
): Promise<CountedQueue> {
  try {
    const isCounted = await outcomes.add(queue, counts, nowMs);
    const failing = FAILURES.some((name) => counts[name] !== undefined)
      ? failingStep(await outcomes.recent(queue, nowMs), failedShareMax, nowMs)
      : undefined;
    return { queue, counts, failing, isLost: !isCounted };
  } catch (error) {
    if (!(error instanceof StoreBusy)) throw error;
    return { queue, counts, failing: undefined, isLost: true };
  }
}

const FAILURES: readonly Outcome[] = Object.values(STEPS).flatMap(({ failures }) => failures);
