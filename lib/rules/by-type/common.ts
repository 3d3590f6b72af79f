import * as z from 'zod';
import { attributeUse, scopeFaults, sharedFaults } from '../attribute-faults.ts';
import { attributeName, gameOrTeam, oneKind, sharedAtLeast } from '../fields.ts';
import { isOverGame, overMates, perScope, valuesOf } from '../measures.ts';
import type { RuleType } from '../rule-type.ts';

const keys = {
  type: z.literal('common'),
  attribute: attributeName,
  atLeast: sharedAtLeast,
  scope: gameOrTeam,
  team: oneKind,
};
export type CommonRule = z.output<z.ZodObject<typeof keys>>;

/** The lists of all players share at least `atLeast` values, 1 by default; a cost counts those that are missing. */
export const common: RuleType<CommonRule> = {
  keys,
  changes: { atLeast: sharedAtLeast },
  cost: 'instead',
  evaluate: ({ attribute, atLeast = 1, ...scoped }, game, context) =>
    perScope(scoped, game, (tickets) => {
      const lists = valuesOf(tickets, attribute, context) as (readonly string[])[];
      if (lists.length === 0) return { holds: true, units: 0 };
      const shared = [...lists[0]].filter((value) => lists.every((list) => list.includes(value))).sort();
      const short = Math.max(0, atLeast - shared.length);
      return { holds: short === 0, units: short, values: shared };
    }),
  faults: (rule, _cost, attributes, surroundings) => [
    ...attributeUse(rule.attribute, ['strings'], attributes),
    ...scopeFaults(rule, surroundings),
    ...sharedFaults(rule.attribute, rule.atLeast, attributes),
  ],
  looser: (_rule, key) => (key === 'atLeast' ? -1 : 0),
  attributes: ({ attribute }) => [attribute],
  betweenMates: overMates,
  states: (rule) => (isOverGame(rule) ? [{ by: 'sets', rule }] : []),
  unitsMax: ({ atLeast = 1 }, _players, seats) => seats * atLeast,
};
