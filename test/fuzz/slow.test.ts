import { afterEach, beforeEach, expect, it } from 'vitest';
import { useCode } from '../../lib/rules/custom/code.ts';
import { RULE_TYPES } from '../../lib/rules/rule-types.ts';
import { releaseOptions } from '../../lib/vocabulary/release-options.ts';
import { VirtualClock } from '../engine/virtual-clock.ts';
import { sample } from '../long.ts';
import { slowCase, summaryOf } from './slow-case.ts';
import { timedPlan } from './slow-plan.ts';

const clock = new VirtualClock();
let end = () => {};
beforeEach(() => {
  end = clock.install(false);
});
afterEach(() => {
  useCode(undefined);
  end();
});

it('a random case of a seed is the same each time', () => {
  expect(slowCase(3, { ticketsMax: 30 })).toEqual(slowCase(3, { ticketsMax: 30 }));
  expect(slowCase(4, { ticketsMax: 30 }).definition).not.toEqual(slowCase(3, { ticketsMax: 30 }).definition);
});

it('a plan of a random definition and pool ends within some steps of its time', () => {
  const policies = new Set<string>();
  const rules = new Set<string>();
  for (let seed = 1; seed <= sample(30, 120); seed++) {
    const of = slowCase(seed, { ticketsMax: 80 });
    policies.add(of.definition.release.policy);
    for (const { type } of of.definition.rules ?? []) rules.add(type);
    // The steps of searches are the time, in milliseconds.
    clock.start([0, 300, 3000][seed % 3]!);
    const searchMs = clock.left;
    const { wasCut } = timedPlan(of, searchMs, () => searchMs - clock.left);
    if (wasCut) expect(clock.after, `seed ${seed}: ${summaryOf(of)}`).toBeLessThan(5000);
  }
  expect([...policies].sort()).toEqual(releaseOptions.options.map(({ shape }) => shape.policy.value).sort());
  expect([...rules].sort()).toEqual(Object.keys(RULE_TYPES).sort());
});
