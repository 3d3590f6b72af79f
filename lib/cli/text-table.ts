/** A table in lines of a terminal: the first column is aligned to the left, the others to the right. */
export function textTable(rows: readonly (readonly string[])[]): string[] {
  const widths = rows[0]!.map((_, at) => Math.max(...rows.map((row) => row[at]!.length)));
  return rows.map((row) =>
    row.map((cell, at) => (at === 0 ? cell.padEnd(widths[at]!) : cell.padStart(widths[at]!))).join('  '),
  );
}

/** A number with three digits; `–` when there is none. */
export const short = (value: number) => (Number.isNaN(value) ? '–' : String(Number(value.toPrecision(3))));
