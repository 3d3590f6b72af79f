import { describe, expect, it } from 'vitest';
import { misfits } from '../../lib/service/tickets/misfits.ts';
import { drawParty } from '../../lib/simulation/population.ts';
import { seededRandom } from '../../lib/simulation/random.ts';
import { definition } from '../service/definitions.ts';

const seats = { tank: 1, healer: 1, damage: 3 };
const skills = { kind: 'normal', mean: 1500, standardDeviation: 300 } as const;

describe('a party', () => {
  it.each([
    ['as the seats', seats],
    ['far from the seats', { tank: 90, healer: 9, damage: 1 }],
    ['that leave roles out', { tank: 1 }],
  ])(
    'always fits into a team when its friends share out the seats, with preferences %s',
    (_, roleWeights) => {
      const random = seededRandom(7);
      const raid = definition({ teamSize: 5, roles: seats });
      for (let i = 0; i < 500; i++) {
        const party = drawParty(
          { skills, partyWeights: [1, 1, 1, 1, 1], roleWeights, seats },
          String(i),
          random,
        );
        expect(misfits({ players: party }, raid)).toEqual([]);
      }
    },
  );

  it('prefers roles by their weights when several have free seats', () => {
    const random = seededRandom(7);
    const tanks = Array.from({ length: 2_000 }, (_, i) =>
      drawParty({ skills, roleWeights: { tank: 1, damage: 3 }, roleFlexibility: 0 }, String(i), random),
    ).filter(([player]) => player!.roles!.includes('tank'));
    expect(tanks.length / 2_000).toBeCloseTo(0.25, 1);
  });

  it('of a queue with rules has attributes and latencies that the queue takes', () => {
    const random = seededRandom(7);
    const attributes = {
      level: { type: 'number', min: 1, max: 50 },
      patch: { type: 'string', values: ['a', 'b'] },
      maps: { type: 'strings', values: ['x', 'y', 'z'] },
    } as const;
    const ranked = {
      ...definition({ teamSize: 2 }),
      attributes,
      rules: [{ name: 'Ping', type: 'latency', max: 80 }],
    } as never;
    const levels = new Set<unknown>();
    let inEurope = 0;
    for (let i = 0; i < 1_000; i++) {
      const regionWeights = { eu: 3, us: 1 };
      const party = drawParty({ skills, attributes, regionWeights }, String(i), random);
      expect(misfits({ players: party as never }, ranked)).toEqual([]);
      const [player] = party as unknown as {
        attributes: { level: number };
        latencyMs: { eu: number; us: number };
      }[];
      levels.add(player!.attributes.level);
      if (player!.latencyMs.eu < player!.latencyMs.us) inEurope++;
    }
    expect(levels.size).toBe(50);
    expect(inEurope / 1_000).toBeCloseTo(0.75, 1);
  });
});
