import type { GameRules } from 'muster/engine';
import { seededRandom } from 'muster/simulation';
import { describe, expect, it } from 'vitest';
import { certifiedPrices } from '../../lib/hindsight/certificate.ts';
import { choosersOf } from '../../lib/hindsight/choosers.ts';
import { type Instance, instanceOf, leastCost, waitUntil } from '../../lib/hindsight/instance.ts';
import { Pricing } from '../../lib/hindsight/pricing.ts';

const rules: GameRules = { teamSize: 3, alpha: 1, p: 1, q: 2, beta: 0 };

/** Tickets near one skill and a few far from it, which have far higher prices. */
function pricedTickets(seed: number, sizes: readonly number[]) {
  const random = seededRandom(seed);
  const isFar = Array.from({ length: 30 }, (_, i) => i % 15 === 7);
  const instance = instanceOf(
    isFar.map((far, i) => ({
      ticketId: `t${i}`,
      enqueuedAtMs: 500 * i,
      players: Array.from({ length: sizes[i % sizes.length] }, (_, p) => ({
        playerId: `t${i}.${p}`,
        skill: random.normal(far ? 1300 : 1000, 40),
      })),
    })),
    { seats: 6, tickSeconds: 1, waitCost: 1, gapCost: 1 },
  );
  const wanted = Float64Array.from(
    isFar,
    (far, i) => instance.parts[i].size * (far ? 560 : 30 + 15 * random.uniform()),
  );
  return { instance, wanted };
}

/** The greatest sum of prices less the cost, of the games that are best around some centres with one or another ticket. */
function greatestExcess(instance: Instance, prices: Float64Array): number {
  const { parts, seats, end } = instance;
  let most = Number.NEGATIVE_INFINITY;
  for (let first = 0; first < parts.length; first++) {
    for (let centre = 900; centre <= 1400; centre += 50) {
      for (const spread of [30, 80, 150]) {
        const value = (i: number) => {
          const { within, size, mean } = parts[i];
          const squares = within + size * (mean - centre) ** 2;
          return (prices[i] - waitUntil(instance, parts[i], end) - squares / (2 * spread)) / size;
        };
        const members = [first];
        let left = seats - parts[first].size;
        for (const i of [...parts.keys()].sort((a, b) => value(b) - value(a))) {
          if (i === first || parts[i].size > left) continue;
          members.push(i);
          left -= parts[i].size;
        }
        if (left > 0) continue;
        most = Math.max(
          most,
          members.reduce((sum, i) => sum + prices[i], -leastCost(instance, members)),
        );
      }
    }
  }
  return most;
}

describe('certified prices', () => {
  it.each([
    ['solo players', [1]],
    ['parties', [1, 2, 1, 3, 1]],
  ])('of %s are at most the cost of every game, also with tickets far from all others', (_, sizes) => {
    const { instance, wanted } = pricedTickets(1, sizes);
    const pricing = new Pricing(instance, choosersOf(rules, instance), 10);
    // No player leaves, so that high prices stay as they are.
    const prices = certifiedPrices({ ...instance, period: Number.POSITIVE_INFINITY }, pricing, wanted);
    expect(greatestExcess(instance, wanted)).toBeGreaterThan(0);
    expect(greatestExcess(instance, prices)).toBeLessThanOrEqual(0);
  });
});
