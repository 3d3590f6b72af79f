import { settleTick } from '../commits/settle.ts';
import { inParallel } from '../concurrency/in-parallel.ts';
import type { BucketLimits } from '../domain/bucket-limits.ts';
import { type BucketLayout, cellsOf, LAYOUT_GRACE_MS, rangesOf } from '../domain/buckets.ts';
import { hasLinked } from '../domain/linked-ticket.ts';
import type { QueueRecord } from '../domain/queue-record.ts';
import type { Unreadable } from '../domain/unreadable.ts';
import { type SweepDeps, sweepDeadlines } from '../placement/deadline.ts';
import type { Clock } from '../ports/clock.ts';
import type { SingleMatchStore } from '../ports/match-store.ts';
import type { OutcomeStore } from '../ports/outcome-store.ts';
import type { RangeStore } from '../ports/range-store.ts';
import type { TicketStore } from '../ports/ticket-store.ts';
import { keepAwake, type ScheduleDeps } from '../waking/schedule.ts';
import { endShards } from '../waking/shards.ts';
import { mayMerge, rebalance } from './rebalance.ts';
import { type StopExperimentDeps, stopExperiment } from './stop-experiment.ts';

/** A deleted queue is kept for longer than a match may take to be accepted (15 minutes) and placed (an hour). */
const QUEUE_GRACE_MS = 2 * 3_600_000;
/**
 * A deleted queue is kept for this long after its last tick was due. The tickets of a match that a tick is forming are not
 * waiting, but may return to the pool.
 */
const TICK_GRACE_MS = 60_000;

/** The maximum of queues that are handled concurrently. */
const QUEUES_AT_ONCE = 16;
/**
 * The time limits of one queue in each of the three rounds, and of all rounds together: less than the function's 30 s. The next
 * minute continues.
 */
const QUEUE_MS = 5_000;
export const ROUNDS_MS = 24_000;

export interface DispatchDeps extends ScheduleDeps, SweepDeps, StopExperimentDeps {
  readonly ranges: RangeStore;
  readonly tickets: TicketStore;
  readonly matches: SingleMatchStore;
  readonly outcomes: Pick<OutcomeStore, 'add'>;
  readonly clock: Pick<Clock, 'now'>;
  /** @default BUCKET_LIMITS */
  readonly limits?: BucketLimits;
}

/** The result of one run of `dispatch`. */
export interface Dispatched {
  /** Names of the queues with waiting tickets. */
  readonly awake: readonly string[];
  /** The number of overdue matches found and sent to `deadline`. */
  readonly overdue: number;
  /** Names of the queues whose work was cut short because the time was up. The next minute continues. */
  readonly cut: readonly string[];
  /** The experiments that were ended by their stop rule. */
  readonly stopped: readonly { readonly queue: string; readonly why: string }[];
  /** The tasks of this minute that failed. All other tasks are done. */
  readonly failed: readonly FailedTask[];
}

interface FailedTask {
  readonly what: string;
  /** The queue of the task; undefined for the work of all queues. */
  readonly queue?: string | undefined;
  readonly error: unknown;
}

/**
 * Runs once a minute.
 *
 *     wake       round one, every queue: the next minute's ticks for queues with waiting tickets
 *     clean up   round two, every queue: settles the matches of crashed ticks, and removes layouts and queues that no ticket
 *                needs
 *     stop       round three, every queue: ends an experiment that exceeds its `stop`. A crash before it: the next minute checks
 *                again
 *     sweep      at the same time: sends overdue matches to `deadline`
 *     record     queues whose work failed, for their statistics. A crash before it, or a store that fails: only the alarm reports
 *                it
 *
 * A few queues are handled at a time, and each has its share of the time. A queue that fails or uses up its share does not stop
 * the others: it is woken if it may have waiting tickets, and the next minute does the rest of its work. A queue with one bucket
 * and no waiting tickets costs three reads: its definition, its pool and its lease.
 *
 * After a crash at any point the next minute does the remaining work.
 */
