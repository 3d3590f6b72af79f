import { seededRandom } from 'muster/simulation';
import { describe, expect, test } from 'vitest';
import { greedyCost, oddShare, patientCost, threshold } from '../../../lib/papers/wu/closed-forms.ts';
import { optimalCost } from '../../../lib/papers/wu/decision-process.ts';
import { playPolicy } from '../../../lib/papers/wu/policies.ts';
import { oddAfter, patientStationary } from '../../../lib/papers/wu/stationary.ts';
import { reproduceWu } from '../../../lib/papers/wu/wu.ts';

describe('dynamic matching with teams', () => {
  test('the share of odd games is the sum over odd binomial terms', () => {
    // n = 2, q = 0.3: 4·0.3·0.7³ + 4·0.3³·0.7
    expect(oddShare({ teamSize: 2, highShare: 0.3 })).toBeCloseTo(4 * 0.3 * 0.343 + 4 * 0.027 * 0.7, 12);
  });

  test('at the threshold both policies cost the same', () => {
    for (const market of [
      { teamSize: 1, highShare: 0.2 },
      { teamSize: 4, highShare: 0.45 },
    ]) {
      expect(greedyCost(market, threshold(market))).toBeCloseTo(patientCost(market), 12);
    }
    expect(threshold({ teamSize: 3, highShare: 1 })).toBe(Number.POSITIVE_INFINITY);
  });

  test('the patient policy forms no imbalanced game, and no policy keeps more than 2n players', () => {
    const market = { teamSize: 2, highShare: 0.4 };
    const patient = playPolicy('patient', market, 50_000, seededRandom(1));
    expect(patient.imbalanced.value).toBe(0);
    expect(patient.waiting.value).toBeLessThanOrEqual(4);
  });

  test('the patient pool is empty as often as it holds one H, one L, or 2n players (Lemma 3.2 and Π_k)', () => {
    for (const market of [
      { teamSize: 1, highShare: 0.2 },
      { teamSize: 4, highShare: 0.45 },
    ]) {
      const { share, bySize } = patientStationary(market);
      const empty = 1 / (4 * market.teamSize);
      expect(share(0, 0)).toBeCloseTo(empty, 12);
      expect(share(1, 0)).toBeCloseTo(empty, 12);
      expect(share(0, 1)).toBeCloseTo(empty, 12);
      expect(bySize[0]).toBeCloseTo(empty, 12);
      expect(bySize.at(-1)).toBeCloseTo(empty, 12);
      for (const middle of bySize.slice(1, -1)) expect(middle).toBeCloseTo(2 * empty, 12);
      const { fromLow, fromHigh } = oddAfter(market);
      // Odd pools of 2n players come from either start: Π_2n = π_(0,1)·δ_1 + π_(1,0)·δ_2.
      expect(share(0, 1) * fromLow + share(1, 0) * fromHigh).toBeCloseTo(bySize.at(-1)!, 12);
    }
  });

  test('the decision process finds the better of the two on both sides of the threshold, and no better', () => {
    const market = { teamSize: 2, highShare: 0.2 };
    for (const alpha of [0, threshold(market) - 0.05, threshold(market), threshold(market) + 0.05, 50]) {
      const { lower, upper } = optimalCost(market, alpha);
      const best = Math.min(patientCost(market), greedyCost(market, alpha));
      expect(lower).toBeLessThanOrEqual(best + 1e-12);
      expect(upper).toBeGreaterThanOrEqual(best - 1e-12);
      expect(upper - lower).toBeLessThan(1e-7);
    }
  });

  test("a larger pool than the paper's does not lower the cost", () => {
    const market = { teamSize: 1, highShare: 0.4 };
    expect(optimalCost(market, 3, 14).lower).toBeCloseTo(optimalCost(market, 3, 4).lower, 6);
  });

  test('reproduces the paper, with identical output for the same seed', () => {
    const result = reproduceWu({ seed: 3, players: 10_000 });
    expect(result.verdict).toBe('holds');
    expect(JSON.stringify(reproduceWu({ seed: 3, players: 10_000 }))).toBe(JSON.stringify(result));
  });
});
