import { type FailingStep, failingStep, type Outcome, STEPS } from '../domain/match-outcomes.ts';
import type { Counts } from '../domain/minute-counts.ts';
import type { OutcomeStore } from '../ports/outcome-store.ts';
import { StoreBusy } from '../ports/store-busy.ts';
import type { Change } from './publish.ts';

export interface CountDeps {
  readonly outcomes: OutcomeStore;
  /** The share of the matches that may fail at a step, above 0 to 1. */
  readonly failedShareMax: number;
}

/** What was counted of a queue. */
export interface CountedQueue {
  readonly queue: string;
  readonly counts: Counts<Outcome>;
  /** The step at which too many of its matches fail, if a match has failed now. */
  readonly failing: FailingStep | undefined;
  /** Whether the store was too busy to add the counts, which are lost. */
  readonly isLost: boolean;
}

/**
 * Counts what has become of matches, by the same changes that become events. Queues whose matches need no acceptance and no
 * server have nothing to count, and cost nothing; others cost a write for all changes of a batch together.
 *
 *     publish    the changes. A crash after it: they come again and are counted then
 *     count      a crash after it, before the batch is done: its changes come again and are counted twice
 *     look       whether too many matches fail, only if one has failed in this batch
 *
 * So counts are exact unless a function is stopped or the store is too busy, and never delay an event.
 */
export async function countOutcomes(
  { outcomes, failedShareMax }: CountDeps,
  changes: readonly Change[],
  nowMs: number,
): Promise<CountedQueue[]> {
  return Promise.all(
    [...byQueue(changes)].map(async ([queue, counts]) => {
      try {
        await outcomes.add(queue, counts, nowMs);
        const failing = hasFailures(counts)
          ? failingStep(await outcomes.recent(queue, nowMs), failedShareMax, nowMs)
          : undefined;
        return { queue, counts, failing, isLost: false };
      } catch (error) {
        if (!(error instanceof StoreBusy)) throw error;
        return { queue, counts, failing: undefined, isLost: true };
      }
    }),
  );
}

function byQueue(changes: readonly Change[]): Map<string, Counts<Outcome>> {
  const counted = new Map<string, Partial<Record<Outcome, number>>>();
  for (const change of changes) {
    const names = outcomesOf(change);
    if (names.length === 0) continue;
    const counts = counted.get(change.after.queue) ?? {};
    for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
    counted.set(change.after.queue, counts);
  }
  return counted;
}

const FAILURES: readonly Outcome[] = Object.values(STEPS).flatMap(({ failures }) => failures);

function hasFailures(counts: Counts<Outcome>): boolean {
  return FAILURES.some((name) => counts[name] !== undefined);
}

/** The outcomes of a change, most often none. A match that both is accepted and has its server is two changes. */
function outcomesOf(change: Change): Outcome[] {
  if (change.table === 'tickets') {
    const { before, after } = change;
    // Those that a match has cancelled count as their match, and one that is replaced waits on as the other.
    const isCancelled = after.status === 'CANCELLED' && before?.status !== 'CANCELLED';
    const isOwn = after.matchId === undefined && after.replacedBy === undefined;
    return isCancelled && isOwn ? ['cancelled'] : [];
  }
  const { before, after } = change;
  if (before === undefined) return [];
  if (before.endedAt === undefined && after.endedAt !== undefined) return ['ended'];
  if (before.assignment === undefined && after.assignment !== undefined) return ['placed'];
  if (before.status === after.status) return [];
  if (after.status !== 'FAILED') return before.status === 'REQUIRES_ACCEPTANCE' ? ['accepted'] : [];
  const requeued: Outcome[] = after.requeued ? ['requeued'] : [];
  return [failureOf(before.status, after.reasonCode), ...requeued];
}

/** Matches that an earlier version has failed have no code. */
function failureOf(status: string, code: string | undefined): Outcome {
  if (status === 'REQUIRES_ACCEPTANCE') return code === 'DECLINED' ? 'declined' : 'notAccepted';
  return code === 'PLACEMENT_REFUSED' ? 'placementRefused' : 'placementTimedOut';
}
