/**
 * Two 32-bit words into one, with every bit of both spread over the result (murmur3's finaliser). A pure function, so that all
 * who know the seed of a schedule draw the same without asking each other.
 *
 * @returns a signed 32-bit integer
 */
export function mix(left: number, right: number): number {
  let word = Math.imul(left, 0x9e3779b1) ^ (right + 0x7f4a7c15);
  word = Math.imul(word ^ (word >>> 16), 0x85ebca6b);
  word = Math.imul(word ^ (word >>> 13), 0xc2b2ae35);
  return word ^ (word >>> 16);
}
