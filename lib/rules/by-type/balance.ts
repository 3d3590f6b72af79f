import * as z from 'zod';
import { idleInOneTeam, idleLimit, limitFaults } from '../attribute-faults.ts';
import { attributeName, greatestDifference } from '../fields.ts';
import { greatestOf, mean, numbersIn } from '../measures.ts';
import type { RuleType } from '../rule-type.ts';

const keys = { type: z.literal('balance'), attribute: attributeName, max: greatestDifference };
export type BalanceRule = z.output<z.ZodObject<typeof keys>>;

/** The means of the teams differ by at most `max`; a cost counts the greatest difference. */
export const balance: RuleType<BalanceRule> = {
  keys,
  changes: { max: greatestDifference },
  cost: 'beside max',
  evaluate({ attribute, max }, game, context) {
    const teams = game.teams.map((team) => numbersIn(team, attribute, context));
    const means = teams.filter(({ length }) => length > 0).map(mean);
    const units = means.length === 0 ? 0 : Math.max(...means) - Math.min(...means);
    if (max === undefined || units <= max) return { holds: true, units };
    return { holds: false, units, lacking: outsideOf(means, max) };
  },
  reads: ['number'],
  faults: limitFaults,
  idle: (rule, cost, attributes, surroundings) =>
    idleInOneTeam('balance compares teams', ['type'], surroundings) ?? idleLimit(rule, cost, attributes),
  dependsOnTeams: () => true,
  states: () => [],
  unitsMax: ({ attribute }, players, _seats, attributes) => 2 * greatestOf(players, attribute, attributes),
};

/**
 * By how much the means are outside a range of this width around their middle, all together: 0 only if they differ by no more.
 * Of many teams only two decide the greatest difference, so hardly any exchange lowers that.
 */
function outsideOf(means: readonly number[], width: number): number {
  const middle = mean(means);
  return means.reduce((sum, one) => sum + Math.max(0, Math.abs(one - middle) - width / 2), 0);
}
