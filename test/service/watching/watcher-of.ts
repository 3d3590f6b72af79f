import type { Watcher } from '../../../lib/service/domain/connection.ts';
import type { TicketStore } from '../../../lib/service/ports/ticket-store.ts';

/** A player of a stored ticket, as the token of the player says. */
export async function watcherOf(
  { tickets }: { readonly tickets: Pick<TicketStore, 'get'> },
  ticketId: string,
  player = 0,
): Promise<Watcher> {
  const { queue, enqueuedAt, players } = (await tickets.get(ticketId))!;
  return {
    ticketId,
    queue,
    playerId: players[player]!.playerId,
    player,
    enqueuedAtMs: Date.parse(enqueuedAt),
  };
}
