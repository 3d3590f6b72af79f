import type { ReleaseOptions } from '../../../lib/vocabulary/release-options.ts';
import type { Knob } from './equal-wait.ts';

/** A release policy with one free value. */
type ReleaseKnob = Knob<ReleaseOptions>;

const PERIOD_SECONDS: readonly [number, number] = [1, 900];
/** Seconds in which a window grows by one standard deviation, or to twice its width: from immediately to never. */
const GROWTH_SECONDS: readonly [number, number] = [1, 100_000];
/** One over the width of a window in standard deviations: from very wide to very narrow. */
const NARROWNESS: readonly [number, number] = [0.1, 1000];
/** Steps in which a window doubles; the last is beyond all skills. */
const DOUBLINGS = 12;
/** Wider than the whole range of skills, in standard deviations. */
const OPEN = 100;

/** Batches of `periodic`; free is the period in seconds. */
export function period(): ReleaseKnob {
  return { range: PERIOD_SECONDS, settings: (everySeconds) => ({ policy: 'periodic', everySeconds }) };
}

/** Linear growth; free are the seconds in which it grows by `deviation`, the standard deviation of skills. */
export function linearWindow(tolerance: number, deviation: number, toleranceMax?: number): ReleaseKnob {
  return {
    range: GROWTH_SECONDS,
    settings: (seconds) => ({
      policy: 'expanding',
      tolerance,
      growthPerSecond: deviation / seconds,
      ...(toleranceMax !== undefined && { toleranceMax }),
    }),
  };
}

/** Twice as wide at each step; free is the time between steps. */
export function doublingWindow(tolerance: number): ReleaseKnob {
  return {
    range: GROWTH_SECONDS,
    settings: (seconds) => ({
      policy: 'expanding',
      tolerance,
      steps: Array.from({ length: DOUBLINGS }, (_, at) => ({
        waitSeconds: (at + 1) * seconds,
        tolerance: tolerance * 2 ** (at + 1),
      })),
    }),
  };
}

/** A window that opens to everybody after a number of seconds; the free value is its width until then. */
export function openingWindow(waitSeconds: number, deviation: number): ReleaseKnob {
  return {
    range: NARROWNESS,
    settings: (narrowness) => ({
      policy: 'expanding',
      tolerance: deviation / narrowness,
      steps: [{ waitSeconds, tolerance: OPEN * deviation }],
    }),
  };
}
