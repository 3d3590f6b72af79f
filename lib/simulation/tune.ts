import type { ReleaseOptions } from '../policies/release.ts';
import { type Measures, waitMeanOfAll } from './measures.ts';

export type PolicyName = ReleaseOptions['policy'];

/** One setting that was tried. */
export interface TunePoint {
  readonly release: ReleaseOptions;
  /** In seconds, those who timed out counted with the time-out; the other waits are of those matched. */
  readonly waitMean: number;
  readonly waitP99: number;
  readonly waitMax: number;
  readonly imbalanceMean: number;
  readonly imbalanceP90: number;
  /** Of the players, in [0, 1]. */
  readonly timedOut: number;
  /** True when no other point has less mean wait and less mean imbalance. */
  readonly onFront: boolean;
}

/** What a studio wants; what is left out does not matter. */
export interface Wish {
  readonly waitP99Max?: number | undefined;
  readonly waitMeanMax?: number | undefined;
  readonly imbalanceP90Max?: number | undefined;
  readonly imbalanceMeanMax?: number | undefined;
  /** A share of the players. @default 0.01 */
  readonly timedOutMax?: number | undefined;
}

/**
 * Settings of a policy to try, from hasty to patient, scaled to the population.
 *
 * @param skillSpread how far skills are spread, about a standard deviation, > 0
 * @param timeoutSeconds the queue's time-out
 */
export function settingsOf(
  policy: PolicyName,
  skillSpread: number,
  timeoutSeconds: number,
): readonly ReleaseOptions[] {
  const scaled = (factors: readonly number[]) => factors.map((factor) => digits(factor * skillSpread));
  switch (policy) {
    case 'greedy':
    case 'fifo':
      return [{ policy }];
    case 'periodic':
      return [2, 5, 10, 20, 30, 45, 60, 90, 120, 180]
        .filter((everySeconds) => everySeconds <= timeoutSeconds / 2)
        .map((everySeconds) => ({ policy, everySeconds }));
    case 'brackets':
      return [2, 4, 8, 16, 32].map((count) => ({ policy, count }));
    case 'difference-wait':
      return [0.3, 1, 3, 10, 30, 100].map((factor) => ({
        policy,
        secondsPerImbalance: digits(factor / skillSpread),
      }));
    case 'patient':
      return scaled([0.02, 0.05, 0.1, 0.2]).flatMap((imbalanceMax) =>
        scaled([0.001, 0.01, 0.1]).map((waitCost) => ({ policy, imbalanceMax, waitCost })),
      );
    case 'expanding':
      return scaled([0.02, 0.05, 0.1, 0.2, 0.4]).flatMap((tolerance) =>
        scaled([0.001, 0.005, 0.02, 0.1]).map((growthPerSecond) => ({ policy, tolerance, growthPerSecond })),
      );
    case 'option-value':
      return scaled([0.2, 0.1, 0.05, 0.025, 0.012, 0.006, 0.003, 0.0015, 0.0008, 0.0004]).map((waitCost) => ({
        policy,
        waitCost,
      }));
  }
}

/** Settings of `option-value` between the one chosen and its neighbours, to come nearer to the wish. */
export function refinedSettings(chosen: ReleaseOptions, tried: readonly TunePoint[]): ReleaseOptions[] {
  if (chosen.policy !== 'option-value') return [];
  const costs = tried
    .flatMap(({ release }) => (release.policy === 'option-value' ? [release.waitCost] : []))
    .sort((a, b) => a - b);
  const at = costs.indexOf(chosen.waitCost);
  const neighbours = [costs[at - 1], costs[at + 1]].filter((cost) => cost !== undefined);
  return neighbours.flatMap((cost) =>
    [0.25, 0.5, 0.75].map((part) => ({
      policy: 'option-value',
      waitCost: digits(chosen.waitCost ** (1 - part) * cost ** part),
    })),
  );
}

/** @param timeoutSeconds the queue's: what those who timed out have waited */
export function pointOf(release: ReleaseOptions, measures: Measures, timeoutSeconds: number): TunePoint {
  return {
    release,
    waitMean: Number(waitMeanOfAll(measures, timeoutSeconds).toPrecision(6)),
    waitP99: measures.waitSeconds.p99,
    waitMax: measures.waitSeconds.max,
    imbalanceMean: measures.imbalance.mean,
    imbalanceP90: measures.imbalance.p90,
    timedOut: measures.players === 0 ? 0 : measures.outcome.timedOut / measures.players,
    onFront: false,
  };
}

/** The points by mean wait, those on the front marked: less wait only for more imbalance. */
export function withFront(points: readonly TunePoint[]): TunePoint[] {
  let least = Number.POSITIVE_INFINITY;
  return points
    .toSorted((a, b) => a.waitMean - b.waitMean || a.imbalanceMean - b.imbalanceMean)
    .map((point) => {
      const onFront = point.imbalanceMean < least;
      if (onFront) least = point.imbalanceMean;
      return { ...point, onFront };
    });
}

/**
 * The point that a wish picks: of those that keep to all its limits, the one of least mean imbalance; when
 * only the imbalance is limited, the one of least mean wait.
 *
 * @returns undefined when no point keeps to them
 */
export function pick(points: readonly TunePoint[], wish: Wish): TunePoint | undefined {
  const { waitP99Max, waitMeanMax, imbalanceP90Max, imbalanceMeanMax, timedOutMax = 0.01 } = wish;
  const kept = points.filter(
    (point) =>
      point.timedOut <= timedOutMax &&
      point.waitP99 <= (waitP99Max ?? Number.POSITIVE_INFINITY) &&
      point.waitMean <= (waitMeanMax ?? Number.POSITIVE_INFINITY) &&
      point.imbalanceP90 <= (imbalanceP90Max ?? Number.POSITIVE_INFINITY) &&
      point.imbalanceMean <= (imbalanceMeanMax ?? Number.POSITIVE_INFINITY),
  );
  const limitsWait = waitP99Max !== undefined || waitMeanMax !== undefined;
  const cost = ({ imbalanceMean, waitMean }: TunePoint) => (limitsWait ? imbalanceMean : waitMean);
  return kept.sort((a, b) => cost(a) - cost(b))[0];
}

/** Three digits: a parameter somebody may have chosen by hand. */
const digits = (value: number) => Number(value.toPrecision(3));
