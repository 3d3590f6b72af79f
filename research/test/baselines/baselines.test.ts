import type { Ticket } from 'muster/engine';
import { planTick, type QueueRules, type TickMemory } from 'muster/policies';
import { describe, expect, it } from 'vitest';
import { describeConformance } from '../../../test/policies/conformance.ts';
import { memoryOf, NOW_MS, queue, solo } from '../../../test/policies/plain-queues.ts';
import { brackets } from '../../lib/baselines/brackets.ts';
import { differenceWait } from '../../lib/baselines/difference-wait.ts';
import { patient } from '../../lib/baselines/patient.ts';

describeConformance({
  brackets: brackets({}),
  'difference-wait': differenceWait(0.2),
  patient: patient({ imbalanceMax: 20, waitCost: 1 }),
});

describe('brackets', () => {
  it('matches across ranges only near the time-out', () => {
    const rules = queue(1, brackets({ count: 4, growSeconds: 20 }), 60);
    const memory = memoryOf(2);
    const pair = (ageMs: number) => [solo('low', 900, NOW_MS - ageMs), solo('high', 2100, NOW_MS - ageMs)];
    expect(matched(rules, pair(30_000), memory)).toHaveLength(0);
    expect(matched(rules, pair(59_000), memory)).toHaveLength(1);
  });
});

describe('difference-wait', () => {
  it('holds a game in proportion to its imbalance', () => {
    const rules = queue(1, differenceWait(0.1));
    const pair = (ageMs: number) => [solo('a', 1000, NOW_MS - ageMs), solo('b', 1100, NOW_MS - ageMs)];
    expect(matched(rules, pair(14_000))).toHaveLength(0);
    expect(matched(rules, pair(15_000))).toHaveLength(1);
  });
});

describe('patient', () => {
  it('releases balanced games at once and holds others while the next player may improve them', () => {
    const rules = queue(1, patient({ imbalanceMax: 50, waitCost: 5 }));
    const memory = memoryOf(2);
    const pair = (apart: number, ageMs: number) => [
      solo('a', 1500, NOW_MS - ageMs),
      solo('b', 1500 + apart, NOW_MS - ageMs),
    ];
    expect(matched(rules, pair(30, 500), memory)).toHaveLength(1);
    expect(matched(rules, pair(100, 500), memory)).toHaveLength(0);
    expect(matched(rules, pair(100, 60_000), memory)).toHaveLength(1);
  });
});

const matched = (rules: QueueRules, tickets: readonly Ticket[], memory?: TickMemory) =>
  planTick({ rules, tickets, nowMs: NOW_MS, memory }).matches.map(({ ticketIds }) => ticketIds);
