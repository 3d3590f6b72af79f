import { describe, expect, it } from 'vitest';
import { CONCURRENCY } from '../../../lib/infra/limits.ts';
import { IS_LONG } from '../../long.ts';
import type { Behaviour } from './webhook-lanes.ts';
import { WebhookTraffic } from './webhook-traffic.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** Receivers with a number below this fail in the way that the test sets. */
const troubled = (count: number) => (receiver: number) => receiver < count;
const healthy = (count: number) => (receiver: number) => receiver >= count;

/** One busy receiver gets every second event, and a hundred others the rest. */
const halfToOne = (n: number) => (n % 2 === 0 ? 0 : 1 + (n % 100));

describe('ten of 1,000 receivers hang at 1,100 events a second', () => {
  it('delay no other webhook, use few executions, and get all webhooks after the outage', async () => {
    const traffic = new WebhookTraffic({
      receiver: (receiver, nowMs) => (receiver < 10 && nowMs < 2 * MINUTE_MS ? 'hangs' : 'answers'),
      concurrency: { first: CONCURRENCY.notify, slow: CONCURRENCY.notifySlow },
    });
    // In this order the ten do not share invocations.
    const receiverOf = (n: number) => (n * 101) % 1_000;
    await traffic.traffic(1_100, 15 * SECOND_MS, receiverOf);
    const begun = { first: traffic.first.runningMax, slow: traffic.slow.runningMax };
    traffic.first.runningMax = 0;
    traffic.slow.runningMax = 0;
    await traffic.traffic(1_100, 3 * SECOND_MS, receiverOf);

    // Healthy receivers need 12 executions, and up to 16 while they are new. Each of the ten hangs in one, for 2 s.
    expect(begun.first).toBeLessThanOrEqual(16 + 10);
    expect(begun.slow).toBeLessThanOrEqual(CONCURRENCY.notifySlow);
    // After they are marked, new webhooks need as many executions as without them, and the slow lane only those of probes.
    expect(traffic.first.runningMax).toBeLessThanOrEqual(16);
    expect(traffic.slow.runningMax).toBeLessThanOrEqual(12);
    expect(traffic.delaysMs(healthy(10)).at(-1)).toBeLessThan(200);

    await traffic.rest(2 * HOUR_MS);
    expect(traffic.deliveredMs.size).toBe(traffic.sentMs.size);
    expect(traffic.sentMs.size).toBeGreaterThan(19_700);
    expect(traffic.deadLetters).toEqual([]);
    // A postponed webhook arrives after the outage within at most the duration of the outage.
    expect(traffic.delaysMs(troubled(10)).at(-1)).toBeLessThan(2 * 2 * MINUTE_MS + 10 * SECOND_MS);
    for (const receiver of [0, 9]) expect(traffic.posts.get(receiver)).toBeLessThan(2 * 20 + 10);
  });
});

describe('the receiver of half of all events', () => {
  const run = async (behaviour: (nowMs: number) => Behaviour, seconds = 10) => {
    const traffic = new WebhookTraffic({
      receiver: (receiver, nowMs) => (receiver === 0 ? behaviour(nowMs) : 'answers'),
      concurrency: { first: 10, slow: 4 },
    });
    await traffic.traffic(200, seconds * SECOND_MS, halfToOne);
    return traffic;
  };

  /** Only one post to a new receiver uses an execution of the first lane. */
  const expectNoDelay = (traffic: WebhookTraffic) => {
    const delays = traffic.delaysMs(healthy(1));
    expect(delays.length).toBeGreaterThan(980);
    expect(delays.at(-1)).toBeLessThan(200);
  };

  it('delays no other when it hangs', async () => {
    const traffic = await run((nowMs) => (nowMs < 2 * MINUTE_MS ? 'hangs' : 'answers'));
    expectNoDelay(traffic);
    await traffic.rest(2 * HOUR_MS);
    expect(traffic.deliveredMs.size).toBe(traffic.sentMs.size);
    expect(traffic.deadLetters).toEqual([]);
  });

  it('delays no other when all its responses are slow', async () => {
    const traffic = await run(() => 'answers late');
    expectNoDelay(traffic);
    await traffic.rest(HOUR_MS);
    expect(traffic.deliveredMs.size).toBe(traffic.sentMs.size);
    expect(traffic.slow.runningMax).toBe(4);
  });

  it.runIf(IS_LONG)(
    'delays the others for two seconds when it has been fast and then hangs, and seldom again',
    async () => {
      const traffic = new WebhookTraffic({
        receiver: (receiver, nowMs) =>
          receiver === 0 && nowMs % (10 * SECOND_MS) > 5 * SECOND_MS ? 'hangs' : 'answers',
        concurrency: { first: 10, slow: 4 },
      });
      await traffic.traffic(200, 2 * MINUTE_MS, halfToOne);
      const delays = traffic.delaysMs(healthy(1));
      expect(delays.length).toBeGreaterThan(11_980);
      expect(delays.at(-1)).toBeLessThan(2_000);
      // All executions hang for two seconds. It is fast again after a minute without a failure only.
      expect(delays.filter((ms) => ms > 200).length).toBeLessThan(2 * 100 * 2);
    },
  );

  it('is tried eight times for each event when it fails quickly', async () => {
    const traffic = await run(() => ({ status: 500 }), 3);
    expect(traffic.delaysMs(healthy(1)).at(-1)).toBeLessThan(200);
    await traffic.rest(2 * HOUR_MS);
    expect(traffic.deadLetters).toHaveLength(traffic.sentMs.size / 2);
    expect(traffic.posts.get(0)).toBe(8 * traffic.deadLetters.length);
    expect(traffic.time.nowMs).toBeGreaterThan(30 * MINUTE_MS);
    expect(traffic.time.nowMs).toBeLessThan(40 * MINUTE_MS);
  });
});

