import { expect, it } from 'vitest';
import { IS_LONG } from '../long.ts';
import { benchEngine, type MeasuredRow } from './engine.ts';
import { headlines } from './engine-tables.ts';

it('the benchmark of the engine runs, and does the same work for the same seed', () => {
  const run = () => {
    const rows: MeasuredRow[] = [];
    benchEngine(0.002, 1, (row) => rows.push(row));
    return rows;
  };
  const rows = run();
  const sinks = (some: readonly MeasuredRow[]) => some.map(({ work, sink }) => ({ work, sink }));
  expect(rows.length).toBeGreaterThan(25);
  expect(rows.every(({ sink }) => Number.isFinite(sink) && sink > 0)).toBe(true);
  if (IS_LONG) expect(sinks(run())).toEqual(sinks(rows));
  expect(headlines(rows)).toMatch(/^\| a tick of `greedy` .* \| \d+ ms \|$/m);
});
