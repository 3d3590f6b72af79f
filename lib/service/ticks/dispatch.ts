import type { TicketStore } from '../ports/ticket-store.ts';
import type { QueueRecord } from '../queues/queue-record.ts';
import { keepAwake, type ScheduleDeps } from './schedule.ts';

/** A plan is kept this long after its successor began: writes under it may still be on their way. */
const PLAN_GRACE_MS = 5 * 60_000;
/** A deleted queue is kept longer than its matches can be accepted (15 minutes) and placed (an hour). */
const QUEUE_GRACE_MS = 2 * 3_600_000;

/**
 * Once a minute: schedules the coming minute's ticks for every queue with waiting tickets, and tidies
 * up what no ticket needs any more. A queue with nobody waiting costs one read.
 *
 * A crash at any point leaves queues undone; the next minute does them.
 */
export async function dispatch(
  deps: ScheduleDeps & { readonly tickets: TicketStore },
  nowMs: number,
): Promise<{ awake: string[]; failed: { queue: string; error: unknown }[] }> {
  const records = await deps.queues.list();
  const awake: string[] = [];
  const failed: { queue: string; error: unknown }[] = [];
  await Promise.all(
    records.map(async (record) => {
      try {
        if (await dispatchQueue(deps, record, nowMs)) awake.push(record.definition.name);
      } catch (error) {
        // One queue that cannot be read must not put the others to sleep.
        failed.push({ queue: record.definition.name, error });
      }
    }),
  );
  return { awake: awake.sort(), failed };
}

async function dispatchQueue(
  deps: ScheduleDeps & { readonly tickets: TicketStore },
  record: QueueRecord,
  nowMs: number,
): Promise<boolean> {
  const queue = record.definition.name;
  const occupied = await Promise.all(record.plans.map((plan) => deps.tickets.hasWaiting(queue, plan)));
  const waiting = occupied.some(Boolean);
  if (waiting) await keepAwake(deps, record, nowMs);

  const keep = record.plans.filter((_, i) => occupied[i] || !isSuperseded(record, i, nowMs));
  if (keep.length < record.plans.length) await deps.queues.dropPlans(record, keep);
  if (!waiting && record.deletedAt !== undefined && nowMs - Date.parse(record.deletedAt) > QUEUE_GRACE_MS) {
    await deps.queues.remove(record);
  }
  return waiting;
}

function isSuperseded(record: QueueRecord, index: number, nowMs: number): boolean {
  const next = record.plans[index + 1];
  return next !== undefined && nowMs - next.fromMs > PLAN_GRACE_MS;
}
