import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { QueueDefinition } from '../../lib/contract/queue-definition.ts';
import { playThrough } from '../../lib/simulation/play.ts';
import type { Population } from '../../lib/simulation/population.ts';
import { trafficOf } from '../bench/scenarios.ts';
import { DEFINITION, VARIANTS } from '../bench/service-variants.ts';

/** The rates of the rows in docs/benchmarks.md. */
const RATES = [20];
/** The simulator has no batches. */
const SINGLY = Object.keys(VARIANTS).filter((variant) => VARIANTS[variant]!.batch === undefined);
const solos = VARIANTS.solos!.population;

describe('the price of a simulated queue', () => {
  it.each(RATES.flatMap((rate) => SINGLY.map((variant) => [rate, variant] as const)))(
    'is within 5 %% of what the service was measured to need: %i %s',
    (rate, variant) => {
      const { population, events } = VARIANTS[variant]!;
      const { perMillionPlayers, parts } = simulated(
        rate,
        { ...DEFINITION, ...(events && { events }) },
        population,
      );
      const [api, functions, tables, queues, bus, logs, total] = measured(`${rate} ${variant}`);
      expect(Math.abs(perMillionPlayers / total - 1)).toBeLessThan(0.05);
      // A part may be off by 25 cents a million players.
      const off = [parts.api - api, parts.functions - functions, parts.tables - tables];
      off.push(parts.queues - queues, parts.events - bus, parts.logs - logs);
      for (const dollars of off) expect(Math.abs(dollars)).toBeLessThan(0.25);
    },
  );

  it('is the sum of its parts', () => {
    const { perMillionPlayers, parts } = simulated(20, DEFINITION, solos);
    expect(Object.values(parts).reduce((sum, part) => sum + part, 0)).toBeCloseTo(perMillionPlayers, 2);
  });

  it('rises with the ticks of a queue with few players', () => {
    const often = simulated(1, DEFINITION, solos);
    const seldom = simulated(1, { ...DEFINITION, tickSeconds: 5 }, solos);
    expect(often.parts.tables).toBeGreaterThan(seldom.parts.tables);
    expect(often.perMillionPlayers).toBeGreaterThan(seldom.perMillionPlayers);
  });
});

function simulated(perSecond: number, definition: QueueDefinition, population: Population) {
  const rate = { kind: 'constant', perSecond } as const;
  const scenario = { title: 'bench', definition, population, rate };
  return playThrough(definition, trafficOf(scenario, 60 * perSecond, 1)).cost;
}

/** Dollars of a row of docs/benchmarks.md: API, Lambda, DynamoDB, SQS, EventBridge, logs, total. */
function measured(name: string): number[] {
  const rows = readFileSync('docs/benchmarks.md', 'utf8').split('\n');
  const row = rows.findLast((line) => line.startsWith(`| ${name} |`));
  return row!.split('|').slice(5, 12).map(Number);
}