describe('a receiver that is down', () => {
  const down = async (forMs: number, behaviour: Behaviour, events = 3) => {
    const traffic = new WebhookTraffic({
      receiver: (_, nowMs) => (nowMs < forMs ? behaviour : 'answers'),
      concurrency: { first: 4, slow: 2 },
    });
    for (let i = 0; i < events; i++) traffic.send(0);
    await traffic.rest(30 * HOUR_MS);
    return traffic;
  };

  it.each<Behaviour>(['hangs', { status: 503 }, { status: 429 }])(
    'gets its webhooks after 23 hours (%j)',
    async (behaviour) => {
      const traffic = await down(23 * HOUR_MS, behaviour);
      expect(traffic.deliveredMs.size).toBe(3);
      expect(traffic.deadLetters).toEqual([]);
      // Each returns about every thirteen minutes, as a probe.
      expect(traffic.posts.get(0)).toBeLessThan(3 * 110);
    },
  );

  it('loses no webhook after a day: each becomes one dead letter, which has new tries when it is redriven', async () => {
    const traffic = await down(40 * HOUR_MS, 'hangs');
    expect(traffic.deliveredMs.size).toBe(0);
    expect(traffic.time.nowMs).toBeGreaterThan(23.7 * HOUR_MS);
    expect(traffic.time.nowMs).toBeLessThan(24.3 * HOUR_MS);
    const url = 'https://q0.example/';
    expect(traffic.deadLetters.map(({ event, ...rest }) => [event.eventId, rest]).sort()).toEqual(
      ['e0', 'e1', 'e2'].map((eventId) => [eventId, { url, secret: 'shared/s' }]),
    );
    traffic.redrive();
    await traffic.rest(20 * HOUR_MS);
    expect(traffic.deliveredMs.size).toBe(3);
  });

  it('is reported when it is marked as down, and again by each failed probe', async () => {
    const traffic = await down(HOUR_MS, 'hangs', 1);
    const reports = traffic.outcomes.filter((result) => 'down' in result && result.down !== undefined);
    // Neither the post that the first lane cut short, nor the four failures before the mark, nor the last post.
    const probes = traffic.posts.get(0)! - 1 - 4 - 1;
    expect(reports).toHaveLength(probes);
    expect(probes).toBeGreaterThan(3);
  });

  it('gets its newest webhooks within two seconds of its first response, before older ones', async () => {
    const outageMs = 3 * MINUTE_MS;
    const traffic = new WebhookTraffic({
      receiver: (_, nowMs) => (nowMs < outageMs ? { status: 503 } : 'answers'),
      concurrency: { first: 4, slow: 2 },
    });
    await traffic.traffic(2, 5 * MINUTE_MS, () => 0);
    await traffic.rest(HOUR_MS);
    expect(traffic.deliveredMs.size).toBe(traffic.sentMs.size);
    const firstMs = Math.min(...traffic.deliveredMs.values());
    const events = [...traffic.sentMs].map(([eventId, sentMs]) => ({
      waitedMs: firstMs - sentMs,
      afterFirstMs: traffic.deliveredMs.get(`${eventId} 0`)! - firstMs,
    }));
    const afterFirst = (from: number, to: number) =>
      events
        .filter(({ waitedMs }) => waitedMs >= from && waitedMs < to)
        .map(({ afterFirstMs }) => afterFirstMs)
        .sort((a, b) => a - b);
    // A probe is due a minute after the one before at most.
    expect(firstMs).toBeLessThan(outageMs + MINUTE_MS + 2 * SECOND_MS);
    expect(afterFirst(0, 3 * SECOND_MS).length).toBeGreaterThan(4);
    // The time of the calls comes on top.
    expect(afterFirst(0, 3 * SECOND_MS).at(-1)).toBeLessThan(2 * SECOND_MS + 100);
    const median = (sorted: readonly number[]) => sorted[Math.floor(sorted.length / 2)]!;
    expect(median(afterFirst(20 * SECOND_MS, MINUTE_MS))).toBeLessThan(
      median(afterFirst(2 * MINUTE_MS, 3 * MINUTE_MS)),
    );
    // None waits longer than half of what it had waited before, and what comes after the first response is prompt.
    for (const { waitedMs, afterFirstMs } of events)
      expect(afterFirstMs).toBeLessThan(
        waitedMs < 0 ? -waitedMs + 2 * SECOND_MS : waitedMs / 2 + 3 * SECOND_MS,
      );
  });
});
