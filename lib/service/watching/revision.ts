import { isFinal } from '../../contract/ticket.ts';
import type { TicketAndMatch } from '../tickets/ticket-status.ts';

/** The parts of a state that a ticket has before it has a match, and in the order in which a match has them. */
const STEPS = ['QUEUED', 'REQUIRES_ACCEPTANCE', 'PLACING', 'COMPLETED'];
/** More than a match can grow by. */
const RETURN = 1_000_000_000;
/** A ticket that has ended without a match returns no more. */
const ENDED = Number.MAX_SAFE_INTEGER;

/**
 * A number that grows with every change of a ticket and of its match, so that of two states the later one is known, wherever they
 * were read and in whatever order they arrive. It follows from the state alone:
 *
 *     returns     how often the ticket has come back from a match. From each pool to the next everything else starts again
 *     status      it goes through the statuses in their order, or has ended
 *     match       its roster only grows, and its assignment and its end come once: each adds to the sum
 */
export function revisionOf({ ticket, match }: TicketAndMatch): number {
  if (isFinal(ticket.status) && ticket.status !== 'COMPLETED') return ENDED;
  const { roster = 0, assignment, endedAt } = (ticket.matchId === undefined ? undefined : match) ?? {};
  const grown = roster + (assignment === undefined ? 0 : 1) + (endedAt === undefined ? 0 : 1);
  return RETURN * (ticket.returns ?? 0) + STEPS.indexOf(ticket.status) + grown;
}
