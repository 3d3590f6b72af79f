import * as z from 'zod';
import { idleAlone } from '../attribute-faults.ts';
import { attributeName, gameOrTeam, oneKind } from '../fields.ts';
import { isOverGame, perScope, valuesOf } from '../measures.ts';
import type { RuleType } from '../rule-type.ts';

const keys = { type: z.literal('different'), attribute: attributeName, scope: gameOrTeam, team: oneKind };
export type DifferentRule = z.output<z.ZodObject<typeof keys>>;

/** No two players have the same value; a cost counts the players beyond the first of each value. */
export const different: RuleType<DifferentRule> = {
  keys,
  changes: {},
  cost: 'instead',
  evaluate: (rule, game, context) =>
    perScope(rule, game, (tickets) => {
      const values = valuesOf(tickets, rule.attribute, context);
      const again = values.length - new Set(values).size;
      return { holds: again === 0, units: again };
    }),
  reads: ['number', 'string'],
  idle: (rule, _cost, _attributes, surroundings) => idleAlone(rule, surroundings),
  impossible(rule, attributes, { seats, seatsMin = seats }) {
    if (!isOverGame(rule)) return [];
    const attribute = attributes[rule.attribute];
    const values = attribute?.type === 'string' ? attribute.values : undefined;
    if (values === undefined || seatsMin === undefined || values.length >= seatsMin) return [];
    const message = `Expected an attribute with at least ${seatsMin} values, one for each player of a game, got ${rule.attribute} with ${values.length}: no game has so many different ones`;
    return [{ path: ['attribute'], message }];
  },
  states(rule) {
    if (isOverGame(rule)) return [{ by: 'values', rule }];
    return rule.scope === 'team' ? [{ by: 'team-values', rule }] : [];
  },
  unitsMax: (_rule, _players, seats) => seats,
};
