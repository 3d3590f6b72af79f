import * as z from 'zod';
import { sharedFaults } from '../attribute-faults.ts';
import { attributeName, gameOrTeam, oneKind, sharedAtLeast } from '../fields.ts';
import { isOverGame, listsOf, perScope } from '../measures.ts';
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
      const lists = listsOf(tickets, attribute, context);
      if (lists.length === 0) return { holds: true, units: 0 };
      const shared = [...lists[0]].filter((value) => lists.every((list) => list.includes(value))).sort();
      const short = Math.max(0, atLeast - shared.length);
      return { holds: short === 0, units: short, values: shared };
    }),
  reads: ['strings'],
  faults: ({ attribute, atLeast }, _cost, attributes) => sharedFaults(attribute, atLeast, attributes),
  looser: (_rule, key) => (key === 'atLeast' ? -1 : 0),
  states: (rule) => (isOverGame(rule) ? [{ by: 'sets', rule }] : []),
  unitsMax: ({ atLeast = 1 }, _players, seats) => seats * atLeast,
};
