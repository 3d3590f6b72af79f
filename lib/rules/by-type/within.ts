import * as z from 'zod';
import { idleAlone, idleLimit, limitFaults } from '../attribute-faults.ts';
import { attributeName, gameOrTeam, greatestDifference, oneKind } from '../fields.ts';
import { greatestOf, isOverGame, perScope } from '../measures.ts';
import type { RuleType } from '../rule-type.ts';
import { numbersOf } from '../values.ts';

const keys = {
  type: z.literal('within'),
  attribute: attributeName,
  max: greatestDifference,
  party: z.enum(['each', 'mean', 'least', 'greatest']).optional().meta({
    description: 'How a party counts: each player, or its mean, least or greatest value (default each)',
  }),
  scope: gameOrTeam,
  team: oneKind,
};
export type WithinRule = z.output<z.ZodObject<typeof keys>>;

/** The numbers of the players differ by at most `max`; a cost counts greatest − least. */
export const within: RuleType<WithinRule> = {
  keys,
  changes: { max: greatestDifference },
  cost: 'beside max',
  evaluate: ({ attribute, party, max, ...scoped }, game, { attributes }) =>
    perScope(scoped, game, (tickets) => {
      const values = tickets.flatMap(({ players }) => numbersOf(players, attribute, attributes, party));
      const range = values.length === 0 ? 0 : Math.max(...values) - Math.min(...values);
      return { holds: max === undefined || range <= max, units: range };
    }),
  reads: ['number'],
  faults: limitFaults,
  idle: (rule, cost, attributes, surroundings) =>
    idleAlone(rule, surroundings) ?? idleLimit(rule, cost, attributes),
  states: (rule) => (isOverGame(rule) ? [{ by: 'ranges', rule }] : []),
  unitsMax: (rule, players, seats, attributes) =>
    2 * greatestOf(players, rule.attribute, attributes) * (isOverGame(rule) ? 1 : seats),
};
