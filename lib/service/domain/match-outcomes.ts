import type { Counts, MinuteCounts } from './minute-counts.ts';
import { recentCounts } from './minute-counts.ts';

/** What becomes of matches after they are found, and of tickets other than by their time-out. */
export const OUTCOMES = [
  'accepted',
  'declined',
  'notAccepted',
  'placed',
  // A request for a server that failed, and is repeated until the deadline of its match.
  'placementTried',
  'placementRefused',
  'placementTimedOut',
  'requeued',
  'ended',
  'cancelled',
  // Tickets of matches that have failed, which wait again.
  'returned',
] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** Players whose cooldown began, by its kind. They are counted with the outcomes, but have no metrics. */
export const COOLDOWNS_BEGUN = ['cooledForDecline', 'cooledForLeave'] as const;

/** What Muster could not do for a queue and tries again: events that the bus rejects, and runs of `dispatch` that fail. No metrics. */
export const FAULTS = ['notPublished', 'notDispatched'] as const;
export type Fault = (typeof FAULTS)[number];

/** Tickets that were cancelled because a player has left. They are counted with the outcomes, but have no metrics. */
export const VANISHED = 'vanished' as const;

/** Everything that is counted of a queue by minute, besides what its ticks count. */
export type Counted = Outcome | (typeof COOLDOWNS_BEGUN)[number] | Fault | typeof VANISHED;

/** The steps from a match to a game, each with the outcome of success and those of failure. */
export const STEPS = {
  acceptance: { success: 'accepted', failures: ['declined', 'notAccepted'] },
  placement: { success: 'placed', failures: ['placementRefused', 'placementTimedOut'] },
  // Tells of provisioners that fail before the deadlines of the first matches.
  provisioner: { success: 'placed', failures: ['placementTried'] },
} as const satisfies Readonly<Record<string, { success: Outcome; failures: readonly Outcome[] }>>;
export type Step = keyof typeof STEPS;

/** Of the matches that have come to the end of a step. */
export interface StepShare {
  readonly decided: number;
  readonly failed: number;
  /** Of those that failed; undefined when none has come to its end. */
  readonly failedShare: number | undefined;
}

/** How the matches have passed a step. */
export function stepShare(counts: Counts<Outcome>, step: Step): StepShare {
  const { success, failures } = STEPS[step];
  const failed = failures.reduce((sum, name) => sum + (counts[name] ?? 0), 0);
  const decided = failed + (counts[success] ?? 0);
  return { decided, failed, failedShare: decided === 0 ? undefined : failed / decided };
}

/** A step at which too many matches of a queue fail. */
export interface FailingStep extends StepShare {
  readonly step: Step;
  /** Over this many minutes. */
  readonly minutes: number;
  readonly counts: Counts<Outcome>;
}

/** The short window shows a new fault within a minute, the long one a fault of a queue with few matches. */
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
