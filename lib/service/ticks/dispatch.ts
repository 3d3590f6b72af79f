import { settleTick } from '../commits/settle.ts';
import { type SweepDeps, sweepDeadlines } from '../placement/sweep-deadlines.ts';
import type { SingleMatchStore } from '../ports/match-store.ts';
import type { RangeStore } from '../ports/range-store.ts';
import type { TicketStore } from '../ports/ticket-store.ts';
import type { QueueRecord } from '../queues/queue-record.ts';
import type { BucketLimits } from './bucket-limits.ts';
import { type BucketLayout, cellsOf, rangesOf } from './buckets.ts';
import { mayMerge, rebalance } from './rebalance.ts';
import { keepAwake, type ScheduleDeps } from './schedule.ts';
import { endShards } from './shards.ts';

/** A layout is kept this long after its successor began, because writes under it may still be in flight. */
const LAYOUT_GRACE_MS = 5 * 60_000;
/** A deleted queue is kept longer than a match can take to be accepted (15 minutes) and placed (an hour). */
const QUEUE_GRACE_MS = 2 * 3_600_000;
/**
 * A deleted queue is kept this long after its last tick was due. While a tick forms a match its tickets are not waiting, and
 * they may return to the pool.
 */
const TICK_GRACE_MS = 60_000;

export interface DispatchDeps extends ScheduleDeps, SweepDeps {
  readonly ranges: RangeStore;
  readonly tickets: TicketStore;
  readonly matches: SingleMatchStore;
  /** @default BUCKET_LIMITS */
  readonly limits?: BucketLimits;
}

/** What one run of `dispatch` did. */
export interface Dispatched {
  /** Names of the queues with waiting tickets. */
  readonly awake: readonly string[];
  /** The number of overdue matches found and sent to `deadline`. */
  readonly overdue: number;
  /** The tasks of this minute that failed. The others are done. */
  readonly failed: readonly { readonly what: string; readonly error: unknown }[];
}

/**
 * Runs once a minute. It schedules the next minute's ticks for every queue with waiting tickets, sends overdue matches
 * to `deadline`, settles what crashed ticks have left, and removes layouts and queues that no ticket needs. A queue with
 * one bucket and no waiting tickets costs three reads: its definition, its pool and its lease.
 *
 * After a crash at any point the next minute does the remaining work.
 */
export async function dispatch(deps: DispatchDeps, nowMs: number): Promise<Dispatched> {
  const awake: string[] = [];
  const failed: { what: string; error: unknown }[] = [];
  // A failure of one queue must not stop the ticks of other queues or the end of overdue matches.
  const attempt = async <T>(what: string, task: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await task();
    } catch (error) {
      failed.push({ what, error });
      return undefined;
    }
  };
  const dispatchAll = async () => {
    const stored = await attempt('the list of queues', () => deps.queues.list());
    for (const { queue, error } of stored?.unreadable ?? []) failed.push({ what: `queue ${queue}`, error });
    await Promise.all(
      (stored?.records ?? []).map(async (record) => {
        const { name } = record.definition;
        const isSettled = await attempt(`what crashed ticks of queue ${name} have left`, () =>
          settleCrashed(deps, record, nowMs),
        );
        const isAwake = await attempt(`queue ${name}`, () =>
          dispatchQueue(deps, record, isSettled === true, nowMs),
        );
        if (isAwake) awake.push(name);
      }),
    );
  };
  const [overdue] = await Promise.all([
    attempt('the sweep of deadlines', () => sweepDeadlines(deps, nowMs)),
    dispatchAll(),
  ]);
  return { awake: awake.sort(), overdue: overdue ?? 0, failed };
}

async function dispatchQueue(
  deps: DispatchDeps,
  record: QueueRecord,
  isSettled: boolean,
  nowMs: number,
): Promise<boolean> {
  const queue = record.definition.name;
  const occupied = await Promise.all(record.layouts.map((layout) => deps.tickets.hasWaiting(queue, layout)));
  const waiting = occupied.some(Boolean);
  if (waiting) await keepAwake(deps, record, nowMs);

  // The leases of crashed ticks are needed until their matches are settled.
  if (!isSettled) return waiting;
  const keep = record.layouts.filter((_, i) => occupied[i] || !isSuperseded(record, i, nowMs));
  if (keep.length < record.layouts.length) {
    await forget(
      deps,
      queue,
      record.layouts.filter((layout) => !keep.includes(layout)),
    );
    await deps.queues.dropLayouts(record, keep);
  }
  const isChanged = mayMerge(record, nowMs) && (await rebalance(deps, queue, nowMs));
  if (!isChanged) await endShards(deps, record, nowMs);
  if (!waiting && isOver(record, nowMs)) {
    await forget(deps, queue, record.layouts);
    await deps.queues.remove(record);
  }
  return waiting;
}

/**
 * Settles what crashed ticks have left. The next tick of a cell does so too, but a queue whose last tickets were claimed by a
 * crashed tick has no next tick, and older layouts have none.
 *
 *     settle      see `settle.ts`
 *     end lease   a crash before it: settled again
 * @returns whether there was nothing to settle. Tickets that return now may be missing in the index of the pool for a moment
 */
async function settleCrashed(deps: DispatchDeps, record: QueueRecord, nowMs: number): Promise<boolean> {
  const queue = record.definition.name;
  const all = [...new Set(record.layouts.flatMap(cellsOf))];
  const crashed = await deps.ranges.crashed(queue, all, nowMs);
  for (const [owner, { cells, failed }] of crashed) {
    await settleTick(deps, record, owner, nowMs);
    await deps.ranges.endLease(queue, cells, { owner }, failed);
  }
  return crashed.size === 0;
}

/**
 * Removes the leases and reports of layouts before the layouts are removed. A queue that is recreated under this name
 * has layouts of the same versions and must not find their cells closed.
 */
async function forget(deps: DispatchDeps, queue: string, layouts: readonly BucketLayout[]): Promise<void> {
  const all = (of: (layout: BucketLayout) => string[]) => [...new Set(layouts.flatMap(of))];
  await deps.ranges.remove(queue, all(cellsOf), all(rangesOf));
}

/** Whether a queue was deleted long ago and none of its ticks can be running. */
function isOver({ deletedAt, awakeUntilMs }: QueueRecord, nowMs: number): boolean {
  return (
    deletedAt !== undefined &&
    nowMs - Date.parse(deletedAt) > QUEUE_GRACE_MS &&
    nowMs - awakeUntilMs > TICK_GRACE_MS
  );
}

function isSuperseded(record: QueueRecord, index: number, nowMs: number): boolean {
  const next = record.layouts[index + 1];
  return next !== undefined && nowMs - next.fromMs > LAYOUT_GRACE_MS;
}
