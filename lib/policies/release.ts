import * as z from 'zod';
import { expanding, expandingOptions } from './expanding.ts';
import { fifo, fifoOptions } from './fifo.ts';
import { greedy, greedyOptions } from './greedy.ts';
import { optionValue, optionValueOptions } from './option-value.ts';
import { periodic, periodicOptions } from './periodic.ts';
import type { Policy } from './policy.ts';

/** A queue definition's `release`: the policy and its parameters. */
export const releaseOptions = z.discriminatedUnion('policy', [
  greedyOptions,
  fifoOptions,
  periodicOptions,
  expandingOptions,
  optionValueOptions,
]);
export type ReleaseOptions = z.infer<typeof releaseOptions>;

/** The policy of a queue definition; a policy itself is returned as it is. */
export function policyOf(options: ReleaseOptions | Policy): Policy {
  if ('candidates' in options) return options;
  switch (options.policy) {
    case 'greedy':
      return greedy();
    case 'fifo':
      return fifo();
    case 'periodic':
      return periodic(options);
    case 'expanding':
      return expanding(options);
    case 'option-value':
      return optionValue(options);
  }
}
