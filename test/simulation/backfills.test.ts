import { describe, expect, it } from 'vitest';
import { reportPage } from '../../lib/cli/report/report.ts';
import type { QueueDefinition } from '../../lib/contract/queue-definition.ts';
import { poissonArrivals } from '../../lib/simulation/arrivals.ts';
import { playThrough } from '../../lib/simulation/play.ts';
import { type RandomSource, seededRandom } from '../../lib/simulation/random.ts';
import type { MatchCourse } from '../../lib/simulation/running-matches.ts';
import type { Traffic } from '../../lib/simulation/traffic.ts';
import { definition } from '../definition.ts';

const duel = definition({ backfill: {}, timeoutSeconds: 30 });

/** Players leave so many seconds after they have joined; all others stay. */
function leaving(seconds: Readonly<Record<string, number>>): RandomSource {
  const source = seededRandom(1);
  return {
    ...source,
    fork: (playerId) => ({
      ...source,
      exponential: () => 1000 * (seconds[playerId] ?? Number.POSITIVE_INFINITY),
    }),
  };
}

/** Solo players of the same skill who arrive at these seconds. */
function arriving(seconds: Readonly<Record<string, number>>, course: MatchCourse): Traffic {
  return {
    atEnd: 'drain',
    skillSample: [1500, 1600],
    arrivals: Object.entries(seconds).map(([playerId, second]) => ({
      ticket: { ticketId: playerId, enqueuedAtMs: 1000 * second, players: [{ playerId, skill: 1500 }] },
      patienceMs: Number.POSITIVE_INFINITY,
    })),
    course,
  };
}

/** A Poisson process of 2 players per second, a third of which leave their match of two minutes. */
function busy(players = 450): Traffic {
  const population = { skills: { kind: 'normal', mean: 1500, standardDeviation: 350 } } as const;
  return {
    atEnd: 'stop',
    skillSample: [800, 1500, 2200],
    arrivals: {
      [Symbol.iterator]: () =>
        poissonArrivals({ population, rate: { kind: 'constant', perSecond: 2 }, players }, seededRandom(4)),
    },
    course: { matchSeconds: 120, leavers: 1 / 3, random: seededRandom(4).fork('leavers') },
  };
}

const trios: QueueDefinition = { ...duel, teamSize: 3, release: { policy: 'option-value', waitCost: 2 } };

describe('a simulation of running matches', () => {
  it('fills the seat of a player who leaves, and measures the time from the departure to the newcomer', () => {
    const course = { matchSeconds: 100, leavers: 0.5, random: leaving({ ann: 9 }) };
    const { measures } = playThrough(duel, arriving({ ann: 1, bob: 1, cy: 20 }, course));
    expect(measures.matches).toBe(1);
    expect(measures.outcome).toEqual({ matched: 3, cancelled: 0, timedOut: 0, waiting: 0 });
    expect(measures.backfill).toMatchObject({
      leavers: 1,
      requests: 1,
      timedOut: 0,
      rosters: 1,
      emptySeats: 1,
      filledSeats: 1,
      filledShare: 1,
      secondsToFill: { count: 1, max: 10 },
      waitSeconds: { count: 1, max: 0 },
      imbalance: { mean: 0 },
    });
  });

  it('repeats a request that times out, and ends the request with its match', () => {
    const course = { matchSeconds: 100, leavers: 0.5, random: leaving({ ann: 9, bob: 79 }) };
    const { measures } = playThrough(duel, arriving({ ann: 1, bob: 1, cy: 75, dan: 105 }, course));
    // Ann leaves at 10 s, so the server asks at 10, 40 and 70 s. Bob leaves at 80 s, and no player comes before the end.
    expect(measures.backfill).toMatchObject({ leavers: 2, requests: 4, timedOut: 2, rosters: 1 });
    expect(measures.backfill).toMatchObject({
      emptySeats: 2,
      filledSeats: 1,
      unfilledSeats: 1,
      openSeats: 0,
    });
    expect(measures.backfill?.secondsEmpty).toMatchObject({ count: 2, max: 65, mean: (65 + 21) / 2 });
    expect(measures.outcome).toMatchObject({ matched: 3, timedOut: 1 });
  });

  it('ends a match that all players have left', () => {
    const course = { matchSeconds: 100, leavers: 0.5, random: leaving({ ann: 9, bob: 9 }) };
    const { measures } = playThrough(duel, arriving({ ann: 1, bob: 1, cy: 20, dan: 20 }, course));
    expect(measures.matches).toBe(2);
    expect(measures.backfill).toMatchObject({ leavers: 2, requests: 0, unfilledSeats: 2 });
  });

  const { measures } = playThrough(trios, busy());

  it('accounts for every player and every seat, and gives the same bytes for the same seed', () => {
    const { backfill, outcome } = measures;
    expect(outcome.matched + outcome.timedOut + outcome.waiting).toBe(measures.players);
    expect(outcome.matched).toBe(6 * measures.matches + backfill!.filledSeats);
    expect(backfill!.emptySeats).toBe(backfill!.leavers);
    expect(backfill!.filledSeats + backfill!.unfilledSeats + backfill!.openSeats).toBe(backfill!.emptySeats);
    expect(backfill!.filledShare).toBeGreaterThan(0.9);
    expect(JSON.stringify(playThrough(trios, busy()).measures)).toBe(JSON.stringify(measures));
  });

  it('asks for no players in a queue without backfill, whose seats stay empty', () => {
    const { backfill: _, ...without } = trios;
    const silent = playThrough(without, busy()).measures.backfill!;
    expect(silent).toMatchObject({ requests: 0, rosters: 0, filledSeats: 0 });
    expect(silent.leavers).toBeGreaterThan(50);
    expect(measures.backfill!.emptyShare).toBeLessThan(silent.emptyShare / 3);
  });

  it('fills seats sooner with a high priority than with a low one', () => {
    const meanOf = (priority: 'low' | 'high') => {
      const { measures } = playThrough({ ...trios, backfill: { priority } }, busy());
      return measures.backfill!.secondsEmpty.mean;
    };
    expect(meanOf('high')).toBeLessThan(0.9 * meanOf('low'));
  });

  it('asks at once for players into the empty seats of a match that starts short', () => {
    const crew: QueueDefinition = {
      ...duel,
      teamSize: undefined,
      teams: [{ name: 'crew', size: 3, minSize: 2 }],
      short: { afterSeconds: 5 },
    };
    const course = { matchSeconds: 100, leavers: 0, random: leaving({}) };
    const { measures } = playThrough(crew, arriving({ ann: 1, bob: 1, cy: 20 }, course));
    expect(measures.matches).toBe(1);
    expect(measures.backfill).toMatchObject({ leavers: 0, emptySeats: 1, filledSeats: 1 });
    expect(measures.backfill?.secondsToFill.max).toBe(14);
  });

  it('measures no seats when matches are not followed after their release', () => {
    const { course: _, ...traffic } = busy(100);
    const run = { name: 'trios', definition: trios, ...playThrough(trios, traffic) };
    expect(run.measures.backfill).toBeUndefined();
    expect(reportPage('t', [{ title: 't', text: 't', runs: [run] }])).not.toContain('empty seats');
    const followed = { ...run, ...playThrough(trios, busy(100)) };
    expect(reportPage('t', [{ title: 't', text: 't', runs: [followed] }])).toContain('empty seats filled');
  });
});
