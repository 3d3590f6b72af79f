import { TOLD_PARTS } from './calibration.ts';
import { lineChart } from './chart.ts';

/** For each of `TOLD_PARTS`, the share of tickets that was matched within the time estimated for it; NaN where there was none. */
export interface ReliabilityLine {
  readonly name: string;
  readonly curve: readonly number[];
}

/** A reliability diagram: the estimated share against the share that was matched, and the diagonal on which both agree. */
export function reliabilityChart(lines: readonly ReliabilityLine[]): string {
  return lineChart({ name: '% told', max: 100 }, { name: '% of tickets matched within the time', max: 100 }, [
    ...lines.map(({ name, curve }) => ({
      name,
      points: TOLD_PARTS.flatMap((part, at): [number, number][] =>
        Number.isNaN(curve[at]) ? [] : [[100 * part, 100 * curve[at]!]],
      ),
    })),
    {
      name: 'as told',
      points: [
        [0, 0],
        [100, 100],
      ],
    },
  ]);
}
