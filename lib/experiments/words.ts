import type { Measure } from './block-totals.ts';
import { type Effect, roundsToSee } from './effect.ts';

/** What an effect means for the person who decides. */
export interface Finding {
  /**
   * `real`: 0 is outside the interval after the last round; `unclear`: it is inside, or there are rounds to come; `tooFewRounds`:
   * there is no interval yet.
   */
  readonly verdict: 'real' | 'unclear' | 'tooFewRounds';
  /** One sentence. */
  readonly text: string;
}

const NAMES: Record<Measure, string> = {
  waitSeconds: 'the mean wait',
  waitSecondsP90: 'the wait of the 90th percentile',
  waitSecondsP99: 'the wait of the 99th percentile',
  imbalance: 'the mean imbalance',
  cancelled: 'the share of players who cancel',
  timedOut: 'the share of players who time out',
};
const SECONDS: readonly Measure[] = ['waitSeconds', 'waitSecondsP90', 'waitSecondsP99'];
const SHARES: readonly Measure[] = ['cancelled', 'timedOut'];
const DAY_MS = 86_400_000;
const EARLY =
  'The experiment has not run to its end, and who looks often finds such a difference where there is none.';
/** The difference that a run should be able to see. */
const SHARE_TO_SEE = 0.05;

/**
 * Says what the rounds so far show of a variant. An interval is right for one look at a time that was set beforehand. Looked at
 * after every sixth of 252 rounds, 26 % of experiments without a difference had 0 outside of it at some moment.
 *
 * @param variant its name
 * @param roundMs how long a round lasts, with a block of every variant
 * @param isWhole whether the experiment has run to the end that was set for it
 */
export function findingOf(
  measure: Measure,
  variant: string,
  effect: Effect,
  roundMs: number,
  isWhole: boolean,
): Finding {
  const { difference, low, high, rounds } = effect;
  if (!Number.isFinite(high - low))
    return {
      verdict: 'tooFewRounds',
      text: `An interval takes at least six rounds with players in both blocks; so far: ${rounds}.`,
    };
  const interval = `95 % interval ${amount(measure, low)} to ${amount(measure, high)}`;
  const change = `"${variant}" changes ${NAMES[measure]} by ${amount(measure, difference)} (${interval})`;
  if (low > 0 || high < 0)
    return isWhole
      ? { verdict: 'real', text: `${change}: this is not by chance.` }
      : { verdict: 'unclear', text: `${change}: this may be chance. ${EARLY}` };
  const days = moreDays(effect, roundMs);
  const more =
    days === undefined
      ? ''
      : days === 0
        ? ' A difference of 5 % would have been seen four times in five.'
        : ` To see a difference of 5 % four times in five takes about ${days} more days.`;
  return { verdict: 'unclear', text: `${change}: this may be chance.${more}` };
}

/**
 * How many more days it takes until a difference of 5 % of the control is seen four times in five.
 * @returns undefined without a finite interval, or when the control is 0
 */
export function moreDays(effect: Effect, roundMs: number): number | undefined {
  const needed = roundsToSee(effect, SHARE_TO_SEE);
  return needed && Math.max(0, Math.ceil(((needed - effect.rounds) * roundMs) / DAY_MS));
}

/** A difference of a measure with its unit; – when it is not a number. */
export function amount(measure: Measure, value: number): string {
  if (Number.isNaN(value)) return '–';
  const digits = (number: number) => Number(number.toPrecision(3));
  if (SHARES.includes(measure)) return `${digits(100 * value)} percentage points`;
  return `${digits(value)}${SECONDS.includes(measure) ? ' s' : ''}`;
}
