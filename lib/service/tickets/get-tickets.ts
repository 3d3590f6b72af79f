import type { CurrentTicket } from '../domain/stored-ticket.ts';
import type { SingleMatchStore } from '../ports/match-store.ts';
import type { TicketStore } from '../ports/ticket-store.ts';
import { withMatchStatus } from './ticket-status.ts';

/**
 * The current state of several tickets, in the order of their ids, each once; missing ones are omitted. A hundred
 * tickets need two requests to the store, and one more for each ticket whose match has failed, because the ticket may be waiting again, and
 * for each that a tick is matching at this moment.
 */
export async function getTickets(
  deps: {
    readonly tickets: Pick<TicketStore, 'get' | 'getMany'>;
    readonly matches: Pick<SingleMatchStore, 'get' | 'getMany'>;
  },
  ticketIds: readonly string[],
): Promise<CurrentTicket[]> {
  const unique = [...new Set(ticketIds)];
  const stored = await deps.tickets.getMany(unique);
  const tickets = unique.flatMap((ticketId) => stored.get(ticketId) ?? []);
  const matchIds = new Set(tickets.flatMap(({ matchId }) => matchId ?? []));
  const matches = await deps.matches.getMany([...matchIds]);
  const known = {
    tickets: deps.tickets,
    matches: { get: async (matchId: string) => matches.get(matchId) ?? deps.matches.get(matchId) },
  };
  return Promise.all(tickets.map((ticket) => withMatchStatus(known, ticket)));
}
