/** Inserts faults into JSON texts, values and keys. */
import type { RandomSource } from '../../lib/simulation/random.ts';
import { pick } from './samples.ts';

/** A value that may be invalid JSON: an object may repeat a key, and a value may be any text. */
export type Tree = null | boolean | number | string | Raw | Tree[] | Fields;

/** Text that is written instead of a value. */
export class Raw {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** The fields of an object, in order. */
export class Fields {
  readonly entries: [name: string, value: Tree][];

  constructor(entries: [string, Tree][]) {
    this.entries = entries;
  }
}

export function treeOf(value: unknown): Tree {
  if (Array.isArray(value)) return value.map(treeOf);
  if (typeof value !== 'object' || value === null) return value as Tree;
  return new Fields(Object.entries(value).map(([name, item]) => [name, treeOf(item)]));
}

export function textOf(tree: Tree): string {
  if (tree instanceof Raw) return tree.text;
  if (Array.isArray(tree)) return `[${tree.map(textOf).join()}]`;
  if (!(tree instanceof Fields)) return JSON.stringify(tree);
  return `{${tree.entries.map(([name, value]) => `${JSON.stringify(name)}:${textOf(value)}`).join()}}`;
}

/** The tree with one fault: in a value at any depth, or in the fields of an object. */
export function broken(tree: Tree, random: RandomSource): Tree {
  const places = placesIn(tree);
  const target = places[random.integer(places.length)]!;
  return replaced(tree, target, (value) => brokenValue(value, random));
}

/** The text with a fault: not JSON, too long, or not UTF-8. */
export function brokenText(text: string, random: RandomSource): Buffer {
  const cut = random.integer(text.length + 1);
  return pick<() => Buffer>(
    [
      () => Buffer.from(text.slice(0, cut)),
      () => Buffer.from(text.slice(cut)),
      () => Buffer.from(`${text}${text}`),
      () =>
        Buffer.from(
          `${text.slice(0, cut)}${pick(['"', '}', ']', ',', '\\', '\u0000'], random)}${text.slice(cut)}`,
        ),
      () => Buffer.from(`\uFEFF${text}`),
      () => Buffer.from(text, 'utf16le'),
      () =>
        Buffer.concat([
          Buffer.from(text.slice(0, cut)),
          Buffer.from([0xff, 0xc0, 0x80]),
          Buffer.from(text.slice(cut)),
        ]),
      () => Buffer.from(pick(['null', 'true', '0', '""', '[]', '{}', ' ', 'NaN', "{'a':1}", '//'], random)),
      () => Buffer.from('['.repeat(30_000) + ']'.repeat(30_000)),
      () => Buffer.from(`${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`),
      () => Buffer.from(text + ' '.repeat(pick([65_535, 65_536, 65_537, 200_000, 1_000_000], random))),
      () => Buffer.from(' '.repeat(Math.max(0, 65_536 - Buffer.byteLength(text))) + text),
    ],
    random,
  )();
}

/** Numbers at and beyond the limits of JSON, doubles and DynamoDB. */
export const NUMBERS = [
  '-0',
  '-1',
  '0',
  '1',
  '0.1',
  '0.30000000000000004',
  '1e-308',
  '5e-324',
  '1e-400',
  '1e21',
  '1e38',
  '1e126',
  '1e308',
  '-1e308',
  '1.7976931348623157e308',
  '1e309',
  '1e999',
  '-1e999',
  '9007199254740991',
  '9007199254740992',
  '9007199254740993',
  '2147483648',
  '4294967296',
  '1000000000',
  '1000000000.0000001',
  '1E5',
  '1.0',
  '1e0',
];

/** Strings that careless code handles wrongly: names of object properties, other scripts, controls, lone surrogates. */
export const STRINGS = [
  '',
  ' ',
  '\u0000',
  '\u0007',
  '\n',
  '\u007f',
  '\u2028',
  '\ufeff',
  '\ufffd',
  '\ud800',
  '\udc00',
  '😀',
  '👨‍👩‍👧‍👦',
  'é',
  'e\u0301',
  'ß',
  'İ',
  'שלום',
  '\u202eabc',
  '中文',
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'null',
  'undefined',
  'NaN',
  'Infinity',
  'true',
  '-1',
  '0',
  '#',
  '/',
  '\\',
  '..',
  '../..',
  '%2e%2e',
  '%00',
  '%',
  '$',
  '{}',
  '$(x)',
  "'",
  '"',
  '`',
  '<b>',
  ';',
  ':pool',
  '#queue',
  'a#b',
  'a/b',
  'x'.repeat(64),
  'x'.repeat(65),
  'x'.repeat(128),
  'x'.repeat(129),
  'x'.repeat(2_049),
  'x'.repeat(40_000),
  '2026-02-30T00:00:00Z',
  '0000-01-01T00:00:00Z',
  '9999-12-31T23:59:59.999Z',
  '+275760-09-13T00:00:00.000Z',
  '1e999',
  'http://[::1]/',
  'ftp://127.0.0.1/',
  'javascript:1',
];

const OTHERS: readonly Tree[] = [null, true, false, [], new Fields([]), [[]], [null], new Fields([['a', 1]])];

function brokenValue(value: Tree, random: RandomSource): Tree {
  const ways: (() => Tree)[] = [
    () => pick(OTHERS, random),
    () => new Raw(pick(NUMBERS, random)),
    () => pick(STRINGS, random),
    () =>
      new Raw(
        pick(
          ['NaN', 'Infinity', 'undefined', '0x10', '01', '.5', '1.', '+1', "'a'", '"\\u12"', '"\\x"'],
          random,
        ),
      ),
  ];
  if (typeof value === 'number') {
    ways.push(
      () => -value,
      () => value + 0.5,
      () => String(value),
      () => new Raw(pick(NUMBERS, random)),
      () => new Raw(pick(NUMBERS, random)),
    );
  }
  if (typeof value === 'string') {
    ways.push(
      () => pick(STRINGS, random),
      () => value + pick(STRINGS, random),
      () => value.toUpperCase(),
      () => value.slice(1),
    );
  }
  if (Array.isArray(value)) {
    ways.push(
      () => [],
      () => [...value, ...value],
      () => Array.from({ length: pick([9, 33, 65, 1_000], random) }, () => value[0] ?? 0),
      () => value.toReversed(),
      () => new Fields(value.map((item, i) => [String(i), item])),
    );
  }
  if (value instanceof Fields) {
    const { entries } = value;
    const at = random.integer(entries.length + 1);
    const name = entries[at]?.[0] ?? 'a';
    const without = () => new Fields(entries.filter((_, i) => i !== at));
    ways.push(
      without,
      without,
      () => new Fields([...entries, [pick(STRINGS, random), pick(OTHERS, random)]]),
      () => new Fields([...entries, [pick(['__proto__', 'constructor', 'extra'], random), new Fields([])]]),
      () => new Fields([...entries, [name, pick(OTHERS, random)]]),
      () => new Fields([[name, new Raw(pick(NUMBERS, random))], ...entries]),
      () => new Fields(entries.toReversed()),
      () => entries.map(([, item]) => item),
    );
  }
  return pick(ways, random)();
}

/** The path to a value: indexes of items and entries. */
type Place = readonly number[];

function placesIn(tree: Tree, here: Place = []): Place[] {
  const inner = Array.isArray(tree)
    ? tree
    : tree instanceof Fields
      ? tree.entries.map(([, value]) => value)
      : [];
  return [here, ...inner.flatMap((value, i) => placesIn(value, [...here, i]))];
}

function replaced(tree: Tree, [at, ...rest]: Place, change: (value: Tree) => Tree): Tree {
  if (at === undefined) return change(tree);
  if (Array.isArray(tree)) return tree.with(at, replaced(tree[at]!, rest, change));
  const { entries } = tree as Fields;
  const [name, value] = entries[at]!;
  return new Fields(entries.with(at, [name, replaced(value, rest, change)]));
}
