import { isFinal } from '../../contract/ticket.ts';
import type { TicketAndMatch } from '../tickets/ticket-status.ts';

/** The statuses in the order in which a ticket and its match pass through them. */
const STEPS = ['QUEUED', 'REQUIRES_ACCEPTANCE', 'PLACING', 'COMPLETED'];
/** More than the players of a match. */
const STEP = 1_000;
/** More than the sum of the other terms can reach. */
const RETURN = 1_000_000_000;
/** The revision of a ticket that has ended without a match, after which no state follows. */
const ENDED = Number.MAX_SAFE_INTEGER;

/**
 * A number that grows with every change of a ticket and of its match. Clients use it to discard states that arrive late. It is
 * computed from the state alone, as a sum:
 *
 *     returns   how often the ticket has returned from a match. The other terms restart after each return
 *     status    the position of the status in its order, in thousands
 *     ready     while REQUIRES_ACCEPTANCE, the number of players of the match who have accepted
 *     match     the number of the roster, which only grows, plus one each for the assignment and the end
 */
export function revisionOf({ ticket, match }: TicketAndMatch): number {
  if (isFinal(ticket.status) && ticket.status !== 'COMPLETED') return ENDED;
  const { roster = 0, assignment, endedAt } = (ticket.matchId === undefined ? undefined : match) ?? {};
  const grown = roster + (assignment === undefined ? 0 : 1) + (endedAt === undefined ? 0 : 1);
  const { ready = 0 } = ticket.acceptance ?? {};
  return RETURN * (ticket.returns ?? 0) + STEP * STEPS.indexOf(ticket.status) + ready + grown;
}
