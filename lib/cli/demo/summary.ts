import { shareInTime, type Told } from './estimates.ts';
import type { QueueSeen } from './game-backend.ts';
import { failuresText, type GamesSeen } from './open-matches.ts';
import { playersWaiting, waitSeconds } from './table.ts';

/**
 * The results of the demo and commands to try next.
 *
 * @returns lines
 */
export function demoSummary(all: readonly QueueSeen[], playedMs: number, nowMs: number): string[] {
  const sum = (of: (seen: QueueSeen) => number) => all.reduce((total, seen) => total + of(seen), 0);
  const waitsMs = all.flatMap((seen) => seen.waitsMs);
  const matches = all.flatMap((seen) => seen.matches);
  const unmatched = sum(({ playersUnmatched }) => playersUnmatched);
  const players = [
    `${sum(({ playersPosted }) => playersPosted)} posted`,
    `${sum(({ playersMatched }) => playersMatched)} matched`,
    `${sum(playersWaiting)} still waiting`,
    ...(unmatched > 0 ? [`${unmatched} timed out or cancelled`] : []),
  ];
  return [
    `played for ${(playedMs / 1_000).toFixed(0)} s`,
    entry('players', players.join(', ')),
    ...(waitsMs.length === 0
      ? []
      : [
          entry(
            'waits',
            `half of the matched at most ${waitSeconds(waitsMs, 0.5)} s, 99% at most ${waitSeconds(waitsMs, 0.99)} s`,
          ),
        ]),
    ...estimatesText(
      all.flatMap(({ told }) => told),
      nowMs,
    ),
    entry('matches', provedText(matches.map(({ certifiedGap }) => certifiedGap))),
    ...gamesText(all.map(({ games }) => games)),
    'what to look at next',
    ...NEXT.map(([command, what]) => `  ${command.padEnd(COMMAND_WIDTH)}${what}`),
  ];
}

/** What became of the matches, where some were not games at once. */
function gamesText(all: readonly GamesSeen[]): string[] {
  const started = all.reduce((sum, games) => sum + games.started, 0);
  const open = all.reduce((sum, games) => sum + games.open.size, 0);
  const failed = failuresText(all);
  if (!all.some(({ hasSteps }) => hasSteps)) return [];
  const parts = [`${started} started`, ...(failed === undefined ? [] : [failed]), `${open} still open`];
  return [entry('games', parts.join(', '))];
}

const NEXT = [
  ['npx muster serve', 'the service for your backend'],
  ['npx muster simulate --queue queues/arena.json', 'a queue under load'],
  ['npx muster match --help', 'one search over your tickets'],
  ['README.md', 'tickets, webhooks, deployment'],
] as const;
const COMMAND_WIDTH = 2 + Math.max(...NEXT.map(([command]) => command.length));

function entry(label: string, text: string): string {
  return `  ${label.padEnd(9)}${text}`;
}

/** How often the estimates of new tickets came true; nothing while there was none, or none of the times is over. */
function estimatesText(told: readonly Told[], nowMs: number): string[] {
  const half = shareInTime(told, ({ p50Ms }) => p50Ms, nowMs);
  const most = shareInTime(told, ({ p90Ms }) => p90Ms, nowMs);
  if (half === undefined || most === undefined) return [];
  const percent = (share: number) => `${(100 * share).toFixed(0)}%`;
  return [
    entry(
      'told',
      `${percent(half)} of the tickets matched within their p50, ${percent(most)} within their p90`,
    ),
  ];
}

function provedText(gaps: readonly number[]): string {
  const open = gaps.filter((gap) => gap > 0);
  const best = gaps.length - open.length;
  if (gaps.length === 0) return 'none yet';
  if (open.length === 0) return `${gaps.length}, all proved best`;
  const mean = open.reduce((sum, gap) => sum + gap, 0) / open.length;
  return `${gaps.length}: ${best} proved best, the others on average within ${mean.toFixed(1)} points of it`;
}
