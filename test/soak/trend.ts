/** The measures of the service's process at one moment. */
export interface Sample {
  readonly minutes: number;
  /** Megabytes of the whole process: main thread and the functions' workers. */
  readonly rssMb: number;
  /** Megabytes in use on the main thread's heap, after a garbage collection when `--expose-gc` is set. */
  readonly heapMb: number;
  /** Megabytes of buffers outside the heap. */
  readonly externalMb: number;
  /** Timers, sockets, servers and other resources that keep the process running. */
  readonly handles: number;
  /** Tickets posted so far. */
  readonly tickets: number;
}

/** The line fitted to a measure. */
export interface Trend {
  readonly measure: Measure;
  readonly mean: number;
  readonly perMinute: number;
  /** The standard error of `perMinute`. */
  readonly error: number;
  /** Whether it grows: see {@link trendsOf}. */
  readonly grows: boolean;
}

export const MEASURES = ['rssMb', 'heapMb', 'externalMb', 'handles'] as const;
export type Measure = (typeof MEASURES)[number];

/** The growth over the run that is allowed, in the measure's unit and as a share of its mean; the larger applies. */
const GROWTH_MAX: Readonly<Record<Measure, number>> = { rssMb: 32, heapMb: 8, externalMb: 8, handles: 20 };
const GROWTH_SHARE_MAX = 0.1;
/** The minimum of samples and minutes for a fit. */
const SAMPLES_MIN = 8;
const MINUTES_MIN = 5;
/** A slope must be this many standard errors above zero. */
const CERTAIN = 3;
/** The share of a run in which caches and pools fill, which is ignored. */
const WARM_UP_SHARE = 0.25;

/**
 * Fits a line to each measure by least squares, without the first quarter of the run. A measure grows when the slope
 * is above zero by three standard errors and adds up to more over the run than a tenth of the mean (or a few units).
 *
 * @returns undefined when the run is too short to tell: below five minutes or eight samples after its first quarter
 */
export function trendsOf(samples: readonly Sample[]): readonly Trend[] | undefined {
  const end = samples.at(-1)?.minutes ?? 0;
  const warm = samples.filter(({ minutes }) => minutes >= WARM_UP_SHARE * end);
  const span = end - (warm[0]?.minutes ?? end);
  if (warm.length < SAMPLES_MIN || end < MINUTES_MIN) return undefined;
  return MEASURES.map((measure) => {
    const { mean, slope, error } = line(warm.map((sample) => [sample.minutes, sample[measure]]));
    const allowed = Math.max(GROWTH_MAX[measure], GROWTH_SHARE_MAX * mean);
    return {
      measure,
      mean,
      perMinute: slope,
      error,
      grows: slope * span > allowed && slope > CERTAIN * error,
    };
  });
}

function line(points: readonly (readonly [x: number, y: number])[]) {
  const n = points.length;
  const meanX = points.reduce((sum, [x]) => sum + x, 0) / n;
  const mean = points.reduce((sum, [, y]) => sum + y, 0) / n;
  const xx = points.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0);
  const xy = points.reduce((sum, [x, y]) => sum + (x - meanX) * (y - mean), 0);
  const slope = xy / xx;
  const residuals = points.reduce((sum, [x, y]) => sum + (y - mean - slope * (x - meanX)) ** 2, 0);
  return { mean, slope, error: Math.sqrt(residuals / (n - 2) / xx) };
}
