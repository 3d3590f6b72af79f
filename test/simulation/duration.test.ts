import { expect, it } from 'vitest';
import { durationText } from '../../lib/simulation/duration.ts';

it.each([
  [0, '0 s'],
  [0.125, '0.125 s'],
  [14.44, '14.4 s'],
  [90, '90 s'],
  [120, '2 min'],
  [403, '6.72 min'],
  [5400, '90 min'],
  [7200, '2 h'],
  [86_400, '24 h'],
  [Number.NaN, '–'],
])('writes %f seconds as %s', (seconds, text) => {
  expect(durationText(seconds)).toBe(text);
});
