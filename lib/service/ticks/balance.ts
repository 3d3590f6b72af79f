import type { BucketLimits } from './bucket-limits.ts';
import { type BucketLoad, evenly, isOverloaded } from './bucket-load.ts';
import type { Edge } from './buckets.ts';

/**
 * The boundaries that suit the load: buckets that bear too much are cut into parts, and quiet neighbours are
 * merged.
 *
 * @param loads one for each bucket; undefined when nobody has searched it lately
 * @param isCalm the boundaries have been the same for so long that a change cannot be one of many
 * @returns undefined when the boundaries stay as they are
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

/** A slow tick splits its bucket in calm times only: it may be slow for other reasons, and stay so. */
function isSplit(load: BucketLoad, isCalm: boolean, nowMs: number): boolean {
  return isOverloaded(load, nowMs) && (isCalm || load.ticketShare > 1);
}

/** The edges between neighbours that bear little together, by the index of the bucket below. */
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
