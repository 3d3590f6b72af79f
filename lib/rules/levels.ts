import type { RelaxStep } from './rule-type.ts';
import type { Alternative, Rule } from './rule-types.ts';

/**
 * A rule at one level of relaxation: its keys after all steps up to the level, or undefined when it is off. Level 0 is the
 * rule as written; level i is the rule after its i-th step.
 */
export type LeveledRule = Rule | undefined;

/** The moments at which a rule changes. */
export type Steps = readonly Pick<RelaxStep, 'waitSeconds' | 'off'>[];

/** The steps of a rule, and of `anyOf` those of its alternatives too, in ascending order. No step follows one that turns it off. */
export function stepsOf(rule: Rule): Steps {
  const own = rule.relax ?? [];
  const inner = alternativesOf(rule).flatMap(({ relax = [] }) => relax);
  if (inner.length === 0) {
    const offAt = own.findIndex(({ off }) => off);
    return offAt === -1 ? own : own.slice(0, offAt + 1);
  }
  const all = [...own, ...inner];
  const times = [...new Set(all.map(({ waitSeconds }) => waitSeconds))].sort((a, b) => a - b);
  const offFrom = times.findIndex((time) => all.some(({ waitSeconds, off }) => off && waitSeconds === time));
  return times
    .slice(0, offFrom === -1 ? times.length : offFrom + 1)
    .map((waitSeconds, i) => (i === offFrom ? { waitSeconds, off: true } : { waitSeconds }));
}

/** All levels of a rule, from the strictest to the loosest. */
export function levelsOf(rule: Rule): readonly LeveledRule[] {
  const levels: LeveledRule[] = [rule];
  for (const { waitSeconds, off } of stepsOf(rule))
    levels.push(off ? undefined : changedBy(rule, levels.length, waitSeconds));
  return levels;
}

/** A rule after this number of its steps; its alternatives after this wait. */
function changedBy(rule: Rule, steps: number, seconds: number): Rule {
  if (rule.type !== 'anyOf') return withSteps(rule, rule.relax!.slice(0, steps));
  const rules = rule.rules.map((one) =>
    withSteps(one, one.relax?.filter(({ waitSeconds }) => waitSeconds <= seconds) ?? []),
  );
  return { ...rule, rules };
}

function withSteps<R extends Rule | Alternative>(rule: R, steps: readonly RelaxStep[]): R {
  return Object.assign({ ...rule }, ...steps.map(({ waitSeconds: _, off: __, ...keys }) => keys));
}

/** The rules that `anyOf` combines; none of other rules. */
export function alternativesOf(rule: Rule): readonly Alternative[] {
  return rule.type === 'anyOf' ? rule.rules : [];
}

/** The level of a ticket of this age. */
export function levelAt(ageMs: number, steps: Steps): number {
  let level = 0;
  for (const { waitSeconds, off } of steps) {
    if (ageMs < 1000 * waitSeconds) break;
    level++;
    if (off) break;
  }
  return level;
}
