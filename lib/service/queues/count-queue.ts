import { type FailingStep, failingStep, type Outcome, STEPS } from '../domain/match-outcomes.ts';
import type { Counts } from '../domain/minute-counts.ts';
import type { OutcomeStore } from '../ports/outcome-store.ts';
import { StoreBusy } from '../ports/store-busy.ts';

export interface CountDeps {
  readonly outcomes: OutcomeStore;
  /** The share of the matches that may fail at a step, above 0 to 1. */
  readonly failedShareMax: number;
}

/** What was counted of a queue. */
export interface CountedQueue {
  readonly queue: string;
  readonly counts: Counts<Outcome>;
  /** The step at which too many of its matches fail, if one has failed now. */
  readonly failing: FailingStep | undefined;
  /** Whether the store was too busy to add the counts, which are lost. */
  readonly isLost: boolean;
}

/** Counts outcomes of a queue, in one write. Looks whether too many of its matches fail only if one of these has failed. */
export async function countQueue(
  { outcomes, failedShareMax }: CountDeps,
  queue: string,
  counts: Counts<Outcome>,
  nowMs: number,
): Promise<CountedQueue> {
  try {
    await outcomes.add(queue, counts, nowMs);
    const failing = FAILURES.some((name) => counts[name] !== undefined)
      ? failingStep(await outcomes.recent(queue, nowMs), failedShareMax, nowMs)
      : undefined;
    return { queue, counts, failing, isLost: false };
  } catch (error) {
    if (!(error instanceof StoreBusy)) throw error;
    return { queue, counts, failing: undefined, isLost: true };
  }
}

const FAILURES: readonly Outcome[] = Object.values(STEPS).flatMap(({ failures }) => failures);
