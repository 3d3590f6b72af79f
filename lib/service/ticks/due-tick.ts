import type { QueueDefinition } from '../../contract/queue-definition.ts';
import { BUCKET_LIMITS, type BucketLimits } from '../domain/bucket-limits.ts';
import { type BucketLayout, layoutAt, type TickRange, tickRanges } from '../domain/buckets.ts';
import type { QueueRecord } from '../domain/queue-record.ts';
import { definitionAt } from '../domain/running-experiment.ts';
import type { TickMessage } from '../domain/tick-message.ts';
import { DEFINITION_AGE_MS, TICK_LATE_MS } from '../domain/timing.ts';
import { UnreadableQueue, unlessUnreadable } from '../domain/unreadable.ts';
import type { Clock } from '../ports/clock.ts';
import type { QueueStore } from '../ports/queue-store.ts';
import type { TickSender } from '../ports/tick-sender.ts';
import { isOdd } from '../waking/schedule.ts';
import { type Dropped, dropped } from './tick-outcome.ts';

export interface DueTickDeps {
  readonly queues: Pick<QueueStore, 'get'>;
  readonly ticks: TickSender;
  readonly clock: Pick<Clock, 'now'>;
  /** @default BUCKET_LIMITS */
  readonly limits?: BucketLimits;
}

/** A tick to run: one range of a queue, at one slot. */
export interface DueTick {
  readonly record: QueueRecord;
  /** The definition that the search uses: that of the record, or of the variant drawn for the slot. */
  readonly definition: QueueDefinition;
  readonly slotMs: number;
  /** When this tick began; milliseconds since the epoch. */
  readonly startMs: number;
  /** How late it began. */
  readonly ageMs: number;
  /** The layout in force at the slot. */
  readonly layout: BucketLayout;
  /** The range that is searched, and all ranges of the slot. */
  readonly range: TickRange;
  readonly ranges: readonly TickRange[];
  readonly limits: BucketLimits;
}

/** Whether the slot has several ranges. Then the arrivals of the queue are the sum over all of them. */
export function isOneOfSeveral({ ranges }: DueTick): boolean {
  return ranges.length > 1;
}

/** The tick of a message. The message of a whole slot also sends one for each further range. */
export async function dueTick(deps: DueTickDeps, message: TickMessage): Promise<DueTick | Dropped> {
  const startMs = deps.clock.now();
  const { queue, slotMs } = message;
  const record = await unlessUnreadable(() => deps.queues.get(queue, DEFINITION_AGE_MS));
  if (record === undefined) return dropped('its queue does not exist');
  // Ticks resume when the queue can be read. Until then `dispatch` reports it every minute.
  if (record instanceof UnreadableQueue) return dropped('this version cannot read its queue');
  const ageMs = Math.max(0, startMs - slotMs);
  // Later ticks are already due.
  if (ageMs > record.definition.tickSeconds * 1_000 + TICK_LATE_MS) return dropped('it is stale');
  const layout = layoutAt(record.layouts, slotMs);
  if ((message.layout ?? layout.version) !== layout.version)
    return dropped('its bucket layout is not in force');
  const ranges = tickRanges(layout, isOdd(record, slotMs));
  if (message.range === undefined)
    await fanOut(deps, { queue, slotMs, layout: layout.version }, ranges.length);
  const range = ranges[message.range ?? 0];
  // The interval between ticks has changed, so an even slot has become an odd one.
  if (range === undefined) return dropped('its slot no longer has this range');
  const limits = deps.limits ?? BUCKET_LIMITS;
  const definition = definitionAt(record, slotMs);
  return { record, definition, slotMs, startMs, ageMs, layout, range, ranges, limits };
}

/** Sends a tick for each range except the first. They run in parallel a moment later. */
async function fanOut(
  deps: DueTickDeps,
  tick: { queue: string; slotMs: number; layout: number },
  ranges: number,
): Promise<void> {
  if (ranges === 1) return;
  const messages = Array.from({ length: ranges - 1 }, (_, i) => ({ ...tick, range: i + 1 }));
  await deps.ticks.send(messages, deps.clock.now());
}
