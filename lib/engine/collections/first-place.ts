/** The first place of a list in order that fulfils a condition, which all later ones do, too; their number if there is none. */
export function firstPlace<T>(values: ArrayLike<T>, fulfils: (value: T) => boolean): number {
  let low = 0;
  for (let high = values.length; low < high; ) {
    const middle = (low + high) >> 1;
    if (fulfils(values[middle])) high = middle;
    else low = middle + 1;
  }
  return low;
}
