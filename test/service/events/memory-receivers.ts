import type { ReceiverRecord, ReceiverStore, Slowness } from '../../../lib/service/ports/receiver-store.ts';

type Record = { -readonly [Key in keyof ReceiverRecord]: ReceiverRecord[Key] };

/** The receiver store in memory. Each call takes time. */
export function memoryReceivers(call: () => Promise<void> = async () => {}): ReceiverStore {
  const records = new Map<string, Record>();
  const recordOf = (url: string): Record => {
    const record = records.get(url) ?? { failures: 0, slowUntilMs: 0, slowTimes: 0 };
    records.set(url, record);
    return record;
  };
  const slow = (record: Record, slowness: Slowness) => {
    Object.assign(record, slowness);
    delete record.fastAtMs;
    delete record.trialUntilMs;
  };
  return {
    async get(url) {
      await call();
      const record = records.get(url);
      return record && { ...record };
    },
    async addFailure(url, nowMs, slowness) {
      await call();
      const record = recordOf(url);
      record.failures += 1;
      record.failingSinceMs ??= nowMs;
      slow(record, slowness);
      return { ...record };
    },
    async markSlow(url, _nowMs, slowness) {
      await call();
      slow(recordOf(url), slowness);
    },
    async beginTrial(url, nowMs, untilMs) {
      await call();
      const record = recordOf(url);
      if (nowMs < (record.trialUntilMs ?? 0)) return false;
      record.trialUntilMs = untilMs;
      return true;
    },
    async endTrial(name) {
      await call();
      delete recordOf(name).trialUntilMs;
    },
    async markFast(url, nowMs, slowTimes) {
      await call();
      const record = records.get(url);
      if (record !== undefined && (record.slowUntilMs > nowMs || record.downUntilMs !== undefined)) return;
      Object.assign(recordOf(url), { fastAtMs: nowMs, slowTimes });
      delete recordOf(url).trialUntilMs;
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
