import type { CompareRule, Side } from '../../../lib/rules/by-type/compare.ts';
import { meanOf, type OracleType, sometimesOff, zeroHolds } from './oracle-type.ts';

export const compare: OracleType<CompareRule> = {
  ask(rule, { everybody, ofKind, valuesOf }) {
    const sidesOf = (side: Side): number[] => {
      if (typeof side === 'number') return [side];
      return (side.team === undefined ? [everybody] : ofKind(side.team)).flatMap((players) => {
        const values = valuesOf(players, side.attribute) as number[];
        if (side.of === 'count') return values.length;
        if (values.length === 0) return [];
        if (side.of === 'mean') return meanOf(values);
        if (side.of === 'sum') return values.reduce((a, b) => a + b, 0);
        return side.of === 'least' ? Math.min(...values) : Math.max(...values);
      });
    };
    const amounts = sidesOf(rule.left).flatMap((l) =>
      sidesOf(rule.right).map((r) => {
        if (rule.op === '<=') return l - r;
        if (rule.op === '>=') return r - l;
        return Math.abs(l - r) - (rule.max ?? 0);
      }),
    );
    return zeroHolds(Math.max(0, ...amounts));
  },
  random({ pick, chance, kinds, players }) {
    const of = pick(['mean', 'sum', 'least', 'greatest', 'count'] as const);
    const other = of === 'count' ? pick([2, 4]) : of === 'sum' ? 10 * players : pick([8, 10, 12]);
    const how = chance(0.3) ? { max: 3 } : { op: pick(['<=', '>='] as const) };
    const left = { of, attribute: 'level', ...(kinds && chance(0.5) && { team: pick(kinds) }) };
    if (kinds && chance(0.3))
      return { type: 'compare', left, right: { of, attribute: 'level', team: pick(kinds) }, max: 3 };
    return { type: 'compare', left, right: other, ...how };
  },
  randomNamed: (name, tools) => sometimesOff(name, compare.random!(tools), tools),
};
