import { describe, expect, it } from 'vitest';
import { troublesOf } from '../../lib/console/page/overview/health.ts';
import type { QueueStats } from '../../lib/contract/queue-stats.ts';

const NOW_MS = Date.UTC(2026, 10, 1);
const isoAt = (seconds: number) => new Date(NOW_MS + 1_000 * seconds).toISOString();

/** A queue that is well. */
const stats = (changes: Partial<QueueStats> = {}): QueueStats => ({
  queue: 'duel',
  waiting: 3,
  waitingAt: isoAt(-1),
  oldestWaitSeconds: 4,
  lastTickAt: isoAt(-1),
  tickMilliseconds: 40,
  recentMatches: { count: 0, imbalanceMean: null, waitSecondsP50: null, waitSecondsP99: null },
  recentEnds: { tickets: 0, timedOutShare: null },
  searchesCut: 0,
  ...changes,
});
const troubles = (changes?: Partial<QueueStats>) =>
  troublesOf({ tickSeconds: 1, timeoutSeconds: 60 }, stats(changes), NOW_MS);

describe('the health of a queue', () => {
  it('is good without troubles', () => {
    expect(troubles()).toEqual([]);
  });

  it('is bad while the queue is set aside, and says why and until when', () => {
    const setAside = {
      failedTicks: 4,
      lastFailureAt: isoAt(-2),
      retryAt: isoAt(8),
      reason: '4 ticks in a row have not succeeded',
    };
    expect(troubles({ setAside })).toEqual([
      {
        level: 'bad',
        text: 'Set aside: 4 ticks in a row have not succeeded. The next search is in 8.0 s; tickets time out meanwhile.',
      },
    ]);
  });

  it('warns when several searches ran out of time', () => {
    expect(troubles({ searchesCut: 4 })).toEqual([]);
    expect(troubles({ searchesCut: 5 })).toMatchObject([
      {
        level: 'warning',
        text: expect.stringMatching(/^5 searches of the last ten minutes ran out of time/),
      },
    ]);
  });
});
