import { describe, expect, it } from 'vitest';
import { PLACES_BESIDE_PARTIES, WaitingLine } from '../../lib/policies/option-value/waiting-line.ts';
import { seeded } from '../engine/random-pool.ts';

describe('tickets in the order of skill', () => {
  const random = seeded(7);
  const skills = Float64Array.from({ length: 60 }, () => Math.floor(1000 * random())).sort();
  const sizes = Uint8Array.from(skills, () => (random() < 0.7 ? 1 : 3));

  it('lists the tickets nearest to one of them, without those removed or excluded', () => {
    const line = new WaitingLine(skills, sizes);
    for (let removed = 0; removed < 50; removed++) {
      const places = line.places();
      const middle = places[Math.floor(random() * places.length)];
      const isLeftOut = (at: number) => at % 7 === 3;
      const near = line.nearest(middle, 'all', 12, isLeftOut);
      const rest = places.filter((at) => at !== middle && !isLeftOut(at));
      const distance = (at: number) => Math.abs(skills[at] - skills[middle]);
      const chosen = near.places.filter((at) => at !== middle);
      const farthest = Math.max(...chosen.map(distance), 0);
      const players = near.places.reduce((sum, at) => sum + sizes[at], 0);

      expect(near.players).toBe(players);
      expect(near.places[near.middle]).toBe(middle);
      expect(near.places).toEqual([...near.places].sort((a, b) => a - b));
      expect(rest).toEqual(expect.arrayContaining(chosen));
      expect(players >= 12 || chosen.length === rest.length).toBe(true);
      for (const at of rest) if (!chosen.includes(at)) expect(distance(at)).toBeGreaterThanOrEqual(farthest);
      line.remove(middle);
      expect(line.has(middle)).toBe(false);
    }
  });

  it('lists for a party parties, and as many solo players as two parties need beside them', () => {
    const line = new WaitingLine(skills, sizes);
    const near = line.nearest(sizes.indexOf(3), 'of its kind', 1000, () => false);
    expect(near.places.filter((at) => sizes[at] === 1)).toHaveLength(PLACES_BESIDE_PARTIES);
    expect(near.places.filter((at) => sizes[at] === 3)).toHaveLength(
      sizes.filter((size) => size === 3).length,
    );
  });
});
