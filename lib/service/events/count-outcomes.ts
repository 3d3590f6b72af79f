import type { Outcome } from '../domain/match-outcomes.ts';
import type { Counts } from '../domain/minute-counts.ts';
import { type CountDeps, type CountedQueue, countQueue } from '../queues/count-queue.ts';
import type { Change } from './publish.ts';

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
  deps: CountDeps,
  changes: readonly Change[],
  nowMs: number,
): Promise<CountedQueue[]> {
  return Promise.all([...byQueue(changes)].map(([queue, counts]) => countQueue(deps, queue, counts, nowMs)));
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
