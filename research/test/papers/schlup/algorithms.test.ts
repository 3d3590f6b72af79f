import { seededRandom } from 'muster/simulation';
import { describe, expect, test } from 'vitest';
import { givenRate } from '../../../lib/papers/schlup/arrival-rate.ts';
import { differenceWait } from '../../../lib/papers/schlup/difference-wait.ts';
import { estimatedRate } from '../../../lib/papers/schlup/estimated-rate.ts';
import { greedy } from '../../../lib/papers/schlup/greedy.ts';
import { mixedArrivals, mixedWorkloads } from '../../../lib/papers/schlup/mixed-workload.ts';
import {
  type Arrival,
  gameCost,
  type MakeGame,
  type OnlineAlgorithm,
  run,
  type Setting,
} from '../../../lib/papers/schlup/model.ts';
import { multiQueue } from '../../../lib/papers/schlup/multi-queue.ts';
import { optimum } from '../../../lib/papers/schlup/optimum.ts';
import { periodic } from '../../../lib/papers/schlup/periodic.ts';
import { production, waitCostOf } from '../../../lib/papers/schlup/production.ts';
import { ringArrivals, ringCost, ringOptimum } from '../../../lib/papers/schlup/ring.ts';
import { slack } from '../../../lib/papers/schlup/slack.ts';
import {
  arrivalsOf,
  meanRate,
  steadyArrivals,
  workloadsOfPlayers,
  workloadsOverHorizon,
} from '../../../lib/papers/schlup/workload.ts';

type Algorithm = (setting: Setting, makeGame: MakeGame) => OnlineAlgorithm;

const PAIRS: Setting = { players: 2, criteria: 1, longestWait: 5 };

const PEOPLE_ONLY: Setting = { ...PAIRS, computerPlayers: false };

/** [time, criterion] in order of time. */
const arrivals = (...pairs: (readonly [number, number])[]): Arrival[] =>
  pairs.map(([time, criterion], index) => ({ index, time, criteria: [criterion] }));

/** The games an algorithm makes, as "members@time". */
const gamesOf = (algorithm: Algorithm, setting: Setting, players: readonly Arrival[]): string[] => {
  const games: string[] = [];
  run(setting, players, (given, makeGame) =>
    algorithm(given, (members, now) => {
      games.push(`${members.map(({ index }) => index).sort((a, b) => a - b)}@${Number(now.toFixed(6))}`);
      makeGame(members, now);
    }),
  );
  return games;
};

describe('the cost of a game', () => {
  test('weighs differences by k/D and waits by 1/τ_max', () => {
    const [a, b] = arrivals([0, 0.25], [1, 0.75]);
    expect(gameCost(PAIRS, [a, b], 2)).toBeCloseTo(2 * 0.5 + (2 + 1) / 5, 12);
    const twoCriteria = [a, b].map((player) => ({ ...player, criteria: [...player.criteria, 0.5] }));
    expect(gameCost({ ...PAIRS, criteria: 2 }, twoCriteria, 2)).toBeCloseTo(0.5 + 3 / 5, 12);
  });

  test('with computer players counts the full difference and their full wait', () => {
    expect(gameCost({ ...PAIRS, players: 3 }, arrivals([0, 0.5]), 5)).toBe(3 + 1 + 2);
  });
});

describe('a run', () => {
  test('throws when an algorithm loses a player, lets one wait too long, or makes no progress', () => {
    const idle = (): OnlineAlgorithm => ({
      onArrival: () => {},
      timer: () => Number.POSITIVE_INFINITY,
      onTimer: () => {},
    });
    expect(() => run(PAIRS, arrivals([0, 0]), idle)).toThrow('Expected 1 players in games, got 0');
    const late: Algorithm = (_, makeGame) => ({
      onArrival: (arrival) => makeGame([arrival], arrival.time + 6),
      timer: () => Number.POSITIVE_INFINITY,
      onTimer: () => {},
    });
    expect(() => run(PAIRS, arrivals([0, 0]), late)).toThrow('Expected no wait beyond 5, player 0 waited 6');
    const stuck: Algorithm = () => ({ onArrival: () => {}, timer: () => 1, onTimer: () => {} });
    expect(() => run(PAIRS, arrivals([0, 0]), stuck)).toThrow('Expected the timer to move on from 1');
  });
});

