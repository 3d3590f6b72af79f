/** What is minimised: the greatest range of the groups, or the sum of their ranges. */
export type RangeTotal = 'greatest' | 'sum';

/**
 * Finds disjoint groups of `size` players with the least greatest range, or the least sum of ranges; some players may be
 * omitted. By uncrossing (research/docs/engine-proofs.md) windows of consecutive players suffice, so a group is given by its first
 * place.
 *
 * It uses dynamic programming over the number of players omitted so far. Cost: the groups times the omitted players, in
 * time and in bytes; constant per group when no player is omitted.
 *
 * @param sorted skills in ascending order, at least `groups` times `size`
 * @returns the first places, ascending
 */
export function narrowestGroups(
  sorted: Float64Array,
  groups: number,
  size: number,
  total: RangeTotal,
): Int32Array {
  const spare = sorted.length - groups * size;
  const starts = new Int32Array(groups);
  if (spare === 0) {
    for (let g = 0; g < groups; g++) starts[g] = g * size;
    return starts;
  }
  const columns = spare + 1;
  const takesWindow = new Uint8Array((groups + 1) * columns);
  sweep(sorted, groups, size, total, takesWindow);
  for (let g = groups, s = spare; g > 0; ) {
    if (takesWindow[g * columns + s] === 1) {
      g--;
      starts[g] = g * size + s;
    } else s--;
  }
  return starts;
}

/** The objective of the groups that `narrowestGroups` finds. Cost: the same time, and memory for one row. */
export function narrowestRange(
  sorted: Float64Array,
  groups: number,
  size: number,
  total: RangeTotal,
): number {
  return sweep(sorted, groups, size, total, undefined);
}

/**
 * The least total of the ranges. `takesWindow[g · columns + s]` is set to 1 where the first g groups, with s players
 * omitted before the end of the last one, end with a window at that place.
 */
function sweep(
  sorted: Float64Array,
  groups: number,
  size: number,
  total: RangeTotal,
  takesWindow: Uint8Array | undefined,
): number {
  const spare = sorted.length - groups * size;
  const isSum = total === 'sum';
  // Indexed by s, for the groups so far.
  const least = new Float64Array(spare + 1);
  for (let g = 1; g <= groups; g++) {
    for (let s = 0; s <= spare; s++) {
      const end = g * size + s;
      const range = sorted[end - 1] - sorted[end - size];
      const taken = isSum ? least[s] + range : Math.max(least[s], range);
      const skipped = s > 0 ? least[s - 1] : Number.POSITIVE_INFINITY;
      least[s] = Math.min(taken, skipped);
      if (takesWindow && taken <= skipped) takesWindow[g * (spare + 1) + s] = 1;
    }
  }
  return least[spare];
}
