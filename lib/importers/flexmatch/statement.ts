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
export function parseStatement(text: string): Statement | undefined {
  const words = (text.match(/[(),]|[^(),]+/g) ?? []).map((word) => word.trim()).filter(Boolean);
  let at = 0;
  const next = (depth: number): Statement | undefined => {
    const word = words[at++];
    if (word === undefined || /^[(),]$/.test(word) || depth > NESTING_MAX) return undefined;
    if (words[at] !== '(') return { rule: word };
    const of: Statement[] = [];
    do {
      at++;
      const part = next(depth + 1);
      if (part === undefined) return undefined;
      of.push(part);
    } while (words[at] === ',');
    if (words[at++] !== ')' || !/^(and|or|not|xor)$/.test(word)) return undefined;
    return word === 'not' && of.length !== 1 ? undefined : { operator: word as 'and', of };
  };
  const statement = next(0);
  return at === words.length ? statement : undefined;
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
