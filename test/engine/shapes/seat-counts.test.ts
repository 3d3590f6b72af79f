import { expect, it } from 'vitest';
import { RoleTable } from '../../../lib/engine/model/roles.ts';
import { SeatCounts } from '../../../lib/engine/shapes/seat-counts.ts';
import { seeded } from '../random-pool.ts';

it('admits a player exactly when all players can be seated, while parties join and leave', () => {
  const random = seeded(51);
  const roles = new RoleTable({ damage: 2, healer: 1, tank: 1 }, 2);
  const seats = new SeatCounts(roles.seats.map((each) => 2 * each));
  let refused = 0;
  for (let round = 0; round < 300; round++) {
    seats.clear();
    const parties: Uint8Array[] = [];
    for (let step = 0; step < 30; step++) {
      const seated = parties.flatMap((masks) => [...masks]);
      if (random() < 0.3 && parties.length > 0) {
        seats.leave(parties.pop()!.length);
        continue;
      }
      const size = 1 + Math.floor(2 * random());
      const masks = Uint8Array.from({ length: size }, () => Math.floor(8 * random()));
      const each = Array.from(masks, (mask) => roles.canSeatGame([...seated, mask]));
      expect(seats.admits(masks)).toBe(each.every((fits) => fits));
      const fits = roles.canSeatGame([...seated, ...masks]);
      expect(seats.join(masks)).toBe(fits);
      if (fits) parties.push(masks);
      else refused++;
    }
  }
  expect(refused).toBeGreaterThan(500);
});
