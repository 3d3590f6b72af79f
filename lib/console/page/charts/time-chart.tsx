import { numberText } from '../format.ts';
import { type Colour, drawnIn } from './drawn-in.ts';
import { Key } from './key.tsx';
import { type Mark, type Plot, partOf, pathOf, plotOf, timeTicks, valueTicks } from './plot.ts';
import { PlotFrame } from './plot-frame.tsx';

/** Values over time, drawn as a line, as dots or as bars. */
export interface Series {
  readonly name: string;
  readonly colour: Colour;
  readonly kind: Mark;
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
  readonly windowSeconds: number;
  readonly untilMs: number;
}

/** A chart over time. The picture says nothing to a screen reader, so `label` says the same in words. */
export function TimeChart({ label, series, data, height, compact, windowSeconds, untilMs }: TimeChartProps) {
  const [times = [], ...values] = data;
  const plot = plotOf(values, untilMs / 1_000, windowSeconds);
  const rows = valueTicks(0, plot.top).map((value) => ({ part: value / plot.top, text: numberText(value) }));
  return (
    <div role="img" aria-label={label}>
      {!compact && (
        <ul class="row soft small" aria-hidden="true">
          {series.map(({ name, colour, kind }) => (
            <li key={name}>
              <Key colour={colour} kind={kind}>
                {name}
              </Key>
            </li>
          ))}
        </ul>
      )}
      <PlotFrame
        height={height}
        rows={compact ? [] : rows}
        columns={
          compact
            ? []
            : timeTicks(plot).map((time) => ({ part: partOf(time, plot), text: timeText(time, plot) }))
        }
      >
        {series.map(({ name, colour, kind, barSeconds }, place) => (
          <path
            key={name}
            class={kind}
            style={drawnIn(colour)}
            d={pathOf(kind, times, values[place]!, plot, barSeconds)}
          />
        ))}
      </PlotFrame>
    </div>
  );
}

const DAY_SECONDS = 86_400;

function timeText(seconds: number, { from, until }: Plot): string {
  const date = new Date(1_000 * seconds);
  if (until - from > DAY_SECONDS)
    return date.toLocaleString('en-GB', { day: 'numeric', month: 'short', hour: '2-digit' });
  const two = (value: number) => String(value).padStart(2, '0');
  return `${two(date.getHours())}:${two(date.getMinutes())}${date.getSeconds() === 0 ? '' : `:${two(date.getSeconds())}`}`;
}
