import { describe, expect, it } from 'vitest';
import { reproduceBounds, scenarioOfTickets, standardScenarios } from '../../lib/hindsight/bounds.ts';
import { measureBounds } from '../../lib/hindsight/measure-bounds.ts';

const PLAYERS = 60;

describe('the distance from the best schedule', () => {
  const [slow] = standardScenarios(PLAYERS, 1);
  const tickets = [...slow.traffic.arrivals].slice(0, 100).map(({ ticket }) => ticket);

  it('lies between a certified bound and the schedule of option-value, the same for the same seed', async () => {
    const scenario = scenarioOfTickets(slow.definition, tickets, PLAYERS);
    const options = { players: PLAYERS, seed: 1, trials: 800 };
    const measure = () => measureBounds(scenario.definition, scenario.traffic, options);
    const bounds = await measure();
    expect(bounds.players).toBe(PLAYERS);
    expect(bounds.certified).toBeGreaterThan(0);
    expect(bounds.certified).toBeLessThanOrEqual(bounds.program);
    expect(bounds.program).toBeLessThan(bounds.hindsight);
    expect(bounds.hindsight).toBeLessThanOrEqual(bounds.optionValue);
    expect(bounds.online).toBeLessThanOrEqual(bounds.optionValue);
    expect(bounds.repeated.certified).toBeGreaterThan(bounds.certified);
    expect(bounds.repeated.certified).toBeLessThan(bounds.repeated.played);
    expect(await measure()).toEqual(bounds);
  });

  it('is small for pairs, whose whole imbalance the bound contains', async () => {
    const duel = standardScenarios(200, 1).at(-1)!;
    const options = { players: 200, seed: 1, trials: 1500 };
    const bounds = await measureBounds(duel.definition, duel.traffic, options);
    expect(bounds.certified).toBeLessThanOrEqual(bounds.hindsight);
    expect(bounds.certified).toBeGreaterThan(0.65 * bounds.hindsight);
  });

  it('finds better schedules with hindsight when parties may change games', async () => {
    const parties = standardScenarios(40, 1)[3];
    const bounds = await measureBounds(parties.definition, parties.traffic, {
      players: 90,
      seed: 1,
      trials: 1500,
    });
    expect(bounds.hindsight).toBeLessThan(bounds.optionValue);
    expect(bounds.certified).toBeLessThanOrEqual(bounds.hindsight);
  });

  it('is reported as findings that hold', async () => {
    const scenario = scenarioOfTickets(slow.definition, tickets, 40);
    const { verdict, sections } = await reproduceBounds([scenario], { seed: 1, players: 40 });
    expect(verdict).toBe('holds');
    expect(sections.map(({ findings }) => findings.length)).toEqual([7]);
  });

  it('is not measured for other policies', async () => {
    const definition = { ...slow.definition, release: { policy: 'greedy' } as const };
    await expect(measureBounds(definition, slow.traffic, { players: PLAYERS, seed: 1 })).rejects.toThrow(
      'Expected a queue with option-value, got greedy',
    );
  });
});
