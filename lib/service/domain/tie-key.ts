/** Characters of a tie key: 50 bits, so that two of a million tickets of one skill have the same one in 1 of 2,000 pools. */
export const TIE_WIDTH = 10;

/**
 * A key that orders tickets of the same skill. It depends only on the id and is evenly distributed for any ids. Ten
 * digits of base 32 in ASCII order, shorter than most ids.
 *
 * The hash is cyrb53, which is fast. Only its even distribution matters.
 */
export function tieKey(ticketId: string): string {
  let high = 0xdeadbeef;
  let low = 0x41c6ce57;
  for (let i = 0; i < ticketId.length; i++) {
    const code = ticketId.charCodeAt(i);
    high = Math.imul(high ^ code, 2654435761);
    low = Math.imul(low ^ code, 1597334677);
  }
  const mixedHigh = mix(high, low);
  const mixedLow = mix(low, mixedHigh);
  const hash = (2 ** 18 * mixedHigh + (mixedLow >>> 14)) % 2 ** 50;
  return hash.toString(32).padStart(TIE_WIDTH, '0');
}

/** The key at this share of all tie keys, in [0, 1). */
export function tieAt(share: number): string {
  return Math.floor(share * 2 ** 50)
    .toString(32)
    .padStart(TIE_WIDTH, '0');
}

/** The share of all tie keys that are below a key. */
export function shareOf(key: string): number {
  return Number.parseInt(key, 32) / 2 ** 50;
}

function mix(a: number, b: number): number {
  return (Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909)) >>> 0;
}
