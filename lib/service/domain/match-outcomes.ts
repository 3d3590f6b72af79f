import type { Counts, MinuteCounts } from './minute-counts.ts';
import { recentCounts } from './minute-counts.ts';

/** The outcomes of matches after they were found, and of tickets that ended other than by their time-out. */
export const OUTCOMES = [
  'accepted',
  'declined',
  'notAccepted',
  'placed',
  // A failed request for a server, which is repeated until the deadline of its match.
  'placementTried',
  'placementRefused',
  'placementTimedOut',
  'requeued',
  'ended',
  'cancelled',
  // Tickets of failed matches that wait again.
  'returned',
] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** Cooldowns that began, by kind. They are counted with the outcomes, but have no metrics. */
export const COOLDOWNS_BEGUN = ['cooledForDecline', 'cooledForLeave'] as const;

/** Faults of Muster that it retries: events that the bus rejects, and runs of `dispatch` that fail. They have no metrics. */
export const FAULTS = ['notPublished', 'notDispatched'] as const;
export type Fault = (typeof FAULTS)[number];

/** Tickets that were cancelled because a player has left. They are counted with the outcomes, but have no metrics. */
export const VANISHED = 'vanished' as const;

/** Linked tickets that another queue of theirs has matched. The tick of that queue counts them. They have no metrics. */
export const ELSEWHERE = 'elsewhere' as const;

/** All counts of a queue by minute, except those of its ticks. */
export type Counted = Outcome | (typeof COOLDOWNS_BEGUN)[number] | Fault | typeof VANISHED | typeof ELSEWHERE;

/** The steps from a match to a game, each with the outcome of success and those of failure. */
export const STEPS = {
  acceptance: { success: 'accepted', failures: ['declined', 'notAccepted'] },
  placement: { success: 'placed', failures: ['placementRefused', 'placementTimedOut'] },
  // Shows provisioners that fail before the deadlines of the first matches.
  provisioner: { success: 'placed', failures: ['placementTried'] },
} as const satisfies Readonly<Record<string, { success: Outcome; failures: readonly Outcome[] }>>;
export type Step = keyof typeof STEPS;

/** The matches that have ended a step. */
export interface StepShare {
  readonly decided: number;
  readonly failed: number;
  /** The share of those that failed; undefined without any. */
  readonly failedShare: number | undefined;
}

/** The matches that have passed a step or failed at it. */
export function stepShare(counts: Counts<Outcome>, step: Step): StepShare {
  const { success, failures } = STEPS[step];
  const failed = failures.reduce((sum, name) => sum + (counts[name] ?? 0), 0);
  const decided = failed + (counts[success] ?? 0);
  return { decided, failed, failedShare: decided === 0 ? undefined : failed / decided };
}

/** A step at which too many matches of a queue fail. */
export interface FailingStep extends StepShare {
  readonly step: Step;
  /** The number of minutes that the share covers. */
  readonly minutes: number;
  readonly counts: Counts<Outcome>;
}

/** The short window detects a new fault within a minute, the long one a fault of a queue with few matches. */
const WINDOWS_MINUTES = [2, 6] as const;
/** One player may decline a match; this many failed matches point to a fault. */
const FAILED_MIN = 3;

/** The step at which at least this share of the latest matches fails; undefined when none does. */
export function failingStep(
  minutes: readonly MinuteCounts<Outcome>[],
  failedShareMax: number,
  nowMs: number,
): FailingStep | undefined {
  for (const window of WINDOWS_MINUTES) {
    const counts = recentCounts(minutes, nowMs, window);
    for (const step of Object.keys(STEPS) as Step[]) {
      const share = stepShare(counts, step);
      if (share.failed >= FAILED_MIN && share.failedShare! >= failedShareMax)
        return { step, minutes: window, counts, ...share };
    }
  }
  return undefined;
}
