import { BarChart, LineChart, ScatterChart } from 'echarts/charts';
import { GridComponent, LegendComponent } from 'echarts/components';
import * as echarts from 'echarts/core';
import { LegacyGridContainLabel } from 'echarts/features';
import { SVGRenderer } from 'echarts/renderers';

echarts.use([
  BarChart,
  LineChart,
  ScatterChart,
  GridComponent,
  LegendComponent,
  LegacyGridContainLabel,
  SVGRenderer,
]);

/** Drawn at the width of a phone, so that the text stays readable there; wider screens show charts side by side. */
const WIDTH = 460;
const HEIGHT = 270;

/**
 * Colours that the page sets by style sheet, for light and dark. The renderer only supports plain colours, so
 * charts use placeholder colours that are then replaced by the page's variables.
 */
const INK = '#010203';
const FAINT = '#040506';
const SERIES = ['#0a0b01', '#0a0b02', '#0a0b03', '#0a0b04', '#0a0b05', '#0a0b06', '#0a0b07', '#0a0b08'];
const VARIABLES: readonly [colour: string, variable: string][] = [
  [INK, 'var(--ink)'],
  [FAINT, 'var(--faint)'],
  ...SERIES.map((colour, at): [string, string] => [colour, `var(--series-${at + 1})`]),
];

/** The style sheet with these colours, for light and dark, and those of the page around the charts. */
export const CHART_COLOURS = `:root { --ink: #1d232b; --faint: #d5d9de; --page: #fff; --card: #f5f6f8; --warn: #8a4b00; --warn-page: #fff3df;
  --series-1: #1f6feb; --series-2: #d1602a; --series-3: #1a8a55; --series-4: #8250df; --series-5: #b0338a;
  --series-6: #7a7000; --series-7: #00808a; --series-8: #6b7280; }
@media (prefers-color-scheme: dark) { :root { --ink: #e3e7ec; --faint: #3a424c; --page: #14181d; --card: #1d232b;
  --warn: #ffc877; --warn-page: #3a2a10; --series-1: #6cb0ff; --series-2: #ff9a66; --series-3: #57d19a;
  --series-4: #c4a2ff; --series-5: #ff8fd0; --series-6: #e0d34f; --series-7: #4fd6df; --series-8: #a9b1bb; } }
`;

export interface Axis {
  readonly name: string;
  /** @default from the values */
  readonly max?: number;
  /** Logarithmic; every value must be above 0. */
  readonly log?: boolean;
}

/** Lines over a numeric axis. */
export function lineChart(
  x: Axis,
  y: Axis,
  lines: readonly { readonly name: string; readonly points: readonly (readonly [number, number])[] }[],
): string {
  return draw({
    ...frame(lines),
    xAxis: { ...horizontal(x), splitLine: { show: false } },
    yAxis: { ...vertical(y), type: 'value', min: 0 },
    series: lines.map(({ name, points }, at) => ({
      name,
      type: 'line',
      data: points.map(([a, b]) => [a, b]),
      showSymbol: false,
      lineStyle: { width: 2 },
      ...(lines.length === 1 ? { areaStyle: { opacity: 0.15, color: SERIES[at] } } : {}),
    })),
  });
}

/** The renderer's notation for a missing value. */
const NO_BAR = '-';

/** Groups of bars, a category each; an undefined value has no bar. */
export function barChart(
  categories: readonly string[],
  y: Axis,
  bars: readonly { readonly name: string; readonly values: readonly (number | undefined)[] }[],
): string {
  return draw({
    ...frame(bars),
    xAxis: {
      type: 'category',
      data: [...categories],
      axisLabel: { color: INK, fontSize: 11, interval: 0, rotate: categories.length > 4 ? 30 : 0 },
      axisLine: { lineStyle: { color: FAINT } },
      axisTick: { show: false },
    },
    yAxis: { ...vertical(y), type: 'value', min: 0 },
    series: bars.map(({ name, values }) => ({
      name,
      type: 'bar',
      data: values.map((value) => value ?? NO_BAR),
      barMaxWidth: 24,
    })),
  });
}

/** Named groups of points; the best ones are drawn larger. */
export function scatterChart(
  x: Axis,
  y: Axis,
  groups: readonly {
    readonly name: string;
    readonly points: readonly { readonly at: readonly [number, number]; readonly best?: boolean }[];
  }[],
): string {
  return draw({
    ...frame(groups),
    xAxis: horizontal(x),
    yAxis: { ...vertical(y), ...scale(y) },
    series: groups.map(({ name, points }) => ({
      name,
      type: 'scatter',
      data: points.map(({ at, best }) => ({ value: [...at], symbolSize: best ? 12 : 7 })),
    })),
  });
}

function frame(series: readonly { readonly name: string }[]) {
  const rows = legendRows(series.map(({ name }) => name));
  return {
    animation: false,
    color: SERIES,
    textStyle: { fontFamily: 'system-ui, sans-serif', color: INK },
    grid: {
      left: 12,
      right: 18,
      top: 34 + (rows === 0 ? 0 : 24 + LEGEND_ROW * (rows - 1)),
      bottom: 28,
      containLabel: true,
    },
    ...(rows > 0
      ? {
          legend: {
            top: 0,
            left: 0,
            itemGap: LEGEND_GAP,
            itemWidth: LEGEND_MARK,
            itemHeight: 9,
            textStyle: { color: INK, fontSize: 12 },
          },
        }
      : {}),
  };
}

const LEGEND_GAP = 24;
/** The renderer keeps the same gap between rows as between items. */
const LEGEND_ROW = 36;
const LEGEND_MARK = 14;
/** The mean width of a character of the legend, and the space between a mark and its text. */
const CHARACTER = 6.5;
const MARK_SPACE = 5;

/** The number of rows that the renderer's legend takes: none for a single series. */
function legendRows(names: readonly string[]): number {
  if (names.length < 2) return 0;
  let rows = 1;
  let left = WIDTH;
  for (const name of names) {
    const width = LEGEND_MARK + MARK_SPACE + CHARACTER * name.length;
    if (width > left) [rows, left] = [rows + 1, WIDTH];
    left -= width + LEGEND_GAP;
  }
  return rows;
}

function horizontal(x: Axis) {
  return { ...axis(x), ...scale(x), nameLocation: 'middle' as const, nameGap: 26 };
}

/** The name begins at the axis: centred on it, it would be cut at the edge of the chart. */
function vertical(y: Axis) {
  const common = axis(y);
  return { ...common, nameTextStyle: { ...common.nameTextStyle, align: 'left' as const } };
}

const scale = ({ log }: Axis) => (log ? { type: 'log' as const } : { type: 'value' as const, min: 0 });

function axis({ name, max }: Axis) {
  return {
    name,
    ...(max === undefined ? {} : { max }),
    nameTextStyle: { color: INK, fontSize: 12 },
    axisLabel: { color: INK, fontSize: 11 },
    axisLine: { lineStyle: { color: FAINT } },
    splitLine: { lineStyle: { color: FAINT } },
  };
}

function draw(option: echarts.EChartsCoreOption): string {
  const chart = echarts.init(null, null, { renderer: 'svg', ssr: true, width: WIDTH, height: HEIGHT });
  chart.setOption(option);
  let svg = chart.renderToSVGString();
  chart.dispose();
  for (const [colour, variable] of VARIABLES) svg = svg.replaceAll(colour, variable);
  return svg;
}
