import { seededRandom } from 'muster/simulation';
import { describe, expect, it } from 'vitest';
import { playThrough } from '../../../lib/simulation/play.ts';
import { standardScenarios } from '../../lib/hindsight/bounds.ts';
import { imbalanceBound, pairBound } from '../../lib/hindsight/pair-bound.ts';

const { definition, traffic, law } = standardScenarios(2000, 1).at(-1)!;
const DUEL = { waitCost: 1, distanceCost: 3, from: 0, to: 3600 };
const duel = pairBound(law, DUEL);

describe('the bound on every policy for pairs', () => {
  it('has the price of the closed formula where the density is constant', () => {
    // Half a player arrives per tick and unit of skill. Far from the ends, the price is 1.
    const { price } = pairBound(
      { perTick: 20, density: () => 1 / 40 },
      { waitCost: 1, distanceCost: 2, from: 0, to: 40 },
    );
    for (const skill of [5, 13.3, 20, 35]) expect(price(skill)).toBeCloseTo(1, 2);
  });

  it('holds because waits and arrivals raise the cost paid plus J by at least the bound, whatever players wait', () => {
    const random = seededRandom(7);
    const skills = Array.from({ length: 1800 }, (_, i) => 2 * i + 1);
    const shares = skills.map((skill) => 2 * law.density(skill));
    const prices = skills.map(duel.price);
    const expected = prices.reduce((sum, price, i) => sum + price * shares[i], 0);
    expect(expected).toBeCloseTo(duel.cost, 1);
    for (let round = 0; round < 40; round++) {
      const centre = random.normal(1500, 350);
      const spread = 200 * random.uniform();
      const waiting = Array.from({ length: 1 + random.integer(5) }, () =>
        Math.max(0, random.normal(centre, spread)),
      );
      const now = leastCost(waiting);
      const raised = skills.reduce((sum, y, i) => sum + shares[i] * (leastCost([...waiting, y]) - now), 0);
      expect(raised + DUEL.waitCost * waiting.length).toBeGreaterThan(expected - 0.01);
    }
  });

  it('is below what option-value costs, by less than a tenth', () => {
    const { waitSeconds, imbalance } = playThrough(definition, traffic).measures;
    const cost = imbalance.mean + waitSeconds.mean;
    expect(duel.cost).toBeLessThan(cost);
    expect(duel.cost).toBeGreaterThan(0.9 * cost);
  });

  it('becomes one on the imbalance at a mean wait, near the cost of a wait for which it is greatest', () => {
    const { imbalance, waitCost } = imbalanceBound(law, DUEL, 14.4);
    for (const factor of [0.8, 1.25]) {
      const tried = waitCost * factor;
      const { cost } = pairBound(law, { ...DUEL, waitCost: tried });
      expect(cost - 14.4 * tried).toBeLessThan(imbalance);
    }
    expect(imbalance).toBeGreaterThan(22.5);
  });
});

/** J: the least cost of pairing some of them now, with the price of each of the others. */
function leastCost([first, ...others]: readonly number[]): number {
  if (first === undefined) return 0;
  let least = duel.price(first) + leastCost(others);
  others.forEach((mate, at) => {
    const pair = DUEL.distanceCost * Math.abs(first - mate);
    least = Math.min(least, pair + leastCost(others.toSpliced(at, 1)));
  });
  return least;
}
