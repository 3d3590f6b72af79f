import { describe, expect, it } from 'vitest';
import { soloDivisions } from '../../../lib/engine/model/divisions.ts';
import { shapeOf } from '../../../lib/engine/model/game-shape.ts';
import { layoutOf } from '../../../lib/engine/shapes/layout.ts';
import { mixesOf } from '../../../lib/engine/shapes/size-mixes.ts';

describe('the divisions of a game', () => {
  it('are all sets of a team with player 0, each once', () => {
    for (let teamSize = 1; teamSize <= 8; teamSize++) {
      const shape = shapeOf({ teamSize });
      const { divisions } = soloDivisions(shape);
      const sets: number[] = [];
      for (let set = 1; set < 2 ** shape.seats; set += 2) {
        let players = 0;
        for (let rest = set; rest > 0; rest &= rest - 1) players++;
        if (players === teamSize) sets.push(set);
      }
      expect([...divisions].sort((a, b) => a - b)).toEqual(sets);
    }
  });

  it('exchange exactly one solo player from one to the next', () => {
    const { divisions, leaves, joins } = soloDivisions(shapeOf({ teamSize: 5 }));
    for (let i = 1; i < divisions.length; i++) {
      expect(divisions[i]).toBe(divisions[i - 1] ^ (1 << leaves[i]) ^ (1 << joins[i]));
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
