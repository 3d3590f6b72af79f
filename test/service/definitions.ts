import type { LadderDefinition } from '../../lib/contract/ladder.ts';
import type { QueueDefinition } from '../../lib/contract/queue-definition.ts';
import type { ChangeNotes } from '../../lib/service/definitions/definition-kind.ts';
import { putDefinition } from '../../lib/service/definitions/put-definition.ts';
import type { LadderStore } from '../../lib/service/ports/ladder-store.ts';
import type { QueueStore } from '../../lib/service/ports/queue-store.ts';
import type { DeploymentRules } from '../../lib/service/queues/deployment-rules.ts';
import { checkedQueues, queueDefinitions } from '../../lib/service/queues/queue-definitions.ts';
import { ladderDefinitions } from '../../lib/service/ratings/ladders.ts';

export { definition } from '../definition.ts';

/** Rules that every definition satisfies. */
export const ANYTHING_GOES: DeploymentRules = {
  push: true,
  refuseUrl: () => undefined,
  secretGrants: {},
  gameSessionQueues: [],
};

/** The definitions of a deployment without ladders. */
export function queuesWithoutLadders(queues: QueueStore, rules = ANYTHING_GOES) {
  return checkedQueues(queues, { get: async () => undefined, state: async () => undefined }, rules);
}

/** Puts the definition of a queue, which satisfies all rules. */
export function putQueue(
  queues: QueueStore,
  definition: QueueDefinition,
  nowMs: number,
  notes?: ChangeNotes,
  ifMatch?: string,
) {
  return putDefinition(queueDefinitions(queues), definition, nowMs, notes, ifMatch);
}

/** Puts the definition of a ladder. */
export function putLadder(
  ladders: LadderStore,
  definition: LadderDefinition,
  nowMs: number,
  notes?: ChangeNotes,
  ifMatch?: string,
) {
  return putDefinition(ladderDefinitions(ladders), definition, nowMs, notes, ifMatch);
}
