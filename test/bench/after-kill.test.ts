import { expect, it } from 'vitest';
import { killUnderLoad } from './killed-service.ts';

it('every webhook in flight comes after the service was killed and started again', async () => {
  const { matches, inFlight, deliveredSeconds } = await killUnderLoad(4, 0);
  expect(matches).toBe(4);
  expect(inFlight).toBeLessThanOrEqual(4);
  expect(deliveredSeconds).toHaveLength(4);
});
