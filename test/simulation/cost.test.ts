import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { QueueDefinition } from '../../lib/service/queue-definition.ts';
import { crowdOf } from '../../lib/simulation/comparison.ts';
import { playThrough } from '../../lib/simulation/play.ts';
import type { Population } from '../../lib/simulation/population.ts';

/** The queue of the service's benchmark. */
const bench: QueueDefinition = {
  name: 'bench',
  teamSize: 5,
  imbalance: { alpha: 1, p: 1, q: 2 },
  beta: 10,
  release: { policy: 'greedy' },
  tickSeconds: 1,
  timeoutSeconds: 600,
};
const skills = { kind: 'normal', mean: 1500, standardDeviation: 300 } as const;
const withParties = { skills, partyWeights: [55, 25, 10, 3, 7] };
const foundAlone = { ...bench, events: ['MatchFound' as const] };

describe('the price of a simulated queue', () => {
  it.each([
    ['20 solos', 20, bench, { skills }],
    ['20 solos, MatchFound alone', 20, foundAlone, { skills }],
    ['20 with parties', 20, bench, withParties],
    ['50 solos', 50, bench, { skills }],
    ['50 solos, MatchFound alone', 50, foundAlone, { skills }],
    ['50 with parties', 50, bench, withParties],
    ['100 solos', 100, bench, { skills }],
    ['100 solos, MatchFound alone', 100, foundAlone, { skills }],
    ['100 with parties', 100, bench, withParties],
  ])('is within 5 % of what the service was measured to need: %s', (name, rate, definition, population) => {
    const { perMillionPlayers, parts } = simulated(rate, definition, population);
    const [api, functions, tables, queues, events, logs, total] = measured(name);
    expect(Math.abs(perMillionPlayers / total - 1)).toBeLessThan(0.05);
    // A part may be off by 25 cents a million players.
    const off = [parts.api - api, parts.functions - functions, parts.tables - tables];
    off.push(parts.queues - queues, parts.events - events, parts.logs - logs);
    for (const dollars of off) expect(Math.abs(dollars)).toBeLessThan(0.25);
  });

  it('is that of its parts', () => {
    const { perMillionPlayers, parts } = simulated(20, bench, { skills });
    expect(Object.values(parts).reduce((sum, part) => sum + part, 0)).toBeCloseTo(perMillionPlayers, 2);
  });

  it('rises with the ticks of a queue where few come', () => {
    const often = simulated(1, bench, { skills });
    const seldom = simulated(1, { ...bench, tickSeconds: 5 }, { skills });
    expect(often.parts.tables).toBeGreaterThan(seldom.parts.tables);
    expect(often.perMillionPlayers).toBeGreaterThan(seldom.perMillionPlayers);
  });
});

function simulated(perSecond: number, definition: QueueDefinition, population: Population) {
  const rate = { kind: 'constant', perSecond } as const;
  const scenario = { title: 'bench', definition, population, rate };
  return playThrough(definition, crowdOf(scenario, 60 * perSecond, 1)).cost;
}

/** Dollars of a row of docs/benchmarks.md: API, Lambda, DynamoDB, SQS, EventBridge, logs, total. */
function measured(name: string): number[] {
  const rows = readFileSync('docs/benchmarks.md', 'utf8').split('\n');
  const row = rows.findLast((line) => line.startsWith(`| ${name} |`));
  return row!.split('|').slice(5, 12).map(Number);
}
