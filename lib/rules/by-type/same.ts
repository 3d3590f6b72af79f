import * as z from 'zod';
import { attributeUse } from '../attribute-faults.ts';
import { attributeName, gameOrTeam } from '../fields.ts';
import { isOverGame, overMates, perScope, valuesOf } from '../measures.ts';
import type { RuleType } from '../rule-type.ts';

const keys = { type: z.literal('same'), attribute: attributeName, scope: gameOrTeam };
export type SameRule = z.output<z.ZodObject<typeof keys>>;

/** All players have the same value; a cost counts the distinct values beyond the first. */
export const same: RuleType<SameRule> = {
  keys,
  changes: {},
  cost: 'instead',
  evaluate: ({ attribute, scope }, game, context) =>
    perScope(scope, game, (tickets) => {
      const distinct = new Set(valuesOf(tickets, attribute, context)).size;
      return { holds: distinct <= 1, units: Math.max(0, distinct - 1) };
    }),
  faults: ({ attribute }, _cost, attributes) => attributeUse(attribute, ['number', 'string'], attributes),
  attributes: ({ attribute }) => [attribute],
  betweenMates: overMates,
  states(rule) {
    if (isOverGame(rule)) return [{ by: rule.cost === undefined ? 'ranges' : 'values', rule }];
    return rule.cost === undefined ? [{ by: 'team-values', rule }] : [];
  },
  unitsMax: (_rule, _players, seats) => seats,
};
