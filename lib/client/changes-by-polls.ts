import type { Ticket } from './api-types.ts';
import type { RequestOptions, Sender } from './requests.ts';
import { isFinal, pollsOf } from './wait-for-match.ts';
import type { Change } from './watch-types.ts';

/** The changes of a ticket by long polls, for as long as it takes, until it has ended or has its match. */
export async function* changesByPolls(
  sender: Sender,
  ticketId: string,
  last: Ticket | undefined,
  { signal }: RequestOptions,
): AsyncGenerator<Change> {
  for await (const ticket of pollsOf(sender, ticketId, { last, signal })) {
    yield { type: 'Ticket', timestamp: new Date().toISOString(), ticket };
    if (isFinal(ticket.status)) return;
  }
}