export async function dispatch(deps: DispatchDeps, nowMs: number): Promise<Dispatched> {
  const failed: FailedTask[] = [];
  // A failure of one queue must not stop the ticks of other queues or the end of overdue matches.
  const attempt = async <T>(what: string, task: () => Promise<T>, queue?: string): Promise<T | undefined> => {
    try {
      return await task();
    } catch (error) {
      failed.push({ what, queue, error });
      return undefined;
    }
  };
  const untilMs = deps.clock.now() + ROUNDS_MS;
  const dispatchAll = async () => {
    const stored = await attempt('the list of queues', () => deps.queues.list());
    for (const { name, error } of stored?.unreadable ?? []) failed.push({ what: `queue ${name}`, error });
    const queues = rotated(stored?.records ?? [], nowMs).map(
      (record) => new DispatchedQueue(deps, record, nowMs),
    );
    await inParallel(queues, QUEUES_AT_ONCE, (queue) =>
      attempt(`queue ${queue.name}`, () => queue.wake(shareOf(deps.clock, untilMs)), queue.name),
    );
    await inParallel(queues, QUEUES_AT_ONCE, (queue) => {
      const hasTime = shareOf(deps.clock, untilMs);
      return attempt(
        `what crashed ticks of queue ${queue.name} have left, and its layouts`,
        () => queue.cleanUp(hasTime),
        queue.name,
      );
    });
    const stopped: { queue: string; why: string }[] = [];
    await inParallel(queues, QUEUES_AT_ONCE, (queue) =>
      attempt(
        `the experiment on queue ${queue.name}`,
        async () => {
          const why = await queue.stopExperiment(shareOf(deps.clock, untilMs));
          if (why !== undefined) stopped.push({ queue: queue.name, why });
        },
        queue.name,
      ),
    );
    const namesOf = (some: readonly DispatchedQueue[]) => some.map(({ name }) => name).sort();
    return {
      awake: namesOf(queues.filter(({ isAwake }) => isAwake)),
      cut: namesOf(queues.filter(({ isCut }) => isCut)),
      stopped,
    };
  };
  const [overdue, of] = await Promise.all([
    attempt('the sweep of deadlines', () => sweepDeadlines(deps, nowMs)),
    dispatchAll(),
  ]);
  await recordFailed(deps, failed, nowMs);
  return { ...of, overdue: overdue ?? 0, failed };
}

/** Counts this run for each queue for which it failed. */
async function recordFailed(
  { outcomes }: DispatchDeps,
  failed: readonly FailedTask[],
  nowMs: number,
): Promise<void> {
  const queues = [...new Set(failed.flatMap(({ queue }) => queue ?? []))];
  await inParallel(queues, QUEUES_AT_ONCE, (queue) => outcomes.add(queue, { notDispatched: 1 }, nowMs));
}

/** The queues, starting with a different one each minute, so that a lack of time does not always affect the same queues. */
function rotated(records: readonly QueueRecord[], nowMs: number): readonly QueueRecord[] {
  const first = Math.floor(nowMs / 60_000) % Math.max(1, records.length);
  return [...records.slice(first), ...records.slice(0, first)];
}

/** Whether a queue that starts now still has time. */
function shareOf(clock: Pick<Clock, 'now'>, untilMs: number): () => boolean {
  const endMs = Math.min(clock.now() + QUEUE_MS, untilMs);
  return () => clock.now() < endMs;
}

/** One queue in one run of `dispatch`. */
class DispatchedQueue {
  readonly name: string;
  isAwake = false;
  isCut = false;
  readonly #deps: DispatchDeps;
  readonly #record: QueueRecord;
  readonly #nowMs: number;
  /** The error of a crashed tick's data that this version cannot read. */
  #unreadable: Unreadable | undefined;
  /** Whether tickets of crashed ticks may have returned to the pool. */
  #hasSettled = false;
  /** Whether a layout has waiting tickets, for the layouts read so far. */
  readonly #occupied = new Map<BucketLayout, boolean>();

  constructor(deps: DispatchDeps, record: QueueRecord, nowMs: number) {
    this.name = record.definition.name;
    this.#deps = deps;
    this.#record = record;
    this.#nowMs = nowMs;
  }

