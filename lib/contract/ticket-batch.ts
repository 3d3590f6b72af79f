import * as z from 'zod';
import { problemDocument } from './problem-document.ts';
import { LIMITS } from './queue-definition.ts';
import { id, newTicket, ticketView } from './ticket.ts';

/** A batch before its tickets are read one by one: one that is not valid spoils no other. */
export const ticketBatch = z.strictObject({
  tickets: z.array(z.unknown()).min(1).max(LIMITS.ticketsPerBatchMax),
});

/** What a client POSTs to have several tickets taken by one request. */
export const ticketBatchBody = ticketBatch
  .extend({
    tickets: z
      .array(newTicket)
      .min(1)
      .max(LIMITS.ticketsPerBatchMax)
      .meta({ description: 'As one would post them singly' }),
  })
  .meta({ id: 'TicketBatch' });

const ticketResult = z.object({
  ticketId: z.string().nullable().meta({ description: 'As posted; null when it cannot be read' }),
  status: z
    .literal([200, 201, 400, 409, 503])
    .meta({ description: 'Of the response to this ticket posted alone' }),
  ticket: ticketView.optional().meta({ description: 'With 200 and 201' }),
  problem: problemDocument.optional().meta({ description: 'With 400, 409 and 503' }),
});

/** What became of the tickets of a batch, in their order. */
export const ticketBatchResult = z
  .object({ results: z.array(ticketResult) })
  .meta({ id: 'TicketBatchResult' });
export type TicketBatchResult = z.output<typeof ticketBatchResult>;

/** Which tickets a client asks for at once. */
export const ticketIdsQuery = z.object({
  ticketIds: z
    .string()
    .transform((text) => text.split(','))
    .pipe(z.array(id).max(LIMITS.ticketsPerBatchMax))
    .meta({ description: `1 to ${LIMITS.ticketsPerBatchMax} ids, separated by commas` }),
});

/** Tickets in the order of the ids asked for, each once. */
export const ticketList = z.object({ tickets: z.array(ticketView) }).meta({ id: 'TicketList' });
