import type { RecentResults } from '../../../lib/contract/webhook-failing.ts';
import { DeliveryLog } from '../../../lib/service/events/delivery-log.ts';
import {
  type DeliveryFailure,
  type DeliveryStore,
  WAITING_SEEN_MS,
} from '../../../lib/service/ports/delivery-store.ts';

interface Stored {
  lastSuccessMs?: number;
  lastFailure?: DeliveryFailure;
  failures: number;
  recent?: RecentResults;
  waiting: number;
  seenMs: number;
  sinceMs?: number | undefined;
  firstSeenMs: number;
}

/** The store of deliveries in memory. */
export function memoryDeliveries(): DeliveryStore {
  const records = new Map<string, Stored>();
  const of = (queue: string, url: string): Stored => {
    const key = `${queue} ${url}`;
    const none = { failures: 0, waiting: 0, seenMs: Number.NEGATIVE_INFINITY, firstSeenMs: 0 };
    const record = records.get(key) ?? none;
    records.set(key, record);
    return record;
  };
  return {
    async get(queue, url, nowMs) {
      const stored = records.get(`${queue} ${url}`);
      if (stored === undefined) return undefined;
      const { waiting: count, seenMs, sinceMs, firstSeenMs: _, ...record } = stored;
      const isWaiting = count > 0 && seenMs > nowMs - WAITING_SEEN_MS;
      return { ...record, ...(isWaiting && { waiting: { count, sinceMs: sinceMs ?? seenMs } }) };
    },
    async succeeded(queue, url, recent, nowMs) {
      Object.assign(of(queue, url), { lastSuccessMs: nowMs, recent, failures: 0 });
    },
    async failed(queue, url, recent, failure) {
      const record = Object.assign(of(queue, url), { recent });
      record.lastFailure = failure;
      return ++record.failures;
    },
    async waitStarted(queue, url, sinceMs, nowMs) {
      const record = of(queue, url);
      if (record.seenMs < nowMs - WAITING_SEEN_MS)
        Object.assign(record, { waiting: 0, sinceMs, firstSeenMs: nowMs });
      record.waiting += 1;
      record.seenMs = nowMs;
    },
    async stillWaiting(queue, url, sinceMs, nowMs) {
      const record = of(queue, url);
      record.seenMs = nowMs;
      const isFirst = (record.sinceMs ?? sinceMs) >= sinceMs || record.firstSeenMs < nowMs - WAITING_SEEN_MS;
      if (isFirst) Object.assign(record, { sinceMs, firstSeenMs: nowMs });
    },
    async waitEnded(queue, url, sinceMs) {
      const record = of(queue, url);
      record.waiting -= 1;
      if (record.sinceMs === sinceMs) record.sinceMs = undefined;
    },
  };
}

/** For tests that are not about reports of deliveries. */
export function deliveryLog(now: () => number = () => 0): DeliveryLog {
  return new DeliveryLog(memoryDeliveries(), now);
}
