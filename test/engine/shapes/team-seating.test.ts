import { describe, expect, it } from 'vitest';
import { Seating } from '../../../lib/engine/shapes/seating.ts';
import { TeamSeating } from '../../../lib/engine/shapes/team-seating.ts';
import { seeded } from '../random-pool.ts';

describe('the seating of many teams of one game', () => {
  it.each([[[5, 3]], [[1, 1, 3]], [[1, 1, 1, 1, 1]], [[2, 1, 1, 1, 1, 1, 1]]])(
    'agrees with the seating of one team with seats %j',
    (seats) => {
      const teamSize = seats.reduce((sum, count) => sum + count, 0);
      const seating = new TeamSeating(seats);
      const one = new Seating(seats, teamSize);
      const random = seeded(1);
      let seated = 0;
      for (let run = 0; run < 40; run++) {
        const members = Array.from({ length: 2 * teamSize }, () =>
          Int32Array.of(1 + Math.floor((2 ** seats.length - 1) * random())),
        );
        seating.prepare(members, (masks) => masks);
        for (
          let team = 0;
          team < 2 ** members.length;
          team += 1 + Math.floor(random() * 2 ** (teamSize - 2))
        ) {
          const inTeam = members.filter((_, i) => (team >> i) & 1);
          if (inTeam.length !== teamSize) continue;
          one.clear();
          const expected = inTeam.every((masks) => one.join(masks));
          expect(seating.canSeat(team)).toBe(expected);
          if (expected) seated++;
        }
      }
      expect(seated).toBeGreaterThan(0);
    },
  );
});
