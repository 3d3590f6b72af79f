import { describe, expect, it } from 'vitest';
import { poolPlayer } from '../../../lib/engine/model/pooled-ticket.ts';
import { RoleTable } from '../../../lib/engine/model/roles.ts';
import { TeamSeating } from '../../../lib/engine/model/team-seating.ts';
import { seeded } from '../random-pool.ts';

describe('the seating of many teams of one game', () => {
  it.each([
    { a: 5, b: 3 },
    { a: 1, b: 1, c: 3 },
    { a: 1, b: 1, c: 1, d: 1, e: 1 },
    { a: 2, b: 1, c: 1, d: 1, e: 1, f: 1, g: 1 },
  ])('agrees with the test of one team for roles %j', (seats: Record<string, number>) => {
    const roles = new RoleTable(seats, 2);
    const teamSize = Object.values(seats).reduce((sum, count) => sum + count, 0);
    const seating = new TeamSeating(roles, teamSize);
    const random = seeded(1);
    let seated = 0;
    for (let run = 0; run < 40; run++) {
      const members = Array.from({ length: 2 * teamSize }, (_, i) =>
        poolPlayer(`t${i}`, 1500, 1 + Math.floor(roles.all * random())),
      );
      seating.prepare(members, ({ masks }) => masks);
      for (let team = 0; team < 2 ** members.length; team += 1 + Math.floor(random() * 2 ** (teamSize - 2))) {
        const inTeam = members.filter((_, i) => (team >> i) & 1);
        if (inTeam.length !== teamSize) continue;
        const expected = roles.canSeatTeam(inTeam.map(({ masks }) => masks[0]));
        expect(seating.canSeat(team)).toBe(expected);
        if (expected) seated++;
      }
    }
    expect(seated).toBeGreaterThan(0);
  });
});
