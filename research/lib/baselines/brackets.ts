import { shapeOf, type Ticket } from 'muster/engine';
import {
  byArrival,
  type Candidate,
  type CandidateSource,
  meanSkill,
  type Policy,
  type PoolFacts,
} from 'muster/policies';
import { inOrder, shortestFront } from '../../../lib/policies/fifo.ts';

/** The ranges of `brackets`. */
export interface BracketsOptions {
  /**
   * The number of ranges, from 1 up. @default r_opt = √(2aτ/(m + 1)), where a is the measured arrival rate, m the players
   * of a game and τ the time-out (formula 9); at most 256
   */
  readonly count?: number | undefined;
  /** A ticket searches beyond its range during this many seconds before its time-out. @default a fifth of the time-out */
  readonly growSeconds?: number | undefined;
}

/**
 * Keeps one first-come line for each range of skill. Near its time-out a ticket also searches the neighbouring
 * ranges, at a growing distance. This is A_MQ of Schlup, section 4.3. Each range holds an equal share of the
 * recent players, so ranges are narrow where players are dense.
 */
export function brackets(options: BracketsOptions): Policy {
  return {
    candidates: (pool, facts, nowMs) => inRanges(pool, facts, nowMs, options),
    release: () => ({ release: true }),
    reason: () =>
      'Too few players are waiting in its skill range. Near its time-out, neighbouring ranges are searched too.',
  };
}

function* inRanges(
  pool: CandidateSource,
  facts: PoolFacts,
  nowMs: number,
  { count, growSeconds }: BracketsOptions,
): Iterable<Candidate> {
  const { seats, seatsMin } = shapeOf(facts.rules);
  const ranges = count ?? bestCount(facts, seats);
  const rangeOf = (ticket: Ticket) =>
    Math.min(ranges - 1, Math.floor(ranges * facts.rank(meanSkill(ticket))));
  const lines = Array.from({ length: ranges }, (): Ticket[] => []);
  for (const ticket of pool.byAge) if (pool.isWaiting(ticket)) lines[rangeOf(ticket)].push(ticket);
  for (const line of lines) yield* inOrder(pool, line, seatsMin);

  const growMs = growSeconds === undefined ? facts.timeoutMs / 5 : 1000 * growSeconds;
  for (const ticket of pool.byAge) {
    const leftMs = facts.timeoutMs - (nowMs - ticket.enqueuedAtMs);
    if (leftMs >= growMs || pool.isOver()) return;
    if (!pool.isWaiting(ticket)) continue;
    const radius = Math.ceil(ranges * (1 - Math.max(0, leftMs) / growMs));
    const own = rangeOf(ticket);
    const line = [ticket];
    for (let away = 0; away <= radius; away++) {
      const near = away === 0 ? lines[own] : [...(lines[own - away] ?? []), ...(lines[own + away] ?? [])];
      for (const other of near.toSorted(byArrival)) {
        if (other !== ticket && pool.isWaiting(other)) line.push(other);
      }
    }
    const front = shortestFront(pool, line, seatsMin);
    const candidate = front && pool.gameAmong(front, ticket);
    if (candidate !== undefined) yield candidate;
  }
}

function bestCount({ arrivalRate, timeoutMs }: PoolFacts, seats: number): number {
  const best = Math.round(Math.sqrt((2 * arrivalRate * (timeoutMs / 1000)) / (seats + 1)));
  return Math.min(256, Math.max(1, best));
}
