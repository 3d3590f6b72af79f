import { CsvError, parse } from 'csv-parse/sync';
import { InvalidInput } from './failure.ts';

/** The columns of a CSV file, which may stand in any order. */
export interface CsvColumns {
  readonly required: readonly string[];
  readonly optional: readonly string[];
  /** Other columns that are allowed begin with one of these. */
  readonly prefixes?: readonly string[];
}

/** A line of a CSV file: its cells by column. */
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
  const [header = { after: 0, cells: [] }, ...lines] = linesOf(text, file);
  const columns = header.cells;
  const refuse = ({ after }: Line, why: string) => {
    throw new InvalidInput(`${placeOf(file, text, after)}: Expected ${why}`);
  };
  const missing = required.filter((name) => !columns.includes(name));
  if (missing.length > 0)
    refuse(
      header,
      `the columns ${required.join(', ')} with commas between, got no ${missing.join(' and no ')}`,
    );
  const isKnown = (name: string) =>
    [...required, ...optional].includes(name) ||
    prefixes.some((prefix) => name.startsWith(prefix) && name !== prefix);
  const unknown = columns.find((name) => !isKnown(name));
  if (unknown !== undefined)
    refuse(
      header,
      `columns from ${[...required, ...optional, ...prefixes.map((prefix) => `${prefix}…`)].join(', ')}, got ${JSON.stringify(unknown)}`,
    );
  const again = columns.find((name, at) => columns.indexOf(name) < at);
  if (again !== undefined) refuse(header, `each column once, got ${again} again`);
  return lines.map((line) => {
    const { cells } = line;
    if (cells.length !== columns.length) refuse(line, `${columns.length} cells, got ${cells.length}`);
    return Object.fromEntries(columns.map((name, column) => [name, cells[column]!]));
  });
}

/** The cell of a column that rows have in common. @throws InvalidInput with what is expected, when their cells differ */
export function sharedCell(rows: readonly CsvRow[], column: string, expected: string): string | undefined {
  const cells = [...new Set(rows.map((row) => row[column]))];
  if (cells.length > 1)
    throw new InvalidInput(`${expected}, got ${cells.map((cell) => cell || 'none').join(', ')}`);
  return cells[0];
}

/** A number; what is none stays as it is, so that the error shows it. */
export function numberOr(cell: string): number | string {
  const number = Number(cell);
  return cell === '' || Number.isNaN(number) ? cell : number;
}

/** The cells of a line, and the place in bytes where the line before it ends. */
interface Line {
  readonly after: number;
  readonly cells: readonly string[];
}

/** The lines that are not empty. @throws InvalidInput that names the line */
function linesOf(text: string, file: string): Line[] {
  const lines: Line[] = [];
  let after = 0;
  try {
    parse(text, {
      record_delimiter: ['\r\n', '\n', '\r'],
      relax_column_count: true,
      skip_empty_lines: true,
      trim: true,
      on_record(cells: string[], { bytes }) {
        // The parser keeps the spaces within quotes.
        lines.push({ after, cells: cells.map((cell) => cell.trim()) });
        after = bytes;
      },
    });
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw new InvalidInput(
      `${placeOf(file, text, after)}: Expected cells separated by commas, got a quote within a cell`,
    );
  }
  return lines;
}

/** `FILE:LINE` of what follows a place in bytes. The parser counts some line ends twice. */
function placeOf(file: string, text: string, after: number): string {
  const before = Buffer.from(text).toString('utf8', 0, after);
  const [empty] = /^\s*/.exec(text.slice(before.length))!;
  return `${file}:${`${before}${empty}`.split(/\r\n?|\n/).length}`;
}
