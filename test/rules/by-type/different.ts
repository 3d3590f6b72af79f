import type { DifferentRule } from '../../../lib/rules/by-type/different.ts';
import { type OracleType, sometimesOff, total, zeroHolds } from './oracle-type.ts';

export const different: OracleType<DifferentRule> = {
  ask: (rule, game) =>
    zeroHolds(
      total(rule, game, (players) => {
        const seen: unknown[] = [];
        let again = 0;
        for (const value of game.valuesOf(players, rule.attribute)) {
          if (seen.includes(value)) again++;
          else seen.push(value);
        }
        return again;
      }),
    ),
  random: ({ pick, scope }) => ({ type: 'different', attribute: pick(['patch', 'level']), ...scope() }),
  randomNamed: (name, tools) => sometimesOff(name, different.random!(tools), tools),
};
