import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** The value of a constant: a number, or numbers by name or by position. */
export type Value = number | { readonly [name: string]: Value };

/** The top-level constants of a file that are numbers, or objects and lists of numbers, by name. */
export function constantsOf(file: string): ReadonlyMap<string, Value> {
  const found = new Map<string, Value>();
  for (const declaration of declarationsOf(file)) {
    const value = valueOfDeclaration(file, declaration);
    if (value !== undefined) found.set(declaration.name, value);
  }
  return found;
}

/** The source files of folders, relative to the repository. */
export function sourcesIn(...folders: readonly string[]): string[] {
  return folders.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
      .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)))
      .sort(),
  );
}

interface Declaration {
  readonly name: string;
  /** The expression, without comments and assertions. */
  readonly text: string;
}

const read = new Map<string, readonly Declaration[]>();

function declarationsOf(file: string): readonly Declaration[] {
  const found = read.get(file) ?? declarationsIn(file);
  read.set(file, found);
  return found;
}

function declarationsIn(file: string): Declaration[] {
  const source = readFileSync(join(ROOT, file), 'utf8').replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
  return [...source.matchAll(/^(?:export )?const (\w+)(?:: [^=]+)? =\s([\s\S]*?);$/gm)].map((match) => ({
    name: match[1]!,
    text: match[2]!.replace(/\s+(as const|satisfies [^;]+)$/g, '').replace(/ as const/g, ''),
  }));
}

/** The values of declarations so far; a declaration that is being evaluated has none yet. */
const known = new Map<Declaration, Value | undefined>();

function valueOfDeclaration(file: string, declaration: Declaration): Value | undefined {
  if (!known.has(declaration)) {
    known.set(declaration, undefined);
    known.set(declaration, evaluated(file, declaration.text));
  }
  return known.get(declaration);
}

/** Evaluates an expression of numbers and of constants that it names; undefined when there is anything else in it. */
function evaluated(file: string, text: string): Value | undefined {
  const names: string[] = [];
  const values: Value[] = [];
  for (const name of new Set(namesIn(text))) {
    if (name === 'true' || name === 'false') continue;
    const value = named(file, name);
    if (value === undefined) return undefined;
    names.push(name);
    values.push(value);
  }
  if (!/^[\w\s.,:+\-*/(){}[\]%]*$/.test(text)) return undefined;
  try {
    return numbersOf(new Function(...names, `"use strict"; return (${text});`)(...values));
  } catch {
    return undefined;
  }
}

/** The names in an expression that are not keys or members of an object. */
function namesIn(text: string): string[] {
  return [...text.matchAll(/(?<![\w.])([A-Za-z_]\w*)(?!\w|\s*:)/g)].flatMap(([, name]) => name ?? []);
}

function numbersOf(value: unknown): Value | undefined {
  if (typeof value === 'number') return value;
  if (typeof value !== 'object' || value === null) return undefined;
  const entries = Object.entries(value).flatMap(([name, one]) => {
    const numbers = numbersOf(one);
    return numbers === undefined ? [] : [[name, numbers] as const];
  });
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

/** The value of a name in a file: of a constant there, or of one that it imports. */
function named(file: string, name: string): Value | undefined {
  const own = declarationsOf(file).find((one) => one.name === name);
  if (own !== undefined) return valueOfDeclaration(file, own);
  const source = readFileSync(join(ROOT, file), 'utf8');
  const [, from] = new RegExp(`import \\{[^}]*\\b${name}\\b[^}]*\\} from '(\\.[^']+)'`).exec(source) ?? [];
  return from === undefined ? undefined : named(join(dirname(file), from), name);
}
