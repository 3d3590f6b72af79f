import type { WithinRule } from '../../../lib/rules/by-type/within.ts';
import { type OracleType, sometimesLooser } from './oracle-type.ts';

export const within: OracleType<WithinRule> = {
  ask(rule, { teams, members, valuesOf, teamsOfKind }) {
    const groups =
      rule.team !== undefined ? teamsOfKind(rule.team) : rule.scope === 'team' ? teams : [members];
    const widths = groups.map((tickets) => {
      const values = tickets.flatMap(({ players }) => {
        const own = valuesOf(players, rule.attribute) as number[];
        if (own.length === 0) return [];
        if (rule.party === 'mean') return [own.reduce((a, b) => a + b, 0) / own.length];
        if (rule.party === 'least') return [Math.min(...own)];
        if (rule.party === 'greatest') return [Math.max(...own)];
        return own;
      });
      return values.length === 0 ? 0 : Math.max(...values) - Math.min(...values);
    });
    return {
      amount: widths.reduce((a, b) => a + b, 0),
      fails: rule.max !== undefined && widths.some((width) => width > rule.max!),
    };
  },
  random({ pick, chance, ticksOf, scope }) {
    const party = chance(0.4) ? { party: pick(['mean', 'least', 'greatest'] as const) } : {};
    return {
      type: 'within',
      attribute: pick(['level', 'level', 'skill']),
      max: ticksOf(3),
      ...party,
      ...scope(),
    };
  },
  randomNamed: (name, tools) => sometimesLooser(name, within.random!(tools), tools),
};
