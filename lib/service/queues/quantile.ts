/**
 * The smallest value that is at least as large as this share of all values (the nearest rank).
 *
 * @param sorted ascending
 * @param share in [0, 1]
 * @returns undefined when there are no values
 */
export function quantile(sorted: ArrayLike<number>, share: number): number | undefined {
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)];
}
