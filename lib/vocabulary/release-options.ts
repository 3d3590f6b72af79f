import * as z from 'zod';
import { NUMBER_LIMITS } from './number-limits.ts';

const greedyOptions = z.strictObject({ policy: z.literal('greedy') });

const fifoOptions = z.strictObject({ policy: z.literal('fifo') });

const periodicOptions = z.strictObject({
  policy: z.literal('periodic'),
  /**
   * The period in seconds; periods end at multiples of it. Default: a period ends when n_opt = √(2a(m − 1)τ) − 1
   * players are waiting, where a is the measured arrival rate, m the players of a game and τ the time-out
   * (formula 6).
   */
  everySeconds: z.number().positive().max(3600).optional(),
});
export type PeriodicOptions = z.infer<typeof periodicOptions>;

const expandingOptions = z
  .strictObject({
    policy: z.literal('expanding'),
    /** The distance in skill, between the tickets' means, that a ticket accepts when it is enqueued. */
    tolerance: z.number().nonnegative().max(NUMBER_LIMITS.valueMax),
    /** From age `waitSeconds` on, the tolerance is the step's. Both values ascend from step to step. */
    steps: z
      .array(
        z.strictObject({
          waitSeconds: z.number().positive().max(NUMBER_LIMITS.valueMax),
          tolerance: z.number().nonnegative().max(NUMBER_LIMITS.valueMax),
        }),
      )
      .max(32)
      .optional(),
    /** An alternative to `steps`: the tolerance grows by this much per second. Default: 0. */
    growthPerSecond: z.number().nonnegative().max(NUMBER_LIMITS.valueMax).optional(),
    /** The largest tolerance. Default: no limit. */
    toleranceMax: z.number().nonnegative().max(NUMBER_LIMITS.valueMax).optional(),
  })
  .refine(({ steps, growthPerSecond }) => steps === undefined || growthPerSecond === undefined, {
    message: 'Expected `steps` or `growthPerSecond`, got both: keep one',
    path: ['steps'],
  })
  .refine(({ steps, tolerance }) => isAscending(steps ?? [], tolerance), {
    message: 'Expected `steps` to ascend in `waitSeconds` and never to lower the tolerance: sort them',
    path: ['steps'],
  })
  .refine(({ tolerance, toleranceMax }) => toleranceMax === undefined || toleranceMax >= tolerance, {
    message: 'Expected `toleranceMax` to be no less than `tolerance`',
    path: ['toleranceMax'],
  });
export type ExpandingOptions = z.infer<typeof expandingOptions>;

const optionValueOptions = z.strictObject({
  policy: z.literal('option-value'),
  /**
   * How much imbalance one second of one player's wait is worth, in the unit of skill. With 0.5, a wait of 10 s
   * costs as much as an imbalance that is 5 higher.
   */
  waitCost: z.number().positive().max(NUMBER_LIMITS.weightMax),
  /**
   * The longest wait, in seconds. A ticket that would be older at the next tick gets a game now, whatever its imbalance.
   * Among its games, one that also takes other players who are hard to match is preferred to one of slightly less
   * imbalance. Without enough waiting players the ticket waits on. The shorter, the more imbalance: see research/docs/option-value.md.
   * @default none: only the growth by age and the time-out bound waits
   */
  longestWaitSeconds: z.number().positive().max(NUMBER_LIMITS.valueMax).optional(),
});
export type OptionValueOptions = z.infer<typeof optionValueOptions>;

/** A queue definition's `release`: the policy and its parameters. `lib/policies` has the policies. */
export const releaseOptions = z.discriminatedUnion('policy', [
  greedyOptions,
  fifoOptions,
  periodicOptions,
  expandingOptions,
  optionValueOptions,
]);
export type ReleaseOptions = z.infer<typeof releaseOptions>;

function isAscending(steps: readonly { waitSeconds: number; tolerance: number }[], start: number): boolean {
  return steps.every(({ waitSeconds, tolerance }, at) => {
    const before = at === 0 ? { waitSeconds: 0, tolerance: start } : steps[at - 1];
    return waitSeconds > before.waitSeconds && tolerance >= before.tolerance;
  });
}
