import type { GameShape } from './game-shape.ts';
import { teamMixes } from './party-mixes.ts';

/**
 * The **packing number**: how many games parties of these sizes can form, `left[s]` of s players, when teams are filled with
 * the largest parties first. Any other order forms hardly more. The counts are reduced to what remains.
 */
export function packingNumber(left: Uint32Array, { teamSizes }: GameShape): number {
  let teams = 0;
  for (const mix of teamMixes(teamSizes[0])) {
    let count = Number.POSITIVE_INFINITY;
    for (let size = 1; size < mix.length; size++) {
      if (mix[size] > 0) count = Math.min(count, Math.floor(left[size] / mix[size]));
    }
    if (count === 0) continue;
    teams += count;
    for (let size = 1; size < mix.length; size++) left[size] -= count * mix[size];
  }
  return Math.floor(teams / teamSizes.length);
}
