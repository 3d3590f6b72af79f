/**
 * Theorem 5 as printed: order all players by skill and cut into blocks of 2k; each block becomes the game it
 * can best be divided into.
 *
 * @param skills a multiple of `groupSize` of them, in any order
 */
export function sortedBlocks(skills: readonly number[], groupSize: number): number[][] {
  const sorted = [...skills].sort((a, b) => a - b);
  return Array.from({ length: sorted.length / groupSize }, (_, block) =>
    sorted.slice(block * groupSize, (block + 1) * groupSize),
  );
}
