import { savedAtMost } from './gap.ts';
import type { LiveQueue } from './live-queues.ts';
import { playersIn } from './measures.ts';

/** Columns of a chart over time: seconds since the epoch, then values; null where a series has none. */
export type Columns = (number | null)[][];

/**
 * Waiting tickets, and players matched in intervals of equal length.
 *
 * @returns times, waiting, matched; times ascend
 */
export function waitingAndMatched(
  { samples, matches, seenSinceMs }: LiveQueue,
  nowMs: number,
  { windowSeconds, binSeconds }: { readonly windowSeconds: number; readonly binSeconds: number },
): Columns {
  const binMs = 1_000 * binSeconds;
  const fromMs = nowMs - 1_000 * windowSeconds;
  const seenMs = Math.max(fromMs, seenSinceMs);
  const matched = new Map<number, number>();
  for (let at = Math.ceil(seenMs / binMs) * binMs; at + binMs <= nowMs; at += binMs)
    matched.set(at + binMs / 2, 0);
  for (const match of matches) {
    const bin = Math.floor(Date.parse(match.createdAt) / binMs) * binMs + binMs / 2;
    if (matched.has(bin)) matched.set(bin, matched.get(bin)! + playersIn(match));
  }
  const waiting = new Map(
    samples.filter(({ atMs }) => atMs >= fromMs).map((sample) => [sample.atMs, sample.waiting]),
  );
  const times = [...new Set([...matched.keys(), ...waiting.keys()])].sort((a, b) => a - b);
  return [
    times.map((ms) => ms / 1_000),
    times.map((ms) => waiting.get(ms) ?? null),
    times.map((ms) => matched.get(ms) ?? null),
  ];
}

/** The waits of recently matched tickets as the page has seen them. @returns times, p50, p99 */
export function waitsOverTime({ samples }: LiveQueue, nowMs: number, windowSeconds: number): Columns {
  const shown = samples.filter(({ atMs }) => atMs >= nowMs - 1_000 * windowSeconds);
  return [
    shown.map(({ atMs }) => atMs / 1_000),
    shown.map(({ waitP50 }) => waitP50),
    shown.map(({ waitP99 }) => waitP99),
  ];
}

/** Each match at its time: its imbalance, and how much of it a match of as long a wait could have saved at most. */
export function imbalanceOverTime({ matches }: LiveQueue, nowMs: number, windowSeconds: number): Columns {
  const shown = matches.filter(({ createdAt }) => Date.parse(createdAt) >= nowMs - 1_000 * windowSeconds);
  return [
    shown.map(({ createdAt }) => Date.parse(createdAt) / 1_000),
    shown.map(({ imbalance }) => imbalance),
    shown.map(savedAtMost),
  ];
}
