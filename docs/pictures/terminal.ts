/** Draws lines of a terminal, with their colours, as an SVG. */

const CHARACTER_WIDTH = 8.4;
const LINE_HEIGHT = 20;
const FONT_SIZE = 14;
const PADDING = 16;
const BACKGROUND = '#0d1117';
const FOREGROUND = '#e6edf3';
const DIM = '#8b949e';
/** By SGR code. */
const COLOURS: Readonly<Record<string, string>> = {
  31: '#ff7b72',
  32: '#7ee787',
  33: '#e3b341',
  36: '#79c0ff',
};

interface Style {
  readonly bold: boolean;
  readonly colour: string;
}

interface Span extends Style {
  readonly text: string;
}

const PLAIN: Style = { bold: false, colour: FOREGROUND };

/** @param columns longer lines are an error: a picture that cuts its text would not be what was printed */
export function terminalPicture(lines: readonly string[], columns: number, title: string): string {
  const width = 2 * PADDING + columns * CHARACTER_WIDTH;
  const height = 2 * PADDING + lines.length * LINE_HEIGHT;
  const texts = lines.flatMap((line, row) => {
    let column = 0;
    return spansOf(line).map((span) => {
      const x = PADDING + column * CHARACTER_WIDTH;
      column += span.text.length;
      if (column > columns) throw new Error(`Expected lines of at most ${columns} columns, got: ${line}`);
      return textElement(span, x, PADDING + row * LINE_HEIGHT + FONT_SIZE);
    });
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${round(width)}" height="${height}" viewBox="0 0 ${round(width)} ${height}" role="img">`,
    `<title>${escaped(title)}</title>`,
    `<rect width="100%" height="100%" rx="8" fill="${BACKGROUND}"/>`,
    `<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="${FONT_SIZE}">`,
    ...texts,
    '</g>',
    '</svg>',
    '',
  ].join('\n');
}

/** Runs of characters of one style. Styles that are not known are plain. */
function spansOf(line: string): Span[] {
  const spans: Span[] = [];
  let style = PLAIN;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: styles begin with the escape character
  for (const [, code, text] of line.matchAll(/\u001b\[(\d+)m|([^\u001b]+)/g)) {
    if (code !== undefined) style = after(style, code);
    else if (text !== undefined) spans.push({ ...style, text });
  }
  return spans;
}

function after(style: Style, code: string): Style {
  if (code === '1') return { ...style, bold: true };
  if (code === '2') return { ...style, colour: DIM };
  return COLOURS[code] === undefined ? PLAIN : { ...style, colour: COLOURS[code] };
}

/** The length is set, so that columns stay below each other whatever font there is. */
function textElement({ text, bold, colour }: Span, x: number, y: number): string {
  const length = round(text.length * CHARACTER_WIDTH);
  const weight = bold ? ' font-weight="bold"' : '';
  return `<text x="${round(x)}" y="${y}" fill="${colour}"${weight} textLength="${length}" lengthAdjust="spacingAndGlyphs" xml:space="preserve">${escaped(text)}</text>`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function round(value: number): string {
  return String(Math.round(100 * value) / 100);
}
