import { isDeepStrictEqual } from 'node:util';

export type Item = Readonly<Record<string, unknown>>;

/** The values of the placeholders of an expression. */
export interface Placeholders {
  readonly names: Readonly<Record<string, string>> | undefined;
  readonly values: Readonly<Record<string, unknown>> | undefined;
}

type Condition = (item: Item | undefined, placeholders: Placeholders) => boolean;
type Update = (item: Record<string, unknown>, placeholders: Placeholders) => void;

/**
 * Whether an item meets a condition expression.
 * @throws Error when the expression uses a part of the language that the stores do not use
 */
export function meets(expression: string, item: Item | undefined, placeholders: Placeholders): boolean {
  return cached(conditions, expression, parseCondition)(item, placeholders);
}

/** Applies an update expression to a copy of an item. */
export function updated(expression: string, item: Item, placeholders: Placeholders): Item {
  const copy = { ...item };
  for (const update of cached(updates, expression, parseUpdate)) update(copy, placeholders);
  return copy;
}

const conditions = new Map<string, Condition>();
const updates = new Map<string, readonly Update[]>();

function cached<T>(cache: Map<string, T>, text: string, parse: (tokens: Tokens) => T): T {
  const known = cache.get(text);
  if (known !== undefined) return known;
  const tokens = new Tokens(text);
  const parsed = parse(tokens);
  tokens.expectEnd();
  cache.set(text, parsed);
  return parsed;
}

/** Reads the words of an expression one after the other. */
class Tokens {
  readonly #text: string;
  readonly #all: readonly string[];
  #at = 0;

  constructor(text: string) {
    this.#text = text;
    this.#all = text.match(/[#:]?[A-Za-z_][\w.#]*|<=|>=|<>|[=<>(),]/g) ?? [];
  }

  peek(): string | undefined {
    return this.#all[this.#at];
  }

  next(): string {
    const token = this.#all[this.#at++];
    if (token === undefined) throw new Error(`Expected more after ${this.#text}`);
    return token;
  }

  /** Takes the next word if it is this one. */
  takes(token: string): boolean {
    if (this.peek() !== token) return false;
    this.#at++;
    return true;
  }

  expect(token: string): void {
    const found = this.next();
    if (found !== token) throw new Error(`Expected ${token} in ${this.#text}, got ${found}`);
  }

  expectEnd(): void {
    if (this.peek() !== undefined) throw new Error(`Expected ${this.peek()} in ${this.#text} not to follow`);
  }
}

function parseCondition(tokens: Tokens): Condition {
  const either = [parseAll(tokens)];
  while (tokens.takes('OR')) either.push(parseAll(tokens));
  return either.length === 1 ? either[0]! : (item, by) => either.some((one) => one(item, by));
}

function parseAll(tokens: Tokens): Condition {
  const all = [parseComparison(tokens)];
  while (tokens.takes('AND')) all.push(parseComparison(tokens));
  return all.length === 1 ? all[0]! : (item, by) => all.every((one) => one(item, by));
}

function parseComparison(tokens: Tokens): Condition {
  if (tokens.takes('(')) {
    const inner = parseCondition(tokens);
    tokens.expect(')');
    return inner;
  }
  for (const [name, exists] of [
    ['attribute_exists', true],
    ['attribute_not_exists', false],
  ] as const) {
    if (!tokens.takes(name)) continue;
    tokens.expect('(');
    const path = tokens.next();
    tokens.expect(')');
    return (item, by) => (valueAt(path, item, by) !== undefined) === exists;
  }
  if (tokens.takes('size')) {
    tokens.expect('(');
    const path = tokens.next();
    tokens.expect(')');
    const operator = tokens.next();
    const right = tokens.next();
    return (item, by) => isOrdered(operator, sizeOf(valueAt(path, item, by)), operand(right, item, by));
  }
  const left = tokens.next();
  if (tokens.takes('BETWEEN')) {
    const low = tokens.next();
    tokens.expect('AND');
    const high = tokens.next();
    return (item, by) => {
      const value = operand(left, item, by);
      return (
        isOrdered('>=', value, operand(low, item, by)) && isOrdered('<=', value, operand(high, item, by))
      );
    };
  }
  if (tokens.takes('IN')) {
    const list: string[] = [];
    tokens.expect('(');
    do list.push(tokens.next());
    while (tokens.takes(','));
    tokens.expect(')');
    return (item, by) => list.some((one) => isOrdered('=', operand(left, item, by), operand(one, item, by)));
  }
  const operator = tokens.next();
  const right = tokens.next();
  return (item, by) => isOrdered(operator, operand(left, item, by), operand(right, item, by));
}

