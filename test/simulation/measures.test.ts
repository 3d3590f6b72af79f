import { describe, expect, it } from 'vitest';
import type { Game, Ticket } from '../../lib/engine/types.ts';
import { Meter } from '../../lib/simulation/measures.ts';
import { TimeSeries } from '../../lib/simulation/time-series.ts';

const ticket = (ticketId: string, second: number, { skill = 1000, size = 1, roles = [] as string[] } = {}) =>
  ({
    ticketId,
    enqueuedAtMs: 1000 * second,
    players: Array.from({ length: size }, (_, at) => ({
      playerId: `${ticketId}-${at}`,
      skill,
      ...(roles.length > 0 && { roles }),
    })),
  }) satisfies Ticket;

const game = (a: Ticket, b: Ticket, values: Partial<Game> = {}): Game => ({
  teams: [a, b].map(({ ticketId, players }) =>
    players.map(({ playerId, roles = [] }) => ({
      ticketId,
      playerId,
      ...(roles[0] !== undefined && { role: roles[0] }),
    })),
  ) as unknown as Game['teams'],
  ticketIds: [a.ticketId, b.ticketId],
  imbalance: 5,
  teamGap: 3,
  skillSpread: 2,
  priority: 5,
  lowerBound: 5,
  optimal: true,
  ...values,
});

describe('waits', () => {
  it('count players waiting at the end with their age, and players who timed out or cancelled with the time until then', () => {
    const meter = new Meter([], 1);
    const [a, b] = [ticket('a', 0), ticket('b', 4)];
    meter.matched(game(a, b), [a, b], 10_000);
    meter.left(ticket('c', 0), 'timedOut', 60_000);
    meter.left(ticket('d', 40), 'cancelled', 60_000);
    meter.ticked(100_000, [ticket('e', 20, { size: 2 })]);
    const { waitSeconds, waitSecondsMatched } = meter.read();
    // 10, 6, 60, 20, and 80 twice
    expect(waitSeconds).toMatchObject({ count: 6, mean: 42.6667, max: 80 });
    expect(waitSecondsMatched).toMatchObject({ count: 2, mean: 8, max: 10 });
  });

  it('count the age of a waiting player as of the last tick, however often they are read', () => {
    const meter = new Meter([], 1);
    for (const second of [10, 20, 30]) {
      meter.ticked(1000 * second, [ticket('a', 0)]);
      expect(meter.read().waitSeconds).toMatchObject({ count: 1, max: second });
      expect(meter.read().waitSeconds).toMatchObject({ count: 1, max: second });
    }
    const [a, b] = [ticket('a', 0), ticket('b', 39)];
    meter.matched(game(a, b), [a, b], 40_000);
    meter.ticked(40_000, []);
    expect(meter.read().waitSeconds).toMatchObject({ count: 2, max: 40, mean: 20.5 });
  });

  it('include the unmatched in the waits by skill and by party size', () => {
    const meter = new Meter([1500], 1);
    meter.left(ticket('strong', 0, { skill: 2000 }), 'timedOut', 60_000);
    meter.ticked(60_000, [ticket('pair', 10, { size: 2 })]);
    const { waitSecondsBySkill, waitSecondsByPartySize } = meter.read();
    expect(waitSecondsBySkill.map(({ count, max }) => [count, max])).toEqual([
      [2, 50],
      [1, 60],
    ]);
    expect(waitSecondsByPartySize.map(({ of, count, max }) => [of, count, max])).toEqual([
      ['1', 1, 60],
      ['2', 2, 50],
    ]);
  });

  it('by role count a matched player in the role played, an unmatched one in every role accepted', () => {
    const meter = new Meter([], 1, ['attack', 'defence']);
    const [a, b] = [ticket('a', 0, { roles: ['attack'] }), ticket('b', 0, { roles: ['defence', 'attack'] })];
    meter.matched(game(a, b), [a, b], 10_000);
    meter.left(ticket('c', 0, { roles: ['attack'] }), 'timedOut', 60_000);
    meter.ticked(60_000, [ticket('d', 20)]);
    expect(meter.read().waitSecondsByRole.map(({ of, count, mean }) => [of, count, mean])).toEqual(
      [
        ['attack', 3, (10 + 60 + 40) / 3],
        ['defence', 2, 25],
      ].map(([of, count, mean]) => [of, count, Number((mean as number).toPrecision(6))]),
    );
  });

  it('report the share of all players matched within a time', () => {
    const meter = new Meter([], 1);
    const [a, b] = [ticket('a', 0), ticket('b', 0)];
    meter.matched(game(a, b), [a, b], 10_000);
    meter.left(ticket('c', 0), 'timedOut', 60_000);
    meter.ticked(60_000, [ticket('d', 0)]);
    const { waitQuantiles } = meter.read();
    expect(Math.max(...waitQuantiles.map(({ part }) => part))).toBeLessThanOrEqual(0.5);
    expect(waitQuantiles.at(-1)!.value).toBeCloseTo(10, 0);
  });
});

describe('measures of nothing', () => {
  it('are null in JSON, not zero', () => {
    const meter = new Meter([], 1);
    meter.ticked(60_000, [ticket('a', 0)]);
    const measures = JSON.parse(JSON.stringify(meter.read()));
    const nothing = { count: 0, mean: null, p50: null, p90: null, p99: null, max: null };
    expect(measures.imbalance).toEqual(nothing);
    expect(measures.waitSecondsMatched).toEqual(nothing);
    expect(measures.provedBest).toBeNull();
    expect(measures.waitSeconds.max).toBe(60);
  });

  it('count the matches behind the mean gap when some have no proven bound', () => {
    const meter = new Meter([], 1);
    const [a, b] = [ticket('a', 0), ticket('b', 0)];
    meter.matched(game(a, b, { lowerBound: Number.NEGATIVE_INFINITY, optimal: false }), [a, b], 10_000);
    meter.matched(game(a, b, { lowerBound: 3, optimal: false }), [a, b], 10_000);
    meter.ticked(10_000, []);
    expect(meter.read().gap).toMatchObject({ count: 1, mean: 2 });
    expect(meter.read().matches).toBe(2);
  });
});

describe('players waiting over time', () => {
  it('are zero while the queue is empty between two ticks', () => {
    const meter = new Meter([], 1);
    const [a, b] = [ticket('a', 0), ticket('b', 1)];
    meter.ticked(0, [a]);
    meter.matched(game(a, b), [a, b], 1000);
    meter.ticked(1000, []);
    // The service searches again only after the next arrival.
    meter.ticked(101_000, [ticket('c', 100)]);
    expect(meter.read().waitingPlayers.mean).toBeCloseTo(1 / 101, 6);
  });

  it('end with the last observation, even when it does not fill a point', () => {
    const series = new TimeSeries();
    for (let second = 0; second <= 1000; second++) series.add(1000 * second, second);
    const points = series.points();
    expect(points.length).toBeLessThanOrEqual(400);
    expect(points.at(-1)!.atMs).toBe(1_000_000);
  });
});
