import { createRequire } from 'node:module';
import { InvalidInput } from './failure.ts';

/** The columns of a CSV file, which may stand in any order. */
export interface CsvColumns {
  readonly required: readonly string[];
  readonly optional: readonly string[];
  /** Other columns that are allowed begin with one of these. */
  readonly prefixes?: readonly string[];
}

/** A line of a CSV file: its number, and its cells by column. */
export interface CsvRow {
  readonly line: number;
  readonly cells: Readonly<Record<string, string>>;
}

/**
 * The lines of a CSV file below the first one, which names the columns.
 * @throws InvalidInput that names the line
 */
export function namedRows(
  text: string,
  file: string,
  { required, optional, prefixes = [] }: CsvColumns,
): CsvRow[] {
  const [header = { line: 1, cells: [] }, ...lines] = linesOf(text, file);
  const columns = header.cells;
  const refuse = ({ line }: Line, why: string) => {
    throw new InvalidInput(`${file}:${line}: Expected ${why}`);
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
  return lines.map((one) => {
    const { line, cells } = one;
    if (cells.length !== columns.length)
      refuse(one, `${columns.length} cells, got ${cells.length}: a cell with a comma has quotes around it`);
    return { line, cells: Object.fromEntries(columns.map((name, column) => [name, cells[column]!])) };
  });
}

/** The cell of a column that rows have in common. @throws InvalidInput with what is expected, when their cells differ */
export function sharedCell(rows: readonly CsvRow[], column: string, expected: string): string | undefined {
  const different = [...new Set(rows.map(({ cells }) => cells[column]))];
  if (different.length > 1)
    throw new InvalidInput(`${expected}, got ${different.map((cell) => cell || 'none').join(', ')}`);
  return different[0];
}

/** A number; what is none stays as it is, so that the error shows it. */
export function numberOr(cell: string): number | string {
  const number = Number(cell);
  return cell === '' || Number.isNaN(number) ? cell : number;
}

/** The cells of a line, and the number of the line in which they begin. */
interface Line {
  readonly line: number;
  readonly cells: readonly string[];
}

/** The lines that are not empty. @throws InvalidInput that names the line */
function linesOf(text: string, file: string): Line[] {
  // Loaded only where it is needed, so that commands start faster.
  const { CsvError, parse }: typeof import('csv-parse/sync') = require('csv-parse/sync');
  const lines: Line[] = [];
  const bytes = Buffer.from(text);
  // The parser counts some line ends twice, so that only its bytes say where a line is.
  let from = 0;
  let line = 1;
  const passTo = (end: number): number => {
    const passed = bytes.toString('utf8', from, end);
    const [empty] = /^\s*/.exec(passed)!;
    const begins = line + breaksIn(empty);
    line += breaksIn(passed);
    from = end;
    return begins;
  };
  try {
    parse(text, {
      record_delimiter: ['\r\n', '\n', '\r'],
      relax_column_count: true,
      skip_empty_lines: true,
      trim: true,
      // The parser keeps the spaces within quotes.
      on_record: (cells: string[], info) =>
        void lines.push({ line: passTo(info.bytes), cells: cells.map((cell) => cell.trim()) }),
    });
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw new InvalidInput(
      `${file}:${passTo(bytes.length)}: Expected cells separated by commas, got a quote within a cell`,
    );
  }
  return lines;
}

const breaksIn = (text: string) => text.match(/\r\n?|\n/g)?.length ?? 0;

const require = createRequire(import.meta.url);
