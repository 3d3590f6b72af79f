import { expect, it } from 'vitest';
import { SCENARIOS } from '../../../test/bench/scenarios.ts';
import { IS_LONG, sample } from '../../../test/long.ts';
import { compare } from './compare-policies.ts';

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
