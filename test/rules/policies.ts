import type { ReleaseOptions } from '../../lib/vocabulary/release-options.ts';

/** Every release policy. */
export const policies: Record<string, ReleaseOptions> = {
  greedy: { policy: 'greedy' },
  fifo: { policy: 'fifo' },
  'periodic by the clock': { policy: 'periodic', everySeconds: 10 },
  'periodic by batch': { policy: 'periodic' },
  expanding: { policy: 'expanding', tolerance: 300 },
  'option-value': { policy: 'option-value', waitCost: 1 },
};
