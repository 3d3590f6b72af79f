import { InvalidInput } from './failure.ts';

/** The columns of a CSV file, which may stand in any order. */
export interface CsvColumns {
  readonly required: readonly string[];
  readonly optional: readonly string[];
  /** Other columns that are allowed: their prefixes, and their names in errors. */
  readonly prefixes?: readonly (readonly [prefix: string, name: string])[];
}

/** A line of a CSV file: its cells, trimmed, by column. */
export type CsvRow = Readonly<Record<string, string>>;

/**
 * The lines of a CSV file below the first one, which names the columns.
 * @throws InvalidInput that names the line
 */
export function namedRows(
  text: string,
  file: string,
  { required, optional, prefixes = [] }: CsvColumns,
): CsvRow[] {
  const [header = { at: 0, cells: [] }, ...lines] = linesOf(text, file);
  const columns = header.cells.map((name) => name.trim());
  const refuse = (line: Line, why: string) => {
    throw new InvalidInput(`${placeOf(file, text, line.at)}: Expected ${why}`);
  };
  const missing = required.filter((name) => !columns.includes(name));
  if (missing.length > 0)
    refuse(header, `the columns ${required.join(', ')}, got no ${missing.join(' and no ')}`);
  const isKnown = (name: string) =>
    required.includes(name) ||
    optional.includes(name) ||
    prefixes.some(([prefix]) => name.startsWith(prefix) && name !== prefix);
  const unknown = columns.find((name) => !isKnown(name));
  if (unknown !== undefined)
    refuse(
      header,
      `columns from ${[...required, ...optional, ...prefixes.map(([, name]) => name)].join(', ')}, got ${JSON.stringify(unknown)}`,
    );
  const again = columns.find((name, at) => columns.indexOf(name) < at);
  if (again !== undefined) refuse(header, `each column once, got ${again} again`);
  return lines.map((line) => {
    const { cells } = line;
    if (cells.length !== columns.length) refuse(line, `${columns.length} cells, got ${cells.length}`);
    return Object.fromEntries(columns.map((name, column) => [name, cells[column]!.trim()]));
  });
}

/** The cell of a column that rows have in common. @throws InvalidInput with what is expected, when their cells differ */
export function sharedCell(rows: readonly CsvRow[], column: string, expected: string): string | undefined {
  const cells = [...new Set(rows.map((row) => row[column]))];
  if (cells.length > 1) throw new InvalidInput(`${expected}, got ${cells.join(', ')}`);
  return cells[0];
}

/** A number; what is none stays as it is, so that the error shows it. */
export function numberOr(cell: string): number | string {
  const number = Number(cell);
  return cell === '' || Number.isNaN(number) ? cell : number;
}

/** A line with cells that are not trimmed, and where it begins in the text. */
interface Line {
  readonly at: number;
  readonly cells: readonly string[];
}

/**
 * The cells of RFC 4180: separated by commas, a cell with a comma, a quote or a line break in quotes. Empty lines are omitted.
 * @throws InvalidInput that names the line
 */
function linesOf(text: string, file: string): Line[] {
  const lines: Line[] = [];
  const special = /[",\r\n]|$/g;
  const end = /,|\r\n?|\n|$/y;
  let cells: string[] = [];
  let lineAt = 0;
  let at = 0;
  while (at < text.length || cells.length > 0) {
    const isQuoted = text[at] === '"';
    special.lastIndex = at;
    end.lastIndex = isQuoted ? quotesEnd(text, at) : special.exec(text)!.index;
    const value = text.slice(at, end.lastIndex);
    const found = end.exec(text);
    if (found === null)
      throw new InvalidInput(
        `${placeOf(file, text, at)}: Expected cells separated by commas, got a quote within a cell`,
      );
    cells.push(isQuoted ? value.slice(1, -1).replaceAll('""', '"') : value);
    at = end.lastIndex;
    if (found[0] === ',') continue;
    if (cells.length > 1 || cells[0]!.trim() !== '') lines.push({ at: lineAt, cells });
    cells = [];
    lineAt = at;
  }
  return lines;
}

/** Where a cell in quotes ends; where it begins, when nothing ends it. Two quotes stand for one in the cell. */
function quotesEnd(text: string, from: number): number {
  let at = text.indexOf('"', from + 1);
  while (at !== -1 && text[at + 1] === '"') at = text.indexOf('"', at + 2);
  return at === -1 ? from : at + 1;
}

/** `FILE:LINE` of a place in the text. */
function placeOf(file: string, text: string, at: number): string {
  return `${file}:${text.slice(0, at).split(/\r\n?|\n/).length}`;
}
