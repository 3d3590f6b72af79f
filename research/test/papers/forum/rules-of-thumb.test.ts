import { seededRandom } from 'muster/simulation';
import { expect, test } from 'vitest';
import {
  virtualRating,
  weightedRandom,
  widening,
  wideningInBatches,
} from '../../../lib/papers/forum/rules-of-thumb.ts';
import {
  type Arrival,
  type MakeGame,
  type OnlineAlgorithm,
  run,
  type Setting,
} from '../../../lib/papers/schlup/model.ts';
import { steadyArrivals } from '../../../lib/papers/schlup/workload.ts';

const PAIRS: Setting = { players: 2, criteria: 1, longestWait: 5 };
const WINDOW = { start: 0.05, growth: 0.1 };

const arrivals = (...pairs: (readonly [number, number])[]): Arrival[] =>
  pairs.map(([time, criterion], index) => ({ index, time, criteria: [criterion] }));

const gamesOf = (
  algorithm: (setting: Setting, makeGame: MakeGame) => OnlineAlgorithm,
  players: readonly Arrival[],
): string[] => {
  const games: string[] = [];
  run(PAIRS, players, (setting, makeGame) =>
    algorithm(setting, (members, now) => {
      games.push(`${members.map(({ index }) => index).sort((a, b) => a - b)}@${now.toFixed(1)}`);
      makeGame(members, now);
    }),
  );
  return games;
};

test('widening windows need the tolerance of both, and pair the longest-waiting player with the nearest', () => {
  // Player 0 tolerates 0.25 at time 2, player 1 only 0.05 when it arrives, and 0.15 one time unit later.
  expect(gamesOf(widening(WINDOW), arrivals([0, 0.5], [2, 0.62]))).toEqual(['0,1@2.7']);
  expect(gamesOf(widening({ start: 0.2, growth: 0 }), arrivals([0, 0.1], [0.1, 0.9], [1, 0.2]))).toEqual([
    '0,2@1.0',
    '1@5.1',
  ]);
});

test('a falling rating lets a strong player meet a weaker one, and a weak one no stronger player', () => {
  expect(gamesOf(virtualRating(WINDOW), arrivals([0, 0.6], [0.1, 0.4]))).toEqual(['0,1@1.5']);
  const weak = gamesOf(virtualRating(WINDOW), arrivals([0, 0.4], [4.5, 0.6]));
  expect(weak).toEqual(['0,1@5.0']);
});

test('a weighted random partner costs more than the nearest of the same batch', () => {
  const players = [...steadyArrivals(10, 1500, 1, seededRandom(4))];
  const drawn = weightedRandom(WINDOW, () => seededRandom(5));
  expect(gamesOf(drawn, players)).toEqual(gamesOf(drawn, players));
  expect(run(PAIRS, players, drawn).cost).toBeGreaterThan(
    run(PAIRS, players, wideningInBatches(WINDOW)).cost,
  );
});
