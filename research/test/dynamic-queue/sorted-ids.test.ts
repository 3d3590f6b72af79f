import { describe, expect, it } from 'vitest';
import { seeded } from '../../../test/engine/random-pool.ts';
import { SortedIds } from '../../lib/dynamic-queue/sorted-ids.ts';

interface Entry {
  value: number;
  id: number;
}

/** Where a list and an array in order differ, walking both ways; nothing if they agree. */
function differences(list: SortedIds, expected: readonly Entry[]): string[] {
  const wrong: string[] = [];
  if (list.size !== expected.length) wrong.push(`size ${list.size}, not ${expected.length}`);
  const idAt = (place: number) => (place === -1 ? undefined : list.idAt(place));
  if (idAt(list.first) !== expected[0]?.id) wrong.push(`first ${idAt(list.first)}`);
  expected.forEach(({ value, id }, i) => {
    const place = list.find(id);
    if (list.idAt(place) !== id) wrong.push(`${id} not found`);
    if (list.valueAt(place) !== value) wrong.push(`${id} has value ${list.valueAt(place)}`);
    if (idAt(list.before(place)) !== expected[i - 1]?.id) wrong.push(`wrong before ${id}`);
    if (idAt(list.after(place)) !== expected[i + 1]?.id) wrong.push(`wrong after ${id}`);
  });
  return wrong;
}

const loaded = (random: () => number, count: number, kinds: number): Entry[] =>
  Array.from({ length: count }, (_, id) => ({ value: Math.floor(kinds * random()), id })).sort(
    (a, b) => a.value - b.value,
  );

const columns = (entries: readonly Entry[]): [Float64Array, Int32Array] => [
  Float64Array.from(entries, (entry) => entry.value),
  Int32Array.from(entries, (entry) => entry.id),
];

describe('sorted ids', () => {
  it.each([1, 5, 1e6])(
    'stay in order of value and then of arrival, while they grow and shrink, with %i different values',
    (kinds) => {
      const random = seeded(kinds);
      for (const count of [0, 1, 700]) {
        const kept: number[] = [];
        const list = new SortedIds((value) => kept.splice(kept.indexOf(value), 1));
        const expected = loaded(random, count, kinds);
        list.fill(...columns(expected));
        kept.push(...expected.map(({ value }) => value));
        const free: number[] = [];
        let ids = count;
        for (const [steps, growth] of [
          [900, 0.8],
          [1800, 0.2],
          [600, 0.7],
        ]) {
          for (let step = 0; step < steps; step++) {
            if (random() < growth) {
              const entry = { value: Math.floor(kinds * random()), id: free.pop() ?? ids++ };
              const at = expected.findIndex((each) => each.value > entry.value);
              expected.splice(at === -1 ? expected.length : at, 0, entry);
              list.insert(entry.value, entry.id);
              kept.push(entry.value);
            } else if (expected.length > 0) {
              const [{ id, value }] = expected.splice(Math.floor(random() * expected.length), 1);
              expect(list.valueAt(list.find(id))).toBe(value);
              list.remove(id);
              free.push(id);
            }
            if (step % 30 === 0) {
              const visited: number[] = [];
              list.visitValues((each) => visited.push(each));
              expect(visited.sort()).toEqual(kept.toSorted());
            }
            if (step % 100 === 0) expect(differences(list, expected)).toEqual([]);
          }
          expect(differences(list, expected)).toEqual([]);
        }
      }
    },
  );
});
