import type { ReceiverRecord, ReceiverStore } from '../../../lib/service/ports/receiver-store.ts';

type Record = { -readonly [Key in keyof ReceiverRecord]: ReceiverRecord[Key] };

/** The receiver store in memory. Each call takes time. */
export function memoryReceivers(call: () => Promise<void> = async () => {}): ReceiverStore {
  const records = new Map<string, Record>();
  const recordOf = (url: string): Record => {
    const record = records.get(url) ?? { failures: 0, slowUntilMs: 0 };
    records.set(url, record);
    return record;
  };
  return {
    async get(url) {
      await call();
      const record = records.get(url);
      return record && { ...record };
    },
    async addFailure(url, nowMs, slowUntilMs) {
      await call();
      const record = recordOf(url);
      record.failures += 1;
      record.failingSinceMs ??= nowMs;
      record.slowUntilMs = slowUntilMs;
      return { ...record };
    },
    async markSlow(url, _nowMs, slowUntilMs) {
      await call();
      recordOf(url).slowUntilMs = slowUntilMs;
    },
    async markDown(url, untilMs, expectedMs) {
      await call();
      const record = records.get(url);
      if (record === undefined || record.downUntilMs !== expectedMs) return false;
      if (expectedMs === undefined && record.failures === 0) return false;
      record.downUntilMs = untilMs;
      return true;
    },
    async clearFailures(url) {
      await call();
      const record = records.get(url);
      if (record === undefined) return;
      record.failures = 0;
      delete record.failingSinceMs;
      delete record.downUntilMs;
    },
  };
}
