import type { ReleaseOptions } from '../vocabulary/release-options.ts';
import { expanding } from './expanding.ts';
import { fifo } from './fifo.ts';
import { greedy } from './greedy.ts';
import { optionValue } from './option-value.ts';
import { periodic } from './periodic.ts';
import type { Policy } from './policy.ts';

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
