import type { BucketLimits } from '../domain/bucket-limits.ts';
import { type BucketLoad, evenly, isOverloaded } from '../domain/bucket-load.ts';
import type { Edge } from '../domain/buckets.ts';

/**
 * Computes the boundaries for the current load: overloaded buckets are split, and quiet neighbours are merged.
 *
 * @param loads one for each bucket; undefined when no recent tick has searched it
 * @param age how long the boundaries have not changed. `old`: so long that frequent changes are impossible, and quiet
 * neighbours are merged. `settled`: so long that the loads are theirs, and starved neighbours are merged. `new`: none are
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
  // A change delays the next one, so starved buckets are merged only when half of them go at once.
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

/** A slow tick splits its bucket only in calm times, because it may be slow for another reason that a split does not remove. */
function isSplit(load: BucketLoad, isCalm: boolean, nowMs: number): boolean {
  return isOverloaded(load, nowMs) && (isCalm || load.ticketShare > 1);
}

/**
 * The edges between neighbours with a low total load, by the index of the bucket below.
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
