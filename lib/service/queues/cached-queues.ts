import type { QueueStore } from '../ports/queue-store.ts';
import type { QueueRecord } from './queue-record.ts';

/**
 * A store that remembers queues for those who can do with a record that is not quite new: at thousands of
 * tickets a second, the item of a queue would be read more often than DynamoDB lets a key be read.
 *
 * Only queues that take tickets are remembered, so that one created just now is found, and one that is deleted
 * is never found longer than the age allowed.
 */
export function cachedQueues(store: QueueStore, clock: { now(): number }): QueueStore {
  const known = new Map<string, { readonly record: QueueRecord; readonly readAtMs: number }>();
  return {
    ...store,

    async get(queue, maxAgeMs = 0) {
      // The time before the read: the record is at least as new.
      const readAtMs = clock.now();
      const last = known.get(queue);
      if (last !== undefined && readAtMs - last.readAtMs < maxAgeMs) return last.record;
      const record = await store.get(queue);
      if (record === undefined || record.deletedAt !== undefined) known.delete(queue);
      else known.set(queue, { record, readAtMs });
      return record;
    },

    async put(record) {
      known.delete(record.definition.name);
      return store.put(record);
    },
  };
}
