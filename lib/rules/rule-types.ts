import * as z from 'zod';
import { attributeUse, scopeFaults } from './attribute-faults.ts';
import { type AcceptedRule, accepted } from './by-type/accepted.ts';
import { type AnyOfRule, anyOf } from './by-type/any-of.ts';
import { type BalanceRule, balance } from './by-type/balance.ts';
import { type CommonRule, common } from './by-type/common.ts';
import { type CompareRule, compare } from './by-type/compare.ts';
import { type CountRule, count } from './by-type/count.ts';
import { type CustomRuleBody, custom } from './by-type/custom.ts';
import { type DifferentRule, different } from './by-type/different.ts';
import { type LatencyRule, latency } from './by-type/latency.ts';
import { type RecentRule, recent } from './by-type/recent.ts';
import { type SameRule, same } from './by-type/same.ts';
import { type WithinRule, within } from './by-type/within.ts';
import { relaxOf } from './fields.ts';
import { isOverGame, overMates, type Scoped } from './measures.ts';
import type { Named, Relaxing, RelaxStep, RuleType } from './rule-type.ts';
import type { Attributes } from './types.ts';

/** The rules that `anyOf` may combine. */
export type InnerRule =
  | SameRule
  | DifferentRule
  | WithinRule
  | CommonRule
  | AcceptedRule
  | CountRule
  | BalanceRule
  | CompareRule;

/** One of the rules of `anyOf`. */
export type Alternative = InnerRule & Relaxing;

/** A rule without its name, cost and relaxation. */
export type RuleBody = InnerRule | LatencyRule | RecentRule | CustomRuleBody | AnyOfRule<Alternative>;

export type Rule = RuleBody & Named;

const innerTypes = { same, different, within, common, accepted, count, balance, compare };

const alternative = z.discriminatedUnion(
  'type',
  Object.values(innerTypes).map(({ keys, changes }) =>
    z.strictObject({ ...keys, ...(Object.keys(changes).length > 0 && { relax: relaxOf(changes) }) }),
  ) as unknown as [z.ZodObject, ...z.ZodObject[]],
) as unknown as z.ZodType<Alternative>;

/** All types of rules, by name. */
export const RULE_TYPES: { readonly [T in RuleBody['type']]: RuleType<Extract<RuleBody, { type: T }>> } = {
  ...innerTypes,
  latency,
  recent,
  custom,
  anyOf: anyOf<Alternative>(
    alternative,
    (rule) => typeOf(rule) as unknown as Required<RuleType<Alternative>>,
  ),
};

/** The type of a rule, with the defaults of what it omits. */
export function typeOf(rule: RuleBody): Required<RuleType<RuleBody>> {
  return complete[rule.type]!;
}

const complete = Object.fromEntries(
  Object.entries(RULE_TYPES as unknown as Readonly<Record<string, RuleType<RuleBody>>>).map(
    ([name, type]) => {
      const dependsOnTeams = type.dependsOnTeams ?? ((rule: RuleBody) => !isOverGame(rule));
      const read = (rule: RuleBody) =>
        type.reads ? [(rule as { readonly attribute: string }).attribute] : [];
      const defaults = {
        reads: [],
        attributes: read,
        idle: () => undefined,
        impossible: () => [],
        looser: (rule: RuleBody, key: keyof RelaxStep) =>
          !(key in rule) ? 0 : key === 'max' || key === 'atMost' ? 1 : -1,
        dependsOnTeams,
        judgesTeamsAlone: dependsOnTeams,
        isOfSizes: () => false,
        isFinal: () => false,
        betweenMates: overMates,
      };
      const faults: Required<RuleType<RuleBody>>['faults'] = (rule, cost, attributes, surroundings) => [
        ...read(rule).flatMap((attribute) => attributeUse(attribute, type.reads!, attributes)),
        ...(type.faults?.(rule, cost, attributes, surroundings) ?? []),
        ...scopeFaults(rule as Scoped, surroundings),
      ];
      return [name, { ...defaults, ...type, faults } as Required<RuleType<RuleBody>>];
    },
  ),
);

/** Whether a rule only costs, and so forbids no game. */
export function isCostOnly(rule: Rule): boolean {
  const { cost } = typeOf(rule);
  return rule.cost !== undefined && cost !== 'beside' && !(cost === 'beside max' && 'max' in rule);
}

/** The age that relaxes a rule: each ticket's own, or that of the oldest ticket for all. */
export type RelaxBy = 'each' | 'oldest';

/** The part of a queue definition that its rules need. */
export interface RulesDefinition {
  readonly attributes?: Attributes | undefined;
  readonly rules?: readonly Rule[] | undefined;
  /** @default 'each' */
  readonly relaxBy?: RelaxBy | undefined;
}
