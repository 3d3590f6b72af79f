import type { QueueDefinition } from '../../contract/queue-definition.ts';

/** A queue whose matches need a game server. The demo adds it to the service that it starts, and plays the servers as well. */
export const HOSTED_QUEUE: QueueDefinition = {
  name: 'hosted',
  teamSize: 3,
  imbalance: { alpha: 1, p: 1, q: 2 },
  beta: 5,
  release: { policy: 'option-value', waitCost: 10 },
  tickSeconds: 1,
  timeoutSeconds: 180,
  provisioner: { type: 'external', timeoutSeconds: 60, onFailure: 'requeue' },
};
