import { expect, it } from 'vitest';
import { provedGap } from '../../lib/contract/proved-gap.ts';

it.each([
  ['that reaches its bound', { optimal: true, priority: 12.5, lowerBound: 12.5 }, 0],
  ['whose bound differs by rounding', { optimal: false, priority: 1500.000_000_4, lowerBound: 1500 }, 0],
  ['with a bound above it by rounding', { optimal: true, priority: 12.5, lowerBound: 12.500_000_1 }, 0],
  ['that may be worse than another', { optimal: false, priority: 12.5, lowerBound: 12 }, 0.5],
])('a match %s has its gap', (_, match, gap) => {
  expect(provedGap(match)).toBe(gap);
});
