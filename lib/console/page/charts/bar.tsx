import { type Colour, drawnIn } from './drawn-in.ts';
import { at, SIDE } from './plot.ts';
import { PlotFrame } from './plot-frame.tsx';

/** A part of a bar. */
export interface Stretch {
  /** Its ends, as parts of the whole length. */
  readonly from: number;
  readonly to: number;
  readonly colour: Colour;
  /** In CSS pixels. */
  readonly thickness: number;
}

export interface BarProps {
  /** In CSS pixels; the length is that of the parent. */
  readonly height: number;
  readonly stretches: readonly Stretch[];
  /** Places that a line across the bar marks, as parts of the length. */
  readonly marks?: readonly number[];
}

/** A bar in several colours. Screen readers skip it: the same numbers are in the text next to it. */
export function Bar({ height, stretches, marks = [] }: BarProps) {
  return (
    <PlotFrame height={height}>
      {stretches.map(({ from, to, colour, thickness }) => (
        <path
          key={`${from} ${colour}`}
          style={{ ...drawnIn(colour), strokeWidth: `${thickness}px` }}
          d={`M${at(from, 0.5)}H${SIDE * to}`}
        />
      ))}
      {marks.map((mark) => (
        <path
          key={mark}
          style={{ ...drawnIn('ink'), strokeWidth: '3px' }}
          d={`M${at(Math.max(0.002, mark), 0)}V0`}
        />
      ))}
    </PlotFrame>
  );
}
