import { NUMBER_LIMITS } from '../rules/number-limits.ts';

/** A policy that definitions of Muster 0.1 could name. The papers' policies are baselines of lib/research since. */
interface RemovedPolicy {
  /** What to write instead. */
  readonly instead: string;
  /** A stored definition is read with this release. */
  readonly readAs: (release: Readonly<Record<string, unknown>>) => object;
}

const REMOVED: Readonly<Record<string, RemovedPolicy>> = {
  brackets: {
    instead: '"option-value" with a waitCost',
    // Both have defaults that suit the rate and the time-out, for the same cost (Schlup, formulas 6 and 9).
    readAs: () => ({ policy: 'periodic' }),
  },
  'difference-wait': {
    instead: '"option-value" with the waitCost 1 / secondsPerImbalance',
    readAs: ({ secondsPerImbalance }) =>
      secondsPerImbalance === 0
        ? { policy: 'greedy' }
        : {
            policy: 'option-value',
            waitCost: Math.min(1 / Number(secondsPerImbalance), NUMBER_LIMITS.weightMax),
          },
  },
  patient: {
    instead: '"option-value" with the same waitCost',
    readAs: ({ waitCost }) => ({ policy: 'option-value', waitCost }),
  },
};

/** The error about the release of a new definition that names a removed policy; undefined for every other release. */
export function removedPolicyError(release: unknown): string | undefined {
  const { policy } = fieldsOf(release);
  const removed = removedPolicy(policy);
  return (
    removed && `Expected ${removed.instead}, which replaces "${policy}" since Muster 0.2, got "${policy}"`
  );
}

/** The release that a definition of an earlier version is read with: its own, unless it names a removed policy. */
export function releaseInForce(release: unknown): unknown {
  const fields = fieldsOf(release);
  return removedPolicy(fields.policy)?.readAs(fields) ?? release;
}

function removedPolicy(policy: unknown): RemovedPolicy | undefined {
  return typeof policy === 'string' && Object.hasOwn(REMOVED, policy) ? REMOVED[policy] : undefined;
}

function fieldsOf(release: unknown): Readonly<Record<string, unknown>> {
  return typeof release === 'object' && release !== null ? { ...release } : {};
}
