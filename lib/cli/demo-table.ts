import { quantile } from '../service/queues/quantile.ts';
import type { QueueSeen } from './game-backend.ts';

const COLUMNS = [
  'queue',
  'waiting',
  'matched',
  'matches',
  'wait p50',
  'wait p99',
  'imbalance',
  'proven best',
] as const;

/** What the demo has seen, as a table: players waiting and matched, waits of players, mean imbalance. */
export function demoTable(all: readonly QueueSeen[]): string {
  const rows = [COLUMNS as readonly string[], ...all.map(row)];
  const widths = COLUMNS.map((_, column) => Math.max(...rows.map((cells) => cells[column]!.length)));
  return rows
    .map((cells) =>
      cells.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!))).join('  '),
    )
    .join('\n');
}

function row(seen: QueueSeen): string[] {
  const waits = [...seen.waitsMs].sort((a, b) => a - b);
  const waiting = [...seen.waiting.values()].reduce((sum, { players }) => sum + players, 0);
  const { imbalances } = seen;
  const mean = imbalances.reduce((a, b) => a + b, 0) / imbalances.length;
  return [
    seen.queue,
    String(waiting),
    String(seen.playersMatched),
    String(seen.matches),
    seconds(waits, 0.5),
    seconds(waits, 0.99),
    imbalances.length > 0 ? mean.toFixed(1) : '–',
    seen.matches > 0 ? `${Math.round((100 * seen.provenBest) / seen.matches)}%` : '–',
  ];
}

function seconds(sortedMs: readonly number[], share: number): string {
  const ms = quantile(sortedMs, share);
  return ms === undefined ? '–' : `${(ms / 1_000).toFixed(1)} s`;
}
