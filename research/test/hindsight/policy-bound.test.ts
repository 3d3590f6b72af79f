import { describe, expect, it } from 'vitest';
import { standardScenarios } from '../../lib/hindsight/bounds.ts';
import { withoutForesight } from '../../lib/hindsight/foresight.ts';
import { waitUntil } from '../../lib/hindsight/instance.ts';
import { programOf } from '../../lib/hindsight/measure-bounds.ts';
import { policyBound } from '../../lib/hindsight/policy-bound.ts';

const PRICE = { reach: 0.6, share: 1, power: 1 };
const duelOf = (players: number, seed: number) => standardScenarios(players, seed).at(-1)!;
const instanceOfDuel = (players: number, seed: number) => {
  const { definition, traffic, law } = duelOf(players, seed);
  return { ...programOf(definition, traffic, players), law };
};

describe('the price of foresight', () => {
  it('is paid back on average, whatever a ticket does that does not know the future', () => {
    const { instance, law } = instanceOfDuel(3000, 4);
    const charged = withoutForesight(instance, law, PRICE);
    const waits = [(skill: number) => 20 + 0 * skill, (skill: number) => (skill > 1500 ? 5 : 60)];
    for (const wait of waits) {
      const paid = charged.parts.flatMap((part, at) => {
        const tick = part.slot + wait(part.mean / 3);
        return tick > instance.end
          ? []
          : [waitUntil(charged, part, tick) - waitUntil(instance, instance.parts[at], tick)];
      });
      const mean = paid.reduce((sum, one) => sum + one, 0) / paid.length;
      // Neighbours pay for the same newcomers, so the error is some times that of independent payments.
      const error = Math.sqrt(paid.reduce((sum, one) => sum + one ** 2, 0)) / paid.length;
      expect(Math.abs(mean)).toBeLessThan(5 * error);
      expect(error).toBeGreaterThan(0);
    }
  });

  it('never makes a wait cheaper with time', () => {
    const { instance, law } = instanceOfDuel(200, 1);
    const charged = withoutForesight(instance, law, { reach: 1, share: 1, power: 2 });
    for (const part of charged.parts)
      for (let tick = part.slot; tick < charged.end; tick++)
        expect(waitUntil(charged, part, tick + 1)).toBeGreaterThan(waitUntil(charged, part, tick) - 1e-9);
  });

  it('is refused with a share above 1, with which waits would become cheaper', () => {
    const { instance, law } = instanceOfDuel(20, 1);
    expect(() => withoutForesight(instance, law, { ...PRICE, share: 1.1 })).toThrow('from 0 to 1, got 1.1');
  });
});

describe('a bound on every policy', () => {
  it('is above that on every schedule and below what option-value costs', async () => {
    const duel = duelOf(400, 1);
    const { bound, optionValue } = await policyBound(duel, duel.law, PRICE);
    const { bound: ofSchedules } = await policyBound(duel, duel.law, { ...PRICE, share: 0 });
    expect(bound).toBeGreaterThan(1.1 * ofSchedules);
    expect(bound).toBeLessThan(optionValue);
  });
});
