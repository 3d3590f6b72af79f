import { valueTicks } from '../../console/page/charts/plot.ts';
import { escaped } from './page.ts';

/** Points in two numbers of 0 and more, drawn as a line or as dots. */
export interface Chart {
  readonly title: string;
  /** The names of the axes. */
  readonly x: string;
  readonly y: string;
  /** The value at the upper edge. @default the greatest one */
  readonly top?: number;
  readonly mark: 'line' | 'dots';
  readonly series: readonly Series[];
}

export interface Series {
  readonly name: string;
  readonly points: readonly Point[];
}

type Point = readonly [x: number, y: number];

/** Drawn at the width of a phone, so that the text stays readable there; wider screens show charts side by side. */
const WIDTH = 460;
const HEIGHT = 250;
/** The edges of the plot, which leave room for the numbers of the axes. */
const EDGES = { left: 48, right: 444, top: 22, bottom: 210 };
/** The colours of series in the style sheet of the page. */
const COLOURS = 8;

/** A chart as a figure of a page, with its title and its legend. */
export function figureOf({ title, x, y, top, mark, series }: Chart): string {
  const points = series.flatMap((one) => one.points);
  const right = Math.max(0, ...points.map(([value]) => value)) || 1;
  const upper = top ?? (Math.max(0, ...points.map(([, value]) => value)) || 1);
  const column = (value: number) => rounded(EDGES.left + (EDGES.right - EDGES.left) * (value / right));
  const row = (value: number) => rounded(EDGES.bottom - (EDGES.bottom - EDGES.top) * (value / upper));
  const rows = valueTicks(0, upper).map(
    (value) =>
      `<path class="grid" d="M${EDGES.left} ${row(value)}H${EDGES.right}"/>` +
      `<text x="${EDGES.left - 6}" y="${row(value) + 4}" text-anchor="end">${numberText(value)}</text>`,
  );
  const columns = valueTicks(0, right).map(
    (value) =>
      `<text x="${column(value)}" y="${EDGES.bottom + 16}" text-anchor="middle">${numberText(value)}</text>`,
  );
  const drawn = series.map((one, at) => {
    const places = one.points.map(([a, b]) => [column(a), row(b)] as const);
    if (mark === 'dots')
      return places.map(([cx, cy]) => `<circle cx="${cx}" cy="${cy}" r="4" fill="${colour(at)}"/>`).join('');
    const path = places.map((place) => place.join(' ')).join('L');
    return path === '' ? '' : `<path class="line" stroke="${colour(at)}" d="M${path}"/>`;
  });
  const legend = series.map(
    ({ name }, at) => `<span><b style="color: ${colour(at)}">●</b> ${escaped(name)}</span>`,
  );
  return `<figure><figcaption>${escaped(title)}</figcaption>
${series.length > 1 ? `<p class="legend">${legend.join(' ')}</p>` : ''}
<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${escaped(title)}">
<text x="0" y="12">${escaped(y)}</text><text x="${WIDTH / 2}" y="${HEIGHT - 4}" text-anchor="middle">${escaped(x)}</text>
${[...rows, ...columns, ...drawn].join('\n')}
</svg></figure>`;
}

const colour = (at: number) => `var(--series-${1 + (at % COLOURS)})`;
const rounded = (place: number) => Math.round(10 * place) / 10;
const numberText = (value: number) => Number(value.toPrecision(6)).toLocaleString('en-US');
