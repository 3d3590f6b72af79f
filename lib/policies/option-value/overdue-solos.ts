import { shapeOf } from '../../engine/game-pool.ts';
import type { Ticket } from '../../engine/types.ts';
import { type Candidate, type CandidateSource, meanSkill, type PoolFacts } from '../policy.ts';
import type { LimitTerms } from './limits.ts';
import { WaitingLine } from './waiting-line.ts';

/**
 * For solos: a game for each overdue ticket, the longest wait first.
 *
 * This game must be made now; the search decides who plays in it. The game of least imbalance leaves those behind who
 * are as hard to match as the overdue ticket; each will then need a wide game of its own. Here every player counts with a
 * price, a multiple of its threshold, and the game has the greatest sum of prices less imbalance. So outliers who
 * wait at the same end of the scale go into one game.
 *
 * When more tickets are overdue than a game has players, after a start or an outage, none of these games is made: then the
 * narrowest games of all should go first, whatever players are in them.
 */
export function* overdueSolos(
  pool: CandidateSource,
  facts: PoolFacts,
  termsOf: (ticket: Ticket) => LimitTerms,
): Iterable<Candidate> {
  const anchors = pool.byAge.filter((ticket) => pool.isWaiting(ticket) && termsOf(ticket).isOverdue);
  const { seats } = shapeOf(facts.rules);
  if (anchors.length === 0 || anchors.length > seats) return;
  const sorted = pool.bySkill.filter((ticket) => pool.isWaiting(ticket));
  const places = new Map(sorted.map((ticket, at) => [ticket, at]));
  const line = new WaitingLine(Float64Array.from(sorted, meanSkill), new Uint8Array(sorted.length).fill(1));
  const nearest = (anchor: Ticket, players: number) => {
    const near = line.nearest(places.get(anchor)!, 'all', players, () => false);
    return { tickets: near.places.map((at) => sorted[at]), middle: near.middle };
  };
  for (const anchor of anchors) {
    if (!pool.isWaiting(anchor)) continue;
    const ofNeighbours = pool.gameAmong(nearest(anchor, seats).tickets);
    if (ofNeighbours === undefined) continue;
    const { tickets, middle } = nearest(anchor, TIMES_SEATS * seats);
    // The search finds games whose prices exceed their imbalance. A constant for each player makes the neighbours' one of them.
    const { imbalance } = ofNeighbours.game;
    const prices = Float64Array.from(tickets, (ticket) => imbalance + PRICE * termsOf(ticket).threshold);
    const limits = { now: prices, atFirst: prices, fixed: new Float64Array(tickets.length) };
    yield pool.within(tickets, limits).game([...tickets.keys()], middle, 1) ?? ofNeighbours;
    for (const [ticket, at] of places) if (line.has(at) && !pool.isWaiting(ticket)) line.remove(at);
  }
}

/** A player's price as a multiple of its threshold. With 2 and with 5 results are the same within 0.3%. */
const PRICE = 3;
/** How many neighbours are considered, as a multiple of the players in a game. */
const TIMES_SEATS = 3;
