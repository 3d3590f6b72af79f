import { getOrCreate } from '../../vocabulary/get-or-create.ts';
import type { Counted, Outcome } from '../domain/match-outcomes.ts';
import type { Counts } from '../domain/minute-counts.ts';
import type { StoredMatch } from '../domain/stored-match.ts';
import type { OutcomeStore } from '../ports/outcome-store.ts';
import { type CountDeps, type CountedQueue, countQueue } from '../queues/count-queue.ts';
import { endWithoutMatch } from './count-unmatched.ts';
import type { Change } from './publish.ts';

/**
 * Counts the outcomes of matches in the changes that become events. A queue whose matches need neither acceptance nor a server
 * has no outcomes and costs nothing. Any other queue costs one write for all changes of a batch.
 *
 *     publish   the changes. A crash after it: the stream delivers them again, and they are counted then
 *     count     a crash after it, before the batch is done: its changes are delivered again and counted twice
 *     check     whether too many matches fail, only if one has failed in this batch
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

function byQueue(changes: readonly Change[]): Map<string, Counts<Counted>> {
  const counted = new Map<string, Partial<Record<Counted, number>>>();
  for (const change of changes) {
    const outcomes = Object.entries(outcomesOf(change)) as [Counted, number][];
    if (outcomes.length === 0) continue;
    const counts = getOrCreate<string, Partial<Record<Counted, number>>>(
      counted,
      change.after.queue,
      () => ({}),
    );
    for (const [name, count] of outcomes) counts[name] = (counts[name] ?? 0) + count;
  }
  return counted;
}

/** The outcomes of a change, usually none. The acceptance of a match and its assignment are two changes. */
function outcomesOf(change: Change): Counts<Counted> {
  if (change.table === 'tickets') {
    const { before, after } = change;
    // A ticket that would return with its match but has failed too often.
    if (after.status === 'FAILED' && before !== undefined && before.status !== 'FAILED')
      return { returned: -1 };
    return {
      ...(endWithoutMatch(change) === 'cancelled' && { cancelled: 1 }),
      ...(before?.status !== after.status && after.reasonCode === 'PLAYER_LEFT' && { vanished: 1 }),
    };
  }
  const { before, after } = change;
  if (before === undefined) return {};
  if (before.endedAt === undefined && after.endedAt !== undefined) return { ended: 1 };
  if (before.assignment === undefined && after.assignment !== undefined) return { placed: 1 };
  if (before.status === after.status) return {};
  if (after.status !== 'FAILED') return before.status === 'REQUIRES_ACCEPTANCE' ? { accepted: 1 } : {};
  const returned = returningFrom(after);
  return {
    // A match that fails because a player has left shows no fault of its acceptance or its servers.
    ...(after.reasonCode !== 'PLAYER_LEFT' && { [failureOf(before.status, after.reasonCode)]: 1 }),
    ...(after.requeued && { requeued: 1 }),
    ...(returned > 0 && { returned }),
  };
}

/** The number of tickets that return from a failed match, including those that then fail themselves. */
function returningFrom({ ticketIds, cancelled, requeued }: StoredMatch): number {
  return requeued || cancelled !== undefined ? ticketIds.length - (cancelled?.length ?? 0) : 0;
}

function failureOf(status: string, code: string | undefined): Outcome {
  if (status === 'REQUIRES_ACCEPTANCE') return code === 'DECLINED' ? 'declined' : 'notAccepted';
  return code === 'PLACEMENT_REFUSED' ? 'placementRefused' : 'placementTimedOut';
}

/**
 * Counts changes whose events the bus has rejected, so that the statistics of their queues report the fault within a minute. The
 * stream delivers them again, so each try of a change counts. Nothing is written while the bus accepts events.
 *
 *     count   a crash before it, or a store that is too busy: the next try counts
 */
export async function countRejected(
  { outcomes }: { readonly outcomes: Pick<OutcomeStore, 'add'> },
  rejected: readonly Change[],
  nowMs: number,
): Promise<void> {
  const tries = new Map<string, number>();
  for (const { after } of rejected) tries.set(after.queue, (tries.get(after.queue) ?? 0) + 1);
  for (const [queue, notPublished] of tries) await outcomes.add(queue, { notPublished }, nowMs);
}
