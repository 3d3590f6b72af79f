import type { RandomSource } from 'muster/simulation';

/** A measured value. Omit `standardError` for a value that is computed, not sampled. */
export interface Estimate {
  readonly value: number;
  readonly standardError?: number;
}

/**
 * - `holds`: ours agrees with the paper;
 * - `corrected`: the paper has a mistake; ours agrees with the formula derived again;
 * - `fails`: ours agrees with neither, or a target is missed.
 */
export type Verdict = 'holds' | 'corrected' | 'fails';

/** One figure of a paper compared with ours. */
export interface Finding {
  readonly what: string;
  /** The value that the paper prints or its formula gives. */
  readonly paper?: number;
  /** The value of the formula derived again, when the paper has a mistake. */
  readonly derived?: number;
  /** A bound of the paper, or a target of ours, that `ours` may not exceed. */
  readonly limit?: number;
  readonly ours: number;
  readonly standardError?: number;
  readonly verdict: Verdict;
  readonly note?: string;
}

export interface Section {
  readonly title: string;
  readonly findings: readonly Finding[];
  /** Our reading where the paper is ambiguous, and its mistake where it has one. */
  readonly remarks?: readonly string[];
}

/** All findings about one paper. */
export interface Reproduction {
  readonly paper: string;
  readonly source: string;
  readonly seed: number;
  /** Players per measurement. */
  readonly players: number;
  readonly sections: readonly Section[];
  /** `fails` when any finding fails. */
  readonly verdict: 'holds' | 'fails';
}

export interface ReproduceOptions {
  /** Any safe integer. The default was fixed before the first run. */
  readonly seed: number;
  /** Players per measurement. More players give smaller standard errors. */
  readonly players: number;
}

/** How many standard errors a measurement may lie from a closed form. */
const STANDARD_ERRORS = 3;

export function reproduction(
  paper: string,
  source: string,
  { seed, players }: ReproduceOptions,
  sections: readonly Section[],
): Reproduction {
  const failed = sections.some(({ findings }) => findings.some(({ verdict }) => verdict === 'fails'));
  return { paper, source, seed, players, sections, verdict: failed ? 'fails' : 'holds' };
}

/** A closed form: the paper's, and the one derived again where they differ. */
export interface ClosedForm {
  readonly paper?: number;
  readonly derived?: number;
}

/**
 * Measures a value and compares it with a closed form: it must lie within three standard errors.
 *
 * Among hundreds of such comparisons a few miss this limit by chance. So a value that misses it is measured
 * once more with fresh random numbers and four times the players, and the second measurement decides. A
 * correct formula fails with probability 7·10⁻⁶, and a wrong one has a narrower margin than before.
 *
 * @param measure measures the value on the given number of players
 */
export function measured(
  what: string,
  closedForm: ClosedForm,
  { players, random }: { players: number; random: RandomSource },
  measure: (players: number, random: RandomSource) => Estimate,
  note?: string,
): Finding {
  const first = measure(players, random.fork(what));
  const agrees = within(closedForm, first);
  const estimate = agrees ? first : measure(4 * players, random.fork(`${what}, again`));
  const again = agrees ? undefined : 'missed the limit at first, measured again with 4 times the players';
  return against(what, closedForm, estimate, [note, again].filter((part) => part !== undefined).join('; '));
}

/** Compares a measured or computed value with a closed form. */
export function against(what: string, closedForm: ClosedForm, estimate: Estimate, note?: string): Finding {
  const agreed = closedForm.derived === undefined ? 'holds' : 'corrected';
  return finding(what, closedForm, estimate, within(closedForm, estimate) ? agreed : 'fails', note);
}

/** Compares a value with a measurement printed in the paper, to a relative tolerance. */
export function near(
  what: string,
  paper: number,
  tolerance: number,
  estimate: Estimate,
  note?: string,
): Finding {
  const holds = Math.abs(estimate.value - paper) <= tolerance * Math.abs(paper);
  return finding(what, { paper }, estimate, holds ? 'holds' : 'fails', note);
}

/** Checks that a value does not exceed a limit. */
export function atMost(what: string, limit: number, estimate: Estimate, note?: string): Finding {
  const holds = estimate.value <= limit * (1 + 1e-9);
  return finding(what, { limit }, estimate, holds ? 'holds' : 'fails', note);
}

function finding(
  what: string,
  { paper, derived, limit }: ClosedForm & { readonly limit?: number },
  { value, standardError }: Estimate,
  verdict: Verdict,
  note?: string,
): Finding {
  return {
    what,
    ...(paper !== undefined && { paper }),
    ...(derived !== undefined && { derived }),
    ...(limit !== undefined && { limit }),
    ours: value,
    ...(standardError !== undefined && { standardError }),
    verdict,
    ...(note !== undefined && note !== '' && { note }),
  };
}

function within({ paper, derived }: ClosedForm, { value, standardError = 0 }: Estimate): boolean {
  const expected = derived ?? paper;
  if (expected === undefined) throw new Error('Expected a closed form, from the paper or derived again');
  const rounding = 1e-9 * Math.abs(expected);
  return Math.abs(value - expected) <= STANDARD_ERRORS * standardError + rounding;
}
