import { shapeOf } from '../engine/game-pool.ts';
import type { Ticket } from '../engine/types.ts';
import type { Candidate, CandidateSource, Policy } from './policy.ts';

/**
 * Forms games in the order of arrival and ignores skill. This is A_G of Schlup, section 4.1, and the central
 * queue of Xu, Yu & Wu. Skill only decides how players are divided into teams.
 */
export function fifo(): Policy {
  return {
    candidates: (pool, { rules }) => inOrder(pool, pool.byAge, shapeOf(rules).seatsMin),
    release: () => ({ release: true }),
  };
}

/** Yields games of the first tickets in the given order, one after another, as long as `seats` can be filled. */
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
 * The shortest prefix of the line among whose tickets a game can be formed.
 *
 * Adding tickets never makes a game impossible, so doubling and then bisection finds the shortest prefix.
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
    if (enough === line.length || pool.isOver()) return undefined;
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

/** The length of the shortest prefix with at least `seats` players; `line.length + 1` when there is none. */
function ticketsWithPlayers(line: readonly Ticket[], seats: number): number {
  let players = 0;
  for (let at = 0; at < line.length; at++) {
    players += line[at].players.length;
    if (players >= seats) return at + 1;
  }
  return line.length + 1;
}
