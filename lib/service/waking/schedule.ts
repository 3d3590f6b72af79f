import { allOf } from '../concurrency/in-parallel.ts';
import { shareOf, tieKey } from '../domain/buckets.ts';
import { hasLinked, LINKED_MS } from '../domain/linked-ticket.ts';
import type { QueueRecord } from '../domain/queue-record.ts';
import type { TicketInQueue } from '../domain/stored-ticket.ts';
import type { QueueStore } from '../ports/queue-store.ts';
import type { TickSender } from '../ports/tick-sender.ts';

/**
 * Ticks are due at multiples of `tickSeconds` since the epoch, called slots. Those of a queue with a group are shifted by some
 * seconds, so that queues of a group do not compete for the same tickets at once; with an interval of a second there is no shift.
 * `awakeUntilMs` of a queue is the last slot whose ticks are scheduled; it only ever grows:
 *
 *     dispatch   once a minute, at any second of it: AHEAD_MS ahead, for queues with waiting tickets
 *     enqueue    when less than NEEDED_MS is scheduled: AHEAD_MS ahead
 *
 * At whatever second dispatch runs, it sees a ticket that finds NEEDED_MS scheduled before the scheduled slots end. A
 * queue that dispatch keeps awake always has NEEDED_MS, so posting to it costs nothing here.
 *
 * `awakeUntilMs` moves by a compare-and-set, so exactly one of several callers sends the ticks. That caller then records
 * in `sentUntilMs` that they are sent. After a crash in between, dispatch finds slots that are scheduled but not
 * recorded as sent, at most a minute later, and sends them. Slots whose ticks arrive twice are searched once.
 */

/** `dispatch` runs this often. EventBridge has no finer schedule. */
const DISPATCH_MS = 60_000;
/** How late `dispatch` may run. */
const DISPATCH_LATE_MS = 15_000;
const NEEDED_MS = DISPATCH_MS + DISPATCH_LATE_MS;
/** How far ahead ticks are scheduled. */
export const AHEAD_MS = NEEDED_MS + DISPATCH_MS;

/** Ensures that ticks continue until a dispatch sees the ticket that was just written. */
export async function wake(deps: ScheduleDeps, known: QueueRecord, nowMs: number): Promise<void> {
  if (isAwake(known, nowMs)) return;
  if (await scheduleTicks(deps, known, known.awakeUntilMs, nowMs)) return;
  // The cached record is some seconds old: another caller has scheduled ticks since, or changed the queue.
  const record = await deps.queues.get(known.definition.name);
  if (record === undefined || isAwake(record, nowMs)) return;
  await scheduleTicks(deps, record, record.awakeUntilMs, nowMs);
}

function isAwake(record: QueueRecord, nowMs: number): boolean {
  return record.awakeUntilMs + step(record) > nowMs + NEEDED_MS;
}

/** Schedules the next ticks of a queue with waiting tickets, and sends those that a crash left unsent. */
export async function keepAwake(deps: ScheduleDeps, record: QueueRecord, nowMs: number): Promise<void> {
  await scheduleTicks(deps, record, record.sentUntilMs, nowMs);
}

export interface ScheduleDeps {
  readonly queues: QueueStore;
  readonly ticks: TickSender;
}

/**
 * Sends the ticks of the slots after `fromMs` unless another caller has scheduled them first.
 * @returns false when the stored record has changed, so that nothing was sent
 */
async function scheduleTicks(
  deps: ScheduleDeps,
  record: QueueRecord,
  fromMs: number,
  nowMs: number,
): Promise<boolean> {
  const slots = slotsBetween(record, Math.max(fromMs, nowMs), nowMs + AHEAD_MS);
  const last = slots.at(-1);
  if (last === undefined) return true;
  if (!(await deps.queues.extendAwake(record, last))) return false;
  const messages = slots.map((slotMs) => ({ queue: record.definition.name, slotMs }));
  await deps.ticks.send(messages, nowMs);
  if (fromMs === record.sentUntilMs) await deps.queues.confirmSent(record, last);
  return true;
}

/** Slots after `fromMs` up to `untilMs`. */
function slotsBetween(record: QueueRecord, fromMs: number, untilMs: number): number[] {
  const stepMs = step(record);
  const shift = shiftMs(record);
  const slots: number[] = [];
  const first = Math.floor((fromMs - shift) / stepMs) * stepMs + stepMs + shift;
  for (let slot = first; slot <= untilMs; slot += stepMs) slots.push(slot);
  return slots;
}

/** How much later than a multiple of its interval a queue begins its ticks: whole seconds, as SQS delays messages. */
function shiftMs({ definition: { name, group, tickSeconds } }: QueueRecord): number {
  return group === undefined ? 0 : Math.floor(shareOf(tieKey(name)) * tickSeconds) * 1_000;
}

/** Milliseconds between two slots. */
function step({ definition }: QueueRecord): number {
  return definition.tickSeconds * 1_000;
}

/** Odd slots are searched with the boundaries moved by half a bucket. */
export function isOdd(record: QueueRecord, slotMs: number): boolean {
  return Math.floor(slotMs / step(record)) % 2 === 1;
}

/** The mark is set this far ahead, so that the queue's item is written once a day. Milliseconds. */
const MARKED_MS = LINKED_MS + 24 * 3_600_000;

/**
 * Marks the queues in which a linked ticket has an entry, so that their ticks read entries. Queues that are marked already are
 * not written.
 */
export async function markLinked(
  queues: Pick<QueueStore, 'extend'>,
  views: readonly TicketInQueue[],
  records: ReadonlyMap<string, QueueRecord>,
  nowMs: number,
): Promise<void> {
  await allOf(
    views.map(async ({ queue, pool }) => {
      const record = records.get(queue)!;
      if (pool !== undefined && !hasLinked(record, nowMs + LINKED_MS))
        await queues.extend(record, 'linkedUntilMs', nowMs + MARKED_MS);
    }),
  );
}
