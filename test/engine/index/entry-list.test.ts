import { expect, it } from 'vitest';
import { Entry } from '../../../lib/engine/index/entry.ts';
import { EntryList } from '../../../lib/engine/index/entry-list.ts';
import { poolPlayer } from '../../../lib/engine/model/pooled-ticket.ts';
import { seeded } from '../random-pool.ts';

it('a list of entries stays sorted and linked both ways through inserts and removals, with equal skills too', () => {
  const random = seeded(31);
  for (let round = 0; round < 20; round++) {
    const list = new EntryList();
    let made = 0;
    const entry = () => new Entry(poolPlayer(`t${made++}`, Math.floor(40 * random()), 1), 0);
    const start = Array.from({ length: Math.floor(600 * random()) }, entry);
    start.sort((a, b) => a.pooled.mean - b.pooled.mean);
    list.fill(start);
    const here = new Set(start);
    for (let step = 0; step < 600; step++) {
      if (random() < 0.5 || here.size === 0) {
        const fresh = entry();
        list.insert(fresh);
        here.add(fresh);
      } else {
        const gone = [...here][Math.floor(here.size * random())];
        list.remove(gone);
        here.delete(gone);
      }
      if (step % 20 > 0) continue;
      const forward = [...list];
      expect(new Set(forward)).toEqual(here);
      expect(list.size).toBe(here.size);
      expect(new Set(forward.map(({ id }) => id)).size).toBe(here.size);
      expect(
        forward.every(
          (each, i) =>
            each.before === forward[i - 1] && each.after === forward[i + 1] && list.at(each.id) === each,
        ),
      ).toBe(true);
      const means = forward.map(({ pooled }) => pooled.mean);
      expect(means).toEqual([...means].sort((a, b) => a - b));
    }
  }
});
