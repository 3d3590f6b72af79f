import type { ComponentChildren } from 'preact';
import { at, SIDE } from './plot.ts';

/** A value on an axis. */
export interface Tick {
  /** Its place, as a part of the axis. */
  readonly part: number;
  readonly text: string;
}

export interface PlotFrameProps {
  /** In CSS pixels; the width is that of the parent. */
  readonly height: number;
  /** Of the axis on the left, from below, with a line across the chart. */
  readonly rows?: readonly Tick[];
  /** Of the axis below. */
  readonly columns?: readonly Tick[];
  /** Names of places in the chart. */
  readonly names?: readonly (Tick & { readonly partUp: number })[];
  /** SVG paths in a square of `SIDE` units. Stretching it leaves the width of strokes as it is. */
  readonly children: ComponentChildren;
}

/** A chart with its axes. Texts are outside the picture, so that they are not stretched. */
export function PlotFrame({ height, rows = [], columns = [], names = [], children }: PlotFrameProps) {
  const percent = (part: number) => `${100 * part}%`;
  return (
    <div class={rows.length > 0 ? 'plot plot-axes' : 'plot'} style={{ height: `${height}px` }}>
      <svg viewBox={`0 0 ${SIDE} ${SIDE}`} preserveAspectRatio="none" aria-hidden="true">
        {rows.map(({ part }) => (
          <path key={part} class="grid" d={`M${at(0, part)}H${SIDE}`} />
        ))}
        {children}
      </svg>
      {rows.map(({ part, text }) => (
        <span key={text} class="tick-row" style={{ bottom: percent(part) }}>
          {text}
        </span>
      ))}
      {columns.map(({ part, text }) => (
        <span key={text} class="tick-column" style={{ left: percent(part) }}>
          {text}
        </span>
      ))}
      {names.map(({ part, partUp, text }) => (
        <span
          key={text}
          // Beside the place, on the side with more room.
          style={{
            left: percent(part),
            bottom: percent(partUp),
            transform: `translate(${part > 0.5 ? 'calc(-100% - 12px)' : '12px'}, -4px)`,
          }}
        >
          {text}
        </span>
      ))}
    </div>
  );
}
