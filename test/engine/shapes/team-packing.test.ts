import { expect, it } from 'vitest';
import { packTeams } from '../../../lib/engine/shapes/team-packing.ts';
import { seeded } from '../random-pool.ts';

it('divides parties over teams by their sizes whenever that is possible', () => {
  const random = seeded(12);
  for (let round = 0; round < 300; round++) {
    // The parties of teams that are known to be full.
    const teamSizes = Array.from(
      { length: 1 + Math.floor(6 * random()) },
      () => 1 + Math.floor(8 * random()),
    );
    const mix = new Int32Array(6);
    for (const teamSize of teamSizes) {
      for (let free = teamSize; free > 0; ) {
        const size = 1 + Math.floor(Math.min(free, 5) * random());
        mix[size]++;
        free -= size;
      }
    }
    const teams = packTeams(mix, teamSizes);
    expect(teams).toBeDefined();
    teams!.forEach((counts, team) => {
      expect(counts.reduce((sum, count, size) => sum + count * size, 0)).toBe(teamSizes[team]);
    });
    expect(mix.map((_, size) => teams!.reduce((sum, counts) => sum + counts[size], 0))).toEqual(mix);
  }
  // Two parties of three leave one seat in each team of four, and the pair needs two in one team.
  expect(packTeams([0, 0, 1, 2], [4, 4])).toBeUndefined();
});
