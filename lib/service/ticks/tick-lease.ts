import { type MatchCommitDeps, MatchCommits } from '../commits/commit-match.ts';
import { settleTick } from '../commits/settle.ts';
import { cellsWithin, rangeName } from '../domain/buckets.ts';
import type { QueueRecord } from '../domain/queue-record.ts';
import {
  type FailedTicks,
  failuresInForce,
  failuresLeft,
  type SetAside,
  setAsideBy,
  withFailure,
} from '../domain/set-aside.ts';
import { LEASE_MS, TICK_STAGES } from '../domain/timing.ts';
import { Unreadable } from '../domain/unreadable.ts';
import type { Crashed, Lease } from '../ports/range-store.ts';
import { StoreBusy } from '../ports/store-busy.ts';
import type { DueTick } from './due-tick.ts';
import { type Dropped, dropped, type TickOutcome } from './tick-outcome.ts';

/** The maximum of tries to take a lease that the previous tick still holds. Then this tick is dropped. */
const LEASE_TRIES = 8;
/** A tick of an older layout may still be in flight this long after a layout begins. */
const CLOSING_MS = 60_000;

export interface LeaseDeps extends MatchCommitDeps {
  readonly newId: () => string;
}

/** A tick that holds the lease on the cells of its range. */
export interface LeasedTick extends DueTick {
  readonly lease: Lease;
  /** The failures in a row of the range's ticks before this one. */
  readonly failed: FailedTicks | undefined;
  readonly commits: MatchCommits;
}

/** A tick without a lease, because this version cannot read the data of a crashed tick. */
export interface UnsettledTick extends DueTick {
  readonly setAside: SetAside;
}

/** Takes the lease. Waits a short time for a slow previous tick, and settles the matches of crashed ones. */
export async function takeLease(
  deps: LeaseDeps,
  due: DueTick,
): Promise<LeasedTick | UnsettledTick | Dropped> {
  const { record, slotMs, startMs, range } = due;
  const lease: Lease = { owner: deps.newId(), slotMs, nowMs: startMs, untilMs: startMs + LEASE_MS };
  const { outcome, failed } = await unlessCrashed(deps, record, startMs, (settled, failed) =>
    deps.ranges.takeLease(
      record.definition.name,
      range.cells,
      { ...lease, nowMs: deps.clock.now(), failed },
      settled,
    ),
  );
  if (outcome === 'done') return dropped('its slot is already searched');
  if (outcome === 'held') return dropped('the previous tick is still running');
  if (outcome instanceof Unreadable) return { ...due, setAside: setAsideBy(outcome, failed, slotMs) };
  const commits = new MatchCommits(deps, record, lease.owner);
  return { ...due, lease, failed: failuresInForce(failed, record), commits };
}

/** Runs the work of a tick and ends its lease, even after an error, unless a match could not be settled. */
export async function underLease<T extends Pick<TickOutcome, 'outcome'>>(
  deps: LeaseDeps,
  { record, slotMs, range, lease, failed, commits }: LeasedTick,
  work: () => Promise<T>,
): Promise<T> {
  const name = rangeName(range);
  const done = await work().then(
    (value) => ({ value, failed: value.outcome === 'searched' ? failuresLeft(failed, name) : failed }),
    // Throttling of the store is no failure of the queue.
    (error: unknown) => ({
      error,
      failed: error instanceof StoreBusy ? failed : withFailure(failed, slotMs, 'error', name),
    }),
  );
  if (commits.areSettled) await deps.ranges.endLease(record.definition.name, range.cells, lease, done.failed);
  if ('error' in done) throw done.error;
  return done.value;
}

/**
 * Ensures that no tick of an older layout searches this range now or later. `held`: one is still running. `Unreadable`: the data
 * of a crashed one cannot be read.
 */
export async function closeOlderLayouts(
  deps: LeaseDeps,
  { record, layout, range, startMs }: DueTick,
): Promise<'closed' | 'held' | Unreadable> {
  const { definition, layouts } = record;
  const sinceMs = deps.clock.now() - CLOSING_MS;
  const older = layouts.filter(
    ({ version }, i) => version < layout.version && layouts[i + 1]!.fromMs > sinceMs,
  );
  const cells = older.flatMap((one) => cellsWithin(one, range));
  if (cells.length === 0) return 'closed';
  const { outcome } = await unlessCrashed(deps, record, startMs, (settled) =>
    deps.ranges.close(definition.name, cells, deps.clock.now(), settled),
  );
  return outcome;
}

/**
 * Requests cells. Repeats the request while another tick holds them, and after settling crashed ticks. Returns Unreadable when
 * the journal of a crashed tick cannot be read; the others are then settled, but all leases stay.
 */
async function unlessCrashed<T extends string>(
  deps: LeaseDeps,
  record: QueueRecord,
  startMs: number,
  request: (settled: readonly string[], failed?: FailedTicks) => Promise<T | 'held' | Crashed>,
): Promise<{ outcome: T | 'held' | Unreadable; failed?: FailedTicks | undefined }> {
  const settled: string[] = [];
  let failed: FailedTicks | undefined;
  for (let attempt = 1; ; attempt++) {
    const outcome = await request(settled, failed);
    if (typeof outcome === 'string' && outcome !== 'held') return { outcome, failed };
    // If another cell is held, a crashed tick may be reported again after it was settled.
    const { crashed, ...news }: Crashed = outcome === 'held' ? { crashed: [] } : (outcome as Crashed);
    const owners = crashed.filter((owner) => !settled.includes(owner));
    const isNews = owners.length > 0 || (failed === undefined && news.failed !== undefined);
    failed = news.failed ?? failed;
    // Settling may exceed the time for the lease. One more try follows, so that the settling is not wasted.
    const isLate = deps.clock.now() >= startMs + TICK_STAGES.leaseMs && !isNews;
    if (attempt === LEASE_TRIES || isLate) return { outcome: 'held' };
    if (!isNews) await deps.clock.sleep(100);
    let unreadable: Unreadable | undefined;
    for (const owner of owners)
      unreadable = (await settleTick(deps, record, owner, deps.clock.now())) ?? unreadable;
    if (unreadable !== undefined) return { outcome: unreadable, failed };
    settled.push(...owners);
  }
}
