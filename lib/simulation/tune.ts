import type { QueueDefinition } from '../contract/queue-definition.ts';
import type { ReleaseOptions } from '../vocabulary/release-options.ts';
import type { Measures } from './measures.ts';
import { digits, type StepFactors, withMovedSteps } from './rule-steps.ts';

export type PolicyName = ReleaseOptions['policy'];

/** What is tried of a definition. */
export interface Setting {
  readonly release: ReleaseOptions;
  /** How the steps of its rules are moved. @default as they are */
  readonly steps?: StepFactors | undefined;
}

/** One setting that was tried. */
export interface TunePoint extends Setting {
  readonly matches: number;
  /** Virtual seconds that were played. */
  readonly seconds: number;
  /** Waits of all players in seconds, as in `Measures`: the unmatched count too. */
  readonly waitMean: number;
  readonly waitP99: number;
  readonly waitMax: number;
  readonly imbalanceMean: number;
  readonly imbalanceP90: number;
  /** Of the players, in [0, 1]. */
  readonly timedOut: number;
  /** Of the players, in [0, 1]. Their waits end at the cancellation, so a setting that serves few has short waits. */
  readonly cancelled: number;
  /** True when no other point has less mean wait and less mean imbalance. */
  readonly onFront: boolean;
}

/** The targets that a setting has to meet. Omitted ones have no limit. */
export interface Targets {
  readonly waitP99Max?: number | undefined;
  readonly waitMeanMax?: number | undefined;
  readonly imbalanceP90Max?: number | undefined;
  readonly imbalanceMeanMax?: number | undefined;
  /** A share of the players. @default 0.01 */
  readonly timedOutMax?: number | undefined;
  /** A share of the players. @default 0.01 more than the least of the points compared */
  readonly cancelledMax?: number | undefined;
}

/** A target that a point does not meet. */
export interface Missed {
  readonly target: keyof Targets;
  readonly limit: number;
  /** The value of the point. */
  readonly value: number;
}

/**
 * A setting with fewer matches is not compared: ten values have to lie beyond the 90 % of imbalances, otherwise a few matches
 * decide it, and the mean imbalance then has a standard error of a tenth of its standard deviation.
 */
export const MATCHES_MIN = 100;
/** For the same reason, ten players have to wait longer than the 99 % of waits. */
export const PLAYERS_MIN = 1000;

const TIMED_OUT_MAX = 0.01;
/** Impatient players cancel under every policy, so the default target is relative to the least. */
const CANCELLED_MORE_MAX = 0.01;

/**
 * Settings of a policy to try, from short to long waits, scaled to the population.
 *
 * @param skillDeviation about the standard deviation of skills, > 0
 * @param timeoutSeconds the queue's time-out
 */
export function settingsOf(
  policy: PolicyName,
  skillDeviation: number,
  timeoutSeconds: number,
): readonly ReleaseOptions[] {
  const scaled = (factors: readonly number[]) => factors.map((factor) => digits(factor * skillDeviation));
  switch (policy) {
    case 'greedy':
    case 'fifo':
      return [{ policy }];
    case 'periodic':
      return [2, 5, 10, 20, 30, 45, 60, 90, 120, 180]
        .filter((everySeconds) => everySeconds <= timeoutSeconds / 2)
        .map((everySeconds) => ({ policy, everySeconds }));
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

/** Settings of `option-value` between the one chosen and its neighbours, to come nearer to the targets. */
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

/** The definition with a setting. */
export function withSetting(definition: QueueDefinition, { release, steps }: Setting): QueueDefinition {
  return { ...withMovedSteps(definition, steps), release };
}

/** A setting in one line: its policy, the parameters, and the rules whose steps it moves. */
export function settingText({ release: { policy, ...parameters }, steps = {} }: Setting): string {
  return [
    Object.keys(parameters).length === 0 ? policy : `${policy} ${JSON.stringify(parameters)}`,
    ...Object.entries(steps).map(([rule, factor]) => `steps of ${rule} × ${factor}`),
  ].join(', ');
}

export function pointOf({ release, steps }: Setting, measures: Measures): TunePoint {
  const { matches, seconds, players, waitSeconds, imbalance, outcome } = measures;
  return {
    release,
    ...(steps && { steps }),
    matches,
    seconds,
    waitMean: waitSeconds.mean,
    waitP99: waitSeconds.p99,
    waitMax: waitSeconds.max,
    imbalanceMean: imbalance.mean,
    imbalanceP90: imbalance.p90,
    timedOut: players === 0 ? 0 : outcome.timedOut / players,
    cancelled: players === 0 ? 0 : outcome.cancelled / players,
    onFront: false,
  };
}

/** Whether a setting made enough matches to be compared with others. */
export function isMeasured({ matches }: TunePoint): boolean {
  return matches >= MATCHES_MIN;
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
 * The best point that meets all targets: the one of least mean imbalance; when only the imbalance is limited, the one
 * of least mean wait.
 *
 * @param points those that are measured
 * @returns undefined when no point meets them
 */
export function pick(points: readonly TunePoint[], targets: Targets): TunePoint | undefined {
  const limitsWait = targets.waitP99Max !== undefined || targets.waitMeanMax !== undefined;
  const cost = ({ imbalanceMean, waitMean }: TunePoint) => (limitsWait ? imbalanceMean : waitMean);
  const limits = limitsOf(points, targets);
  return points.filter((point) => missedOf(point, limits).length === 0).sort((a, b) => cost(a) - cost(b))[0];
}

/**
 * The point whose worst miss is the least, relative to its target, and what it misses.
 *
 * @returns undefined without points
 */
export function nearest(
  points: readonly TunePoint[],
  targets: Targets,
): { readonly point: TunePoint; readonly missed: readonly Missed[] } | undefined {
  const worst = (missed: readonly Missed[]) =>
    Math.max(0, ...missed.map(({ limit, value }) => value / limit));
  const limits = limitsOf(points, targets);
  return points
    .map((point) => ({ point, missed: missedOf(point, limits) }))
    .sort((a, b) => worst(a.missed) - worst(b.missed))[0];
}

const LIMITED: readonly (readonly [keyof Targets, (point: TunePoint) => number])[] = [
  ['waitP99Max', ({ waitP99 }) => waitP99],
  ['waitMeanMax', ({ waitMean }) => waitMean],
  ['imbalanceP90Max', ({ imbalanceP90 }) => imbalanceP90],
  ['imbalanceMeanMax', ({ imbalanceMean }) => imbalanceMean],
  ['timedOutMax', ({ timedOut }) => timedOut],
  ['cancelledMax', ({ cancelled }) => cancelled],
];

/** The targets with the defaults of those that always apply. */
function limitsOf(points: readonly TunePoint[], targets: Targets): Targets {
  const cancelledLeast = Math.min(...points.map(({ cancelled }) => cancelled));
  return {
    ...targets,
    timedOutMax: targets.timedOutMax ?? TIMED_OUT_MAX,
    cancelledMax: targets.cancelledMax ?? cancelledLeast + CANCELLED_MORE_MAX,
  };
}

function missedOf(point: TunePoint, limits: Targets): Missed[] {
  return LIMITED.flatMap(([target, read]) => {
    const limit = limits[target];
    const value = read(point);
    return limit === undefined || value <= limit ? [] : [{ target, limit, value }];
  });
}
