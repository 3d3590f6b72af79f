import { quantile } from '../../service/queues/quantile.ts';
import { textTable } from '../text-table.ts';
import type { QueueSeen } from './game-backend.ts';

/** Explains the columns whose names are not self-explanatory. */
export const LEGEND = 'means: imbalance, 0 is perfect · gap, no priority was better by more (proved)';

interface Column {
  readonly name: string;
  readonly unit: string;
  readonly cell: (seen: QueueSeen, nowMs: number) => string;
  /** Whether the column says anything; without it, it always does. */
  readonly isShown?: (seen: QueueSeen) => boolean;
}

const COLUMNS: readonly Column[] = [
  { name: 'queue', unit: '', cell: ({ queue }) => queue },
  { name: 'waiting', unit: 'players', cell: (seen) => String(playersWaiting(seen)) },
  { name: 'oldest', unit: 's', cell: oldest },
  { name: 'matched', unit: 'players', cell: ({ playersMatched }) => String(playersMatched) },
  { name: 'matches', unit: '', cell: ({ matches }) => String(matches.length) },
  { name: 'failed', unit: '', cell: ({ failed }) => String(failed), isShown: ({ failed }) => failed > 0 },
  {
    name: 'placed',
    unit: '',
    cell: ({ servers }) => (servers === undefined ? '–' : String(servers.size)),
    isShown: ({ servers }) => servers !== undefined,
  },
  { name: 'wait', unit: '50% s', cell: ({ waitsMs }) => waitSeconds(waitsMs, 0.5) },
  { name: 'wait', unit: '99% s', cell: ({ waitsMs }) => waitSeconds(waitsMs, 0.99) },
  { name: 'imbalance', unit: 'points', cell: ({ matches }) => mean(matches, 'imbalance') },
  { name: 'gap', unit: '', cell: ({ matches }) => mean(matches, 'certifiedGap') },
];

/**
 * The state of the demo as a table: two rows of names and units, then a row for each queue. Waits are those of matched
 * players; "oldest" is the longest wait among the players not matched yet.
 *
 * @returns lines
 */
export function demoTable(all: readonly QueueSeen[], nowMs: number): string[] {
  const columns = COLUMNS.filter(({ isShown }) => isShown === undefined || all.some(isShown));
  const rows = [
    columns.map(({ name }) => name),
    columns.map(({ unit }) => unit),
    ...all.map((seen) => columns.map(({ cell }) => cell(seen, nowMs))),
  ];
  return textTable(rows);
}

/** The number of players in waiting tickets. */
export function playersWaiting({ waiting }: QueueSeen): number {
  return [...waiting.values()].reduce((sum, { players }) => sum + players.length, 0);
}

/** The quantile of the waits at this share, in seconds, such as `1.2`; `–` when there are no waits. */
export function waitSeconds(waitsMs: readonly number[], share: number): string {
  const ms = quantile(
    waitsMs.toSorted((a, b) => a - b),
    share,
  );
  return ms === undefined ? '–' : (ms / 1_000).toFixed(1);
}

function oldest({ waiting }: QueueSeen, nowMs: number): string {
  if (waiting.size === 0) return '–';
  const since = Math.min(...[...waiting.values()].map(({ enqueuedAtMs }) => enqueuedAtMs));
  return (Math.max(0, nowMs - since) / 1_000).toFixed(1);
}

function mean<Key extends string>(values: readonly Readonly<Record<Key, number>>[], key: Key): string {
  if (values.length === 0) return '–';
  return (values.reduce((sum, value) => sum + value[key], 0) / values.length).toFixed(1);
}
