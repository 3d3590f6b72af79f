import type { QueueDefinition } from '../../contract/queue-definition.ts';
import { BUCKET_LIMITS, type BucketLimits } from '../domain/bucket-limits.ts';
import { type BucketLoad, evenly, isOverloaded } from '../domain/bucket-load.ts';
import { type Edge, nextLayout, rangeName, tickRanges, withLayout } from '../domain/buckets.ts';
import type { QueueRecord } from '../domain/queue-record.ts';
import type { QueueStore } from '../ports/queue-store.ts';
import type { RangeStore } from '../ports/range-store.ts';

/** A layout is in force for at least this long before the next one, so that ticks can measure it. */
const SETTLE_MS = 5_000;
/** Starved buckets are merged when the layout has not changed for this long. */
const SETTLED_MS = 60_000;
/** Quiet buckets are merged when the layout has not changed for this long. */
const CALM_MS = 10 * 60_000;
/** Reports older than this are ignored. */
const REPORT_AGE_MS = 2 * 60_000;

export interface RebalanceDeps {
  readonly queues: QueueStore;
  readonly ranges: RangeStore;
  /** @default BUCKET_LIMITS */
  readonly limits?: BucketLimits;
}

/** Whether Muster chooses the buckets of a queue. */
export function choosesBuckets({ buckets = 'auto' }: QueueDefinition): boolean {
  return buckets === 'auto';
}

/** Whether the newest layout has been in force for long enough to be changed. */
export function mayChange({ definition, layouts }: QueueRecord, nowMs: number): boolean {
  return choosesBuckets(definition) && nowMs >= layouts.at(-1)!.fromMs + SETTLE_MS;
}

/** Whether buckets of a queue may be merged. */
export function mayMerge(record: QueueRecord, nowMs: number): boolean {
  const { boundaries } = record.layouts.at(-1)!;
  return choosesBuckets(record.definition) && boundaries.length > 0 && ageOf(record, nowMs) !== 'new';
}

function ageOf({ layouts }: QueueRecord, nowMs: number): LayoutAge {
  const ageMs = nowMs - layouts.at(-1)!.fromMs;
  return ageMs >= CALM_MS ? 'old' : ageMs >= SETTLED_MS ? 'settled' : 'new';
}

/**
 * Adapts the buckets of a queue to the load in the last reports.
 *
 *     read   the current record of the queue, and the reports of its buckets
 *     put    the new layout, on the condition that the queue has not changed since. A crash before it changes nothing; a later
 *            tick or the next dispatch repeats it
 *
 * @returns whether there is a new layout
 */
export async function rebalance(deps: RebalanceDeps, queue: string, nowMs: number): Promise<boolean> {
  const record = await deps.queues.get(queue);
  if (record === undefined || !mayChange(record, nowMs)) return false;
  const layout = record.layouts.at(-1)!;
  const names = tickRanges(layout, false).map(rangeName);
  const reports = await deps.ranges.reports(queue, names);
  const loads = names.map((name) => {
    const report = reports.get(name);
    return report !== undefined && nowMs - report.slotMs < REPORT_AGE_MS ? report.load : undefined;
  });
  const limits = deps.limits ?? BUCKET_LIMITS;
  const boundaries = balance(layout.boundaries, loads, ageOf(record, nowMs), nowMs, limits);
  if (boundaries === undefined) return false;
  // The buckets do not change until older layouts are dropped.
  const layouts = withLayout(record.layouts, nextLayout(layout, boundaries, nowMs));
  if (layouts === undefined) return false;
  return deps.queues.put({ ...record, version: record.version + 1, layouts });
}

/**
 * Computes the boundaries for the current load: overloaded buckets are split, and quiet neighbours are merged.
 *
 * @param loads one for each bucket; undefined when no recent tick has searched it
 * @param age for how long the boundaries are unchanged. `new`: nothing is merged. `settled`: the loads were measured with these
 * boundaries, so starved neighbours are merged. `old`: long enough to rule out frequent changes, so quiet neighbours are merged
 * too
 * @returns undefined when the boundaries do not change
 */
export function balance(
  boundaries: readonly Edge[],
  loads: readonly (BucketLoad | undefined)[],
  age: LayoutAge,
  nowMs: number,
  limits: BucketLimits,
): readonly Edge[] | undefined {
  const isOld = age === 'old';
  const cuts = loads.map((load) => (load !== undefined && isSplit(load, isOld, nowMs) ? load.cuts : []));
  const quiet = isOld
    ? loads.map((load) => (load?.peak ?? 0) / limits.mergeBelow)
    : loads.map((load) => (load?.lately ?? 0) / limits.starvedBelow);
  const found = age === 'new' ? new Set<number>() : mergedEdges(quiet, cuts);
  // A change delays the next one, so starved buckets are merged only when at least half of the edges go at once.
  const merged = isOld || 2 * found.size >= boundaries.length ? found : new Set<number>();
  const room = limits.bucketsMax - 1 - (boundaries.length - merged.size);
  const wanted = cuts.reduce((sum, { length }) => sum + length, 0);
  const edges = loads.flatMap((_, bucket): Edge[] => {
    const own = cuts[bucket]!;
    const share = wanted > room ? Math.floor((own.length * Math.max(0, room)) / wanted) : own.length;
    const upper = bucket < boundaries.length && !merged.has(bucket) ? [boundaries[bucket]!] : [];
    return [...evenly(own, share), ...upper];
  });
  const isSame = merged.size === 0 && edges.length === boundaries.length;
  return isSame ? undefined : edges;
}

export type LayoutAge = 'new' | 'settled' | 'old';

/** A slow tick splits its bucket only when the layout is old, because a split may not remove the cause. */
function isSplit(load: BucketLoad, isOld: boolean, nowMs: number): boolean {
  return isOverloaded(load, nowMs) && (isOld || load.ticketShare > 1);
}

/**
 * The edges between neighbours with a low total load, by the index of the lower bucket.
 * @param loads as shares of the total below which neighbours are merged
 */
function mergedEdges(loads: readonly number[], cuts: readonly (readonly Edge[])[]): Set<number> {
  const merged = new Set<number>();
  let together = loads[0] ?? 0;
  for (let bucket = 1; bucket < loads.length; bucket++) {
    const own = loads[bucket]!;
    if (together + own < 1 && cuts[bucket - 1]!.length === 0 && cuts[bucket]!.length === 0) {
      merged.add(bucket - 1);
      together += own;
    } else together = own;
  }
  return merged;
}
