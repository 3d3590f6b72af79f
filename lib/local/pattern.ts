/**
 * The pattern language that EventBridge rules and Lambda's event filters share.
 *
 * A pattern is an object with the event's structure. Its leaves are lists of alternatives, each a value or a matcher
 * like `{ "prefix": "EU" }`. Every key must match; a list in the event matches when any of its items does.
 * https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-create-pattern-operators.html
 */

export type Pattern = (event: unknown) => boolean;

/**
 * @throws PatternError when the pattern is malformed or uses an operator without local counterpart
 */
export function compilePattern(pattern: unknown): Pattern {
  return compileObject(pattern, []);
}

/** The pattern is one that AWS would reject, or it uses an operator without local counterpart. */
export class PatternError extends Error {
  override readonly name = 'PatternError';

  constructor(path: readonly string[], problem: string) {
    super(`${path.length === 0 ? 'The pattern' : `The pattern's ${path.join('.')}`} ${problem}`);
  }
}

function compileObject(pattern: unknown, path: readonly string[]): Pattern {
  if (!isObject(pattern)) throw new PatternError(path, `must be an object, got ${JSON.stringify(pattern)}.`);
  const entries = Object.entries(pattern);
  if (entries.length === 0) throw new PatternError(path, 'must not be empty.');
  const parts = entries.map(([key, value]) => {
    const keyPath = [...path, key];
    if (key === '$or') return compileAlternatives(value, keyPath);
    const matches = Array.isArray(value) ? compileLeaf(value, keyPath) : compileObject(value, keyPath);
    return (event: unknown) => matches(isObject(event) ? event[key] : undefined);
  });
  const matchesOne = (event: unknown) => parts.every((part) => part(event));
  return (event) => (Array.isArray(event) ? event.some(matchesOne) : matchesOne(event));
}

function compileAlternatives(patterns: unknown, path: readonly string[]): Pattern {
  if (!Array.isArray(patterns) || patterns.length < 2) {
    throw new PatternError(path, 'must list two or more patterns.');
  }
  const alternatives = patterns.map((pattern, index) => compileObject(pattern, [...path, String(index)]));
  return (event) => alternatives.some((matches) => matches(event));
}

function compileLeaf(alternatives: readonly unknown[], path: readonly string[]): Pattern {
  if (alternatives.length === 0) throw new PatternError(path, 'must list at least one alternative.');
  const matchers = alternatives.map((alternative) => compileMatcher(alternative, path));
  return (value) => matchers.some((matches) => matches(value));
}

function compileMatcher(alternative: unknown, path: readonly string[]): Pattern {
  if (!isObject(alternative)) return anyItem(literal(alternative, path));
  const operators = Object.entries(alternative);
  const [operator, operand] = operators[0] ?? [];
  if (operators.length !== 1 || operator === undefined) {
    throw new PatternError(path, `must name exactly one operator, got ${JSON.stringify(alternative)}.`);
  }
  switch (operator) {
    case 'exists':
      return exists(operand, path);
    case 'anything-but': {
      const excluded = anythingBut(operand, path);
      return anyItem((value) => value !== undefined && !excluded(value));
    }
    default:
      return anyItem(stringOrNumber(operator, operand, path));
  }
}

function anyItem(matches: Pattern): Pattern {
  return (value) => (Array.isArray(value) ? value.some(matches) : matches(value));
}

function literal(expected: unknown, path: readonly string[]): Pattern {
  if (expected !== null && !['string', 'number', 'boolean'].includes(typeof expected)) {
    throw new PatternError(path, `has an alternative that is not a value: ${JSON.stringify(expected)}.`);
  }
  return (value) => value === expected;
}

/** `exists` considers leaves only: an object does not count as an existing value. */
function exists(operand: unknown, path: readonly string[]): Pattern {
  if (typeof operand !== 'boolean') throw new PatternError(path, 'needs true or false for "exists".');
  return (value) => (value !== undefined && !isObject(value)) === operand;
}

function anythingBut(operand: unknown, path: readonly string[]): Pattern {
  if (isObject(operand)) return compileExclusion(operand, path);
  const excluded = (Array.isArray(operand) ? operand : [operand]).map((item) => literal(item, path));
  return (value) => excluded.some((matches) => matches(value));
}

function compileExclusion(operand: Record<string, unknown>, path: readonly string[]): Pattern {
  const [operator, words] = Object.entries(operand)[0] ?? ['', undefined];
  const excluded = (Array.isArray(words) ? words : [words]).map((word) =>
    stringOrNumber(operator, word, path),
  );
  return (value) => excluded.some((matches) => matches(value));
}

function stringOrNumber(operator: string, operand: unknown, path: readonly string[]): Pattern {
  if (operator === 'numeric') return numeric(operand, path);
  if (isObject(operand) && (operator === 'prefix' || operator === 'suffix')) {
    const word = text(operand['equals-ignore-case'], operator, path).toLowerCase();
    return stringTest((value) =>
      operator === 'prefix' ? value.toLowerCase().startsWith(word) : value.toLowerCase().endsWith(word),
    );
  }
  const word = text(operand, operator, path);
  switch (operator) {
    case 'prefix':
      return stringTest((value) => value.startsWith(word));
    case 'suffix':
      return stringTest((value) => value.endsWith(word));
    case 'equals-ignore-case':
      return stringTest((value) => value.toLowerCase() === word.toLowerCase());
    case 'wildcard': {
      const expression = new RegExp(`^${word.split('*').map(escapeForRegExp).join('.*')}$`, 's');
      return stringTest((value) => expression.test(value));
    }
    default:
      throw new PatternError(path, `uses the operator "${operator}", which has no local counterpart.`);
  }
}

function numeric(operand: unknown, path: readonly string[]): Pattern {
  const terms = Array.isArray(operand) ? operand : [];
  if (terms.length !== 2 && terms.length !== 4) {
    throw new PatternError(path, 'needs "numeric" as [comparison, number] or two of these in a row.');
  }
  const tests: ((value: number) => boolean)[] = [];
  for (let i = 0; i < terms.length; i += 2) {
    const compare = COMPARISONS[String(terms[i])];
    const bound = terms[i + 1];
    if (compare === undefined || typeof bound !== 'number') {
      throw new PatternError(path, `has a "numeric" that is not a comparison: ${JSON.stringify(operand)}.`);
    }
    tests.push((value) => compare(value, bound));
  }
  return (value) => typeof value === 'number' && tests.every((test) => test(value));
}

const COMPARISONS: Readonly<Record<string, (a: number, b: number) => boolean>> = {
  '=': (a, b) => a === b,
  '<': (a, b) => a < b,
  '<=': (a, b) => a <= b,
  '>': (a, b) => a > b,
  '>=': (a, b) => a >= b,
};

function stringTest(test: (value: string) => boolean): Pattern {
  return (value) => typeof value === 'string' && test(value);
}

function text(operand: unknown, operator: string, path: readonly string[]): string {
  if (typeof operand !== 'string') throw new PatternError(path, `needs a string for "${operator}".`);
  return operand;
}

function escapeForRegExp(word: string): string {
  return word.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
