import type { Caller } from '../../contract/routes.ts';
import type { TicketStore } from '../ports/ticket-store.ts';
import { unknownTicket } from '../tickets/tickets.ts';

/**
 * Rejects a player that is not in the ticket. The response is the same as for a missing ticket and takes as long, so
 * that ids cannot be probed. Other callers are admitted without a read.
 * @throws Problem (404)
 */
export async function checkOwnTicket(
  deps: { readonly tickets: Pick<TicketStore, 'get'> },
  ticketId: string,
  caller: Caller,
): Promise<void> {
  if (caller.scope !== 'player') return;
  const ticket = await deps.tickets.get(ticketId);
  if (!ticket?.players.some(({ playerId }) => playerId === caller.playerId)) throw unknownTicket(ticketId);
}
