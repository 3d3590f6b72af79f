import type { ReleaseOptions } from '../../lib/vocabulary/release-options.ts';

/** Every release policy except `expanding`, which each suite sets for its own players. */
export const somePolicies: Readonly<Record<string, ReleaseOptions>> = {
  greedy: { policy: 'greedy' },
  fifo: { policy: 'fifo' },
  'periodic by the clock': { policy: 'periodic', everySeconds: 10 },
  'periodic by batch': { policy: 'periodic' },
  'option-value': { policy: 'option-value', waitCost: 1 },
};