  /** Schedules the next ticks if a ticket is waiting, or if there is no time to check. */
  async wake(hasTime: () => boolean): Promise<void> {
    for (const layout of this.#record.layouts.toReversed()) {
      this.isCut = !hasTime();
      this.isAwake = this.isCut || (await this.#isOccupied(layout));
      if (this.isAwake) break;
    }
    if (this.isAwake) await this.#keepAwake();
  }

  async #keepAwake(): Promise<void> {
    this.isAwake = true;
    await keepAwake(this.#deps, this.#record, this.#nowMs);
  }

  /**
   * Settles the matches of crashed ticks, layout by layout, and removes layouts that no ticket needs. Then it adapts the buckets
   * to the load, and removes the queue if it was deleted.
   * @throws Unreadable, after the rest of the work, when this version cannot read the data of a crashed tick
   */
  async cleanUp(hasTime: () => boolean): Promise<void> {
    await this.#cleanUp(hasTime);
    if (this.#unreadable !== undefined) throw this.#unreadable;
  }

  async #cleanUp(hasTime: () => boolean): Promise<void> {
    let left = this.#record.layouts;
    let isSettled = true;
    for (const [i, layout] of this.#record.layouts.entries()) {
      if (!hasTime()) {
        this.isCut = true;
        return;
      }
      if (!(await this.#settleCrashed(layout))) isSettled = false;
      // The leases of crashed ticks are needed until their matches are settled.
      else if (isSuperseded(this.#record, i, this.#nowMs) && !(await this.#isOccupied(layout))) {
        await this.#forget([layout]);
        left = left.filter((one) => one !== layout);
        if (!(await this.#deps.queues.dropLayouts(this.#record, left))) return;
      }
    }
    // Tickets that return now may be missing in the index of the pool for a moment, so the index is not read again.
    if (this.#hasSettled && !this.isAwake) await this.#keepAwake();
    if (!isSettled || !hasTime()) return;
    const isChanged =
      mayMerge(this.#record, this.#nowMs) && (await rebalance(this.#deps, this.name, this.#nowMs));
    if (!isChanged) await endShards(this.#deps, this.#record, this.#nowMs);
    if (!this.isAwake && this.#isOver()) {
      await this.#forget(left);
      await this.#deps.queues.remove(this.#record);
    }
  }

  /** See `stop-experiment.ts`. */
  async stopExperiment(hasTime: () => boolean): Promise<string | undefined> {
    if (this.#record.experiment === undefined) return undefined;
    if (!hasTime()) {
      this.isCut = true;
      return undefined;
    }
    return stopExperiment(this.#deps, this.#record, this.#nowMs);
  }

  async #isOccupied(layout: BucketLayout): Promise<boolean> {
    const known = this.#occupied.get(layout);
    if (known !== undefined) return known;
    const isOccupied = await this.#deps.tickets.hasWaiting(
      this.name,
      layout,
      hasLinked(this.#record, this.#nowMs),
    );
    this.#occupied.set(layout, isOccupied);
    return isOccupied;
  }

  /**
   * Settles the matches of a layout's crashed ticks. The next tick of a cell does so too, but a queue whose last tickets were
   * claimed by a crashed tick has no next tick, and older layouts have none.
   *
   *     settle      see `commits/settle.ts`
   *     end lease   a crash before it: settled again. The lease of a tick that this version cannot settle stays
   *
   * @returns whether there was nothing to settle
   */
  async #settleCrashed(layout: BucketLayout): Promise<boolean> {
    const { ranges } = this.#deps;
    const crashed = await ranges.crashed(this.name, cellsOf(layout), this.#nowMs);
    for (const [owner, { cells, failed }] of crashed) {
      const unreadable = await settleTick(this.#deps, this.#record, owner, this.#nowMs);
      this.#unreadable ??= unreadable;
      if (unreadable !== undefined) continue;
      await ranges.endLease(this.name, cells, { owner }, failed);
      this.#hasSettled = true;
    }
    return crashed.size === 0;
  }

  /**
   * Removes the leases and reports of layouts before the layouts are removed. A queue that is recreated under this name
   * has layouts of the same versions and must not find their cells closed.
   */
  async #forget(layouts: readonly BucketLayout[]): Promise<void> {
    const all = (of: (layout: BucketLayout) => string[]) => [...new Set(layouts.flatMap(of))];
    await this.#deps.ranges.remove(this.name, all(cellsOf), all(rangesOf));
  }

  /** Whether the queue was deleted long ago and none of its ticks can be running. */
  #isOver(): boolean {
    const { deletedAt, awakeUntilMs } = this.#record;
    return (
      deletedAt !== undefined &&
      this.#nowMs - Date.parse(deletedAt) > QUEUE_GRACE_MS &&
      this.#nowMs - awakeUntilMs > TICK_GRACE_MS
    );
  }
}

function isSuperseded({ layouts }: QueueRecord, index: number, nowMs: number): boolean {
  const next = layouts[index + 1];
  return next !== undefined && nowMs - next.fromMs > LAYOUT_GRACE_MS;
}
