import * as z from 'zod';
import { problemDocument } from './problem-document.ts';
import { LIMITS } from './queue-definition.ts';
import { id, newTicket, ticketView } from './ticket.ts';

/** A batch. Its tickets are parsed one by one later, so that an invalid ticket does not affect the others. */
export const ticketBatch = z.strictObject({
  tickets: z.array(z.unknown()).min(1).max(LIMITS.ticketsPerBatchMax),
});

/** The body of a request that posts several tickets. */
export const ticketBatchBody = ticketBatch
  .extend({
    tickets: z
      .array(newTicket)
      .min(1)
      .max(LIMITS.ticketsPerBatchMax)
      .meta({ description: 'The tickets, each as in a request for one ticket' }),
  })
  .meta({ id: 'TicketBatch' });

const ticketResult = z.object({
  ticketId: z.string().nullable().meta({ description: 'The posted id; null when it cannot be read' }),
  status: z
    .literal([200, 201, 400, 404, 409, 429, 503])
    .meta({ description: 'The status of the response if the ticket were posted alone' }),
  ticket: ticketView.optional().meta({ description: 'Present with 200 and 201' }),
  problem: problemDocument.optional().meta({ description: 'Present with 400, 404, 409, 429 and 503' }),
});

/** The results of the tickets of a batch, in their order. */
export const ticketBatchResult = z
  .object({ results: z.array(ticketResult) })
  .meta({ id: 'TicketBatchResult' });
export type TicketBatchResult = z.output<typeof ticketBatchResult>;

/** The query of a request for several tickets. */
export const ticketIdsQuery = z.object({
  ticketIds: z
    .string()
    .transform((text) => text.split(','))
    .pipe(z.array(id).max(LIMITS.ticketsPerBatchMax))
    .meta({ description: `1 to ${LIMITS.ticketsPerBatchMax} ids, separated by commas` }),
});

/** The tickets in the order of the requested ids, each once. */
export const ticketList = z.object({ tickets: z.array(ticketView) }).meta({ id: 'TicketList' });
