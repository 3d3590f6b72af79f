import { expect, it } from 'vitest';
import { type BenchRow, benchEngine } from './engine.ts';

it('the benchmark of the engine runs, and does the same work for the same seed', () => {
  const run = () => {
    const rows: BenchRow[] = [];
    benchEngine(0.002, 1, (row) => rows.push(row));
    return rows.map(({ work, sink }) => ({ work, sink }));
  };
  const rows = run();
  expect(rows.length).toBeGreaterThan(25);
  expect(rows.every(({ sink }) => Number.isFinite(sink) && sink > 0)).toBe(true);
  expect(run()).toEqual(rows);
});