describe('the algorithms of the paper', () => {
  test('A_G takes players in order of arrival, and fills the game with computer players at τ_max', () => {
    const players = arrivals([0, 0.1], [1, 0.9], [2, 0.5], [8, 0.5]);
    expect(gamesOf(greedy, PAIRS, players)).toEqual(['0,1@1', '2@7', '3@13']);
  });

  test('A_PM sorts a full period and pairs neighbours', () => {
    const players = arrivals([0, 0.1], [1, 0.9], [2, 0.2], [3, 0.8]);
    expect(gamesOf(periodic(2), PAIRS, players)).toEqual(['0,2@3', '1,3@3']);
  });

  test('A_PM ends a period when its first player has waited τ_max, and leaves the odd player to the next period', () => {
    const players = arrivals([0, 0.1], [1, 0.9], [2, 0.2], [6.5, 0.8]);
    // At 5 the first two are sorted and play; player 2 opens a period that ends at 7.
    expect(gamesOf(periodic(3), PAIRS, players)).toEqual(['0,1@5', '2,3@7']);
  });

  test('A_MQ pairs players within a range, and searches ever farther ranges at τ_max', () => {
    const players = arrivals([0, 0.05], [1, 0.9], [2, 0.3], [3, 0.95]);
    // Ranges of a quarter: 1 and 3 share one; at 5 player 0 finds 2 in the next range.
    expect(gamesOf(multiQueue(4), PAIRS, players)).toEqual(['1,3@3', '0,2@5']);
  });

  test('A_MQ takes the oldest player of the nearest ring of queues, even if older ones are farther away', () => {
    const players = arrivals([0, 0.55], [1, 0.95], [2, 0.45], [3, 0.65]);
    expect(gamesOf(multiQueue(10), PAIRS, players)).toEqual(['0,2@5', '1,3@6']);
  });

  test('A_MQ with two criteria has a queue for each combination', () => {
    const corner = (index: number, x: number, y: number): Arrival => ({
      index,
      time: index,
      criteria: [x, y],
    });
    const players = [corner(0, 0.1, 0.1), corner(1, 0.1, 0.9), corner(2, 0.9, 0.1), corner(3, 0.2, 0.8)];
    expect(gamesOf(multiQueue(2, 2), { ...PAIRS, criteria: 2 }, players)).toEqual(['1,3@3', '0,2@5']);
  });

  test('A_DW makes a pair final after a wait in proportion to its difference', () => {
    expect(gamesOf(differenceWait(2), PAIRS, arrivals([0, 0.1], [1, 0.6], [9, 0]))).toEqual([
      '0,1@2',
      '2@14',
    ]);
  });

  test('A_DW breaks a pair for a nearer newcomer, and the dropped player tries the other pairs', () => {
    // 0 and 1 pair at difference 0.8; 2 is nearer to 0, so 1 drops out and meets 3.
    const players = arrivals([0, 0.1], [1, 0.9], [1.5, 0.2], [2, 0.7]);
    expect(gamesOf(differenceWait(5), PAIRS, players)).toEqual(['0,2@2', '1,3@3']);
  });

  test('A_DW never lets a member of a pair wait beyond τ_max', () => {
    expect(gamesOf(differenceWait(20), PAIRS, arrivals([0, 0], [4, 1]))).toEqual(['0,1@5']);
  });

  test('with their smallest parameters all algorithms make the same games as A_G', () => {
    const players = [...steadyArrivals(1, 500, 1, seededRandom(1))];
    const expected = gamesOf(greedy, PAIRS, players);
    for (const algorithm of [periodic(1), multiQueue(1), differenceWait(0)]) {
      expect(gamesOf(algorithm, PAIRS, players)).toEqual(expected);
    }
  });
});

