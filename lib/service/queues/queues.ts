import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import { check, invalid, Problem } from '../../contract/problem.ts';
import { type QueueDefinition, queueDefinition, queueName } from '../../contract/queue-definition.ts';
import type { QueueList } from '../../contract/queue-list.ts';
import { type BucketLayout, LAYOUT_GRACE_MS, nextLayout, withLayout } from '../domain/buckets.ts';
import type { DefinitionChange, Deployed, QueueRecord, QueueState } from '../domain/queue-record.ts';
import { isExperimenting } from '../domain/running-experiment.ts';
import { Unreadable } from '../domain/unreadable.ts';
import type { QueueStore } from '../ports/queue-store.ts';
import { StoreBusy } from '../ports/store-busy.ts';
import { type DeploymentRules, deploymentProblems } from './deployment-rules.ts';
import { checkIfMatch, etagOf } from './etag.ts';

/**
 * Returns the queue with this name if it accepts tickets.
 * @param maxAgeMs the maximum age of the record in milliseconds; when omitted, the record is read now
 * @throws Problem (404)
 */
export async function openQueue(queues: QueueStore, queue: string, maxAgeMs?: number): Promise<QueueRecord> {
  const record = await queues.get(queue, maxAgeMs);
  if (record === undefined || record.deletedAt !== undefined) throw unknownQueue(queue);
  return record;
}

/** The maximum of queues, including deleted ones until `dispatch` removes them. Each costs `dispatch` some reads a minute. */
const QUEUES_MAX = 500;
/** The bytes of definitions in a response. Lambda allows 6 MB, and the largest definition has 64 KB. */
const LIST_BYTES = 4 * 1_048_576;

/**
 * The definitions of the queues that accept tickets, sorted by name, as many as fit into a response.
 * @param after continues after the queue with this name
 */
export async function listQueues(queues: QueueStore, after = ''): Promise<QueueList> {
  const { records, unreadable } = await queues.list();
  const all = records.flatMap(({ deletedAt, definition }) =>
    deletedAt === undefined && definition.name > after ? definition : [],
  );
  let bytes = 0;
  const end = all.findIndex((definition) => {
    bytes += Buffer.byteLength(JSON.stringify(definition));
    return bytes > LIST_BYTES;
  });
  const isFirst = after === '';
  const more = isFirst &&
    unreadable.length > 0 && { unreadable: unreadable.map(({ queue }) => queue).sort() };
  if (end === -1) return { queues: all, ...more };
  return { queues: all.slice(0, end), continuation: all[end - 1]!.name, ...more };
}

/**
 * Parses the definition that a client PUTs under a name.
 * @throws Problem (400)
 */
export function parsePutQueue(queue: string, body: unknown, rules: DeploymentRules): QueueDefinition {
  const { data, problems = [] } = check(queueDefinition, body);
  const { name } = named.safeParse(body).data ?? { name: queue };
  if (name !== queue) {
    problems.push({ pointer: '#/name', detail: `Expected the name in the path, ${queue}, got ${name}` });
  }
  if (data !== undefined) problems.push(...deploymentProblems(data, rules));
  if (data === undefined || problems.length > 0) throw invalid('The queue definition', problems);
  return data;
}

const named = z.object({ name: queueName });

function unknownQueue(queue: string): Problem {
  return new Problem(404, `There is no queue ${JSON.stringify(queue)}. GET /queues lists all queues.`);
}

/**
 * Creates a queue or changes its definition. The same definition again changes nothing.
 *
 *     keep      the definition in force, among the versions that can be restored. A crash after it: it is kept and still
 *               in force, and `versions.ts` lists it once
 *     put       one conditional write. After it the change is complete
 *
 * Waiting tickets keep waiting under the new definition. The next tick cancels those that no longer fit it, with a reason. A
 * changed definition is in force everywhere after `untilInForce`, a new queue at once.
 *
 * It also replaces a definition that cannot be read: the queue keeps its state, so that its waiting tickets are found.
 * @param more who changes it, and the version that it restores
 * @param ifMatch the ETag of the definition that may be replaced. It is not asked for when the definition is in force already, so
 * a repeated request finds its own change @default any may be replaced
 * @throws Problem 409 there are too many queues for another one, the queue has too many bucket layouts, or an experiment is running on it, 412 another definition is in force
 * @throws Unreadable when the state cannot be read either
 */
export async function putQueue(
  queues: QueueStore,
  definition: QueueDefinition,
  nowMs: number,
  more: Pick<DefinitionChange, 'by' | 'restored'> = {},
  ifMatch?: string,
): Promise<{ outcome: 'created' | 'changed' | 'unchanged'; definition: QueueDefinition; etag: string }> {
  for (let attempt = 0; attempt < 5; attempt++) {
    const old = await queueOrState(queues, definition.name);
    const live = old !== undefined && old.deletedAt === undefined;
    const change = changeOf(old);
    if (live && isDeepStrictEqual(old.definition, definition))
      return { outcome: 'unchanged', definition, etag: etagOf({ definition, change }) };
    if (ifMatch !== undefined)
      checkIfMatch(ifMatch, 'queue', definition.name, live ? { ...old, change } : undefined);
    if (await replaceDefinition(queues, old, definition, nowMs, more)) {
      const etag = etagOf({ definition, change: { version: change.version + 1 } });
      return { outcome: live ? 'changed' : 'created', definition, etag };
    }
  }
  throw new StoreBusy(`queue ${definition.name} is being changed by others`);
}

