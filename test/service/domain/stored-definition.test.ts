import { describe, expect, it } from 'vitest';
import { storedDefinition } from '../../../lib/service/domain/stored-definition.ts';
import { definition } from '../definitions.ts';

const readRelease = (release: object) => storedDefinition.parse({ ...definition(), release }).release;

describe('a stored definition whose release policy was removed', () => {
  it.each([
    [
      { policy: 'patient', imbalanceMax: 20, waitCost: 3 },
      { policy: 'option-value', waitCost: 3 },
    ],
    [
      { policy: 'difference-wait', secondsPerImbalance: 0.5 },
      { policy: 'option-value', waitCost: 2 },
    ],
    [
      { policy: 'difference-wait', secondsPerImbalance: 1e-300 },
      { policy: 'option-value', waitCost: 1e9 },
    ],
    [{ policy: 'difference-wait', secondsPerImbalance: 0 }, { policy: 'greedy' }],
    [{ policy: 'brackets', count: 8, growSeconds: 5 }, { policy: 'periodic' }],
  ])('is read as one with the policy that replaces it: %j', (release, expected) => {
    expect(readRelease(release)).toEqual(expected);
  });

  it('is not read when its parameters are of no version', () => {
    expect(() => readRelease({ policy: 'patient' })).toThrow('Expected a number');
    expect(() => readRelease({ policy: 'constructor' })).toThrow('Expected one of \\"greedy\\"');
  });
});
