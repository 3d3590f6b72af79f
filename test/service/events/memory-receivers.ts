import type { ReceiverRecord, ReceiverStore } from '../../../lib/service/ports/receiver-store.ts';

/** The receiver store in memory. Each call takes time. */
export function memoryReceivers(call: () => Promise<void> = async () => {}): ReceiverStore {
  const records = new Map<string, ReceiverRecord>();
  const put = (url: string, record: ReceiverRecord) => {
    records.set(url, record);
    return record;
  };
  return {
    async get(url) {
      await call();
      return records.get(url);
    },
    async addFailure(url) {
      await call();
      return put(url, { failures: (records.get(url)?.failures ?? 0) + 1 });
    },
    async markDown(url, nowMs, downUntilMs) {
      await call();
      const record = records.get(url) ?? { failures: 0 };
      if (nowMs < (record.downUntilMs ?? 0)) return false;
      put(url, { ...record, downUntilMs });
      return true;
    },
    async markUp(url, _nowMs, fastAtMs) {
      await call();
      put(url, { failures: 0, ...(fastAtMs !== undefined && { fastAtMs }) });
    },
  };
}
