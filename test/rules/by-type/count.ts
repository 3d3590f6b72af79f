import type { CountRule } from '../../../lib/rules/by-type/count.ts';
import type { Rule } from '../../../lib/rules/rule-types.ts';
import { type OracleType, total, zeroHolds } from './oracle-type.ts';

export const count: OracleType<CountRule> = {
  ask: (rule, game) =>
    zeroHolds(
      total(rule, game, (players) => {
        const have = players.filter((one) => {
          const value = game.attributeOf(one, rule.attribute);
          return Array.isArray(value) ? value.includes(rule.value) : value === rule.value;
        }).length;
        const short = rule.atLeast === undefined ? 0 : Math.max(0, rule.atLeast - have);
        return short + (rule.atMost === undefined ? 0 : Math.max(0, have - rule.atMost));
      }),
    ),
  random({ pick, chance, kinds, scope }) {
    const value = pick(['x', 'b', 'a']);
    const where = kinds && chance(0.3) ? { team: pick(kinds) } : scope();
    const limits = pick([{ atLeast: 1 }, { atLeast: 2 }, { atMost: 1 }, { atLeast: 1, atMost: 2 }]);
    return { type: 'count', attribute: value === 'x' ? 'maps' : 'patch', value, ...limits, ...where };
  },
  randomNamed(name, tools) {
    const body = count.random!(tools);
    const looser = body.atMost === undefined ? { atLeast: 0 } : { atMost: body.atMost + 1 };
    return { name, ...body, ...tools.soft(), ...tools.relaxOf(() => [looser, { off: true }]) } as Rule;
  },
};