/**
 * The steps of {@link putQueue}, once, for a queue as it was read. Returns false if another writer was faster.
 * @param deployed what a deployment notes in the same write
 * @throws Problem (409) when there are too many queues, or an experiment is running on this one. Requests at the same moment may
 *   exceed the maximum by their number
 */
export async function replaceDefinition(
  queues: QueueStore,
  old: LiveQueue | undefined,
  definition: QueueDefinition,
  nowMs: number,
  more: Pick<DefinitionChange, 'by' | 'restored'>,
  deployed?: Deployed,
): Promise<boolean> {
  if (old === undefined && (await queues.count()) >= QUEUES_MAX) throw tooManyQueues(definition.name);
  if (old !== undefined && isExperimenting(old, nowMs))
    throw new Problem(409, experimentConflict(definition.name, old.experiment!.definition.name));
  const replaced = changeOf(old);
  const record: QueueRecord = {
    definition,
    change: { version: replaced.version + 1, at: new Date(nowMs).toISOString(), ...more },
    version: (old?.version ?? 0) + 1,
    layouts: nextLayouts(old, definition, nowMs),
    awakeUntilMs: old?.awakeUntilMs ?? 0,
    sentUntilMs: old?.sentUntilMs ?? 0,
  };
  if (old?.definition !== undefined) await queues.keep({ definition: old.definition, change: replaced });
  return queues.put(record, deployed);
}

/** The change that made the definition of a queue. Definitions of earlier versions of Muster have none and count as the first. */
export function changeOf(queue: QueueState | undefined): DefinitionChange {
  return queue?.change ?? { version: queue === undefined ? 0 : 1 };
}

/** A stored queue, without its definition if that cannot be read. */
export type LiveQueue = QueueState & { readonly definition?: QueueDefinition };

/** Reads a queue, without its definition if that cannot be read. @throws Unreadable when its state cannot be read either */
export async function queueOrState(queues: QueueStore, queue: string): Promise<LiveQueue | undefined> {
  try {
    return await queues.get(queue);
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    return queues.state(queue);
  }
}

/**
 * Closes a queue. It accepts no new tickets. Waiting tickets are matched or time out under its last definition, so no
 * accepted ticket is lost. Then `dispatch` removes the queue. It is closed everywhere after `untilInForce`. A queue that is
 * closed stays so: a request whose response was lost can be repeated until the queue is removed.
 * @param ifMatch the ETag of the definition that may be closed. It is not asked for when the queue is closed @default any
 * @throws Problem 404 no such queue, 412 another definition is in force
 */
export async function deleteQueue(
  queues: QueueStore,
  queue: string,
  nowMs: number,
  ifMatch?: string,
): Promise<void> {
  for (let attempt = 0; attempt < 5; attempt++) {
    const old = await queues.get(queue);
    if (old === undefined) throw unknownQueue(queue);
    if (old.deletedAt !== undefined) return;
    if (ifMatch !== undefined) checkIfMatch(ifMatch, 'queue', queue, { ...old, change: changeOf(old) });
    if (await queues.put(closed(old, nowMs))) return;
  }
  throw new StoreBusy(`queue ${queue} is being changed by others`);
}

/** The record of a queue that is closed, which ends its experiment. */
export function closed(record: QueueRecord, nowMs: number): QueueRecord {
  const { experiment, version } = record;
  const ended = { atMs: nowMs, why: 'queueDeleted', text: 'the queue was deleted' } as const;
  return {
    ...record,
    version: version + 1,
    deletedAt: new Date(nowMs).toISOString(),
    ...(experiment && isExperimenting(record, nowMs) && { experiment: { ...experiment, ended } }),
  };
}

/** Why the definition of a queue with an experiment cannot change: the variants are changes of it. */
export function experimentConflict(queue: string, experiment: string): string {
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
  return new Problem(
    409,
    `Expected fewer than ${QUEUES_MAX} queues before queue ${queue} is created. DELETE a queue that is no longer needed: it counts until it is removed, two hours later or when its last ticket has left. Or deploy a second stack.`,
  );
}

/** Older layouts are dropped by `dispatch`, which runs every minute, when they are over and empty. */
function tooManyLayouts(queue: string, layouts: readonly BucketLayout[], nowMs: number): Problem {
  const overAtMs = (layouts[1]?.fromMs ?? nowMs) + LAYOUT_GRACE_MS;
  const afterSeconds = Math.ceil((Math.max(0, overAtMs - nowMs) + 60_000) / 1_000);
  return new Problem(
    409,
    `Expected fewer changes of buckets: the ${layouts.length} earlier bucket layouts of queue ${queue} are still in use, because each is kept for five minutes and until its last ticket has left. Send this definition again later, or without a change of buckets.`,
    { headers: { 'retry-after': String(afterSeconds) } },
  );
}
