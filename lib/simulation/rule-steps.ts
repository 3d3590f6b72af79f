import type { QueueDefinition } from '../contract/queue-definition.ts';
import { alternativesOf } from '../rules/levels.ts';
import type { RelaxStep } from '../rules/rule-type.ts';
import type { Alternative, Rule } from '../rules/rule-types.ts';

/** By what the waits of all steps of a rule are multiplied, by the rule's name; each > 0. Other rules keep theirs. */
export type StepFactors = Readonly<Record<string, number>>;

/** From earlier to later steps. 1 is the definition as it is. */
const FACTORS = [0.25, 0.5, 0.75, 1.5, 2];

/** The names of the rules that relax. */
export function relaxingRules({ rules = [] }: QueueDefinition): string[] {
  return rules
    .filter((rule) => [rule, ...alternativesOf(rule)].some(({ relax }) => relax))
    .map(({ name }) => name);
}

/** Factors that move the steps of all rules alike. */
export function stepsTogether(names: readonly string[]): StepFactors[] {
  return FACTORS.map((factor) => Object.fromEntries(names.map((name) => [name, factor])));
}

/** Factors that move the steps of one rule further; none for a queue in which one rule relaxes. */
export function stepsOfEach(names: readonly string[], from: StepFactors = {}): StepFactors[] {
  if (names.length < 2) return [];
  return names.flatMap((name) =>
    FACTORS.map((factor) => ({ ...from, [name]: digits((from[name] ?? 1) * factor) })),
  );
}

/** The definition with moved steps. Waits are rounded to three digits, and stay in ascending order. */
export function withMovedSteps(definition: QueueDefinition, factors: StepFactors = {}): QueueDefinition {
  if (definition.rules === undefined) return definition;
  return {
    ...definition,
    rules: definition.rules.map((rule) => moved(rule, factors[rule.name] ?? 1)),
  };
}

function moved(rule: Rule, factor: number): Rule {
  const steps = (relax: readonly RelaxStep[]) =>
    relax.map((step) => ({ ...step, waitSeconds: digits(step.waitSeconds * factor) }));
  const part = <Part extends Rule | Alternative>(one: Part): Part =>
    one.relax === undefined ? one : { ...one, relax: steps(one.relax) };
  return part(rule.type === 'anyOf' ? { ...rule, rules: rule.rules.map(part) } : rule);
}

/** Rounds to three digits, so that a parameter looks as if chosen by hand. */
export const digits = (value: number) => Number(value.toPrecision(3));
