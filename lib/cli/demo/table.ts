import { quantile } from '../../service/queues/quantile.ts';
import type { QueueSeen } from './game-backend.ts';

/** Explains the columns whose names are not self-explanatory. */
export const LEGEND = 'means: imbalance, 0 is perfect · gap, no match could be better by more (proved)';

/** The estimates of this many newest tickets are shown by their median. */
const TOLD = 20;

interface Column {
  readonly name: string;
  readonly unit: string;
  readonly cell: (seen: QueueSeen, nowMs: number) => string;
  /** A narrow terminal drops columns in this order. A column without a number is never dropped. */
  readonly goes?: number;
  /** Whether the column says anything; without it, it always does. */
  readonly isShown?: (all: readonly QueueSeen[]) => boolean;
}

const COLUMNS: readonly Column[] = [
  { name: 'queue', unit: '', cell: ({ queue }) => queue },
  { name: 'waiting', unit: 'players', cell: (seen) => String(playersWaiting(seen)) },
  { name: 'oldest', unit: 's', cell: (seen, nowMs) => oldest(seen, nowMs), goes: 2 },
  { name: 'matched', unit: 'players', cell: ({ playersMatched }) => String(playersMatched) },
  { name: 'matches', unit: '', cell: ({ matches }) => String(matches.length), goes: 3 },
  {
    name: 'games',
    unit: 'started',
    cell: ({ games }) => String(games.started),
    goes: 6,
    isShown: (all) => all.some(({ games }) => games.hasSteps),
  },
  {
    name: 'failed',
    unit: 'matches',
    cell: ({ games }) => String([...games.failed.values()].reduce((sum, count) => sum + count, 0)),
    isShown: (all) => all.some(({ games }) => games.failed.size > 0),
  },
  {
    name: 'placed',
    unit: '',
    cell: ({ servers }) => (servers === undefined ? '–' : String(servers.placed.size)),
    goes: 4,
    isShown: (all) => all.some(({ servers }) => servers !== undefined),
  },
  {
    name: 'told 50%',
    unit: 's',
    cell: ({ told }) =>
      waitSeconds(
        told.slice(-TOLD).map(({ p50Ms }) => p50Ms),
        0.5,
      ),
    goes: 5,
    isShown: (all) => all.some(({ told }) => told.length > 0),
  },
  { name: 'wait 50%', unit: 's', cell: ({ waitsMs }) => waitSeconds(waitsMs, 0.5) },
  { name: 'wait 99%', unit: 's', cell: ({ waitsMs }) => waitSeconds(waitsMs, 0.99), goes: 1 },
  { name: 'imbalance', unit: 'points', cell: ({ matches }) => mean(matches, 'imbalance') },
  { name: 'gap', unit: 'points', cell: ({ matches }) => mean(matches, 'certifiedGap') },
];

/**
 * The state of the demo as a table: two rows of names and units, then a row for each queue. Waits are those of matched
 * players; "oldest" is the longest wait among the players not matched yet, "told 50%" the median wait that new tickets are
 * told to expect.
 *
 * @param width the columns of the terminal; the least important columns of the table are omitted to fit
 * @returns lines
 */
export function demoTable(all: readonly QueueSeen[], nowMs: number, width: number): string[] {
  const shown = COLUMNS.filter(({ isShown }) => isShown === undefined || isShown(all));
  const removable = shown.filter(({ goes }) => goes !== undefined).sort((a, b) => a.goes! - b.goes!);
  for (let removed = 0; ; removed++) {
    const gone = new Set(removable.slice(0, removed));
    const lines = tableOf(
      shown.filter((column) => !gone.has(column)),
      all,
      nowMs,
    );
    if (lines[0]!.length <= width || removed === removable.length) return lines;
  }
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

function tableOf(columns: readonly Column[], all: readonly QueueSeen[], nowMs: number): string[] {
  const rows = [
    columns.map(({ name }) => name),
    columns.map(({ unit }) => unit),
    ...all.map((seen) => columns.map(({ cell }) => cell(seen, nowMs))),
  ];
  const widths = columns.map((_, at) => Math.max(...rows.map((row) => row[at]!.length)));
  return rows.map((row) =>
    row.map((cell, at) => (at === 0 ? cell.padEnd(widths[at]!) : cell.padStart(widths[at]!))).join('  '),
  );
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
