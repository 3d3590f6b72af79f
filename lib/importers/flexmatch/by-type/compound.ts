import type { Alternative } from '../../../rules/rule-types.ts';
import { type Body, type ConvertedRule, relaxed } from '../../relaxation.ts';
import type { Converted } from '../flex-rule-type.ts';
import { oppositeOf } from '../opposite.ts';
import type { FlexMatchRule } from '../rule-set.ts';
import type { Source } from '../source.ts';
import { clausesOf, type Literal, parseStatement, rulesIn } from '../statement.ts';

/** A clause as rules of the queue: one rule by itself, or one of several alternatives. */
export type Clause =
  | { readonly of: string; readonly rules: readonly ConvertedRule[] }
  | { readonly anyOf: readonly Alternative[] };

export interface Compound {
  readonly clauses: readonly Clause[];
  readonly differs?: string | undefined;
}

/** The counterparts of rules by name, or why there are none. */
export type Counterparts = ReadonlyMap<string, Converted | string>;

const ALTERNATIVES_MAX = 10;

/**
 * A statement as clauses that all have to hold, or the reason why there are none.
 *
 * @param converted the counterparts of rules, by name
 */
export function compoundOf(
  { statement: text = '' }: FlexMatchRule,
  source: Source,
  converted: Counterparts,
): Compound | string {
  const statement = parseStatement(text);
  if (!statement) return 'its statement is none of and, or, not and xor, or it is nested too deep';
  const unknown = rulesIn(statement).find((name) => !converted.has(name));
  if (unknown !== undefined) return `there is no rule ${unknown}`;
  const literals = clausesOf(statement);
  if (!literals) return 'it has too many cases';
  const clauses: Clause[] = [];
  const differences: string[] = [];
  for (const clause of literals) {
    const [only] = clause;
    if (clause.length === 1 && !only!.isNegated) {
      const member = memberOf(only!, converted);
      if (typeof member === 'string') return member;
      clauses.push({ of: only!.rule, rules: member.rules });
      if (member.differs !== undefined) differences.push(member.differs);
      continue;
    }
    const found = alternativesOf(clause, source, converted);
    if (typeof found === 'string') return found;
    differences.push(...found.differences);
    for (const anyOf of found.clauses) {
      if (anyOf.length > ALTERNATIVES_MAX) return `it needs more than ${ALTERNATIVES_MAX} alternatives`;
      clauses.push({ anyOf });
    }
  }
  return { clauses, differs: differences[0] };
}

function memberOf({ rule: name }: Literal, converted: Counterparts): Converted | string {
  const member = converted.get(name)!;
  return typeof member === 'string' ? `${name}: ${member}` : member;
}

/** The alternatives of a clause, again as clauses, because a literal may need several rules; or why there are none. */
function alternativesOf(
  literals: readonly Literal[],
  source: Source,
  converted: Counterparts,
): { clauses: Alternative[][]; differences: string[] } | string {
  let clauses: Alternative[][] = [[]];
  const differences: string[] = [];
  for (const literal of literals) {
    const name = literal.rule;
    const member = memberOf(literal, converted);
    if (typeof member === 'string') return member;
    if (member.rules.some(({ body }) => body.type === 'latency'))
      return `${name}: latency cannot be one of several, and has no opposite`;
    differences.push(...[member.differs, member.differsInPart].filter((one) => one !== undefined));
    const stepsOf = (property: string) => source.stepsOf(`rules[${name}].${property}`);
    const all = member.rules.map((one) => relaxed(one, stepsOf));
    if (!literal.isNegated) {
      // A rule that forbids nothing makes every clause with it true.
      clauses = clauses.flatMap((clause) =>
        all.flatMap(({ rule }) => (rule === undefined ? [] : [[...clause, rule as Alternative]])),
      );
      continue;
    }
    // A stricter counterpart has a looser opposite, and a limit that relaxes tightens its opposite.
    if (member.differs !== undefined) return `${name}: its opposite has no counterpart`;
    if (all.some(({ rule, differs }) => rule === undefined || rule.relax !== undefined || differs.size > 0))
      return `${name}: a rule that relaxes has no opposite, which would tighten`;
    const several = source.teams.flatMap(({ ours, quantity }) => (quantity > 1 ? [ours] : []));
    const opposites = all.map(({ rule }) => oppositeOf(rule as Exclude<Body, { type: 'latency' }>, several));
    if (opposites.length === 0) return `${name}: it always holds, so its opposite never does`;
    if (opposites.includes(undefined)) return `${name}: its opposite has no counterpart`;
    differences.push(...opposites.flatMap((one) => one!.note ?? []));
    const inner = opposites.flatMap((one) => one!.anyOf);
    clauses = clauses.map((clause) => [...clause, ...inner]);
  }
  return { clauses, differences };
}
