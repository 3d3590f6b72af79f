import type { BalanceRule } from '../../../lib/rules/by-type/balance.ts';
import { meanOf, type OracleType, sometimesLooser } from './oracle-type.ts';

export const balance: OracleType<BalanceRule> = {
  ask(rule, { perTeam, attributeOf }) {
    const means = perTeam.map((players) =>
      meanOf(players.map((one) => attributeOf(one, rule.attribute) as number)),
    );
    const amount = Math.max(...means) - Math.min(...means);
    return { amount, fails: rule.max !== undefined && amount > rule.max };
  },
  random: ({ ticksOf }) => ({ type: 'balance', attribute: 'level', max: ticksOf(2) }),
  randomNamed: (name, tools) => sometimesLooser(name, balance.random!(tools), tools),
};
