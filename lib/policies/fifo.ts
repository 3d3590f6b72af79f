import * as z from 'zod';
import { shapeOf } from '../engine/game-pool.ts';
import type { Ticket } from '../engine/types.ts';
import type { Candidate, CandidateSource, Policy } from './policy.ts';

/**
 * Games in the order of arrival, skill ignored: A_G of Schlup, section 4.1, and the central queue of
 * Xu, Yu & Wu. Skill still decides the teams.
 */
export const fifoOptions = z.strictObject({ policy: z.literal('fifo') });
export type FifoOptions = z.infer<typeof fifoOptions>;

export function fifo(): Policy {
  return {
    candidates: (pool, { rules }) => inOrder(pool, pool.byAge, shapeOf(rules).seats),
    release: () => ({ release: true }),
  };
}

/** Games of the earliest tickets in the given order, again and again, as long as `seats` can be filled. */
export function* inOrder(
  pool: CandidateSource,
  order: readonly Ticket[],
  seats: number,
): Iterable<Candidate> {
  let line = order.filter((ticket) => pool.isWaiting(ticket));
  for (;;) {
    const front = shortestFront(pool, line, seats);
    if (front === undefined) return;
    const candidate = pool.gameAmong(front, front[0]) ?? pool.gameAmong(front);
    if (candidate === undefined) return;
    yield candidate;
    const used = new Set(candidate.tickets);
    line = front.filter((ticket) => !used.has(ticket)).concat(line.slice(front.length));
  }
}

/**
 * The fewest tickets from the front of the line among which a game can be formed.
 *
 * A longer front never makes a game impossible, so the shortest one is found by doubling and halving.
 */
export function shortestFront(
  pool: CandidateSource,
  line: readonly Ticket[],
  seats: number,
): readonly Ticket[] | undefined {
  const isEnough = (length: number) => pool.gameAmong(line.slice(0, length)) !== undefined;
  let enough = ticketsWithPlayers(line, seats);
  if (enough > line.length) return undefined;
  let tooFew = enough - 1;
  while (!isEnough(enough)) {
    if (enough === line.length) return undefined;
    tooFew = enough;
    enough = Math.min(2 * enough, line.length);
  }
  while (enough - tooFew > 1) {
    const middle = (enough + tooFew) >> 1;
    if (isEnough(middle)) enough = middle;
    else tooFew = middle;
  }
  return line.slice(0, enough);
}

/** How many tickets from the front have `seats` players between them; more than there are when too few. */
function ticketsWithPlayers(line: readonly Ticket[], seats: number): number {
  let players = 0;
  for (let at = 0; at < line.length; at++) {
    players += line[at].players.length;
    if (players >= seats) return at + 1;
  }
  return line.length + 1;
}
