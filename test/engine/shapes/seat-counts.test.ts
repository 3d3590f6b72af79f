import { expect, it } from 'vitest';
import { SeatCounts } from '../../../lib/engine/shapes/seat-counts.ts';
import { Seating } from '../../../lib/engine/shapes/seating.ts';
import { seeded } from '../random-pool.ts';

it('admits a player exactly when all players can be seated, while parties join and leave', () => {
  const random = seeded(51);
  const room = [4, 2, 2];
  const seats = new SeatCounts(room);
  const canSeat = (masks: readonly number[]) => {
    const seating = new Seating(room, masks.length);
    return masks.every((mask) => seating.joinOne(mask));
  };
  let refused = 0;
  for (let round = 0; round < 300; round++) {
    seats.clear();
    const parties: Int32Array[] = [];
    for (let step = 0; step < 30; step++) {
      const seated = parties.flatMap((masks) => [...masks]);
      if (random() < 0.3 && parties.length > 0) {
        seats.leave(parties.pop()!.length);
        continue;
      }
      const size = 1 + Math.floor(2 * random());
      const masks = Int32Array.from({ length: size }, () => Math.floor(8 * random()));
      const each = Array.from(masks, (mask) => canSeat([...seated, mask]));
      expect(seats.admits(masks)).toBe(each.every((fits) => fits));
      const fits = canSeat([...seated, ...masks]);
      expect(seats.join(masks)).toBe(fits);
      if (fits) parties.push(masks);
      else refused++;
    }
  }
  expect(refused).toBeGreaterThan(500);
});
