import * as z from 'zod';
import { idleAlone, spanOf, withoutEffect } from '../attribute-faults.ts';
import { attributeName, gameOrTeam, oneKind } from '../fields.ts';
import { isOverGame, perScope, valuesOf } from '../measures.ts';
import type { RuleType } from '../rule-type.ts';

const keys = { type: z.literal('same'), attribute: attributeName, scope: gameOrTeam, team: oneKind };
export type SameRule = z.output<z.ZodObject<typeof keys>>;

/** All players have the same value; a cost counts the distinct values beyond the first. */
export const same: RuleType<SameRule> = {
  keys,
  changes: {},
  cost: 'instead',
  evaluate: (rule, game, context) =>
    perScope(rule, game, (tickets) => {
      const distinct = new Set(valuesOf(tickets, rule.attribute, context)).size;
      return { holds: distinct <= 1, units: Math.max(0, distinct - 1) };
    }),
  reads: ['number', 'string'],
  idle({ attribute, ...scoped }, _cost, attributes, surroundings) {
    const known = attributes[attribute];
    const isOne =
      spanOf(attribute, attributes) === 0 || (known?.type === 'string' && known.values?.length === 1);
    return isOne
      ? withoutEffect(`${attribute} has one value`, ['attribute'])
      : idleAlone(scoped, surroundings);
  },
  states(rule) {
    if (isOverGame(rule)) return [{ by: rule.cost === undefined ? 'ranges' : 'values', rule }];
    return rule.scope === 'team' ? [{ by: 'team-values', rule }] : [];
  },
  unitsMax: (_rule, _players, seats) => seats,
};
