import type { BalanceRule } from '../../../lib/rules/by-type/balance.ts';
import { meanOf, type OracleType, sometimesLooser } from './oracle-type.ts';

export const balance: OracleType<BalanceRule> = {
  ask(rule, { perTeam, valuesOf }) {
    const values = perTeam.map((players) => valuesOf(players, rule.attribute) as number[]);
    const means = values.filter(({ length }) => length > 0).map(meanOf);
    const amount = means.length === 0 ? 0 : Math.max(...means) - Math.min(...means);
    return { amount, fails: rule.max !== undefined && amount > rule.max };
  },
  random: ({ ticksOf }) => ({ type: 'balance', attribute: 'level', max: ticksOf(2) }),
  randomNamed: (name, tools) => sometimesLooser(name, balance.random!(tools), tools),
};
