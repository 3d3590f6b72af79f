import type { QueueSeen, SeenMatch } from './game-backend.ts';
import { playersWaiting } from './table.ts';

/**
 * The results of the demo that its table does not have, and commands to try next.
 *
 * @returns lines
 */
export function demoSummary(all: readonly QueueSeen[], playedMs: number): string[] {
  const sum = (of: (seen: QueueSeen) => number) => all.reduce((total, seen) => total + of(seen), 0);
  const unmatched = sum(({ playersUnmatched }) => playersUnmatched);
  const players = [
    `${sum(({ playersPosted }) => playersPosted)} posted`,
    `${sum(({ playersMatched }) => playersMatched)} matched`,
    `${sum(playersWaiting)} still waiting`,
    ...(unmatched > 0 ? [`${unmatched} timed out or cancelled`] : []),
  ];
  return [
    `played for ${(playedMs / 1_000).toFixed(0)} s`,
    `  players  ${players.join(', ')}`,
    `  matches  ${provedText(all.flatMap(({ matches }) => matches))}`,
    'what to look at next',
    ...NEXT.map(([command, what]) => `  ${command.padEnd(COMMAND_WIDTH)}${what}`),
  ];
}

const NEXT = [
  ['npx muster serve', 'the service for your backend'],
  ['npx muster simulate --queue queues/arena.json', 'a queue under load'],
  ['npx muster match --help', 'one search over your tickets'],
  ['README.md', 'tickets, webhooks, deployment'],
] as const;
const COMMAND_WIDTH = 2 + Math.max(...NEXT.map(([command]) => command.length));

function provedText(matches: readonly SeenMatch[]): string {
  if (matches.length === 0) return 'none yet';
  const gaps = matches.map(({ certifiedGap }) => certifiedGap).filter((gap) => gap > 0);
  if (gaps.length === 0) return `${matches.length}, all proved best`;
  const mean = gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length;
  return `${matches.length}: ${matches.length - gaps.length} proved best, the others on average within ${mean.toFixed(1)} points of it`;
}
