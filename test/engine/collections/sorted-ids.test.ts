import { describe, expect, it } from 'vitest';
import { LinkedSlots } from '../../../lib/engine/collections/linked-ids.ts';
import { SortedSlots } from '../../../lib/engine/collections/sorted-ids.ts';
import { seeded } from '../random-pool.ts';

interface Entry {
  value: number;
  slot: number;
}

/** Where a list and an array in order differ, walking both ways; nothing if they agree. */
function differences(list: LinkedSlots | SortedSlots, expected: readonly Entry[]): string[] {
  const wrong: string[] = [];
  if (list.size !== expected.length) wrong.push(`size ${list.size}, not ${expected.length}`);
  const slotAt = (place: number) => (place === -1 ? undefined : list.slotAt(place));
  expected.forEach(({ value, slot }, i) => {
    const place = list.find(slot);
    if (list.slotAt(place) !== slot) wrong.push(`${slot} not found`);
    if (list.valueAt(place) !== value) wrong.push(`${slot} has value ${list.valueAt(place)}`);
    if (slotAt(list.before(place)) !== expected[i - 1]?.slot) wrong.push(`wrong before ${slot}`);
    if (slotAt(list.after(place)) !== expected[i + 1]?.slot) wrong.push(`wrong after ${slot}`);
  });
  return wrong;
}

const loaded = (random: () => number, count: number, kinds: number): Entry[] =>
  Array.from({ length: count }, (_, slot) => ({ value: Math.floor(kinds * random()), slot })).sort(
    (a, b) => a.value - b.value,
  );

const columns = (entries: readonly Entry[]): [Float64Array, Int32Array] => [
  Float64Array.from(entries, (entry) => entry.value),
  Int32Array.from(entries, (entry) => entry.slot),
];

describe('sorted slots', () => {
  it.each([1, 5, 1e6])(
    'stay in order of value and then of arrival, while they grow and shrink, with %i different values',
    (kinds) => {
      const random = seeded(kinds);
      for (const count of [0, 1, 700]) {
        const list = new SortedSlots();
        const expected = loaded(random, count, kinds);
        list.fill(...columns(expected));
        const free: number[] = [];
        let slots = count;
        for (const [steps, growth] of [
          [900, 0.8],
          [1800, 0.2],
          [600, 0.7],
        ]) {
          for (let step = 0; step < steps; step++) {
            if (random() < growth) {
              const entry = { value: Math.floor(kinds * random()), slot: free.pop() ?? slots++ };
              const at = expected.findIndex((each) => each.value > entry.value);
              expected.splice(at === -1 ? expected.length : at, 0, entry);
              expect(list.slotAt(list.insert(entry.value, entry.slot))).toBe(entry.slot);
            } else if (expected.length > 0) {
              const [{ slot }] = expected.splice(Math.floor(random() * expected.length), 1);
              list.remove(slot);
              free.push(slot);
            }
            if (step % 100 === 0) expect(differences(list, expected)).toEqual([]);
          }
          expect(differences(list, expected)).toEqual([]);
        }
      }
    },
  );
});

describe('linked slots', () => {
  it('stay in order while they leave', () => {
    const random = seeded(1);
    const expected = loaded(random, 300, 50);
    const list = new LinkedSlots(...columns(expected));
    while (expected.length > 0) {
      expect(differences(list, expected)).toEqual([]);
      expect(list.slotAt(list.first)).toBe(expected[0].slot);
      const [{ slot }] = expected.splice(Math.floor(random() * expected.length), 1);
      list.remove(slot);
    }
    expect(list.first).toBe(-1);
  });
});
