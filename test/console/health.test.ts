import { describe, expect, it } from 'vitest';
import { troublesOf } from '../../lib/console/page/data/health.ts';
import type { QueueStats } from '../../lib/contract/queue-stats.ts';

const NOW_MS = Date.UTC(2026, 10, 1);
const isoAt = (seconds: number) => new Date(NOW_MS + 1_000 * seconds).toISOString();

/** A queue that is well. */
const stats = (changes: Partial<QueueStats> = {}): QueueStats => ({
  queue: 'duel',
  at: isoAt(0),
  arrivals: null,
  waiting: 3,
  waitingAt: isoAt(-1),
  oldestWaitSeconds: 4,
  lastTickAt: isoAt(-1),
  tickOverdueSeconds: 0,
  tickMilliseconds: 40,
  recentMatches: { count: 0, imbalanceMean: null, waitSecondsP50: null, waitSecondsP99: null },
  recentEnds: { tickets: 0, timedOutShare: null },
  outcomes: {
    since: isoAt(-300),
    tickets: { matched: 0, timedOut: 0, cancelled: 0, returned: 0 },
    matches: { found: 0, requeued: 0, ended: 0 },
  },
  searchesCut: 0,
  ...changes,
});
const troubles = (changes?: Partial<QueueStats>) =>
  troublesOf({ tickSeconds: 1, timeoutSeconds: 60 }, stats(changes));

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

  it('is bad while too many matches are not accepted, and says why', () => {
    const outcomes: QueueStats['outcomes'] = {
      ...stats().outcomes,
      acceptance: { accepted: 4, declined: 1, notAccepted: 5, failedShare: 0.6 },
      failing: { step: 'acceptance', failed: 6, decided: 10, minutes: 2 },
    };
    expect(troubles({ outcomes })).toEqual([
      {
        level: 'bad',
        text: expect.stringMatching(
          /^6 of 10 matches of the last 2 minutes were not accepted\. Since .*: 5 not answered in time, 1 declined\.$/,
        ),
      },
    ]);
  });

  it('is bad while a webhook fails, and says why and what waits', () => {
    const webhook = {
      url: 'https://game.example/hook',
      state: 'down' as const,
      lastSuccessAt: isoAt(-60),
      lastFailure: { at: isoAt(-2), text: 'the receiver returned status 503', status: 503 },
      failures: 5,
      waiting: 3,
      waitingSince: isoAt(-40),
    };
    expect(troubles({ webhooks: [webhook] })).toEqual([
      {
        level: 'bad',
        text: 'The webhook https://game.example/hook fails: the receiver returned status 503 (5 failures, last success 60 s ago). 3 events wait, the first for 40 s.',
      },
    ]);
    expect(troubles({ webhooks: [{ ...webhook, failures: 1 }] })).toMatchObject([{ level: 'warning' }]);
    expect(troubles({ webhooks: [{ ...webhook, failures: 0 }] })).toEqual([]);
  });

  it('is bad while functions fail at work for the queue', () => {
    expect(troubles({ faults: { notPublished: 12, notDispatched: 1, minutes: 2 } })).toEqual([
      {
        level: 'bad',
        text: expect.stringMatching(/^The event bus rejected 12 events in the last 2 minutes, .* are late\./),
      },
      { level: 'bad', text: expect.stringMatching(/^dispatch failed 1 time in the last 2 minutes: /) },
    ]);
    expect(troubles({})).toEqual([]);
  });

  it('is bad while ticks are missing, also when no ticket waited at the last one', () => {
    expect(troubles({ waiting: 0, tickOverdueSeconds: 14 })).toEqual([]);
    expect(troubles({ waiting: 0, tickOverdueSeconds: 20 })).toEqual([
      { level: 'bad', text: 'No tick for 20 s although tickets were posted.' },
    ]);
  });

  it('is bad while too many matches get no game server', () => {
    const outcomes: QueueStats['outcomes'] = {
      ...stats().outcomes,
      placement: { placed: 0, refused: 2, timedOut: 1, failedShare: 1 },
      failing: { step: 'placement', failed: 3, decided: 3, minutes: 6 },
    };
    expect(troubles({ outcomes })).toMatchObject([
      { level: 'bad', text: expect.stringMatching(/^3 of 3 matches .* got no game server\..*2 refused/) },
    ]);
  });

  it('warns when players who came do not come any more, for an hour', () => {
    const silent = (playersPerSecond: number, silentSeconds: number) =>
      troubles({ arrivals: { playersPerSecond, silentSeconds } });
    expect(silent(2, 24)).toEqual([]);
    expect(silent(0.01, 3_599)).toEqual([]);
    expect(silent(2, 25)).toEqual([
      {
        level: 'warning',
        text: 'No ticket for 25 s, after 120 players a minute: can clients reach the service?',
      },
    ]);
    expect(silent(2, 3_600)).toEqual([]);
  });

  it('goes by the clock of the service, however wrong that of the page is', () => {
    for (const wrong of [-60_000, 60_000])
      expect(troubles({ at: isoAt(wrong), lastTickAt: isoAt(wrong - 1) })).toEqual([]);
  });

  it('is bad while a webhook fails often, though never for long', () => {
    const webhook = {
      url: 'https://game.example/hook',
      state: 'failing' as const,
      lastSuccessAt: isoAt(-1),
      lastFailure: { at: isoAt(-2), text: 'the receiver returned status 500', status: 500 },
      failures: 0,
      recent: { posted: 20, failed: 5 },
      waiting: 0,
      waitingSince: null,
    };
    expect(troubles({ webhooks: [webhook] })).toEqual([
      {
        level: 'bad',
        text: 'The webhook https://game.example/hook fails: the receiver returned status 500 (5 of the latest 20 posts, last success 1.0 s ago).',
      },
    ]);
    expect(troubles({ webhooks: [{ ...webhook, recent: { posted: 20, failed: 4 } }] })).toEqual([]);
  });

  it('warns when several searches ran out of time', () => {
    expect(troubles({ searchesCut: 4 })).toEqual([]);
    expect(troubles({ searchesCut: 5 })).toMatchObject([
      {
        level: 'warning',
        text: expect.stringMatching(/^5 searches of the last five minutes ran out of time/),
      },
    ]);
  });
});
