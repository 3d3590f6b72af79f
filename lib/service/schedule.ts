import { planAt, tickRanges } from './buckets.ts';
import type { QueueRecord, QueueStore, TickMessage, TickSender } from './ports.ts';
import { LEASE_MS } from './queues.ts';

/**
 * Ticks are due at multiples of `tickSeconds` since the epoch, called slots. `awakeUntilMs` of a
 * queue is the last slot that somebody has promised to send; it only ever grows:
 *
 *     dispatch   every minute, for queues with waiting tickets: to the end of the coming minute
 *     enqueue    when the queue sleeps: to the next dispatch
 *
 * The promise is made by a compare-and-set, so exactly one of several callers sends the slots. It may
 * crash before it has sent them; then the slots are missing and the next dispatch, at most a minute
 * later, sends those after them. Nothing is lost by a missing slot, it is only searched later.
 */

/** `dispatch` runs at every full minute. EventBridge has no finer schedule. */
const DISPATCH_MS = 60_000;
/** How late a dispatch may be before the queues it looks after run dry of ticks. */
const DISPATCH_LATE_MS = 15_000;

/**
 * Makes sure that ticks go on until the next dispatch, which will see the ticket that was written just
 * now. Costs nothing when they do, as in any queue that was awake at the last dispatch.
 */
export async function wake(deps: ScheduleDeps, record: QueueRecord, nowMs: number): Promise<void> {
  const nextDispatchMs = Math.floor(nowMs / DISPATCH_MS) * DISPATCH_MS + DISPATCH_MS;
  await sendUntil(deps, record, nowMs, nextDispatchMs + DISPATCH_LATE_MS);
}

/** Schedules the coming minute of a queue that has waiting tickets. */
export async function keepAwake(deps: ScheduleDeps, record: QueueRecord, nowMs: number): Promise<void> {
  await sendUntil(deps, record, nowMs, nowMs + DISPATCH_MS + DISPATCH_LATE_MS);
}

export interface ScheduleDeps {
  readonly queues: QueueStore;
  readonly ticks: TickSender;
}

async function sendUntil(
  deps: ScheduleDeps,
  record: QueueRecord,
  nowMs: number,
  untilMs: number,
): Promise<void> {
  const slots = slotsBetween(record, Math.max(record.awakeUntilMs, nowMs), untilMs);
  const last = slots.at(-1);
  if (last === undefined || !(await deps.queues.extendAwake(record, last))) return;
  await deps.ticks.send(
    slots.flatMap((slotMs) => ticksOf(record, slotMs)),
    nowMs,
  );
}

/** Slots after `fromMs` up to `untilMs`. */
function slotsBetween(record: QueueRecord, fromMs: number, untilMs: number): number[] {
  const step = record.definition.tickSeconds * 1_000;
  const slots: number[] = [];
  for (let slot = Math.floor(fromMs / step) * step + step; slot <= untilMs; slot += step) slots.push(slot);
  return slots;
}

/** The messages of one slot: one for each range of the plan in force then. */
export function ticksOf(record: QueueRecord, slotMs: number): TickMessage[] {
  const next = record.plans.find((plan) => plan.fromMs > slotMs);
  if (next !== undefined && slotMs + LEASE_MS > next.fromMs) return [];
  const plan = planAt(record.plans, slotMs);
  return tickRanges(plan, isOdd(record, slotMs)).map(({ index }) => ({
    queue: record.definition.name,
    slotMs,
    plan: plan.version,
    range: index,
  }));
}

/** Odd slots are searched with the boundaries moved by half a bucket. */
export function isOdd(record: QueueRecord, slotMs: number): boolean {
  return Math.round(slotMs / (record.definition.tickSeconds * 1_000)) % 2 === 1;
}
