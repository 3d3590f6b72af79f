import * as z from 'zod';
import { NUMBER_LIMITS } from './number-limits.ts';

const greedyOptions = z.strictObject({ policy: z.literal('greedy') });

const fifoOptions = z.strictObject({ policy: z.literal('fifo') });

const periodicOptions = z.strictObject({
  policy: z.literal('periodic'),
  everySeconds: z.number().positive().max(3600).optional().meta({
    description:
      'The period; periods end at multiples of it (default a period ends when n_opt = √(2a(m − 1)τ) − 1 players wait: a the measured arrivals per second, m the players of a match, τ the time-out)',
  }),
});
export type PeriodicOptions = z.infer<typeof periodicOptions>;

const tolerance = z.number().nonnegative().max(NUMBER_LIMITS.valueMax);
const expandingOptions = z
  .strictObject({
    policy: z.literal('expanding'),
    tolerance: tolerance.meta({
      description: 'The distance in skill, between the means of tickets, that a new ticket accepts',
    }),
    steps: z
      .array(
        z.strictObject({
          waitSeconds: z.number().positive().max(NUMBER_LIMITS.valueMax).meta({
            description: 'From this wait on the step holds; ascending',
          }),
          tolerance: tolerance.meta({ description: 'The tolerance from then on; never falling' }),
        }),
      )
      .max(32)
      .optional()
      .meta({ description: 'Wider tolerances of tickets that have waited (default none)' }),
    growthPerSecond: tolerance.optional().meta({
      description: 'Instead of `steps`: the tolerance grows by this much per second of wait (default 0)',
    }),
    toleranceMax: tolerance.optional().meta({
      description: 'The largest tolerance; at least `tolerance` (default no limit)',
    }),
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
  waitCost: z.number().positive().max(NUMBER_LIMITS.weightMax).meta({
    description:
      "The imbalance, in the unit of skill, that one second of one player's wait is worth. With 0.5, a wait of 10 s costs as much as an imbalance that is 5 higher",
  }),
  longestWaitSeconds: z.number().positive().max(NUMBER_LIMITS.valueMax).optional().meta({
    description:
      'A ticket that would be older at the next tick gets a match now, whatever its imbalance, if enough players wait. Below timeoutSeconds; the shorter, the more imbalance (default none)',
  }),
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
