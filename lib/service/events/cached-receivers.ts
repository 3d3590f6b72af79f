import type { ReceiverRecord, ReceiverStore } from '../ports/receiver-store.ts';

/** The maximum age of a cached record. */
const RECENT_MS = 1_000;
/** The maximum of cached records. */
const RECORDS_MAX = 1_000;

/**
 * A store that caches records for a second. Without the cache, the record of a receiver that gets all events would be a hot key.
 * Its own writes are visible immediately, those of other functions within a second.
 */
export function cachedReceivers(store: ReceiverStore, now: () => number): ReceiverStore {
  const recent = new Map<string, { readonly atMs: number; readonly record: Promise<Found> }>();
  const forget = async <T>(url: string, write: Promise<T>): Promise<T> => {
    recent.delete(url);
    return write.finally(() => recent.delete(url));
  };
  return {
    async get(url) {
      const known = recent.get(url);
      if (known !== undefined && now() - known.atMs < RECENT_MS) return known.record;
      if (recent.size >= RECORDS_MAX) recent.clear();
      const record = store.get(url);
      recent.set(url, { atMs: now(), record });
      record.catch(() => recent.delete(url));
      return record;
    },
    addFailure: (url, ...rest) => forget(url, store.addFailure(url, ...rest)),
    markDown: (url, ...rest) => forget(url, store.markDown(url, ...rest)),
    markUp: (url, ...rest) => forget(url, store.markUp(url, ...rest)),
  };
}

type Found = ReceiverRecord | undefined;
