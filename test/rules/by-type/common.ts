import type { CommonRule } from '../../../lib/rules/by-type/common.ts';
import { type OracleType, sometimesOff, total, zeroHolds } from './oracle-type.ts';

export const common: OracleType<CommonRule> = {
  ask: (rule, game) =>
    zeroHolds(
      total(rule, game, (players) => {
        const lists = game.valuesOf(players, rule.attribute) as (readonly string[])[];
        if (lists.length === 0) return 0;
        const shared = new Set(lists.flat().filter((value) => lists.every((list) => list.includes(value))));
        return Math.max(0, (rule.atLeast ?? 1) - shared.size);
      }),
    ),
  random: ({ chance, scope }) => ({
    type: 'common',
    attribute: 'maps',
    ...(chance(0.4) ? { atLeast: 2 } : {}),
    ...scope(),
  }),
  randomNamed: (name, tools) => sometimesOff(name, common.random!(tools), tools),
};
