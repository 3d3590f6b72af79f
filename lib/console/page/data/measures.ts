import type { MatchView } from '../../../contract/match.ts';
import { provedGap } from '../../../contract/proved-gap.ts';
import { savedAtMost } from './gap.ts';
import type { LiveQueue } from './live-queues.ts';

/** Numbers that the page derives from the latest matches of a queue. */
export interface MatchMeasures {
  /** Players matched per minute; NaN when no match was seen. */
  readonly playersPerMinute: number;
  /** Mean imbalance. NaN without matches, as the others. */
  readonly imbalance: number;
  /** The share of the matches that were proved best. */
  readonly provedShare: number;
  /** The mean of what a match of as long a wait could have saved of the imbalance at most. */
  readonly gap: number;
  /** How many matches these are of. */
  readonly count: number;
}

const MINUTE_MS = 60_000;

/** Measures of the matches of the last minute; of the latest matches when there were none. */
export function measuresOf({ matches, seenSinceMs }: LiveQueue, nowMs: number): MatchMeasures {
  const lastMinute = matches.filter(({ createdAt }) => Date.parse(createdAt) > nowMs - MINUTE_MS);
  const some = lastMinute.length > 0 ? lastMinute : matches.slice(-20);
  // A queue that makes many matches has its last minute longer than the list: its rate is that of the list.
  const seenMs = Math.max(1_000, Math.min(MINUTE_MS, nowMs - seenSinceMs));
  const players = lastMinute.reduce((sum, match) => sum + playersIn(match), 0);
  return {
    playersPerMinute: matches.length === 0 ? Number.NaN : (players * MINUTE_MS) / seenMs,
    imbalance: meanOf(some.map(({ imbalance }) => imbalance)),
    provedShare: meanOf(some.map((match) => (provedGap(match) === 0 ? 1 : 0))),
    gap: meanOf(some.map(savedAtMost)),
    count: some.length,
  };
}

/** The players of a match without bots. */
export function playersIn({ teams }: Pick<MatchView, 'teams'>): number {
  return teams.reduce((sum, { players }) => sum + players.filter(({ bot }) => !bot).length, 0);
}

/** NaN for none. */
export function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
