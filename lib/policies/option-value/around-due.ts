import { shapeOf } from '../../engine/game-pool.ts';
import type { Ticket } from '../../engine/types.ts';
import { type Candidate, type CandidateSource, meanSkill, type PoolFacts } from '../policy.ts';
import type { IsDue } from './due-tickets.ts';
import type { LimitTerms } from './limits.ts';
import { type Neighbours, WaitingLine } from './waiting-line.ts';

/** With parties, a ticket is due at every tick once its threshold has grown by this factor; as many at most, oldest first. */
const GROWN = 2;
const GROWN_MAX = 50;
/** A lower urgency does not make a ticket due. */
const URGENCY_MIN = 0.01;
/** Games of more seats are searched best first, not among neighbours. */
export const SEATS_AMONG_NEIGHBOURS = 16;

/**
 * Last chances first: the best game of each ticket that must get one now. Then, for each ticket that is due, longest wait
 * first, the best game among its neighbours, those of its own kind first.
 */
export function* aroundDue(
  pool: CandidateSource,
  facts: PoolFacts,
  termsOf: (ticket: Ticket) => LimitTerms,
  isDue: IsDue,
): Iterable<Candidate> {
  const { rules } = facts;
  const { seats, seatsMin } = shapeOf(rules);
  const isSmall = seats <= SEATS_AMONG_NEIGHBOURS;
  const sorted = pool.bySkill.filter((ticket) => pool.isWaiting(ticket));
  const place = new Map(sorted.map((ticket, at) => [ticket, at]));
  const sizes = Uint8Array.from(sorted, ({ players }) => players.length);
  const line = new WaitingLine(Float64Array.from(sorted, meanSkill), sizes);
  const hasParties = sizes.some((size) => size > 1);
  const searched: readonly Neighbours[] = hasParties ? ['of its kind', 'all'] : ['all'];
  const enough =
    (rules.roles !== undefined || typeof rules.teams === 'object' || pool.hasRules ? 6 : 3) * seats;
  const anchors = pool.byAge.filter((ticket) => pool.isWaiting(ticket));
  const isLast = (ticket: Ticket) => termsOf(ticket).urgency === Number.POSITIVE_INFINITY;

  for (const anchor of anchors) {
    if (pool.isOver()) return;
    if (!isLast(anchor)) continue;
    if (isSmall) yield* around(anchor);
    if (!pool.isWaiting(anchor)) continue;
    const any = pool.gameWith(anchor);
    if (any !== undefined) yield* offer(any);
  }
  if (!isSmall) {
    yield* pool.bestFirst();
    return;
  }
  let grown = 0;
  for (const anchor of anchors) {
    if (pool.isOver()) return;
    if (!pool.isWaiting(anchor) || isLast(anchor)) continue;
    const { urgency, threshold, theta } = termsOf(anchor);
    const isGrown = hasParties && threshold >= GROWN * theta && grown < GROWN_MAX;
    if (!(urgency >= URGENCY_MIN || isDue(anchor) || isGrown)) continue;
    if (isGrown) grown++;
    yield* around(anchor);
  }

  function* around(anchor: Ticket): Iterable<Candidate> {
    const middle = place.get(anchor)!;
    for (const neighbours of searched) {
      if (!pool.isWaiting(anchor)) return;
      const near = line.nearest(
        middle,
        neighbours,
        enough,
        (at) => pool.hasRules && !pool.mayMeet(anchor, sorted[at]),
      );
      if (near.players < seatsMin) continue;
      const tickets = near.places.map((at) => sorted[at]);
      const candidate = pool.gameAmong(tickets, anchor);
      if (candidate !== undefined) yield* offer(candidate);
    }
  }

  function* offer(candidate: Candidate): Iterable<Candidate> {
    yield candidate;
    for (const ticket of candidate.tickets) if (!pool.isWaiting(ticket)) line.remove(place.get(ticket)!);
  }
}
