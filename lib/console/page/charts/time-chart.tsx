import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { numberText } from '../frame/format.ts';
import { type Colours, colours } from './colours.ts';

/** A line, an area or dots over time. */
export interface Series {
  readonly name: string;
  readonly colour: 'accent' | 'second' | 'third' | 'soft' | 'bad';
  readonly kind: 'line' | 'area' | 'dots' | 'bars';
  /** The time that a bar covers, with its value in the middle. */
  readonly barSeconds?: number;
}

export interface TimeChartProps {
  /** A sentence for screen readers, with the latest values. */
  readonly label: string;
  readonly series: readonly Series[];
  /** Seconds since the epoch, then the values of each series; null where it has none. Times ascend. */
  readonly data: readonly (readonly (number | null)[])[];
  /** The height in CSS pixels; the width is that of the parent. */
  readonly height: number;
  /** Without axes, for a line of a table. */
  readonly compact?: boolean;
  /** The seconds that the time axis shows, up to `untilMs`. */
  readonly windowSeconds?: number;
  readonly untilMs?: number;
}

/** A chart over time that follows its data. It is drawn on a canvas, so `label` says the same in words. */
export function TimeChart({
  label,
  series,
  data,
  height,
  compact = false,
  windowSeconds,
  untilMs,
}: TimeChartProps) {
  const box = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot | undefined>(undefined);
  const latest = useRef({ data, windowSeconds, untilMs });
  latest.current = { data, windowSeconds, untilMs };
  const names = series.map(({ name }) => name).join();

  const draw = () => {
    const { data, windowSeconds, untilMs } = latest.current;
    if (chart.current === undefined) return;
    chart.current.setData(data as uPlot.AlignedData, true);
    if (windowSeconds !== undefined && untilMs !== undefined)
      chart.current.setScale('x', { min: untilMs / 1_000 - windowSeconds, max: untilMs / 1_000 });
  };

  const palette = colours.value;
  // A chart is made anew only when its series, size or colours change.
  useEffect(() => {
    // Charts outside the window are made when they come near it, so that a page with 50 of them appears at once.
    const seen = new IntersectionObserver(
      (entries) => {
        if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
        seen.disconnect();
        const width = box.current!.clientWidth || 300;
        chart.current = new uPlot(
          optionsOf(series, palette, width, height, compact),
          undefined,
          box.current!,
        );
        draw();
      },
      { rootMargin: '300px' },
    );
    seen.observe(box.current!);
    const observer = new ResizeObserver(([entry]) => {
      const wide = Math.floor(entry!.contentRect.width);
      if (wide > 0 && chart.current && wide !== chart.current.width)
        chart.current.setSize({ width: wide, height });
    });
    observer.observe(box.current!);
    return () => {
      seen.disconnect();
      observer.disconnect();
      chart.current?.destroy();
      chart.current = undefined;
    };
  }, [names, height, compact, palette]);
  useEffect(draw);

  return (
    <div class={compact ? 'chart chart-compact' : 'chart'} role="img" aria-label={label}>
      {!compact && (
        <ul class="legend" aria-hidden="true">
          {series.map(({ name, colour, kind }) => (
            <li key={name} class={`legend-${colour} legend-${kind}`}>
              {name}
            </li>
          ))}
        </ul>
      )}
      <div class="chart-box" ref={box} style={{ minHeight: `${height}px` }} />
    </div>
  );
}

function optionsOf(
  series: readonly Series[],
  palette: Colours,
  width: number,
  height: number,
  compact: boolean,
): uPlot.Options {
  const axis = {
    stroke: palette.soft,
    font: '11px system-ui, sans-serif',
    grid: { stroke: palette.line, width: 1 },
    ticks: { show: false },
  };
  return {
    width,
    height,
    // Half of a time's text may be right of the last time.
    padding: compact ? [2, 2, 2, 2] : [8, 26, 0, 0],
    legend: { show: false },
    cursor: { show: !compact, y: false, drag: { setScale: false } },
    scales: { x: { time: true }, y: { range: (_, __, max) => [0, Math.max(1, (max ?? 1) * 1.1)] } },
    axes: compact
      ? [{ show: false }, { show: false }]
      : [
          {
            ...axis,
            grid: { show: false },
            size: 30,
            space: 70,
            values: (_, times) => times.map((time) => timeText(time)),
          },
          { ...axis, size: 44, space: 26, values: (_, values) => values.map((value) => numberText(value)) },
        ],
    series: [{}, ...series.map((one) => seriesOptions(one, palette))],
  };
}

function seriesOptions({ name, colour, kind, barSeconds = 1 }: Series, palette: Colours): uPlot.Series {
  const stroke = palette[colour];
  const common = { label: name, stroke, spanGaps: true };
  switch (kind) {
    case 'line':
      return { ...common, width: 1.75, points: { show: false } };
    case 'area':
      return { ...common, width: 1.5, fill: `${stroke}26`, points: { show: false } };
    case 'bars':
      return {
        ...common,
        width: 0,
        fill: `${stroke}59`,
        points: { show: false },
        paths: bars(barSeconds),
      };
    case 'dots':
      return { ...common, paths: () => null, points: { show: true, size: 4, width: 0, fill: stroke } };
  }
}

/** Bars of a fixed duration. Those of uPlot take the smallest distance of any two points as their width. */
function bars(seconds: number): uPlot.Series.PathBuilder {
  return (chart, index, first, last) => {
    const fill = new Path2D();
    const [times, values] = [chart.data[0], chart.data[index]!];
    const floor = chart.valToPos(0, 'y', true);
    for (let at = first; at <= last; at++) {
      const value = values[at];
      if (value == null || value === 0) continue;
      const from = chart.valToPos(times[at]! - seconds / 2, 'x', true);
      const to = chart.valToPos(times[at]! + seconds / 2, 'x', true);
      const top = chart.valToPos(value, 'y', true);
      fill.rect(from + 0.5, top, Math.max(1, to - from - 1), floor - top);
    }
    return { fill, stroke: null };
  };
}

function timeText(seconds: number): string {
  const date = new Date(1_000 * seconds);
  const two = (value: number) => String(value).padStart(2, '0');
  return `${two(date.getHours())}:${two(date.getMinutes())}${date.getSeconds() === 0 ? '' : `:${two(date.getSeconds())}`}`;
}
