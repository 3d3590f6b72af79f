import { attributeFaults } from './attribute-faults.ts';
import { alternativesOf, levelsOf } from './levels.ts';
import type { RelaxStep, RuleFault, RulesSurroundings } from './rule-type.ts';
import { type Rule, type RulesDefinition, typeOf } from './rule-types.ts';
import type { Attributes } from './types.ts';

/** Contradictions in the attributes and rules of a definition whose fields have the right types. */
export function ruleFaults(
  { attributes = {}, rules = [] }: RulesDefinition,
  surroundings: RulesSurroundings = {},
): RuleFault[] {
  const faults = Object.entries(attributes).flatMap(([name, attribute]) =>
    attributeFaults(name, attribute).map(({ path, message }) => ({
      path: ['attributes', name, ...path],
      message,
    })),
  );
  rules.forEach((rule, i) => {
    const at = ['rules', i];
    const first = rules.findIndex(({ name }) => name === rule.name);
    if (first < i) {
      faults.push({
        path: [...at, 'name'],
        message: `Expected a unique name, got ${JSON.stringify(rule.name)}, the name of rule ${first}: rename one of them`,
      });
    }
    if (rule.type === 'latency' && rules.findIndex(({ type }) => type === 'latency') < i) {
      faults.push({
        path: [...at, 'type'],
        message: 'Expected one latency rule, got another: a match has one region, so merge the two rules',
      });
    }
    const own = typeOf(rule).faults(rule, rule.cost, attributes, surroundings);
    const idle = own.length === 0 && typeOf(rule).idle(rule, rule.cost, attributes, surroundings);
    const found = [
      ...own,
      ...impossibleFaults(rule, attributes, surroundings),
      ...(idle ? [idle] : []),
      ...relaxFaults(rule, surroundings),
      ...alternativesOf(rule).flatMap((one, n) =>
        relaxFaults({ ...one, name: rule.name }, surroundings).map(({ path, message }) => ({
          path: ['rules', n, ...path],
          message,
        })),
      ),
    ];
    for (const { path, message } of found) faults.push({ path: [...at, ...path], message });
  });
  return faults;
}

/** Rules that forbid every game, however long its tickets have waited. */
function impossibleFaults(rule: Rule, attributes: Attributes, surroundings: RulesSurroundings): RuleFault[] {
  if (rule.cost !== undefined || rule.relax?.some(({ off }) => off)) return [];
  return typeOf(rule).impossible(rule, attributes, surroundings);
}

function relaxFaults(
  rule: Rule,
  { timeoutSeconds = Number.POSITIVE_INFINITY }: RulesSurroundings,
): RuleFault[] {
  const faults: RuleFault[] = [];
  const levels = levelsOf(rule);
  const steps = rule.relax ?? [];
  const offAt = steps.findIndex(({ off }) => off);
  steps.forEach((step, i) => {
    const fault = (path: readonly string[], message: string) =>
      faults.push({ path: ['relax', i, ...path], message });
    const before = steps[i - 1];
    if (before !== undefined && step.waitSeconds <= before.waitSeconds) {
      fault(
        ['waitSeconds'],
        `Expected more than the ${before.waitSeconds} of the step before, got ${step.waitSeconds}: sort the steps`,
      );
    }
    if (step.waitSeconds > timeoutSeconds) {
      fault(
        ['waitSeconds'],
        `Expected at most timeoutSeconds (${timeoutSeconds}), got ${step.waitSeconds}: no ticket waits that long, so the step has no effect; lower it or remove the step`,
      );
    }
    if (offAt !== -1 && i > offAt) {
      fault([], `Expected no step after step ${offAt}, which turns the rule off: remove it`);
      return;
    }
    const { waitSeconds: _, off, ...keys } = step;
    const changed = Object.entries(keys).filter(([, value]) => value !== undefined);
    if (off ? changed.length > 0 : changed.length === 0) {
      fault([], `Expected off or a key that changes, got ${off ? 'both' : 'neither'}`);
    }
    const current = levels[i] as Rule & Record<string, unknown>;
    if (off || current === undefined) return;
    for (const [key, value] of changed) {
      const way = typeOf(current).looser(current, key as keyof RelaxStep);
      const from = (current[key] ?? (key === 'atLeast' ? 1 : undefined)) as number;
      if (way === 0) {
        fault([key], `Expected a key that rule ${rule.name} has and that may change, got ${key}: remove it`);
      } else if (way * ((value as number) - from) <= 0) {
        fault(
          [key],
          `Expected ${way > 0 ? 'more' : 'less'} than the ${from} before, got ${value}: a rule relaxes with time and never tightens`,
        );
      }
    }
  });
  return faults;
}
