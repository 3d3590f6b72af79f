import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { matchResult } from '../../lib/contract/match.ts';
import type { Problem } from '../../lib/contract/problem.ts';
import { checkQueueDefinition, queueDefinition } from '../../lib/contract/queue-definition.ts';
import { newTicket } from '../../lib/contract/ticket.ts';
import { dryRun } from '../../lib/service/ticks/offline.ts';
import { NUMBER_LIMITS } from '../../lib/vocabulary/number-limits.ts';
import { definition } from '../service/definitions.ts';

const { weightMax, valueMax } = NUMBER_LIMITS;

/** The messages about the fields of a definition, by pointer. */
function faults(more: Record<string, unknown>): Record<string, string> {
  try {
    checkQueueDefinition(definition(more), 'the definition');
  } catch (error) {
    return Object.fromEntries((error as Problem).errors.map(({ pointer, detail }) => [pointer, detail]));
  }
  return {};
}

/** The paths of numbers in a JSON schema that have no maximum. */
function unbounded(schema: unknown, path = ''): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const { type, maximum, exclusiveMaximum } = schema as Record<string, unknown>;
  const isNumber = type === 'number' || type === 'integer';
  const own = isNumber && maximum === undefined && exclusiveMaximum === undefined ? [path] : [];
  return [...own, ...Object.entries(schema).flatMap(([key, inner]) => unbounded(inner, `${path}/${key}`))];
}

describe('the numbers of a definition and of a ticket', () => {
  it('all have a maximum', () => {
    expect(unbounded(z.toJSONSchema(queueDefinition, { io: 'input', unrepresentable: 'any' }))).toEqual([]);
    expect(unbounded(z.toJSONSchema(newTicket, { io: 'input', unrepresentable: 'any' }))).toEqual([]);
  });

  it('are rejected above it, with the number', () => {
    const imbalance = { alpha: 1e300, p: 1, q: 2 };
    expect(faults({ imbalance, beta: 1e300, release: { policy: 'option-value', waitCost: 1e300 } })).toEqual({
      '#/imbalance/alpha': 'Expected a number up to 1000000000, got 1e+300',
      '#/beta': 'Expected a number up to 1000000000, got 1e+300',
      '#/release/waitCost': 'Expected a number up to 1000000000, got 1e+300',
    });
  });

  it.each([
    { policy: 'greedy' },
    { policy: 'option-value', waitCost: weightMax },
    { policy: 'option-value', waitCost: 1e-300 },
    { policy: 'expanding', tolerance: valueMax, growthPerSecond: valueMax },
  ])('give finite matches at their limits with the release %o', (release) => {
    let matches = 0;
    for (const alpha of [1e-300, weightMax])
      for (const norms of [
        { p: 1, q: valueMax },
        { p: valueMax, q: 1 },
        { p: 'inf', q: 'inf' },
      ])
        for (const beta of [0, 1e-300, weightMax])
          for (const levels of LEVELS) {
            const rules = checkQueueDefinition(
              { ...definition(), teamSize: 2, imbalance: { alpha, ...norms }, beta, release, ...COSTS },
              'extreme',
            );
            const result = JSON.parse(JSON.stringify(dryRun(rules, pool(levels), () => false)));
            expect(matchResult.safeParse(result).error).toBeUndefined();
            matches += result.matches.length;
          }
    expect(matches).toBeGreaterThan(0);
  });
});

const LEVELS = [
  [valueMax, valueMax, valueMax, valueMax],
  [valueMax, -valueMax, valueMax, -valueMax],
  [0, 0, 0, -valueMax],
];

const COSTS = {
  attributes: { level: { type: 'number' } },
  rules: [
    { name: 'Within', type: 'within', attribute: 'level', cost: weightMax },
    { name: 'Balance', type: 'balance', attribute: 'level', cost: weightMax },
    {
      name: 'Compare',
      type: 'compare',
      left: { of: 'sum', attribute: 'level' },
      right: -valueMax,
      op: '<=',
      cost: weightMax,
    },
  ],
};

function pool(levels: readonly number[]) {
  const skills = [0, 1e9, 1e-90, 1e9];
  return {
    tickets: levels.map((level, i) => ({
      ticketId: `t${i}`,
      enqueuedAt: new Date(Date.UTC(2026, 0, 1, 0, i * 10)).toISOString(),
      players: [{ playerId: `p${i}`, skill: skills[i]!, attributes: { level } }],
    })),
    now: '2026-01-01T23:00:00Z',
  };
}
