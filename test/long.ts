/**
 * Whether the tests run with their long samples: `npm run test:long`, which every night runs. `npm test` takes shorter ones, so
 * that it ends within minutes. A test that only the long run has says so with `it.runIf(IS_LONG)`.
 */
export const IS_LONG = process.env.MODE === 'long';

/** What a test tries in `npm test`, or in `npm run test:long`. */
export function sample<T>(short: T, long: T): T {
  return IS_LONG ? long : short;
}
