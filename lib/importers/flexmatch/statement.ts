/** The statement of a compound rule. */
export type Statement =
  | { readonly operator: 'and' | 'or' | 'not' | 'xor'; readonly of: readonly Statement[] }
  | { readonly rule: string };

/** A rule, or its opposite. */
export interface Literal {
  readonly rule: string;
  readonly isNegated: boolean;
}

/** Statements are nested a few times. */
const NESTING_MAX = 50;

/** Undefined when the text is not a statement, or one of more than 50 operators within each other. */
export function parseStatement(text: string, depth = 0): Statement | undefined {
  if (depth > NESTING_MAX) return undefined;
  const trimmed = text.trim();
  const [, operator, list] = /^(and|or|not|xor)\s*\((.*)\)$/s.exec(trimmed) ?? [];
  if (operator === undefined) return /^[^(),]+$/.test(trimmed) ? { rule: trimmed } : undefined;
  const of = split(list!).map((part) => parseStatement(part, depth + 1));
  if (of.length === 0 || of.includes(undefined)) return undefined;
  if (operator === 'not' && of.length !== 1) return undefined;
  return { operator: operator as 'and', of: of as Statement[] };
}

/** Splits a list at the commas outside parentheses. */
function split(list: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let from = 0;
  for (let at = 0; at <= list.length; at++) {
    if (list[at] === '(') depth++;
    else if (list[at] === ')') depth--;
    else if (at === list.length || (list[at] === ',' && depth === 0)) {
      parts.push(list.slice(from, at));
      from = at + 1;
    }
  }
  return parts;
}

/** The names of the rules in a statement. */
export function rulesIn(statement: Statement): string[] {
  return 'rule' in statement ? [statement.rule] : statement.of.flatMap(rulesIn);
}

/** The most clauses of a statement: a queue has at most 30 rules. */
const CLAUSES_MAX = 30;

/**
 * A statement as clauses that all have to hold; a clause holds when one of its literals does.
 * @returns undefined when there are too many
 */
export function clausesOf(statement: Statement, isNegated = false): Literal[][] | undefined {
  if ('rule' in statement) return [[{ rule: statement.rule, isNegated }]];
  const { operator, of } = statement;
  if (operator === 'not') return clausesOf(of[0]!, !isNegated);
  if (operator === 'xor') return clausesOf(withoutXor(of), isNegated);
  const parts = of.map((part) => clausesOf(part, isNegated));
  if (parts.includes(undefined)) return undefined;
  const all = parts as Literal[][][];
  // By De Morgan, `not and` is an `or` of the opposites.
  if ((operator === 'and') !== isNegated) {
    const clauses = all.flat();
    return clauses.length <= CLAUSES_MAX ? clauses : undefined;
  }
  let clauses: Literal[][] = [[]];
  for (const part of all) {
    clauses = clauses.flatMap((clause) => part.map((other) => [...clause, ...other]));
    if (clauses.length > CLAUSES_MAX) return undefined;
  }
  return clauses.map(distinct).filter((clause) => !isAlwaysTrue(clause));
}

/** `xor` holds when "only one of the arguments is true": at least one, and of no two both. */
function withoutXor(of: readonly Statement[]): Statement {
  const notBoth = of.flatMap((a, i) =>
    of.slice(i + 1).map((b): Statement => ({ operator: 'not', of: [{ operator: 'and', of: [a, b] }] })),
  );
  return { operator: 'and', of: [{ operator: 'or', of }, ...notBoth] };
}

function distinct(clause: readonly Literal[]): Literal[] {
  return clause.filter(
    ({ rule, isNegated }, i) =>
      clause.findIndex((other) => other.rule === rule && other.isNegated === isNegated) === i,
  );
}

function isAlwaysTrue(clause: readonly Literal[]): boolean {
  return clause.some(
    (one) => !one.isNegated && clause.some((other) => other.isNegated && other.rule === one.rule),
  );
}