describe('OPT', () => {
  /** The least cost by trying every set of pairs. */
  const bruteForce = (players: readonly Arrival[]): number => {
    if (players.length === 0) return 0;
    const [first, ...others] = players;
    let best = 4 + bruteForce(others);
    others.forEach((other, at) => {
      if (other.time - first.time > 5) return;
      const rest = others.filter((_, place) => place !== at);
      best = Math.min(best, gameCost(PAIRS, [first, other], other.time) + bruteForce(rest));
    });
    return best;
  };

  test('is the least cost over all sets of pairs', () => {
    const random = seededRandom(8);
    for (let round = 0; round < 150; round++) {
      const count = 1 + random.integer(8);
      const players = [...steadyArrivals([0.2, 1, 5][round % 3], count, 1, random)];
      expect(optimum(PAIRS, players).cost).toBeCloseTo(bruteForce(players), 7);
    }
  });

  test('without computer players pairs all players at the least cost, however long that takes', () => {
    const everybody = (players: readonly Arrival[]): number => {
      if (players.length === 0) return 0;
      const [first, ...others] = players;
      const costs = others.map((other, at) => {
        const rest = others.filter((_, place) => place !== at);
        return gameCost(PAIRS, [first, other], other.time) + everybody(rest);
      });
      return Math.min(...costs);
    };
    const random = seededRandom(9);
    for (let round = 0; round < 60; round++) {
      const players = [...steadyArrivals([0.1, 1, 5][round % 3], 2 * (1 + random.integer(4)), 1, random)];
      const best = optimum(PEOPLE_ONLY, players);
      expect(best.cost).toBeCloseTo(everybody(players), 7);
      expect(best.filledGames).toBe(0);
      expect(run(PEOPLE_ONLY, players, slack(estimatedRate(5))).cost).toBeGreaterThanOrEqual(
        best.cost - 1e-6,
      );
    }
    expect(() => optimum(PEOPLE_ONLY, arrivals([0, 0.5]))).toThrow(
      'Expected an even number of players, got 1',
    );
  });

  test('is beaten by no algorithm, and slack comes nearest', () => {
    const costs = { slack: 0, differenceWait: 0, optimum: 0 };
    for (const workload of workloadsOverHorizon(20)) {
      for (let seed = 0; seed < 10; seed++) {
        const players = [...arrivalsOf(workload, 1, seededRandom(seed).fork(workload.name))];
        if (players.length === 0) continue;
        const best = optimum(PAIRS, players);
        costs.optimum += best.costPerGame;
        for (const algorithm of [greedy, periodic(3), multiQueue(4), slack(givenRate(workload))]) {
          expect(run(PAIRS, players, algorithm).cost).toBeGreaterThanOrEqual(best.cost - 1e-6);
        }
        costs.slack += run(PAIRS, players, slack(estimatedRate(5))).costPerGame;
        costs.differenceWait += run(PAIRS, players, differenceWait(2)).costPerGame;
      }
    }
    expect(costs.slack / costs.optimum).toBeLessThan(1.36);
    expect(costs.slack).toBeLessThan(costs.differenceWait);
  });
});

describe('slack', () => {
  const rate = () => ({ onArrival: () => {}, at: () => 1 });

  test('takes a newcomer within tolerance at once, and lets a distant one wait', () => {
    const games = gamesOf(slack(rate), PAIRS, arrivals([0, 0.5], [0.1, 0.55], [0.2, 0.05], [0.3, 0.95]));
    expect(games[0]).toBe('0,1@0.1');
    expect(games).toHaveLength(2);
  });

  test('pairs two waiting players once the tolerance of one has grown enough', () => {
    // No other player comes: the pair is made before the time is up, in a look into the silence.
    const [game] = gamesOf(slack(rate), PAIRS, arrivals([0, 0.2], [0.1, 0.75]));
    const [members, time] = game.split('@');
    expect(members).toBe('0,1');
    expect(Number(time)).toBeGreaterThan(0.1);
    expect(Number(time)).toBeLessThan(5);
  });

  test('pairs all waiting players at least cost after a long silence, whichever player remains', () => {
    const fast = () => ({ onArrival: () => {}, at: () => 1000 });
    const players = arrivals([0, 0.1], [0.001, 0.3], [0.002, 0.5], [0.003, 0.7], [0.004, 0.94]);
    const games = gamesOf(slack(fast), PAIRS, players).map((game) => game.split('@')[0]);
    expect(games.slice(0, 2)).toEqual(['0,1', '2,3']);
  });
});

test("the service's own tick plays every player of the paper's arrivals once, none later than τ_max", () => {
  const players = [...steadyArrivals(2, 300, 1, seededRandom(6))];
  const ours = run(PAIRS, players, production({ policy: 'option-value', waitCost: waitCostOf(PAIRS) }));
  expect(ours.cost).toBeGreaterThanOrEqual(optimum(PAIRS, players).cost - 1e-6);
  expect(ours.cost).toBeLessThan(run(PAIRS, players, greedy).cost);
});

test("the service's own tick weighs a second criterion by a rule with a cost", () => {
  const setting = { ...PAIRS, criteria: 2 };
  const players = [...steadyArrivals(5, 120, 2, seededRandom(7))];
  const ours = run(setting, players, production({ policy: 'option-value', waitCost: waitCostOf(setting) }));
  const skillAlone = run(setting, players, (_, makeGame) =>
    production({ policy: 'option-value', waitCost: waitCostOf(PAIRS) })(PAIRS, makeGame),
  );
  expect(ours.cost).toBeGreaterThanOrEqual(optimum(setting, players).cost - 1e-6);
  expect(ours.cost).toBeLessThan(skillAlone.cost);
});

