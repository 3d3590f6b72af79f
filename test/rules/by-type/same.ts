import type { SameRule } from '../../../lib/rules/by-type/same.ts';
import { type OracleType, sometimesOff, total, zeroHolds } from './oracle-type.ts';

export const same: OracleType<SameRule> = {
  ask: (rule, game) =>
    zeroHolds(
      total(rule, game, (players) => Math.max(0, new Set(game.valuesOf(players, rule.attribute)).size - 1)),
    ),
  random: ({ pick, scope }) => ({ type: 'same', attribute: pick(['patch', 'level']), ...scope() }),
  randomNamed: (name, tools) => sometimesOff(name, same.random!(tools), tools),
};
