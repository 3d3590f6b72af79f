import { LIMITS, type QueueDefinition } from '../../contract/queue-definition.ts';
import { teamKindsOf } from '../../contract/team-kinds.ts';
import { inParallel } from '../concurrency/in-parallel.ts';
import type { KeyRange } from '../domain/buckets.ts';
import { currentBackfill, type StoredBackfill } from '../domain/stored-backfill.ts';
import type { StoredMatch } from '../domain/stored-match.ts';
import { Unreadable } from '../domain/unreadable.ts';
import type { BackfillStore } from '../ports/backfill-store.ts';
import type { SingleMatchStore } from '../ports/match-store.ts';
import { StoreBusy } from '../ports/store-busy.ts';
import { seatProblems } from './seat-problems.ts';

/** A backfill that requests players, and its match. */
export interface OpenBackfill {
  readonly backfill: StoredBackfill;
  readonly match: StoredMatch;
}

/** The maximum of open backfills of a range that a tick reads. Their matches may have 208 KB each. */
const OPEN_MAX = 250;
const ENDS_AT_ONCE = 8;
/**
 * The maximum of backfills of a range that a tick ends: those that were replaced or no longer fit, and those whose match has
 * ended or whose time is over.
 */
const ENDS_PER_TICK = 100;

/** The open backfills of a range that one tick reads. */
export interface OpenPart {
  readonly open: readonly OpenBackfill[];
  /** The sort key where the next tick continues; absent at the end of the range. */
  readonly next?: string | undefined;
}

/**
 * The backfills of a range that still request players. If there are more than one tick reads, successive ticks take them in turn,
 * in order of skill. Backfills that are over, or that no longer fit the definition, are ended, so that no later tick reads them.
 *
 *     read   reads only
 *     end    on the condition that it is QUEUED; a crash before it: the next tick finds it again
 *
 * When the store is too busy, the tick continues without backfills: its new matches are made, and a later tick fills the
 * backfills. Backfills whose match this version of Muster cannot read, as after a rollback, are skipped.
 * @param from where the previous tick stopped
 */
export async function openBackfills(
  deps: { readonly backfills: BackfillStore; readonly matches: Pick<SingleMatchStore, 'getMany'> },
  definition: QueueDefinition,
  range: KeyRange,
  nowMs: number,
  from: string | undefined,
): Promise<OpenPart> {
  try {
    const read = (start: KeyRange) => deps.backfills.open(definition.name, { ...range, ...start }, OPEN_MAX);
    const part = await read(from === undefined ? {} : { from });
    // No backfill is left there, so continue at the start.
    const isOver = from !== undefined && part.backfills.length === 0 && part.next === undefined;
    const { backfills: found, next } = isOver ? await read({}) : part;
    const matches = await readable(deps.matches, [...new Set(found.map(({ matchId }) => matchId))]);
    const open: OpenBackfill[] = [];
    const over: StoredBackfill[] = [];
    for (const backfill of found) {
      const match = matches.get(backfill.matchId);
      if (match === 'unreadable') continue;
      const now = fitting(currentBackfill(backfill, match, nowMs), match, definition);
      if (now.status === 'QUEUED') open.push({ backfill, match: match! });
      else over.push(now);
    }
    await inParallel(over.slice(0, ENDS_PER_TICK), ENDS_AT_ONCE, ({ backfillId, status, reason }) =>
      deps.backfills.end(backfillId, status as 'CANCELLED' | 'TIMED_OUT', reason!, nowMs),
    );
    return { open, next };
  } catch (error) {
    if (!(error instanceof StoreBusy)) throw error;
    return { open: [], next: from };
  }
}

/** The backfill, or its CANCELLED form if the definition has changed since the request and no longer permits it. */
function fitting(
  backfill: StoredBackfill,
  match: StoredMatch | undefined,
  definition: QueueDefinition,
): StoredBackfill {
  if (backfill.status !== 'QUEUED') return backfill;
  const problem = seatProblems(backfill.players, definition)[0]?.detail ?? ratedProblem(match, definition);
  if (problem === undefined) return backfill;
  return {
    ...backfill,
    status: 'CANCELLED',
    reason: `the definition of its queue has changed: ${problem}`,
  };
}

/**
 * Why the match of a backfill could not be rated. A match keeps its ladder when its queue has dropped it, and then the queue may
 * have more seats than can be rated.
 */
function ratedProblem(match: StoredMatch | undefined, definition: QueueDefinition): string | undefined {
  const seats = teamKindsOf(definition).reduce((sum, { size, count }) => sum + size * count, 0);
  if (match?.ladder === undefined || seats <= LIMITS.ratedSeatsMax) return undefined;
  return `Expected at most ${LIMITS.ratedSeatsMax} seats in a match with a ladder, got ${seats}`;
}

/** The existing matches by id. When a batch cannot be read, it is halved to skip only the unreadable matches. */
async function readable(
  matches: Pick<SingleMatchStore, 'getMany'>,
  ids: readonly string[],
): Promise<ReadonlyMap<string, StoredMatch | 'unreadable'>> {
  try {
    return await matches.getMany(ids);
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    if (ids.length === 1) return new Map([[ids[0]!, 'unreadable']]);
    const half = ids.length >> 1;
    const first = await readable(matches, ids.slice(0, half));
    return new Map([...first, ...(await readable(matches, ids.slice(half)))]);
  }
}
