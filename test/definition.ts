import type { QueueDefinition } from '../lib/contract/queue-definition.ts';

/** A queue definition with everything that must be there; tests name what they are about. */
export function definition(changes: Partial<QueueDefinition> = {}): QueueDefinition {
  return {
    name: 'duel',
    teamSize: 1,
    imbalance: { alpha: 1, p: 1, q: 2 },
    release: { policy: 'greedy' },
    tickSeconds: 1,
    timeoutSeconds: 60,
    ...changes,
  };
}
