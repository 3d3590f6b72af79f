import { InvalidInput } from './failure.ts';

/**
 * The cells of RFC 4180: separated by commas, a cell with a comma, a quote or a line break in quotes. Empty lines are omitted.
 * @throws InvalidInput that names the line
 */
export function rowsOf(text: string, file: string): string[][] {
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
