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
    case 'prefix':
      return anyItem(prefix(operand, path));
    default:
      throw new PatternError(path, `uses the operator "${operator}", which has no local counterpart.`);
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

function prefix(operand: unknown, path: readonly string[]): Pattern {
  if (typeof operand !== 'string') throw new PatternError(path, 'needs a string for "prefix".');
  return (value) => typeof value === 'string' && value.startsWith(operand);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
