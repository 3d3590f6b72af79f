import { expect, it } from 'vitest';
import { packingNumber } from '../../../lib/engine/model/packing-number.ts';

it('counts the games that solo players, pairs and parties of three can form in teams of three', () => {
  const most = (solos: number, pairs: number, trios: number): number => {
    let best = trios;
    for (let mixed = 0; mixed <= Math.min(solos, pairs); mixed++)
      best = Math.max(best, trios + mixed + Math.floor((solos - mixed) / 3));
    return best;
  };
  const shape = { teamSizes: [3, 3], seats: 6, seatsMin: 6 };
  for (let solos = 0; solos < 9; solos++)
    for (let pairs = 0; pairs < 6; pairs++)
      for (let trios = 0; trios < 4; trios++)
        expect(packingNumber(Uint32Array.of(0, solos, pairs, trios), shape)).toBe(
          Math.floor(most(solos, pairs, trios) / 2),
        );
});