/** The size of a set; the stores ask for no other. */
function sizeOf(value: unknown): number | undefined {
  if (value === undefined) return undefined;
  if (!(value instanceof Set)) throw new Error('Expected the size of a set');
  return value.size;
}

/** A comparison with a missing attribute, or of two types, is false. */
function isOrdered(operator: string, left: unknown, right: unknown): boolean {
  if (left === undefined || right === undefined) return false;
  if (operator === '=') return typeof left === 'object' ? isDeepStrictEqual(left, right) : left === right;
  if (typeof left !== typeof right) return false;
  const [a, b] = [left as string, right as string];
  if (operator === '<>') return a !== b;
  if (operator === '<') return a < b;
  if (operator === '<=') return a <= b;
  if (operator === '>') return a > b;
  if (operator === '>=') return a >= b;
  throw new Error(`Expected an operator, got ${operator}`);
}

function operand(token: string, item: Item | undefined, by: Placeholders): unknown {
  return token.startsWith(':') ? placed(token, by) : valueAt(token, item, by);
}

function placed(token: string, { values }: Placeholders): unknown {
  if (values === undefined || !(token in values)) throw new Error(`Expected a value for ${token}`);
  return values[token];
}

function nameOf(token: string, { names }: Placeholders): string {
  if (!token.startsWith('#')) return token;
  const name = names?.[token];
  if (name === undefined) throw new Error(`Expected a name for ${token}`);
  return name;
}

function valueAt(path: string, item: Item | undefined, by: Placeholders): unknown {
  if (!path.includes('.')) return item?.[nameOf(path, by)];
  return path
    .split('.')
    .reduce<unknown>((value, part) => (value as Item | undefined)?.[nameOf(part, by)], item);
}

function parseUpdate(tokens: Tokens): readonly Update[] {
  const all: Update[] = [];
  while (tokens.peek() !== undefined) {
    const clause = tokens.next();
    const parse = { SET: parseSet, REMOVE: parseRemove, ADD: parseAdd }[clause];
    if (parse === undefined) throw new Error(`Expected SET, REMOVE or ADD, got ${clause}`);
    do all.push(parse(tokens));
    while (tokens.takes(','));
  }
  return all;
}

function parseSet(tokens: Tokens): Update {
  const path = tokens.next();
  tokens.expect('=');
  if (tokens.takes('if_not_exists')) {
    tokens.expect('(');
    const other = tokens.next();
    tokens.expect(',');
    const otherwise = tokens.next();
    tokens.expect(')');
    return (item, by) => put(path, operand(other, item, by) ?? operand(otherwise, item, by), item, by);
  }
  const value = tokens.next();
  return (item, by) => put(path, operand(value, item, by), item, by);
}

function parseRemove(tokens: Tokens): Update {
  const path = tokens.next();
  return (item, by) => put(path, undefined, item, by);
}

/** Adds elements to a set, or a number to a number. */
function parseAdd(tokens: Tokens): Update {
  const path = tokens.next();
  const value = tokens.next();
  return (item, by) => {
    const before = item[nameOf(path, by)];
    const added = placed(value, by);
    const sum =
      typeof added === 'number'
        ? ((before ?? 0) as number) + added
        : new Set([...((before ?? []) as Set<unknown>), ...(added as Set<unknown>)]);
    put(path, sum, item, by);
  };
}

/** Sets an attribute, or one within a copy of a map. Without a value it is removed. */
function put(path: string, value: unknown, item: Record<string, unknown>, by: Placeholders): void {
  const parts = path.split('.').map((part) => nameOf(part, by));
  let at = item;
  for (const part of parts.slice(0, -1)) {
    if (typeof at[part] !== 'object') throw new Error(`Expected ${path} to be within a map`);
    at[part] = { ...(at[part] as object) };
    at = at[part] as Record<string, unknown>;
  }
  if (value === undefined) delete at[parts.at(-1)!];
  else at[parts.at(-1)!] = value;
}
