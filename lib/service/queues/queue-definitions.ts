import { isDeepStrictEqual } from 'node:util';
import { conflict, type Problem } from '../../contract/problem.ts';
import { type QueueDefinition, queueDefinition } from '../../contract/queue-definition.ts';
import type { QueueList } from '../../contract/queue-views.ts';
import {
  type ChangeNotes,
  type CheckedDefinitions,
  type Definitions,
  type Live,
  noSuchDefinition,
} from '../definitions/definition-kind.ts';
import { checkIfMatch } from '../definitions/etag.ts';
import { isChanging, TRIES_MAX } from '../definitions/put-definition.ts';
import { type BucketLayout, LAYOUT_GRACE_MS, nextLayout, withLayout } from '../domain/buckets.ts';
import type { QueueRecord, QueueState } from '../domain/queue-record.ts';
import { fitting } from '../domain/response-size.ts';
import { isExperimenting } from '../domain/running-experiment.ts';
import { changeOf, type Deployed } from '../domain/stored-definition.ts';
import type { LadderStore } from '../ports/ladder-store.ts';
import type { QueueStore } from '../ports/queue-store.ts';
import { type DeploymentRules, deploymentProblems } from './deployment-rules.ts';

/**
 * The definitions of queues, with the steps of their changes: see `put-definition.ts`.
 *
 * Waiting tickets keep waiting under a new definition. The next tick cancels those that no longer fit it, with a reason. A
 * changed definition is in force everywhere after `untilInForce`, a new queue immediately.
 */
export function queueDefinitions(queues: QueueStore): Definitions<QueueDefinition, QueueState> {
  return {
    kind: 'queue',
    get: (queue) => queues.get(queue),
    state: (queue) => queues.state(queue),
    kept: (queue) => queues.kept(queue),
    open: async () =>
      (await queues.list()).records.flatMap(({ definition, deletedAt }) =>
        deletedAt === undefined ? definition : [],
      ),
    changeConflict: (queue, live, nowMs) =>
      isExperimenting(live, nowMs) ? experimentConflict(queue, live.experiment!.definition.name) : undefined,
    replace: (...change) => replaceDefinition(queues, ...change),
    recordDeployed: (live, queue, deployed) => queues.recordDeployed(live, queue, deployed),
    remove: (live, nowMs) => queues.put(closed(live, nowMs), null),
  };
}

/**
 * The definitions of queues with the rules of the deployment.
 * @param ladders the ladders that a definition may name
 */
export function checkedQueues(
  queues: QueueStore,
  ladders: Pick<LadderStore, 'get' | 'state'>,
  rules: DeploymentRules,
): CheckedDefinitions<QueueDefinition, QueueState> {
  return {
    ...queueDefinitions(queues),
    schema: queueDefinition,
    problemsOf: (definition) => deploymentProblems(definition, rules),
    uses: {
      definitions: {
        kind: 'ladder',
        get: (ladder) => ladders.get(ladder),
        state: (ladder) => ladders.state(ladder),
      },
      nameIn: ({ ladder }) => ladder,
    },
  };
}

/** The maximum of queues, including deleted ones until `dispatch` removes them. Each costs `dispatch` some reads a minute. */
const QUEUES_MAX = 500;

/**
 * The definitions of the queues that accept tickets, sorted by name. The list is cut to the size of a response.
 * @param after continues after the queue with this name
 */
export async function listQueues(queues: QueueStore, after = ''): Promise<QueueList> {
  const { records, unreadable } = await queues.list();
  const all = records.flatMap(({ deletedAt, definition }) =>
    deletedAt === undefined && definition.name > after ? definition : [],
  );
  const listed = fitting(all);
  const isFirst = after === '';
  const more = isFirst && unreadable.length > 0 && { unreadable: unreadable.map(({ name }) => name).sort() };
  return {
    queues: [...listed],
    ...(listed.length < all.length && { continuation: listed.at(-1)!.name }),
    ...more,
  };
}

/**
 * One try of `putDefinition` for a queue as it was read. Returns false if another writer was faster.
 * @throws Problem (409) when there are too many queues, or an experiment is running on this one. Concurrent requests may exceed
 * the maximum by their number
 */
