import type { QueueRecord } from '../domain/queue-record.ts';
import { UnreadableQueue, unlessUnreadable } from '../domain/unreadable.ts';
import type { QueueStore } from '../ports/queue-store.ts';

/** The maximum of cached records. Those of deleted queues would stay until they are read again. */
const RECORDS_MAX = 1_000;

/**
 * A store that caches queues for callers that accept a slightly old record. Without a cache, thousands of tickets a
 * second would read the item of a queue more often than DynamoDB allows for one key.
 *
 * Only queues that accept tickets are cached, and those that this version cannot read. So a new queue is found immediately, and a
 * deleted one is not found after the maximum age.
 */
export function cachedQueues(store: QueueStore, clock: { now(): number }): QueueStore {
  const known = new Map<
    string,
    { readonly record: QueueRecord | UnreadableQueue; readonly readAtMs: number }
  >();
  return {
    ...store,

    async get(queue, maxAgeMs = 0) {
      // The time before the read: the record is at least as new.
      const readAtMs = clock.now();
      const last = known.get(queue);
      if (last !== undefined && readAtMs - last.readAtMs < maxAgeMs) return readable(last.record);
      const record = await unlessUnreadable(() => store.get(queue));
      if (known.size >= RECORDS_MAX) known.clear();
      if (record === undefined || isDeleted(record)) known.delete(queue);
      else known.set(queue, { record, readAtMs });
      return readable(record);
    },

    async extendWatched(record, watched) {
      known.delete(record.definition.name);
      return store.extendWatched(record, watched);
    },

    async put(record, deployed) {
      known.delete(record.definition.name);
      return store.put(record, deployed);
    },
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
