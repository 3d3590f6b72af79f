import type { StoredMatch } from '../placement/stored-match.ts';
import type { BackfillStore } from '../ports/backfill-store.ts';
import type { SingleMatchStore } from '../ports/match-store.ts';
import { StoreBusy } from '../ports/store-busy.ts';
import type { KeyRange } from '../ticks/buckets.ts';
import { inParallel } from '../ticks/in-parallel.ts';
import { currentBackfill, type StoredBackfill } from './stored-backfill.ts';

/** A backfill that asks for players, and its match. */
export interface OpenBackfill {
  readonly backfill: StoredBackfill;
  readonly match: StoredMatch;
}

const MATCHES_PER_READ = 100;
const ENDS_AT_ONCE = 8;
/** The maximum of backfills of a range that a tick ends, because they were replaced, or their match or their time is over. */
const ENDS_PER_TICK = 100;

/**
 * The backfills of a range that still ask for players. Those that are over are ended, so that no later tick reads them.
 *
 *     read     reads only
 *     end      on the condition that it is QUEUED; a crash before it: the next tick finds it again
 *
 * When the store is too busy, the tick goes on without backfills: they are filled a tick later, and its new matches are made.
 */
export async function openBackfills(
  deps: { readonly backfills: BackfillStore; readonly matches: Pick<SingleMatchStore, 'getMany'> },
  queue: string,
  range: KeyRange,
  nowMs: number,
): Promise<OpenBackfill[]> {
  try {
    const found = await deps.backfills.open(queue, range);
    const matches = await matchesOf(deps, found);
    const open: OpenBackfill[] = [];
    const over: StoredBackfill[] = [];
    for (const backfill of found) {
      const match = matches.get(backfill.matchId);
      const now = currentBackfill(backfill, match, nowMs);
      if (now.status === 'QUEUED') open.push({ backfill, match: match! });
      else over.push(now);
    }
    await inParallel(
      over.slice(0, ENDS_PER_TICK),
      ENDS_AT_ONCE,
      async () => true,
      ({ backfillId, status, reason }) =>
        deps.backfills.end(backfillId, status as 'CANCELLED' | 'TIMED_OUT', reason!, nowMs),
    );
    return open;
  } catch (error) {
    if (!(error instanceof StoreBusy)) throw error;
    return [];
  }
}

async function matchesOf(
  { matches }: { readonly matches: Pick<SingleMatchStore, 'getMany'> },
  backfills: readonly StoredBackfill[],
): Promise<ReadonlyMap<string, StoredMatch>> {
  const ids = [...new Set(backfills.map(({ matchId }) => matchId))];
  const all = new Map<string, StoredMatch>();
  for (let from = 0; from < ids.length; from += MATCHES_PER_READ)
    for (const [id, match] of await matches.getMany(ids.slice(from, from + MATCHES_PER_READ)))
      all.set(id, match);
  return all;
}
