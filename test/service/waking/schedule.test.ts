import { describe, expect, it } from 'vitest';
import type { QueueRecord } from '../../../lib/service/domain/queue-record.ts';
import type { TickMessage } from '../../../lib/service/domain/tick-message.ts';
import { isOdd, keepAwake, wake } from '../../../lib/service/waking/schedule.ts';
import { definition } from '../definitions.ts';

const MINUTE = 60_000;

/** A queue whose schedule is kept in memory. */
function sleeper(changes: Partial<QueueRecord> = {}) {
  let record: QueueRecord = {
    definition: definition({ tickSeconds: 5 }),
    version: 1,
    layouts: [{ version: 1, boundaries: [], fromMs: 0 }],
    awakeUntilMs: 0,
    sentUntilMs: 0,
    ...changes,
  };
  const sent: TickMessage[] = [];
  return {
    sent,
    get record() {
      return record;
    },
    deps: {
      queues: {
        get: async () => record,
        extendAwake: async (read: QueueRecord, untilMs: number) => {
          if (read.awakeUntilMs !== record.awakeUntilMs) return false;
          record = { ...record, awakeUntilMs: untilMs };
          return true;
        },
        confirmSent: async (read: QueueRecord, untilMs: number) => {
          if (read.sentUntilMs === record.sentUntilMs) record = { ...record, sentUntilMs: untilMs };
        },
      } as never,
      ticks: { send: async (messages: readonly TickMessage[]) => void sent.push(...messages) },
    },
  };
}

describe('ticks', () => {
  it('of an idle queue start at the next slot and continue past the next dispatch, whenever it runs', async () => {
    const queue = sleeper();
    await wake(queue.deps, queue.record, 10 * MINUTE + 32_100);
    expect(queue.sent[0]!.slotMs).toBe(10 * MINUTE + 35_000);
    expect(queue.sent.at(-1)!.slotMs).toBe(queue.record.awakeUntilMs);
    expect(queue.record.awakeUntilMs).toBeGreaterThan(11 * MINUTE + 32_100 + 15_000);
  });

  it('that dispatch has scheduled are not sent again by posts', async () => {
    const queue = sleeper();
    await keepAwake(queue.deps, queue.record, 10 * MINUTE + 700);
    const before = queue.sent.length;
    await wake(queue.deps, queue.record, 11 * MINUTE + 700);
    expect(queue.sent).toHaveLength(before);
  });

  it('never end before a dispatch sees the ticket, for any second at which dispatch runs and a ticket arrives', async () => {
    for (let dispatchSecond = 0; dispatchSecond < 60; dispatchSecond += 5) {
      for (let postedAtMs = MINUTE; postedAtMs < 4 * MINUTE; postedAtMs += 3_700) {
        // The queue has been woken before, and no ticket has waited since.
        const queue = sleeper();
        await wake(queue.deps, queue.record, MINUTE);
        await wake(queue.deps, queue.record, postedAtMs);
        const nextDispatchMs =
          Math.ceil((postedAtMs - dispatchSecond * 1_000) / MINUTE) * MINUTE +
          dispatchSecond * 1_000 +
          14_000;
        expect(queue.record.awakeUntilMs + 5_000).toBeGreaterThan(nextDispatchMs);
      }
    }
  });

  it('of several callers are sent by exactly one', async () => {
    const queue = sleeper();
    const read = queue.record;
    await Promise.all([1, 2, 3].map(() => wake(queue.deps, read, 10 * MINUTE)));
    const slots = queue.sent.map(({ slotMs }) => slotMs);
    expect(new Set(slots).size).toBe(slots.length);
  });

  it('that a crash has left unsent are sent by the next dispatch', async () => {
    const queue = sleeper();
    const crashing = { ...queue.deps, ticks: { send: () => Promise.reject(new Error('crash')) } };
    await expect(wake(crashing, queue.record, 10 * MINUTE)).rejects.toThrow('crash');
    await wake(queue.deps, queue.record, 10 * MINUTE + 5_000);
    expect(queue.sent).toEqual([]);
    await keepAwake(queue.deps, queue.record, 10 * MINUTE + 40_000);
    expect(queue.sent[0]!.slotMs).toBe(10 * MINUTE + 45_000);
    expect(queue.record.sentUntilMs).toBe(queue.record.awakeUntilMs);
  });

  it('cover every slot exactly once over an hour of dispatches', async () => {
    const queue = sleeper();
    for (let minute = 0; minute < 60; minute++) {
      await keepAwake(queue.deps, queue.record, minute * MINUTE + (minute % 7) * 900);
    }
    const slots = queue.sent.map(({ slotMs }) => slotMs);
    expect(slots).toEqual(slots.map((_, i) => 5_000 + i * 5_000));
    expect(slots.at(-1)).toBeGreaterThanOrEqual(60 * MINUTE);
  });

  it('alternate between even and odd slots', () => {
    const { record } = sleeper({ layouts: [{ version: 1, boundaries: [1000, 2000], fromMs: 0 }] });
    expect([0, 5_000, 10_000].map((slotMs) => isOdd(record, slotMs))).toEqual([false, true, false]);
  });

  it('are scheduled by a caller with an older record of the queue', async () => {
    const queue = sleeper();
    const known = queue.record;
    await keepAwake(queue.deps, queue.record, 10 * MINUTE);
    const sent = queue.sent.length;
    await wake(queue.deps, known, 10 * MINUTE);
    expect(queue.sent).toHaveLength(sent);
    await wake(queue.deps, known, 20 * MINUTE);
    expect(queue.sent.length).toBeGreaterThan(sent);
  });

  it('are one message per slot for any buckets, and use the layout in force when they are due', async () => {
    const queue = sleeper({ layouts: [{ version: 1, boundaries: [1000, 2000], fromMs: 0 }] });
    await keepAwake(queue.deps, queue.record, 10 * MINUTE);
    expect(queue.sent.length).toBeGreaterThan(0);
    for (const message of queue.sent) expect(Object.keys(message)).toEqual(['queue', 'slotMs']);
  });
});
