import { shapeOf } from '../engine/game-pool.ts';
import type { Ticket } from '../engine/types.ts';
import type { PeriodicOptions } from '../vocabulary/release-options.ts';
import {
  type Candidate,
  type CandidateSource,
  isLastChance,
  type Policy,
  type PoolFacts,
  takesAnyone,
} from './policy.ts';

/**
 * Collects players for a period, then sorts them by skill and cuts them into games: A_PM of Schlup,
 * section 4.2. Remaining players stay for the next period.
 */
export function periodic({ everySeconds }: PeriodicOptions): Policy {
  const isOver = (facts: PoolFacts, nowMs: number): boolean =>
    everySeconds === undefined
      ? facts.waitingPlayers >= bestBatch(facts) || isLastChance(nowMs - facts.oldestEnqueuedAtMs, facts)
      : endedPeriods(nowMs, everySeconds) > endedPeriods(facts.previousTickMs, everySeconds);
  const untilEnd = (facts: PoolFacts, nowMs: number): string => {
    if (everySeconds === undefined)
      return `Matches are made in batches of ${Math.ceil(bestBatch(facts))} players; ${facts.waitingPlayers} are waiting.`;
    const leftMs = 1000 * everySeconds * (endedPeriods(nowMs, everySeconds) + 1) - nowMs;
    return `Matches are made every ${everySeconds} s; the next are in ${Math.ceil(leftMs / 1000)} s.`;
  };
  return {
    candidates: (pool, facts, nowMs) => (isOver(facts, nowMs) ? sortedBlocks(pool, facts) : []),
    release: (_candidate, facts, nowMs) =>
      isOver(facts, nowMs)
        ? { release: true }
        : {
            release: false,
            reason: untilEnd(facts, nowMs),
          },
    // A running match does not wait for the end of a period.
    releaseFilling: () => ({ release: true }),
    reason: (_ticket, facts, nowMs) =>
      isOver(facts, nowMs) ? 'It is in no match of this batch.' : untilEnd(facts, nowMs),
  };
}

const endedPeriods = (atMs: number, everySeconds: number) => Math.floor(atMs / (1000 * everySeconds));

/** n_opt, but at least the players of one game. */
function bestBatch({ rules, arrivalRate, timeoutMs }: PoolFacts): number {
  const { seats } = shapeOf(rules);
  return Math.max(seats, Math.sqrt(2 * arrivalRate * (seats - 1) * (timeoutMs / 1000)) - 1);
}

/** Cuts waiting solos, sorted by skill, into consecutive games. With parties or roles the engine partitions everyone. */
function sortedBlocks(pool: CandidateSource, { rules }: PoolFacts): Iterable<Candidate> {
  const waiting = pool.byAge.filter((ticket) => pool.isWaiting(ticket));
  const cuttable =
    takesAnyone(rules) && !pool.hasRules && waiting.every(({ players }) => players.length === 1);
  return cuttable ? blocks(pool, waiting, shapeOf(rules).seats) : pool.everyone();
}

function* blocks(pool: CandidateSource, byAge: readonly Ticket[], seats: number): Iterable<Candidate> {
  const taken = new Set(byAge.slice(0, byAge.length - (byAge.length % seats)));
  const sorted = pool.bySkill.filter((ticket) => taken.has(ticket));
  for (let at = 0; at < sorted.length; at += seats) {
    const candidate = pool.gameAmong(sorted.slice(at, at + seats));
    if (candidate !== undefined) yield candidate;
  }
}
