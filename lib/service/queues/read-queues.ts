import { PRESENCE_PING_SECONDS, type PresenceOptions } from '../../contract/presence.ts';
import { noSuchDefinition } from '../definitions/definition-kind.ts';
import type { QueueRecord } from '../domain/queue-record.ts';
import { DEFINITION_AGE_MS } from '../domain/timing.ts';
import { UnreadableQueue, unlessUnreadable } from '../domain/unreadable.ts';
import type { Clock } from '../ports/clock.ts';
import type { QueueStore } from '../ports/queue-store.ts';

/** The maximum of cached records. Those of deleted queues would stay until they are read again. */
const RECORDS_MAX = 1_000;

/**
 * A store that caches queues for callers that accept a slightly old record. Without a cache, thousands of tickets a second would
 * read the item of a queue more often than DynamoDB allows for one key.
 *
 * Only queues that accept tickets, and unreadable ones, are cached. So a new queue is found immediately, and a deleted one is not
 * found after the maximum age.
 */
export function cachedQueues(store: QueueStore, clock: { now(): number }): QueueStore {
  const known = new Map<
    string,
    { readonly record: QueueRecord | UnreadableQueue; readonly readAtMs: number }
  >();
  /** The store, for a change of this queue. */
  const changing = ({ definition: { name } }: QueueRecord): QueueStore => {
    known.delete(name);
    return store;
  };
  return {
    ...store,

    async get(queue, maxAgeMs = 0) {
      // The time before the read, because the record is at least that new.
      const readAtMs = clock.now();
      const last = known.get(queue);
      if (last !== undefined && readAtMs - last.readAtMs < maxAgeMs) return readable(last.record);
      const record = await unlessUnreadable(() => store.get(queue));
      if (known.size >= RECORDS_MAX) known.clear();
      if (record === undefined || isDeleted(record)) known.delete(queue);
      else known.set(queue, { record, readAtMs });
      return readable(record);
    },

    extendWatched: (record, ...change) => changing(record).extendWatched(record, ...change),
    extend: (record, ...change) => changing(record).extend(record, ...change),
    put: (record, ...change) => changing(record).put(record, ...change),
  };
}

function isDeleted(record: QueueRecord | UnreadableQueue): boolean {
  return 'deletedAt' in record && record.deletedAt !== undefined;
}

/** @throws UnreadableQueue */
function readable(record: QueueRecord | UnreadableQueue | undefined): QueueRecord | undefined {
  if (record instanceof UnreadableQueue) throw record;
  return record;
}

/**
 * Returns the queue with this name if it accepts tickets.
 * @param maxAgeMs the maximum age of the record in milliseconds; when omitted, the record is read now
 * @throws Problem (404)
 */
export async function openQueue(queues: QueueStore, queue: string, maxAgeMs?: number): Promise<QueueRecord> {
  const record = await queues.get(queue, maxAgeMs);
  if (record === undefined || record.deletedAt !== undefined) throw noSuchDefinition('queue', queue);
  return record;
}

type PresenceDeps = { readonly queues: Pick<QueueStore, 'get'> };

/** The options `presence` of those of these queues that have it. Queues that do not exist or cannot be read are omitted. */
export async function presencesOf(
  { queues }: PresenceDeps,
  names: readonly string[],
): Promise<{ readonly queue: string; readonly options: PresenceOptions }[]> {
  const found = await Promise.all(
    names.map(async (queue) => {
      const record = await unlessUnreadable(() => queues.get(queue, DEFINITION_AGE_MS));
      const options = record instanceof UnreadableQueue ? undefined : record?.definition.presence;
      return options === undefined ? [] : [{ queue, options }];
    }),
  );
  return found.flat();
}

/** The interval at which clients ping if one of these queues has `presence`, in seconds; undefined otherwise. */
export async function pingSecondsOf(
  deps: PresenceDeps,
  queues: readonly string[],
): Promise<number | undefined> {
  return (await presencesOf(deps, queues)).length > 0 ? PRESENCE_PING_SECONDS : undefined;
}

/** Timers and clocks are not exact. */
const MARGIN_MS = 50;

/**
 * Waits until no function uses an older definition than the one just stored. So a client that has the response to its PUT or
 * DELETE finds the change at every route: no ticket is created in a queue after the response to its deletion.
 */
export async function untilInForce(clock: Clock): Promise<void> {
  await clock.sleep(DEFINITION_AGE_MS + MARGIN_MS);
}
