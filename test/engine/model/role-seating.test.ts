import { expect, it } from 'vitest';
import { RoleSeating } from '../../../lib/engine/model/role-seating.ts';
import { RoleTable } from '../../../lib/engine/model/roles.ts';
import { seeded } from '../random-pool.ts';

it('a seating accepts a player exactly when all players can be seated, while parties join and leave', () => {
  const random = seeded(51);
  const roles = new RoleTable({ damage: 2, healer: 1, tank: 1 }, 2);
  const seating = new RoleSeating(roles);
  let refused = 0;
  for (let round = 0; round < 300; round++) {
    seating.clear();
    const parties: { masks: Uint8Array; full: number }[] = [];
    for (let step = 0; step < 30; step++) {
      const seated = parties.flatMap(({ masks }) => [...masks]);
      if (random() < 0.3 && parties.length > 0) {
        const { masks, full } = parties.pop()!;
        seating.leave(masks, full);
        continue;
      }
      const size = 1 + Math.floor(2 * random());
      const masks = Uint8Array.from({ length: size }, () => Math.floor(8 * random()));
      const each = Array.from(masks, (mask) => roles.canSeatGame([...seated, mask]));
      expect(seating.hasSeat(masks)).toBe(each.every((fits) => fits));
      const { full } = seating;
      const fits = roles.canSeatGame([...seated, ...masks]);
      expect(seating.joinAll(masks)).toBe(fits);
      if (fits) parties.push({ masks, full });
      else {
        refused++;
        seating.leave(masks, full);
      }
    }
  }
  expect(refused).toBeGreaterThan(500);
});