async function replaceDefinition(
  queues: QueueStore,
  old: Live<QueueDefinition, QueueState> | undefined,
  definition: QueueDefinition,
  nowMs: number,
  notes: ChangeNotes,
  deployed?: Deployed,
): Promise<boolean> {
  if (old === undefined && (await queues.count()) >= QUEUES_MAX) throw tooManyQueues(definition.name);
  if (old !== undefined && isExperimenting(old, nowMs))
    throw conflict(
      'EXPERIMENT_RUNNING',
      experimentConflict(definition.name, old.experiment!.definition.name),
    );
  const replaced = changeOf(old);
  const record: QueueRecord = {
    definition,
    change: { version: replaced.version + 1, at: new Date(nowMs).toISOString(), ...notes },
    version: (old?.version ?? 0) + 1,
    layouts: nextLayouts(old, definition, nowMs),
    awakeUntilMs: old?.awakeUntilMs ?? 0,
    sentUntilMs: old?.sentUntilMs ?? 0,
  };
  if (old?.definition !== undefined) await queues.keep({ definition: old.definition, change: replaced });
  return queues.put(record, deployed);
}

/**
 * Closes a queue. It accepts no new tickets. Waiting tickets are matched or time out under its last definition, so no accepted
 * ticket is lost. Then `dispatch` removes the queue. It is closed everywhere after `untilInForce`. Closing a closed queue changes
 * nothing, so the request can be repeated until the queue is removed.
 * @param ifMatch the ETag of the definition that may be closed. It is not checked when the queue is closed already @default any
 * @throws Problem 404 no such queue, 412 another definition is in force
 */
export async function deleteQueue(
  queues: QueueStore,
  queue: string,
  nowMs: number,
  ifMatch?: string,
): Promise<void> {
  for (let attempt = 0; attempt < TRIES_MAX; attempt++) {
    const old = await queues.get(queue);
    if (old === undefined) throw noSuchDefinition('queue', queue);
    if (old.deletedAt !== undefined) return;
    if (ifMatch !== undefined) checkIfMatch(ifMatch, 'queue', queue, { ...old, change: changeOf(old) });
    if (await queues.put(closed(old, nowMs))) return;
  }
  throw isChanging('queue', queue);
}

/** The record of the closed queue. Its experiment is ended. */
function closed(record: QueueRecord, nowMs: number): QueueRecord {
  const { experiment, version } = record;
  const ended = { atMs: nowMs, why: 'queueDeleted', text: 'the queue was deleted' } as const;
  return {
    ...record,
    version: version + 1,
    deletedAt: new Date(nowMs).toISOString(),
    ...(experiment && isExperimenting(record, nowMs) && { experiment: { ...experiment, ended } }),
  };
}

/** Why the definition of a queue with an experiment cannot change: the variants are changes of this definition. */
function experimentConflict(queue: string, experiment: string): string {
  return `The experiment ${experiment} is running on queue ${queue}, and its variants are changes of the definition in force. DELETE /queues/${queue}/experiment ends it; then change the definition.`;
}

/** The layouts after a change. A new one begins when every function has read it. */
function nextLayouts(
  old: QueueState | undefined,
  definition: QueueDefinition,
  nowMs: number,
): readonly BucketLayout[] {
  const newest = old?.layouts.at(-1);
  const { buckets = 'auto' } = definition;
  const boundaries = buckets === 'auto' ? (newest?.boundaries ?? []) : buckets;
  if (old === undefined || newest === undefined) return [{ version: 1, boundaries, fromMs: 0 }];
  if (isDeepStrictEqual(newest.boundaries, boundaries)) return old.layouts;
  const layouts = withLayout(old.layouts, nextLayout(newest, boundaries, nowMs));
  if (layouts === undefined) throw tooManyLayouts(definition.name, old.layouts, nowMs);
  return layouts;
}

function tooManyQueues(queue: string): Problem {
  return conflict(
    'TOO_MANY_DEFINITIONS',
    `Expected fewer than ${QUEUES_MAX} queues before queue ${queue} is created. DELETE a queue that is no longer needed: it counts until it is removed, two hours later or when its last ticket has left. Or deploy a second stack.`,
  );
}

/** The error for a queue with too many layouts. `dispatch` drops older layouts every minute, when they are over and empty. */
function tooManyLayouts(queue: string, layouts: readonly BucketLayout[], nowMs: number): Problem {
  const overAtMs = (layouts[1]?.fromMs ?? nowMs) + LAYOUT_GRACE_MS;
  const afterSeconds = Math.ceil((Math.max(0, overAtMs - nowMs) + 60_000) / 1_000);
  return conflict(
    'TOO_MANY_LAYOUTS',
    `Expected fewer changes of buckets: the ${layouts.length} earlier bucket layouts of queue ${queue} are still in use, because each is kept for five minutes and until its last ticket has left. Send this definition again later, or without a change of buckets.`,
    {},
    { 'retry-after': String(afterSeconds) },
  );
}
