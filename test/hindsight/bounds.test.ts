import { describe, expect, it } from 'vitest';
import { reproduceBounds, scenarioOfTickets, standardScenarios } from '../../lib/hindsight/bounds.ts';
import { measureBounds } from '../../lib/hindsight/measure-bounds.ts';

const PLAYERS = 60;

describe('the distance from the best schedule', () => {
  const [slow] = standardScenarios(PLAYERS, 1);
  const tickets = [...slow.traffic.arrivals].slice(0, 100).map(({ ticket }) => ticket);

  it('lies between a certified bound and the schedule of option-value, the same for the same seed', async () => {
    const scenario = scenarioOfTickets(slow.definition, tickets, PLAYERS);
    const measure = () => measureBounds(scenario.definition, scenario.traffic, { players: PLAYERS, seed: 1 });
    const bounds = await measure();
    expect(bounds.players).toBe(PLAYERS);
    expect(bounds.certified).toBeGreaterThan(0);
    expect(bounds.certified).toBeLessThanOrEqual(bounds.program);
    expect(bounds.program).toBeLessThan(bounds.hindsight);
    expect(bounds.hindsight).toBeLessThanOrEqual(bounds.optionValue);
    expect(bounds.online).toBeLessThanOrEqual(bounds.optionValue);
    expect(await measure()).toEqual(bounds);
  });

  it('is reported as findings that hold', async () => {
    const scenario = scenarioOfTickets(slow.definition, tickets, 40);
    const { verdict, sections } = await reproduceBounds([scenario], { seed: 1, players: 40 });
    expect(verdict).toBe('holds');
    expect(sections.map(({ findings }) => findings.length)).toEqual([6]);
  });

  it('is not measured for other policies', async () => {
    const definition = { ...slow.definition, release: { policy: 'greedy' } as const };
    await expect(measureBounds(definition, slow.traffic, { players: PLAYERS, seed: 1 })).rejects.toThrow(
      'Expected a queue with option-value, got greedy',
    );
  });
});
