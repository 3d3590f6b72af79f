/** The part of time and of values that a chart shows. */
export interface Plot {
  /** Seconds since the epoch. */
  readonly from: number;
  readonly until: number;
  /** The value at the upper edge; 0 is at the lower one. */
  readonly top: number;
}

export type Mark = 'line' | 'dots' | 'bars';

/** The sides of the square in which charts are drawn. The page stretches it. */
export const SIDE = 1_000;
/** The part of the height above the largest value, as a factor. */
const HEADROOM = 1.1;
/** The most intervals of an axis, so that their texts do not touch in a narrow chart. */
const INTERVALS_MAX = { values: 5, times: 4 };
const TIME_STEPS = [5, 10, 15, 30, 60, 120, 180, 300, 600, 900, 1_800, 3_600];

/** @param values of all series; null where a series has none */
export function plotOf(
  values: readonly (readonly (number | null)[])[],
  until: number,
  windowSeconds: number,
): Plot {
  let most = 1 / HEADROOM;
  for (const series of values) for (const value of series) if (value !== null && value > most) most = value;
  return { from: until - windowSeconds, until, top: most * HEADROOM };
}

/** The place of a time, as a part of the width. */
export function partOf(time: number, { from, until }: Plot): number {
  return (time - from) / (until - from);
}

/** A place as an SVG path names it. @param x, y parts of the width, and of the height from below */
export function at(x: number, y: number): string {
  const rounded = (place: number) => Math.round(10 * place) / 10;
  return `${rounded(SIDE * x)} ${rounded(SIDE * (1 - y))}`;
}

/** A dot: a stroke without length, which round ends make round at any stretch. */
export function dot(x: number, y: number): string {
  return `M${at(x, y)}h0`;
}

/**
 * A series as the `d` of an SVG path.
 *
 * @param times seconds since the epoch, ascending
 * @param values at these times; a line connects across null
 * @param barSeconds the time that a bar covers, with its value in the middle
 */
export function pathOf(
  mark: Mark,
  times: readonly (number | null)[],
  values: readonly (number | null)[],
  plot: Plot,
  barSeconds = 1,
): string {
  const points = times.flatMap((time, place) => {
    const value = values[place];
    return time === null || value == null ? [] : [[partOf(time, plot), value / plot.top] as const];
  });
  if (mark === 'bars') {
    const half = barSeconds / 2 / (plot.until - plot.from);
    const bar = (x: number, y: number) =>
      `M${at(x - half, 0)}L${at(x - half, y)}L${at(x + half, y)}L${at(x + half, 0)}z`;
    return points.map(([x, y]) => (y > 0 ? bar(x, y) : '')).join('');
  }
  if (mark === 'line' && points.length > 1) return `M${points.map(([x, y]) => at(x, y)).join('L')}`;
  return points.map(([x, y]) => dot(x, y)).join('');
}

/** Round times at equal distances. */
export function timeTicks({ from, until }: Plot): number[] {
  const step =
    TIME_STEPS.find((seconds) => (until - from) / seconds <= INTERVALS_MAX.times) ?? (until - from) / 2;
  return multiples(step, from, until);
}

/** Round values at equal distances. */
export function valueTicks(from: number, to: number, intervalsMax = INTERVALS_MAX.values): number[] {
  const power = 10 ** Math.floor(Math.log10((to - from) / intervalsMax));
  const step = [1, 2, 5, 10].find((digit) => (to - from) / (digit * power) <= intervalsMax)! * power;
  return multiples(step, from, to);
}

function multiples(step: number, least: number, most: number): number[] {
  const first = Math.ceil(least / step);
  return Array.from({ length: Math.floor(most / step) - first + 1 }, (_, place) => (first + place) * step);
}
