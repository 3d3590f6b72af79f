import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { planTick, type QueueRules } from '../../lib/policies/plan.ts';
import { compileRules } from '../../lib/rules/rule-states.ts';
import type { RuledPlayer } from '../../lib/rules/types.ts';

const NOW_MS = 300_000;

const ticketOf = (ticketId: string, player: Partial<RuledPlayer>) => ({
  ticketId,
  enqueuedAtMs: 0,
  players: [{ playerId: ticketId, skill: 100, ...player }],
});

const near = (max: number) => ({
  attributes: { level: { type: 'number' } } as const,
  rules: [{ name: 'near', type: 'within', attribute: 'level', max }] as const,
});

describe('the blocks of a number that must be within a limit', () => {
  const values = fc.oneof(
    fc.integer({ min: -1000, max: 1000 }),
    fc.double({ min: -1e15, max: 1e15, noNaN: true }),
    fc.constantFrom(-1e15, 0, 1, 1e7, 1e15 - 1, 1e15),
  );
  const limits = fc.oneof(
    fc.constantFrom(0, 1e-300, 0.01, 1, 1e7, 1e15),
    fc.double({ min: 0, max: 1e15, noNaN: true }),
  );

  it('contain every pair that may play together, and are counted by tickets, not by values', () => {
    let divided = 0;
    fc.assert(
      fc.property(fc.array(fc.option(values), { minLength: 2, maxLength: 40 }), limits, (levels, max) => {
        const shape = { nowMs: NOW_MS, seats: 2, seatsMin: 2, teams: 2, teamSize: 1 };
        const constraints = compileRules(near(max), { ...shape, kinds: undefined, facetsFrom: 0 }, false)!();
        const numbers = levels.map((level, i) =>
          constraints.enter(ticketOf(`t${i}`, level === null ? { bot: true } : { attributes: { level } })),
        );
        const facets = constraints.facets(numbers);
        if (facets === undefined) return;
        divided++;
        let memberships = 0;
        for (const { tickets } of facets) {
          // One ticket alone is no match.
          expect(tickets.length).toBeGreaterThan(1);
          memberships += tickets.length;
        }
        expect(memberships).toBeLessThanOrEqual(32 * levels.length);
        levels.forEach((a, i) => {
          levels.forEach((b, j) => {
            if (i === j || (a !== null && b !== null && Math.abs(a - b) > max)) return;
            const isTogether = facets.some(
              ({ tickets }) => tickets.includes(numbers[i]!) && tickets.includes(numbers[j]!),
            );
            // Two tickets without a value are together in any block.
            if (!isTogether) expect([i, a, j, b, max]).toEqual('in one block');
          });
        });
      }),
      { numRuns: 2000, seed: 1 },
    );
    expect(divided).toBeGreaterThan(500);
  });

  it.each([
    [1, 1e15],
    [0.01, 1e15],
    [1e-300, 1],
    [0, 1e15],
  ])('fills games with bots within %d where players differ by %d', (max, level) => {
    const rules: QueueRules = {
      teamSize: 32,
      imbalance: { alpha: 1, p: 1, q: 2 },
      release: { policy: 'greedy' },
      tickSeconds: 2,
      timeoutSeconds: 300,
      fill: 'bots',
      ...near(max),
    };
    const tickets = [0, level].map((one) => ticketOf(`t${one}`, { attributes: { level: one } }));
    const { matches } = planTick({ rules, tickets, nowMs: NOW_MS });
    expect(matches.map(({ ticketIds }) => ticketIds)).toEqual([['t0'], [`t${level}`]]);
  });
});
