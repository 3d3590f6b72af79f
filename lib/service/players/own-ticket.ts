import type { Caller } from '../../contract/callers.ts';
import type { TicketView } from '../../contract/ticket.ts';
import { AVOIDED } from '../../rules/reasons.ts';
import type { QueueStore } from '../ports/queue-store.ts';
import type { TicketStore } from '../ports/ticket-store.ts';
import { unknownTicket } from '../tickets/ticket-status.ts';
import { onlyShown, visibilityOf } from './visibility.ts';

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

/** The player of a caller; undefined for callers who act for any player. */
export function speakerOf(caller: Caller): string | undefined {
  return caller.scope === 'player' ? caller.playerId : undefined;
}

/**
 * The part of a ticket that a caller may see. A player in it sees the party without avoid lists and without the latencies of
 * other players, which reveal where they are. Attributes are limited to those that the queue shows to players: see {@link
 * visibilityOf}.
 */
export async function ticketFor(
  deps: { readonly queues: Pick<QueueStore, 'get'> },
  caller: Caller,
  ticket: TicketView,
): Promise<TicketView> {
  if (caller.scope !== 'player') return ticket;
  const isPlain = ticket.players.every(({ attributes }) => attributes === undefined);
  const visibility = isPlain ? undefined : await visibilityOf(deps.queues, ticket.queue);
  const { reason, queues, ...rest } = ticket;
  const players = ticket.players.map(({ avoid: _, attributes: all, latencyMs, ...player }) => {
    const attributes = visibility && onlyShown(all, visibility.attribute);
    return {
      ...player,
      ...(attributes && { attributes }),
      ...(latencyMs && player.playerId === caller.playerId && { latencyMs }),
    };
  });
  const told = queues?.map((one) =>
    one.reason === undefined ? one : { ...one, reason: reasonForPlayers(one.reason) },
  );
  return {
    ...rest,
    players,
    ...(reason !== undefined && { reason: reasonForPlayers(reason) }),
    ...(told && { queues: told }),
  };
}

/** The part of a reason that mentions players who avoid others, as in `(2 more may not be matched with it: …)`. */
const REFUSED_BY_AVOIDING = new RegExp(` \\([^()]*${AVOIDED}[^()]*\\)`);

/** The reason without values of the players, and without the fact that a player avoids another. */
function reasonForPlayers(reason: string): string {
  if (reason.includes('#/players')) return 'the queue was changed and the ticket no longer fits it';
  return reason.replace(REFUSED_BY_AVOIDING, '');
}
