/** The next number above (1) or below (-1), which stands for a strict comparison. */
export function nextNumber(value: number, direction: 1 | -1): number {
  return value + direction * Math.max(Math.abs(value), 1) * Number.EPSILON;
}
