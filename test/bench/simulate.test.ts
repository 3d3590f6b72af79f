import { expect, it } from 'vitest';
import { measureSpeed } from './simulate-speed.ts';

it('the benchmark of the simulator runs', () => {
  expect(measureSpeed(500, 1)).toMatch(/^500 players of 5v5/);
});
