import type { RelaxStep } from './rule-type.ts';
import type { Rule } from './rule-types.ts';

/**
 * A rule at one level of relaxation: its keys after all steps up to the level, or undefined when it is off. Level 0 is the
 * rule as written; level i is the rule after its i-th step.
 */
export type LeveledRule = Rule | undefined;

/** All levels of a rule, from the strictest to the loosest. */
export function levelsOf(rule: Rule): readonly LeveledRule[] {
  const levels: LeveledRule[] = [rule];
  let current = rule;
  for (const { waitSeconds: _, off, ...keys } of rule.relax ?? []) {
    if (off) {
      levels.push(undefined);
      break;
    }
    current = { ...current, ...keys } as Rule;
    levels.push(current);
  }
  return levels;
}

/** The level of a ticket of this age. */
export function levelAt(ageMs: number, steps: readonly RelaxStep[] | undefined): number {
  let level = 0;
  for (const { waitSeconds, off } of steps ?? []) {
    if (ageMs < 1000 * waitSeconds) break;
    level++;
    if (off) break;
  }
  return level;
}

/** The seconds until the next step for a ticket of this age; undefined when there is none. */
export function nextStepSeconds(ageMs: number, { relax = [] }: Rule): number | undefined {
  const next = relax[levelAt(ageMs, relax)];
  return next && Math.max(0, next.waitSeconds - ageMs / 1000);
}
