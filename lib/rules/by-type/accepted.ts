import * as z from 'zod';
import { attributeUse, sharedFaults } from '../attribute-faults.ts';
import { attributeName, gameOrTeam, oneKind, sharedAtLeast } from '../fields.ts';
import { isOverGame, listsOf, perScope } from '../measures.ts';
import type { RuleType } from '../rule-type.ts';

const keys = {
  type: z.literal('accepted'),
  attribute: attributeName.meta({ description: 'What players bring: a list, such as their character' }),
  by: attributeName.meta({ description: 'What players accept: a list' }),
  atLeast: sharedAtLeast,
  scope: gameOrTeam,
  team: oneKind,
};
export type AcceptedRule = z.output<z.ZodObject<typeof keys>>;

/**
 * Each player has at least `atLeast` values, 1 by default, that the lists `by` of all players contain, their own included; a cost
 * counts the values that are missing.
 */
export const accepted: RuleType<AcceptedRule> = {
  keys,
  changes: { atLeast: sharedAtLeast },
  cost: 'instead',
  evaluate: ({ attribute, by, atLeast = 1, ...scoped }, game, context) =>
    perScope(scoped, game, (tickets) => {
      const [first, ...others] = listsOf(tickets, by, context);
      const shared = first && new Set(first.filter((value) => others.every((list) => list.includes(value))));
      const units = listsOf(tickets, attribute, context).reduce((missing, list) => {
        const accepted = list.filter((value) => shared === undefined || shared.has(value));
        return missing + Math.max(0, atLeast - accepted.length);
      }, 0);
      return { holds: units === 0, units };
    }),
  reads: ['strings'],
  faults: (rule, _cost, attributes) => [
    ...attributeUse(rule.by, ['strings'], attributes, ['by']),
    ...[...new Set([rule.attribute, rule.by])].flatMap((name) =>
      sharedFaults(name, rule.atLeast, attributes),
    ),
  ],
  looser: (_rule, key) => (key === 'atLeast' ? -1 : 0),
  attributes: ({ attribute, by }) => [attribute, by],
  states: (rule) => (isOverGame(rule) ? [{ by: 'acceptance', rule }] : []),
  unitsMax: ({ atLeast = 1 }, _players, seats) => seats * atLeast,
};
