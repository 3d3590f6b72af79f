import { stripVTControlCharacters } from 'node:util';

/** Where the demo prints. */
export interface Screen {
  /** Replaces the previous output on a terminal. Elsewhere it appends. */
  show(lines: readonly string[]): void;
  /** The columns of the terminal. Elsewhere the variable COLUMNS, if it is set. */
  readonly width: number;
  /** Whether `show` replaces the previous output. */
  readonly live: boolean;
}

/** The parts of a `tty.WriteStream` that a screen needs. */
export interface Output {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
  write(text: string): unknown;
}

const WIDTH_DEFAULT = 100;

/** @param output a terminal, or another stream to which all output is appended */
export function screenOn(output: Output): Screen {
  const live = output.isTTY === true && process.env.TERM !== 'dumb';
  const width = () => output.columns || Number(process.env.COLUMNS) || WIDTH_DEFAULT;
  let drawn: readonly string[] = [];
  return {
    live,
    get width() {
      return width();
    },
    show(lines) {
      if (!live) {
        output.write(`${lines.join('\n')}\n`);
        return;
      }
      // If the window has become narrower, the drawn lines wrap and take more rows.
      const rows = drawn.reduce((sum, line) => sum + rowsOf(line, width()), 0);
      // Rows that have scrolled out of the window cannot be replaced, so only as many as fit are drawn.
      drawn = output.rows ? lines.slice(0, output.rows - 1) : lines;
      output.write(`\r${rows > 0 ? `\x1b[${rows}A` : ''}\x1b[J${drawn.join('\n')}\n`);
    },
  };
}

/** Wraps a line at spaces to the width. Continuation lines are indented. A word longer than the width is not split. */
export function wrapped(line: string, width: number): string[] {
  const lines: string[] = [];
  let rest = line;
  while (rest.length > width) {
    const indent = rest.length - rest.trimStart().length;
    const at = rest.lastIndexOf(' ', width);
    if (at <= indent) break;
    lines.push(rest.slice(0, at));
    rest = `    ${rest.slice(at + 1)}`;
  }
  return [...lines, rest];
}

function rowsOf(line: string, width: number): number {
  return Math.max(1, Math.ceil(stripVTControlCharacters(line).length / width));
}
