import { expect, it } from 'vitest';
import { IS_LONG, sample } from '../long.ts';
import { compare } from './compare-policies.ts';
import { SCENARIOS } from './scenarios.ts';
import { measureSpeed } from './simulate-speed.ts';

it('the benchmark of the simulator runs', () => {
  expect(measureSpeed(2000, 1)).toMatch(/^2,000 players of 5v5/);
});

it('at equal mean wait, option-value has less imbalance than periodic batches, and in the long run than widening windows', () => {
  const duel = SCENARIOS[0];
  // The others are tuned on the players they are measured on, which gains a tenth when these are few.
  const [own, ...others] = compare(duel, sample(600, 2000), 1, IS_LONG);
  expect(own.name).toBe('option-value');
  expect(others.map(({ name }) => name)).toEqual(sample(['periodic'], ['periodic', 'expanding']));
  const waitMean = own.result.measures.waitSeconds.mean;
  for (const { result } of others) {
    expect(Math.abs(result.measures.waitSeconds.mean / waitMean - 1)).toBeLessThan(0.15);
    expect(own.result.measures.imbalance.mean).toBeLessThan(result.measures.imbalance.mean);
  }
});
