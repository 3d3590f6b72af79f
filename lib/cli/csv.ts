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
  const [header = [], ...lines] = rowsOf(text, file);
  const columns = header.map((name) => name.trim());
  const missing = required.filter((name) => !columns.includes(name));
  if (missing.length > 0)
    throw new InvalidInput(
      `${file}:1: Expected the columns ${required.join(', ')}, got no ${missing.join(' and no ')}`,
    );
  const isKnown = (name: string) =>
    required.includes(name) ||
    optional.includes(name) ||
    prefixes.some(([prefix]) => name.startsWith(prefix) && name !== prefix);
  const unknown = columns.find((name) => !isKnown(name));
  if (unknown !== undefined)
    throw new InvalidInput(
      `${file}:1: Expected columns from ${[...required, ...optional, ...prefixes.map(([, name]) => name)].join(', ')}, got ${JSON.stringify(unknown)}`,
    );
  const again = columns.find((name, at) => columns.indexOf(name) < at);
  if (again !== undefined) throw new InvalidInput(`${file}:1: Expected each column once, got ${again} again`);
  return lines.map((cells, at) => {
    if (cells.length !== columns.length)
      throw new InvalidInput(`${file}:${at + 2}: Expected ${columns.length} cells, got ${cells.length}`);
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

/**
 * The cells of RFC 4180: separated by commas, a cell with a comma, a quote or a line break in quotes. Empty lines are omitted.
 * @throws InvalidInput that names the line
 */
function rowsOf(text: string, file: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  const cell = /("(?:[^"]|"")*"|[^",\r\n]*)(,|\r?\n|$)/y;
  while (cell.lastIndex < text.length) {
    const found = cell.exec(text);
    if (found === null)
      throw new InvalidInput(
        `${file}:${rows.length + 1}: Expected cells separated by commas, got a quote within a cell`,
      );
    const [, value = '', end] = found;
    row.push(value.startsWith('"') ? value.slice(1, -1).replaceAll('""', '"') : value);
    if (end === ',') continue;
    if (row.length > 1 || row[0] !== '') rows.push(row);
    row = [];
  }
  if (row.length > 0) rows.push([...row, '']);
  return rows;
}
