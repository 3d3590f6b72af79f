/** What of the groups' ranges is least: the greatest, or their sum. */
export type RangeTotal = 'greatest' | 'sum';

/**
 * So many disjoint groups of `size` players, some players left out, whose greatest range, or whose sum of ranges, is
 * least. By uncrossing (docs/engine-proofs.md) windows of consecutive players suffice, so a group is its first place.
 *
 * Dynamic programming over how many players were left out so far. Cost: the groups times the players left out, in time
 * and in bytes; constant per group when nobody is left out.
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

/** The value that `narrowestGroups` reaches. Cost: the same time, and memory for one row. */
export function narrowestRange(
  sorted: Float64Array,
  groups: number,
  size: number,
  total: RangeTotal,
): number {
  return sweep(sorted, groups, size, total, undefined);
}

/**
 * The least total of the ranges. `takesWindow[g · columns + s]` becomes 1 where the first g groups, with s players left
 * out before the end of the last one, end with a window at that place.
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
  // By s, of the groups so far.
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
