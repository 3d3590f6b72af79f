import { mix } from '../experiments/coin.ts';

/**
 * A seeded source of random numbers. The same seed gives the same numbers on every machine, so any run
 * can be replayed from its seed alone.
 */
export interface RandomSource {
  /** Uniform on [0, 1), with 53 random bits. */
  uniform(): number;
  /** Uniform on the integers 0 … `below` − 1. `below` is a whole number from 1 to 2³². */
  integer(below: number): number;
  /** Exponential with the given rate (mean 1/rate): the time to the next arrival of a Poisson process. */
  exponential(rate: number): number;
  /** Normal with the given mean (default 0) and standard deviation (default 1). */
  normal(mean?: number, standardDeviation?: number): number;
  /**
   * An independent source that depends only on the seed and the label, not on what has been drawn. Give every
   * part of a simulation its own source, so that a change in one part does not shift the numbers of another.
   */
  fork(label: string): RandomSource;
}

/**
 * xoshiro128** (Blackman & Vigna, "Scrambled linear pseudorandom number generators", 2018), its state
 * filled from the seed by splitmix32. The period is 2¹²⁸ − 1.
 *
 * @param seed any safe integer
 * @throws RangeError when the seed is not a safe integer
 */
export function seededRandom(seed: number): RandomSource {
  if (!Number.isSafeInteger(seed)) {
    throw new RangeError(`Expected \`seed\` to be a safe integer, got \`${seed}\``);
  }
  return xoshiro(mix(seed | 0, Math.floor(seed / TWO_TO_32) | 0));
}

const TWO_TO_32 = 2 ** 32;

/** A generator over one 32-bit key; `fork` makes a new key from this one and the label. */
function xoshiro(key: number): RandomSource {
  const next = splitmix(key);
  let s0 = next();
  let s1 = next();
  let s2 = next();
  let s3 = next();
  let spareNormal: number | undefined;

  const bits = (): number => {
    const product = Math.imul(s1, 5);
    const result = Math.imul((product << 7) | (product >>> 25), 9);
    const shifted = s1 << 9;
    s2 ^= s0;
    s3 ^= s1;
    s1 ^= s2;
    s0 ^= s3;
    s2 ^= shifted;
    s3 = (s3 << 11) | (s3 >>> 21);
    return result >>> 0;
  };
  const uniform = (): number => ((bits() >>> 5) * 2 ** 26 + (bits() >>> 6)) / 2 ** 53;

  return {
    uniform,
    integer(below) {
      // Draws beyond the largest multiple of `below` are rejected, so that all values are equally likely.
      const even = TWO_TO_32 - (TWO_TO_32 % below);
      let draw = bits();
      while (draw >= even) draw = bits();
      return draw % below;
    },
    exponential: (rate) => -Math.log(1 - uniform()) / rate,
    normal(mean = 0, standardDeviation = 1) {
      if (spareNormal !== undefined) {
        const spare = spareNormal;
        spareNormal = undefined;
        return mean + standardDeviation * spare;
      }
      // Marsaglia's polar method: a point in the unit disc gives two independent normals.
      let x: number;
      let y: number;
      let square: number;
      do {
        x = 2 * uniform() - 1;
        y = 2 * uniform() - 1;
        square = x * x + y * y;
      } while (square >= 1 || square === 0);
      const scale = Math.sqrt((-2 * Math.log(square)) / square);
      spareNormal = y * scale;
      return mean + standardDeviation * x * scale;
    },
    fork(label) {
      let forked = key;
      for (let at = 0; at < label.length; at++) forked = mix(forked, label.charCodeAt(at) + 1);
      return xoshiro(mix(forked, label.length));
    },
  };
}

/** splitmix32: fills a larger state from one word without zeros or patterns. */
function splitmix(key: number): () => number {
  let state = key;
  return () => {
    state = (state + 0x9e3779b9) | 0;
    let word = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    word = Math.imul(word ^ (word >>> 15), 0x735a2d97);
    return word ^ (word >>> 15);
  };
}

/** An index by weight. */
export function drawIndex(weights: readonly number[], random: RandomSource): number {
  let left = random.uniform() * weights.reduce((sum, weight) => sum + weight, 0);
  for (let at = 0; at < weights.length; at++) {
    left -= weights[at];
    if (left < 0) return at;
  }
  return weights.findLastIndex((weight) => weight > 0);
}
