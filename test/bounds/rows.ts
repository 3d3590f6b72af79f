import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Value } from './constants.ts';

/** The page with the tables of bounds. */
export const PAGE = fileURLToPath(new URL('../../docs/bounds.md', import.meta.url));

const HEAD = '| what | bound | at the bound | where |';

/** A row of a table of bounds. */
export interface Row {
  readonly what: string;
  readonly bound: string;
  /** What its last column names: a file and, within it, a constant or one of its members. */
  readonly where: readonly { readonly file: string; readonly path: readonly string[] }[];
}

/** The rows of all tables of bounds in the page. */
export function rowsOf(page = readFileSync(PAGE, 'utf8')): Row[] {
  const tables = page.split(HEAD).slice(1);
  return tables.flatMap((table) => {
    const lines = table.split('\n').slice(2);
    const end = lines.findIndex((line) => !line.startsWith('|'));
    return lines.slice(0, end).map((line) => {
      const [what = '', bound = '', , where = ''] = line.replace(/^\| | \|$/g, '').split(/ \| ?/);
      return { what, bound, where: placesOf(where) };
    });
  });
}

/** `file#NAME` in backticks; `#NAME` is in the file before it. A file alone names no constant. */
function placesOf(cell: string): Row['where'] {
  let file = '';
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, text = '']) => {
    const [path = '', name] = text.split('#');
    if (path !== '') file = path.startsWith('lambdas/') ? path : `lib/${path}`;
    return { file, path: name?.split('.') ?? [] };
  });
}

/** The numbers in a value, each with the path to it. */
export function leavesOf(
  value: Value,
  path: readonly string[],
): { path: readonly string[]; number: number }[] {
  if (typeof value === 'number') return [{ path, number: value }];
  return Object.entries(value).flatMap(([name, one]) => leavesOf(one, [...path, name]));
}

/** Whether a cell has a number, in one of the forms in which a reader expects a quantity of this name. */
export function says(cell: string, path: readonly string[], number: number): boolean {
  return formsOf(path.join('.'), number).some((form) =>
    new RegExp(`(?<![\\d.,])${form.replaceAll('.', '\\.')}(?!\\w|[.,]\\d)`).test(cell),
  );
}

const SECOND = 1_000;

function formsOf(name: string, number: number): string[] {
  const plain = number >= 1e9 || number < 1e-3 ? [String(number), exponential(number)] : [];
  const forms = [...plain, number.toLocaleString('en-US')];
  if (/_MS(?:_|\.|$)|Ms$|Timeout$/.test(name)) return timesOf(number);
  if (/SECONDS|Seconds(?!Max)|secondsMax/.test(name)) return timesOf(number * SECOND);
  if (/DAYS/.test(name)) return timesOf(number * 86_400 * SECOND);
  if (/BYTES|bytes|Bytes/.test(name))
    return [`${number.toLocaleString('en-US')} bytes`, `${number / 1_024} KB`, `${number / 1_048_576} MB`];
  return forms;
}

function exponential(number: number): string {
  return number.toExponential().replace('e+', 'e');
}

function timesOf(ms: number): string[] {
  const units = { ms: 1, s: SECOND, minute: 60 * SECOND, hour: 3_600 * SECOND, day: 86_400 * SECOND };
  return Object.entries(units).map(([unit, size]) => {
    const count = ms / size;
    return `${count} ${unit}${unit.length > 2 && count !== 1 ? 's' : ''}`;
  });
}