describe('the endless stream', () => {
  test('costs least with a tolerance near ℓ, and more than the least cost of all pairs', () => {
    const cost = (length: number) => ringCost(ringArrivals(6000, seededRandom(2)), 6000, () => length).value;
    const best = cost(1);
    expect(best).toBeLessThan(cost(0.4));
    expect(best).toBeLessThan(cost(2.5));
    const least = ringOptimum([...ringArrivals(500, seededRandom(3))]);
    expect(best).toBeGreaterThan(1.15 * least);
    expect(best).toBeLessThan(1.45 * least);
  });
});

describe('mixed workloads', () => {
  const [first, second] = mixedWorkloads(2, seededRandom(4));

  test('are the same for the same seed, and differ from each other', () => {
    expect(mixedWorkloads(3, seededRandom(4)).slice(0, 2)).toEqual([first, second]);
    expect(first.pieces).not.toEqual(second.pieces);
  });

  test('have players in each piece at its rates', () => {
    const pieces = [
      { from: 2, to: 2, duration: 100 },
      { from: 20, to: 0, duration: 100 },
    ];
    const times = [...mixedArrivals({ name: 'two', pieces }, 1, seededRandom(5))].map(({ time }) => time);
    const between = (from: number, to: number) => times.filter((time) => time > from && time <= to).length;
    expect(between(0, 100)).toBeGreaterThan(140);
    expect(between(0, 100)).toBeLessThan(260);
    // Three quarters of the players of a rate that falls to 0 come in the first half.
    expect(between(100, 150) / between(100, 200)).toBeCloseTo(0.75, 1);
    expect(times.at(-1)).toBeLessThanOrEqual(200);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
  });
});

describe('the estimated rate', () => {
  test('approximates a steady rate, follows a rising one, and falls during a silence', () => {
    const steady = estimatedRate(5)();
    const estimates: number[] = [];
    for (const { time } of steadyArrivals(7, 3000, 1, seededRandom(2))) {
      while (10 + estimates.length / 2 < time) estimates.push(steady.at(10 + estimates.length / 2));
      steady.onArrival(time);
    }
    const mean = estimates.reduce((sum, estimate) => sum + estimate / estimates.length, 0);
    expect(Math.abs(mean - 7)).toBeLessThan(0.7);
    // A single estimate has a spread of a quarter, because the rate may just have changed.
    const far = estimates.filter((estimate) => estimate < 3.5 || estimate > 14);
    expect(far.length).toBeLessThan(0.03 * estimates.length);
    expect(steady.at(500)).toBeLessThan(0.1);

    const rising = estimatedRate(5)();
    const workload = workloadsOfPlayers(1000).at(-1)!;
    for (const { time } of arrivalsOf(workload, 1, seededRandom(3))) rising.onArrival(time);
    expect(rising.at(workload.horizon)).toBeGreaterThan(1.3 * meanRate(workload));
  });

  test('follows a fall to a tenth within a dozen arrivals, and takes a silence of ten mean gaps for the end', () => {
    const rate = estimatedRate(5)();
    const pieces = [
      { from: 40, to: 40, duration: 8 },
      { from: 4, to: 4, duration: 3 },
    ];
    for (const { time } of mixedArrivals({ name: 'fall', pieces }, 1, seededRandom(7))) rate.onArrival(time);
    expect(rate.at(11)).toBeGreaterThan(2);
    expect(rate.at(11)).toBeLessThan(8);
    expect(rate.at(11 + 10 / 4)).toBeLessThan(0.4);
  });

  test('depends on the arrivals per τ_max alone, and survives any silence', () => {
    const [short, long] = [estimatedRate(5)(), estimatedRate(10)()];
    for (const { time } of steadyArrivals(2, 50, 1, seededRandom(8))) {
      short.onArrival(time);
      long.onArrival(2 * time);
    }
    expect(long.at(80)).toBeCloseTo(short.at(40) / 2, 12);
    short.onArrival(1e9);
    expect(short.at(1e9)).toBeGreaterThan(0.05);
    expect(short.at(1e9)).toBeLessThan(1);
  });
});

test('workloads have as many players as they state', () => {
  for (const workload of workloadsOfPlayers(1000)) {
    const count = [...arrivalsOf(workload, 1, seededRandom(4).fork(workload.name))].length;
    expect(Math.abs(count - 1000)).toBeLessThan(5 * Math.sqrt(1000));
  }
});
