import { invalid } from '../../../lib/contract/problem.ts';
import { readNewTicket } from '../../../lib/service/tickets/parse-tickets.ts';

/** Parses the ticket of a request. @throws Problem (400) that names every invalid field */
export function parseNewTicket(...args: Parameters<typeof readNewTicket>) {
  const { ticket, problems } = readNewTicket(...args);
  if (ticket === undefined) throw invalid('The ticket', problems);
  return ticket;
}
