import type { LatencyRule } from '../../../lib/rules/by-type/latency.ts';
import type { Rule } from '../../../lib/rules/rule-types.ts';
import type { OracleType } from './oracle-type.ts';

export const latency: OracleType<LatencyRule> = {
  ask(rule, { everybody }) {
    const people = everybody.filter(({ bot }) => !bot);
    if (people.length === 0) return { amount: 0, fails: false };
    const names = Object.keys(people[0]!.latencyMs ?? {});
    const worst = names.map((name) =>
      Math.max(...people.map(({ latencyMs = {} }) => latencyMs[name] ?? Number.POSITIVE_INFINITY)),
    );
    const amount = Math.min(Number.POSITIVE_INFINITY, ...worst);
    const isNowhere = amount === Number.POSITIVE_INFINITY;
    return { amount: isNowhere ? 0 : amount, fails: isNowhere || amount > (rule.max ?? amount) };
  },
  randomNamed(name, { pick, chance, relaxOf }) {
    const limit = chance(0.8) ? { max: pick([30, 60, 90]) } : { cost: 0.3 };
    const relax = 'max' in limit ? relaxOf(() => [{ max: 120 }, pick([{ off: true }, { max: 150 }])]) : {};
    return { name, type: 'latency', ...limit, ...relax, ...(chance(0.3) ? { cost: 0.2 } : {}) } as Rule;
  },
};
