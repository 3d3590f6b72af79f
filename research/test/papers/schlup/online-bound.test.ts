import { seededRandom } from 'muster/simulation';
import { expect, test } from 'vitest';
import { givenRate } from '../../../lib/papers/schlup/arrival-rate.ts';
import {
  expectedUntil,
  type MixedWorkload,
  mixedArrivals,
  rateAt,
  stretches,
} from '../../../lib/papers/schlup/mixed-workload.ts';
import { type Arrival, type MakeGame, run } from '../../../lib/papers/schlup/model.ts';
import { Charges, onlineBound } from '../../../lib/papers/schlup/online-bound.ts';
import { optimum } from '../../../lib/papers/schlup/optimum.ts';
import { leastOnline } from '../../../lib/papers/schlup/schlup.ts';
import { slack } from '../../../lib/papers/schlup/slack.ts';

const PAIRS = { players: 2, criteria: 1, longestWait: 5 };

/** The rate rises, jumps, falls and ends. */
const CHANGING: MixedWorkload = {
  name: 'changing',
  pieces: [
    { from: 1, to: 5, duration: 4 },
    { from: 8, to: 2, duration: 4 },
    { from: 0.5, to: 0.5, duration: 3 },
  ],
};
const ONE_RATE = { name: '3', rises: false, rate: 3, horizon: 11 };
const RUNS = 300;

function arrivalsOfRun(count: number): Arrival[] {
  return [...mixedArrivals(CHANGING, 1, seededRandom(11).fork(`${count}`))];
}

test('without charges the bound is the cost of OPT', () => {
  for (let count = 0; count < 20; count++) {
    const arrivals = arrivalsOfRun(count);
    expect(onlineBound(PAIRS, arrivals, CHANGING, 0)).toBeCloseTo(optimum(PAIRS, arrivals).cost, 5);
  }
});

test('the charges of an online algorithm have mean 0, and the bound lies between OPT and its mean cost', () => {
  let [costs, bounds, least, sum, squares] = [0, 0, 0, 0, 0];
  for (let count = 0; count < RUNS; count++) {
    const arrivals = arrivalsOfRun(count);
    const charges = new Charges(PAIRS, arrivals, CHANGING, 1);
    let charged = 0;
    const observed = (setting: typeof PAIRS, makeGame: MakeGame) =>
      slack(givenRate(ONE_RATE))(setting, (members, now) => {
        for (const { index } of members) charged += charges.until(index, now);
        makeGame(members, now);
      });
    const { cost } = run(PAIRS, arrivals, observed);
    const bound = onlineBound(PAIRS, arrivals, CHANGING);
    // The algorithm could have been the least cost with charges.
    expect(bound).toBeLessThanOrEqual(cost + charged + 1e-6);
    costs += cost;
    bounds += bound;
    least += optimum(PAIRS, arrivals).cost;
    sum += charged;
    squares += charged ** 2;
  }
  const standardError = Math.sqrt(squares - sum ** 2 / RUNS) / RUNS;
  expect(Math.abs(sum / RUNS)).toBeLessThan(3.5 * standardError);
  // A charge that is not refunded, or refunded twice, would be far from 0.
  expect(standardError).toBeLessThan((0.03 * costs) / RUNS);
  expect(bounds).toBeGreaterThan(1.05 * least);
  expect(bounds).toBeLessThan(costs);
});

test('the expected players of all stretches are those until a time, whatever the rate does', () => {
  const parts = stretches(CHANGING, 1, 14);
  expect(parts.map(({ from, to }) => [from, to])).toEqual([
    [1, 4],
    [4, 8],
    [8, 11],
    [11, 14],
  ]);
  expect(parts.map(({ highest }) => highest)).toEqual([5, 8, 0.5, 0]);
  const expected = parts.reduce((sum, part) => sum + part.expected, 0);
  expect(expected).toBeCloseTo(expectedUntil(CHANGING, 14) - expectedUntil(CHANGING, 1), 12);
  expect(expectedUntil(CHANGING, 6)).toBeCloseTo(12 + 13, 12);
  expect([0, 2, 4, 6, 9, 11].map((time) => rateAt(CHANGING, time))).toEqual([1, 3, 8, 5, 0.5, 0]);
});

test('reports what every online algorithm costs at least, above OPT', () => {
  const { findings } = leastOnline({ seed: 3, players: 10_000 }, 1);
  expect(findings).toHaveLength(4);
  for (const { ours } of findings) {
    expect(ours).toBeGreaterThan(1);
    expect(ours).toBeLessThan(1.4);
  }
});
