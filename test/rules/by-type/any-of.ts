import type { AnyOfRule } from '../../../lib/rules/by-type/any-of.ts';
import type { Alternative, Rule } from '../../../lib/rules/rule-types.ts';
import { type Answer, type AskedGame, type OracleType, zeroHolds } from './oracle-type.ts';

/** @param ask what one of the combined rules means */
export const anyOf = (
  ask: (rule: Alternative, game: AskedGame) => Answer,
): OracleType<AnyOfRule<Alternative>> => ({
  ask: ({ rules }, game) => zeroHolds(rules.every((inner) => ask(inner, game).fails) ? 1 : 0),
  randomNamed(name, { inner, relaxOf }) {
    const rules = [inner(), inner()];
    return { name, type: 'anyOf', rules, ...relaxOf(() => [{ off: true }]) } as Rule;
  },
});
