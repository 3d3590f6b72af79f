import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseQueueDefinition } from '../../lib/contract/queue-definition.ts';
import { partyMaxOf, roleSeatsOf, seatsOf, teamKindsOf } from '../../lib/contract/team-kinds.ts';
import { play } from '../../lib/simulation/play.ts';
import { generatedTraffic } from '../../lib/simulation/traffic.ts';

describe.each(globSync('queues/shapes/*.json').sort())('the sample %s', (file) => {
  it('runs with simulated players, parties, roles and sides, and every match has its teams', () => {
    const definition = parseQueueDefinition(readFileSync(file, 'utf8'), file);
    const kinds = teamKindsOf(definition);
    const roles = roleSeatsOf(definition);
    const hasRegions = definition.rules?.some(({ type }) => type === 'latency') === true;
    const sides = kinds.flatMap(({ name, size, count }) =>
      name === undefined ? [] : [{ name, partyMax: size, weight: 0.8 * size * count }],
    );
    const traffic = generatedTraffic(
      {
        population: {
          skills: { kind: 'normal', mean: 1500, standardDeviation: 300 },
          partyWeights: [70, 20, 10].slice(0, partyMaxOf(definition)),
          ...(sides.length > 1 && {
            sides: [...sides, { name: undefined, partyMax: 99, weight: 0.2 * seatsOf(definition) }],
          }),
          ...(roles && { roleWeights: roles, roleFlexibility: 0.4 }),
          attributes: definition.attributes,
          regionWeights: hasRegions ? { east: 60, west: 40 } : undefined,
        },
        rate: { kind: 'constant', perSecond: 5 },
        players: 400,
      },
      7,
    );
    let matches = 0;
    const { steps, result } = play(definition, traffic, ({ teams, teamNames, ruling }) => {
      matches++;
      const sizes = kinds.flatMap(({ size, count }) => new Array<number>(count).fill(size));
      expect(teams.length).toBe(sizes.length);
      teams.forEach((team, t) => {
        expect(team.length).toBeLessThanOrEqual(sizes[t]!);
      });
      expect(ruling?.region !== undefined).toBe(hasRegions);
      expect(teamNames === undefined).toBe(kinds[0]!.name === undefined);
    });
    for (const _ of steps);
    expect(matches).toBeGreaterThan(1);
    expect(result().measures.outcome.matched).toBeGreaterThan(200);
  });
});
