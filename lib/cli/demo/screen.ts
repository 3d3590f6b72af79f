import { stripVTControlCharacters } from 'node:util';

/** Where the demo prints. */
export interface Screen {
  /** Replaces what was shown before, on a terminal; prints it below, elsewhere. */
  show(lines: readonly string[]): void;
  /** Columns for a line: those of the terminal, elsewhere those of the variable COLUMNS if it is set. */
  readonly width: number;
  /** Whether what is shown replaces what was shown before. */
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

/** @param output a terminal, or anything else to which all is appended */
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
      // The window may have become narrower since, which wraps what was drawn.
      const rows = drawn.reduce((sum, line) => sum + rowsOf(line, width()), 0);
      // What has scrolled away cannot be replaced, so no more is drawn than fits.
      drawn = output.rows ? lines.slice(0, output.rows - 1) : lines;
      output.write(`\r${rows > 0 ? `\x1b[${rows}A` : ''}\x1b[J${drawn.join('\n')}\n`);
    },
  };
}

/** A line cut at spaces into lines that fit; those after the first are indented. A longer word stays whole. */
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
