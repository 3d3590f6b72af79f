import { describe, expect, it } from 'vitest';
import { teamOf, teamsOf } from '../../../lib/engine/model/division.ts';
import { divisionsInto, soloDivisions } from '../../../lib/engine/model/divisions.ts';
import { shapeOf } from '../../../lib/engine/model/game-shape.ts';
import { layoutOf } from '../../../lib/engine/shapes/layout.ts';
import { mixesOf } from '../../../lib/engine/shapes/size-mixes.ts';

describe('the divisions of a game', () => {
  it('are the same for solo players as for parties of one, each once', () => {
    for (let teamSize = 1; teamSize <= 8; teamSize++) {
      const shape = shapeOf({ teamSize });
      const { divisions } = soloDivisions(shape);
      const ofParties = divisionsInto(Array(shape.seats).fill({ size: 1 }), teamSize, true);
      expect(new Set(divisions).size).toBe(divisions.length);
      expect([...divisions].sort()).toEqual([...ofParties].sort());
    }
  });

  it('exchange exactly one solo player from one to the next', () => {
    const { divisions, leaves, joins } = soloDivisions(shapeOf({ teamSize: 5 }));
    for (let i = 1; i < divisions.length; i++) {
      expect(divisions[i]).toBe(divisions[i - 1] ^ (1 << leaves[i]) ^ (1 << joins[i]));
    }
  });

  it('fill every team and split no party, and party 0 is on team 0', () => {
    for (const teamSize of [1, 2, 3, 5, 8]) {
      const shape = shapeOf({ teamSize });
      for (const mix of mixesOfTwo(teamSize)) {
        const parties = [...mix].flatMap((count, size) => Array.from({ length: count }, () => ({ size })));
        const divisions = divisionsInto(parties, teamSize, true);
        expect(divisions.length).toBeGreaterThan(0);
        for (const division of divisions) {
          expect(teamOf(division, 0)).toBe(0);
          const seats = teamsOf(parties, division).map((team) =>
            team.reduce((sum, { size }) => sum + size, 0),
          );
          expect(seats).toEqual(shape.teamSizes);
        }
      }
    }
  });
});

describe('the party mixes of a game', () => {
  it('are 25 for two teams of five and 167 for two teams of eight', () => {
    expect(mixesOfTwo(5)).toHaveLength(25);
    expect(mixesOfTwo(8)).toHaveLength(167);
  });
});

function mixesOfTwo(teamSize: number): readonly Uint8Array[] {
  return mixesOf(layoutOf({ teamSize, alpha: 1, p: 1, q: 2, beta: 0 }), 2 * teamSize);
}
