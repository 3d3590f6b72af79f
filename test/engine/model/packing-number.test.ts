import { expect, it } from 'vitest';
import { packingNumber } from '../../../lib/engine/model/packing-number.ts';

it('counts the games that solo players, pairs and parties of three can form in teams of three', () => {
  const most = (solos: number, pairs: number, trios: number): number => {
    let best = trios;
    for (let mixed = 0; mixed <= Math.min(solos, pairs); mixed++)
      best = Math.max(best, trios + mixed + Math.floor((solos - mixed) / 3));
    return best;
  };
  for (let solos = 0; solos < 9; solos++)
    for (let pairs = 0; pairs < 6; pairs++)
      for (let trios = 0; trios < 4; trios++)
        expect(packingNumber(Uint32Array.of(0, solos, pairs, trios), [3, 3])).toBe(
          Math.floor(most(solos, pairs, trios) / 2),
        );
});

it('counts the games of teams of different sizes', () => {
  // A party of four and a solo player make a game of four against one; so do five solo players.
  expect(packingNumber(Uint32Array.of(0, 7, 0, 0, 2), [4, 1])).toBe(3);
  expect(packingNumber(Uint32Array.of(0, 3, 0, 0, 5), [4, 1])).toBe(3);
  expect(packingNumber(Uint32Array.of(0, 0, 4, 4, 0), [3, 2])).toBe(4);
  expect(packingNumber(Uint32Array.of(0, 0, 0, 0, 5), [4, 1])).toBe(0);
});
