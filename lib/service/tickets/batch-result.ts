import { Problem } from '../../contract/problem.ts';
import type { TicketView } from '../../contract/ticket.ts';
import type { TicketBatchResult } from '../../contract/ticket-batch.ts';
import type { CurrentTicket } from '../domain/stored-ticket.ts';
import type { BatchOutcome } from './enqueue-batch.ts';

/**
 * The result of one ticket of a batch, for the client.
 * @param problemOf the problem that the client gets for an error
 * @param view the ticket as the client gets it
 */
export async function toBatchResult(
  one: BatchOutcome,
  problemOf: (error: unknown) => Problem,
  view: (ticket: CurrentTicket) => Promise<TicketView>,
): Promise<TicketBatchResult['results'][number]> {
  const { ticketId } = one;
  if (one.outcome === 'enqueued')
    return { ticketId, status: one.created ? 201 : 200, ticket: await view(one.ticket) };
  if (one.outcome === 'failed') {
    const problem = new Problem(503, problemOf(one.error).message);
    return { ticketId, status: 503, problem: problem.toDocument() };
  }
  const { problem } = one;
  const status = problem.status === 409 || problem.status === 429 ? problem.status : 400;
  return { ticketId, status, problem: problem.toDocument() };
}
