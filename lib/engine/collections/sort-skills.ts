/**
 * The indices of the skills in ascending order, equal skills by index. Two linear passes fill buckets of equal width; then
 * an insertion sort moves each player within its bucket. Buckets that are too full for that use the platform's sort, so the
 * cost is never worse than O(n log n).
 */
export function orderBySkill(skills: Float64Array): Uint32Array {
  const bySkill = (a: number, b: number) => skills[a] - skills[b] || a - b;
  const buckets = countBuckets(skills);
  if (!buckets) return Uint32Array.from(skills, (_, i) => i).sort(bySkill);
  const { low, perSkill, start } = buckets;
  const next = start.slice();
  const order = new Uint32Array(skills.length);
  for (let i = 0; i < skills.length; i++) order[next[((skills[i] - low) * perSkill) >>> 0]++] = i;
  for (let b = 0; b + 1 < start.length; b++) {
    const from = start[b];
    const to = start[b + 1];
    if (to - from > insertionMax) {
      order.subarray(from, to).sort(bySkill);
      continue;
    }
    for (let i = from + 1; i < to; i++) {
      const index = order[i];
      const skill = skills[index];
      let j = i - 1;
      for (; j >= from && skills[order[j]] > skill; j--) order[j + 1] = order[j];
      order[j + 1] = index;
    }
  }
  return order;
}

/**
 * The items in ascending order of their values, equal ones in the order of `compare`. It sorts numbers and compares items
 * only to break ties.
 */
export function sortedBy<Item>(
  items: readonly Item[],
  value: (item: Item, at: number) => number,
  compare: (a: Item, b: Item) => number,
): Item[] {
  const values = new Float64Array(items.length);
  for (let i = 0; i < items.length; i++) values[i] = value(items[i], i);
  let isSorted = true;
  for (let i = 1; i < values.length && isSorted; i++) isSorted = values[i - 1] <= values[i];
  const order = isSorted ? undefined : orderBySkill(values);
  const sorted = order ? Array.from(order, (index) => items[index]) : [...items];
  const valueAt = (place: number) => values[order ? order[place] : place];
  for (let from = 0; from < sorted.length; ) {
    let to = from + 1;
    while (to < sorted.length && valueAt(to) === valueAt(from)) to++;
    if (to - from > 1) {
      const equals = sorted.slice(from, to).sort(compare);
      for (let i = from; i < to; i++) sorted[i] = equals[i - from];
    }
    from = to;
  }
  return sorted;
}

const insertionMax = 32;

/** Where each bucket starts in the sorted list; undefined when buckets would not help. */
function countBuckets(
  skills: Float64Array,
): { low: number; perSkill: number; start: Uint32Array } | undefined {
  const n = skills.length;
  if (n < 32) return undefined;
  let low = skills[0];
  let high = skills[0];
  for (let i = 1; i < n; i++) {
    const skill = skills[i];
    if (skill < low) low = skill;
    else if (skill > high) high = skill;
  }
  const buckets = n >> 2;
  const perSkill = (buckets - 1) / (high - low);
  if (!Number.isFinite(perSkill)) return undefined;
  const start = new Uint32Array(buckets + 1);
  for (let i = 0; i < n; i++) start[(((skills[i] - low) * perSkill) >>> 0) + 1]++;
  for (let b = 1; b <= buckets; b++) start[b] += start[b - 1];
  return { low, perSkill, start };
}
