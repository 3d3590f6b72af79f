import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { demoPopulation } from '../../lib/cli/demo/game-backend.ts';
import { parseQueueDefinition } from '../../lib/contract/queue-definition.ts';
import { teamKindsOf } from '../../lib/contract/team-kinds.ts';
import { misfits } from '../../lib/service/tickets/misfits.ts';
import { play } from '../../lib/simulation/play.ts';
import { generatedTraffic } from '../../lib/simulation/traffic.ts';

describe.each(globSync('queues/shapes/*.json').sort())('the sample %s', (file) => {
  it('plays with the players of the demo, who fit it, and every match has its teams', () => {
    const definition = parseQueueDefinition(readFileSync(file, 'utf8'), file);
    const kinds = teamKindsOf(definition);
    const hasRegions = definition.rules?.some(({ type }) => type === 'latency') === true;
    const population = demoPopulation(definition);
    const traffic = generatedTraffic(
      { population, rate: { kind: 'constant', perSecond: 5 }, players: 400 },
      7,
    );
    for (const { ticket } of traffic.arrivals) expect(misfits(ticket, definition)).toEqual([]);
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
