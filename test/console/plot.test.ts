import { describe, expect, it } from 'vitest';
import { type Plot, pathOf, plotOf, timeTicks, valueTicks } from '../../lib/console/page/charts/plot.ts';

/** Ten seconds, and values up to 100. */
const plot: Plot = { from: 1_000, until: 1_010, top: 100 };

describe('a chart over time', () => {
  it('shows its window, and values from 0 to a tenth above the largest', () => {
    const { from, until, top } = plotOf([[3, null, 200], [7]], 1_010, 10);
    expect({ from, until }).toEqual({ from: 1_000, until: 1_010 });
    expect(top).toBeCloseTo(220);
  });

  it('reaches up to 1 when there are no values above it, so that 0 is at the lower edge', () => {
    expect(plotOf([[], [null, 0]], 1_010, 10).top).toBe(1);
  });

  it('connects the values of a line across those that are missing', () => {
    expect(pathOf('line', [1_000, 1_005, 1_010], [0, null, 50], plot)).toBe('M0 1000L1000 500');
  });

  it('draws a line of one value as a dot, and of none as nothing', () => {
    expect(pathOf('line', [1_005], [25], plot)).toBe('M500 750h0');
    expect(pathOf('line', [1_005], [null], plot)).toBe('');
  });

  it('draws dots as strokes without length', () => {
    expect(pathOf('dots', [1_000, 1_005], [100, 0], plot)).toBe('M0 0h0M500 1000h0');
  });

  it('draws bars around their times, and none for 0', () => {
    expect(pathOf('bars', [1_002, 1_004, 1_006], [50, 0, null], plot, 2)).toBe(
      'M100 1000L100 500L300 500L300 1000z',
    );
  });

  it.each([
    [60, [15, 30, 45, 60]],
    [300, [120, 240]],
    [600, [180, 360, 540]],
  ])('names at most five round times in a window of %d seconds', (windowSeconds, expected) => {
    const from = 1_800_000;
    expect(timeTicks({ from: from + 1, until: from + windowSeconds, top: 1 })).toEqual(
      expected.map((seconds) => from + seconds),
    );
  });

  it.each([
    [0, 2, [0, 0.5, 1, 1.5, 2]],
    [0, 8.8, [0, 2, 4, 6, 8]],
    [0, 110, [0, 50, 100]],
    [0, 88, [0, 20, 40, 60, 80]],
    [0, 396, [0, 100, 200, 300]],
    [990, 1_710, [1_000, 1_200, 1_400, 1_600]],
  ])('names round values from %d to %d', (from, to, expected) => {
    expect(valueTicks(from, to)).toEqual(expected);
  });
});
