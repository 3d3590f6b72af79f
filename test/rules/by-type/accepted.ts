import type { AcceptedRule } from '../../../lib/rules/by-type/accepted.ts';
import { type OracleType, sometimesOff, total, zeroHolds } from './oracle-type.ts';

export const accepted: OracleType<AcceptedRule> = {
  ask: (rule, game) =>
    zeroHolds(
      total(rule, game, (players) => {
        let missing = 0;
        const accepting = game.valuesOf(players, rule.by) as (readonly string[])[];
        for (const values of game.valuesOf(players, rule.attribute) as (readonly string[])[]) {
          let found = 0;
          for (const value of values) {
            if (accepting.every((accepts) => accepts.includes(value))) found++;
          }
          missing += Math.max(0, (rule.atLeast ?? 1) - found);
        }
        return missing;
      }),
    ),
  random: ({ chance, scope }) => ({
    type: 'accepted',
    attribute: 'brings',
    by: 'maps',
    ...(chance(0.3) ? { atLeast: 2 } : {}),
    ...scope(),
  }),
  randomNamed: (name, tools) => sometimesOff(name, accepted.random!(tools), tools),
};
