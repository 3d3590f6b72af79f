import type { Histogram } from './histogram.ts';

/** The distribution of a measured value. With a count of 0 all other fields are NaN, which JSON writes as null. */
export interface Distribution {
  /** How many values. */
  readonly count: number;
  readonly mean: number;
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  readonly max: number;
}

export function distributionOf(values: Histogram): Distribution {
  const [p50, p90, p99] = values.quantiles([0.5, 0.9, 0.99]).map(rounded);
  return {
    count: values.count,
    mean: rounded(values.mean),
    p50,
    p90,
    p99,
    max: rounded(values.max),
  };
}

/** Six digits: more than the precision of a simulation, and the same text for the same value. */
export const rounded = (value: number): number => Number(value.toPrecision(6));
