/**
 * The skills in ascending order, in a new array. Buckets of equal width first (two linear passes), then
 * an insertion sort that moves each player within its bucket. Skills that cluster too much for
 * that fall back to the platform's sort, bucket by bucket, so the cost is never worse than O(n log n).
 */
export function sortSkills(skills: Float64Array): Float64Array {
  const n = skills.length;
  if (n < 512) return skills.slice().sort();
  let low = skills[0];
  let high = skills[0];
  for (let i = 1; i < n; i++) {
    const skill = skills[i];
    if (skill < low) low = skill;
    else if (skill > high) high = skill;
  }
  const buckets = n >> 2;
  const perSkill = (buckets - 1) / (high - low);
  if (!Number.isFinite(perSkill)) return skills.slice().sort();

  const start = new Uint32Array(buckets + 1);
  for (let i = 0; i < n; i++) start[(((skills[i] - low) * perSkill) >>> 0) + 1]++;
  for (let b = 1; b <= buckets; b++) start[b] += start[b - 1];
  const next = start.slice();
  const sorted = new Float64Array(n);
  for (let i = 0; i < n; i++) sorted[next[((skills[i] - low) * perSkill) >>> 0]++] = skills[i];
  for (let b = 0; b < buckets; b++) sortRange(sorted, start[b], start[b + 1]);
  return sorted;
}

function sortRange(values: Float64Array, from: number, to: number): void {
  if (to - from > 32) {
    values.subarray(from, to).sort();
    return;
  }
  for (let i = from + 1; i < to; i++) {
    const value = values[i];
    let j = i - 1;
    for (; j >= from && values[j] > value; j--) values[j + 1] = values[j];
    values[j + 1] = value;
  }
}
