import * as z from 'zod';
import { brackets, bracketsOptions } from './brackets.ts';
import { differenceWait, differenceWaitOptions } from './difference-wait.ts';
import { expanding, expandingOptions } from './expanding.ts';
import { fifo, fifoOptions } from './fifo.ts';
import { greedy, greedyOptions } from './greedy.ts';
import { optionValue, optionValueOptions } from './option-value.ts';
import { patient, patientOptions } from './patient.ts';
import { periodic, periodicOptions } from './periodic.ts';
import type { Policy } from './policy.ts';

/** A queue definition's `release`: the policy and its parameters. */
export const releaseOptions = z.discriminatedUnion('policy', [
  greedyOptions,
  fifoOptions,
  periodicOptions,
  bracketsOptions,
  differenceWaitOptions,
  patientOptions,
  expandingOptions,
  optionValueOptions,
]);
export type ReleaseOptions = z.infer<typeof releaseOptions>;

/** The policy of a queue definition. */
export function policyOf(options: ReleaseOptions): Policy {
  switch (options.policy) {
    case 'greedy':
      return greedy(options);
    case 'fifo':
      return fifo();
    case 'periodic':
      return periodic(options);
    case 'brackets':
      return brackets(options);
    case 'difference-wait':
      return differenceWait(options);
    case 'patient':
      return patient(options);
    case 'expanding':
      return expanding(options);
    case 'option-value':
      return optionValue(options);
  }
}
