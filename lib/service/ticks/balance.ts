import type { BucketLimits } from './bucket-limits.ts';
import { type BucketLoad, evenly, isOverloaded } from './bucket-load.ts';
import type { Edge } from './buckets.ts';

/**
 * Computes the boundaries for the current load: overloaded buckets are split, and quiet neighbours are merged.
 *
 * @param loads one for each bucket; undefined when no recent tick has searched it
 * @param isCalm whether the boundaries have not changed for a long time, so that frequent changes are impossible
 * @returns undefined when the boundaries do not change
 */
export function balance(
  boundaries: readonly Edge[],
  loads: readonly (BucketLoad | undefined)[],
  isCalm: boolean,
  nowMs: number,
  limits: BucketLimits,
): readonly Edge[] | undefined {
  const cuts = loads.map((load) => (load !== undefined && isSplit(load, isCalm, nowMs) ? load.cuts : []));
  const merged = isCalm ? mergedEdges(loads, cuts, limits) : new Set<number>();
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

/** A slow tick splits its bucket only in calm times, because it may be slow for another reason that a split does not remove. */
function isSplit(load: BucketLoad, isCalm: boolean, nowMs: number): boolean {
  return isOverloaded(load, nowMs) && (isCalm || load.ticketShare > 1);
}

/** The edges between neighbours with a low total load, by the index of the bucket below. */
function mergedEdges(
  loads: readonly (BucketLoad | undefined)[],
  cuts: readonly (readonly Edge[])[],
  { mergeBelow }: BucketLimits,
): Set<number> {
  const merged = new Set<number>();
  let together = loads[0]?.peak ?? 0;
  for (let bucket = 1; bucket < loads.length; bucket++) {
    const own = loads[bucket]?.peak ?? 0;
    if (together + own < mergeBelow && cuts[bucket - 1]!.length === 0 && cuts[bucket]!.length === 0) {
      merged.add(bucket - 1);
      together += own;
    } else together = own;
  }
  return merged;
}
