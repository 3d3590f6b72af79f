import type { RangeStore } from '../ports/range-store.ts';
import type { TicketStore } from '../ports/ticket-store.ts';
import type { QueueRecord } from '../queues/queue-record.ts';
import { type BucketPlan, cellsOf, rangesOf } from './buckets.ts';
import { keepAwake, type ScheduleDeps } from './schedule.ts';

/** A plan is kept this long after its successor began: writes under it may still be on their way. */
const PLAN_GRACE_MS = 5 * 60_000;
/** A deleted queue is kept longer than its matches can be accepted (15 minutes) and placed (an hour). */
const QUEUE_GRACE_MS = 2 * 3_600_000;

export interface DispatchDeps extends ScheduleDeps {
  readonly ranges: RangeStore;
  readonly tickets: TicketStore;
}

/**
 * Once a minute: schedules the coming minute's ticks for every queue with waiting tickets, and tidies
 * up what no ticket needs any more. A queue with nobody waiting costs one read.
 *
 * A crash at any point leaves queues undone; the next minute does them.
 */
export async function dispatch(
  deps: DispatchDeps,
  nowMs: number,
): Promise<{ awake: string[]; failed: { queue: string; error: unknown }[] }> {
  const { records, unreadable } = await deps.queues.list();
  const awake: string[] = [];
  const failed: { queue: string; error: unknown }[] = [...unreadable];
  await Promise.all(
    records.map(async (record) => {
      try {
        if (await dispatchQueue(deps, record, nowMs)) awake.push(record.definition.name);
      } catch (error) {
        // One queue that fails must not put the others to sleep.
        failed.push({ queue: record.definition.name, error });
      }
    }),
  );
  return { awake: awake.sort(), failed };
}

async function dispatchQueue(deps: DispatchDeps, record: QueueRecord, nowMs: number): Promise<boolean> {
  const queue = record.definition.name;
  const occupied = await Promise.all(record.plans.map((plan) => deps.tickets.hasWaiting(queue, plan)));
  const waiting = occupied.some(Boolean);
  if (waiting) await keepAwake(deps, record, nowMs);

  const keep = record.plans.filter((_, i) => occupied[i] || !isSuperseded(record, i, nowMs));
  if (keep.length < record.plans.length) await deps.queues.dropPlans(record, keep);
  if (!waiting && record.deletedAt !== undefined && nowMs - Date.parse(record.deletedAt) > QUEUE_GRACE_MS) {
    await remove(deps, record);
  }
  return waiting;
}

/** Removes a queue, then what its ticks left. A crash in between: that expires by itself. */
async function remove(deps: DispatchDeps, record: QueueRecord): Promise<void> {
  if (!(await deps.queues.remove(record))) return;
  const { plans, definition } = record;
  const all = (of: (plan: BucketPlan) => string[]) => [...new Set(plans.flatMap(of))];
  await deps.ranges.remove(definition.name, all(cellsOf), all(rangesOf));
}

function isSuperseded(record: QueueRecord, index: number, nowMs: number): boolean {
  const next = record.plans[index + 1];
  return next !== undefined && nowMs - next.fromMs > PLAN_GRACE_MS;
}
