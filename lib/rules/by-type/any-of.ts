import * as z from 'zod';
import { RULE_LIMITS } from '../fields.ts';
import { isOverGame } from '../measures.ts';
import type { RuleType } from '../rule-type.ts';

/** A rule that holds when one of several does, which have neither names nor costs. */
export interface AnyOfRule<Inner> {
  readonly type: 'anyOf';
  readonly rules: readonly Inner[];
}

/**
 * At least one of `rules` holds. They may relax; one that is off holds in every game, so it turns all of it off.
 *
 * @param schema of those rules
 * @param typeOf the type of one of them
 */
export function anyOf<Inner>(
  schema: z.ZodType<Inner>,
  typeOf: (
    rule: Inner,
  ) => Required<
    Pick<
      RuleType<Inner>,
      'evaluate' | 'faults' | 'idle' | 'attributes' | 'dependsOnTeams' | 'judgesTeamsAlone' | 'betweenMates'
    >
  >,
): RuleType<AnyOfRule<Inner>> {
  return {
    keys: {
      type: z.literal('anyOf'),
      rules: z.array(schema).min(2).max(RULE_LIMITS.innerRulesMax).meta({
        description:
          'Rules of which one must hold: of the other types but latency and recent, without name and cost',
      }),
    },
    changes: {},
    cost: 'none',
    evaluate({ rules }, game, context) {
      const holds = rules.some((rule) => typeOf(rule).evaluate(rule, game, context).holds);
      return { holds, units: holds ? 0 : 1 };
    },
    faults: ({ rules }, _cost, attributes, surroundings) =>
      rules.flatMap((rule, i) =>
        typeOf(rule)
          .faults(rule, undefined, attributes, surroundings)
          .map(({ path, message }) => ({ path: ['rules', i, ...path], message })),
      ),
    idle({ rules }, _cost, attributes, surroundings) {
      for (const [i, rule] of rules.entries()) {
        const found = typeOf(rule).idle(rule, undefined, attributes, surroundings);
        if (found !== undefined) return { ...found, path: ['rules', i, ...found.path] };
      }
      return undefined;
    },
    attributes: ({ rules }) => rules.flatMap((rule) => typeOf(rule).attributes(rule)),
    dependsOnTeams: ({ rules }) => rules.some((rule) => typeOf(rule).dependsOnTeams(rule)),
    judgesTeamsAlone: ({ rules }) => rules.every((rule) => typeOf(rule).judgesTeamsAlone(rule)),
    isFinal: () => true,
    betweenMates(rule, kind) {
      // What players may not share a match for, they may not share a team for either.
      const rules = rule.rules.flatMap(
        (inner) => typeOf(inner).betweenMates(inner, kind) ?? (isOverGame(inner as object) ? [inner] : []),
      );
      const isOneOfTeams = rule.rules.some((inner) => typeOf(inner).dependsOnTeams(inner));
      return isOneOfTeams && rules.length === rule.rules.length ? { ...rule, rules } : undefined;
    },
    states: (rule) => [{ by: 'alternatives', rule }],
    unitsMax: () => 1,
  };
}
