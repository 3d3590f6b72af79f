import { Problem } from '../../contract/problem.ts';
import type { TicketBatchResult } from '../../contract/ticket-batch.ts';
import type { BatchOutcome } from './enqueue-batch.ts';
import { toTicketView } from './stored-ticket.ts';

/**
 * What a client is told of one ticket of a batch.
 * @param problemOf what a client is told of a failure
 */
export function toBatchResult(
  one: BatchOutcome,
  problemOf: (error: unknown) => Problem,
): TicketBatchResult['results'][number] {
  const { ticketId } = one;
  if (one.outcome === 'enqueued')
    return { ticketId, status: one.created ? 201 : 200, ticket: toTicketView(one.ticket) };
  if (one.outcome === 'failed') {
    const problem = new Problem(503, problemOf(one.error).message);
    return { ticketId, status: 503, problem: problem.toDocument() };
  }
  const { problem } = one;
  const status = problem.status === 409 ? 409 : 400;
  return { ticketId, status, problem: problem.toDocument() };
}
