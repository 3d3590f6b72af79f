import type { NewTicket, TicketBatchResult } from './api-types.ts';
import type { Backoff } from './backoff.ts';
import { partsOf } from './parts-of.ts';
import type { RequestOptions, Sender } from './requests.ts';
import { to } from './route-to.ts';

/** The result of one ticket: the status it would have had if it had been posted alone, and the ticket or the problem. */
export type TicketResult = TicketBatchResult['results'][number];

/** The most bytes of tickets in a request, with some room for the rest of the body. */
const BYTES_MAX = 60_000;
/** The maximum of tries of a ticket that gets status 503. */
const TRIES = 5;
const BACKOFF: Backoff = { firstMs: 500, maxMs: 5_000 };

/**
 * Posts any number of tickets, in as few requests as their limits permit. Tickets that the service was too busy to store are
 * posted again. Returns their results in the order of the tickets.
 */
export async function postBatch(
  sender: Sender,
  queue: string,
  tickets: readonly NewTicket[],
  { signal }: RequestOptions = {},
): Promise<TicketResult[]> {
  const route = to('POST /queues/{queue}/ticket-batches', { queue });
  const results = new Array<TicketResult>(tickets.length);
  const bytesOf = (i: number) => new TextEncoder().encode(JSON.stringify(tickets[i])).length + 1;
  let left = tickets.map((_, i) => i);
  for (let tried = 1; left.length > 0; tried++) {
    if (tried > 1) await sender.pause(BACKOFF, tried - 1, signal);
    for (const part of partsOf(left, BYTES_MAX, bytesOf)) {
      const body = { tickets: part.map((i) => tickets[i]!) };
      const response = await sender.send<TicketBatchResult>({ ...route, body, signal });
      for (const [at, i] of part.entries()) results[i] = response.body.results[at]!;
    }
    left = tried === TRIES ? [] : left.filter((i) => results[i]!.status === 503);
  }
  return results;
}
