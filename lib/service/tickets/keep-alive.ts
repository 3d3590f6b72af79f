import type { Caller } from '../../contract/callers.ts';
import { PRESENCE_PING_SECONDS } from '../../contract/presence.ts';
import { conflict } from '../../contract/problem.ts';
import { isFinal } from '../../contract/ticket.ts';
import { inParallel } from '../concurrency/in-parallel.ts';
import { type Watcher, watchedQueues } from '../domain/connection.ts';
import { viewsOf } from '../domain/linked-ticket.ts';
import { silentAfterMs } from '../domain/presence.ts';
import type { CurrentTicket } from '../domain/stored-ticket.ts';
import type { SingleMatchStore } from '../ports/match-store.ts';
import type { PresenceStore } from '../ports/presence-store.ts';
import type { QueueStore } from '../ports/queue-store.ts';
import type { TicketStore } from '../ports/ticket-store.ts';
import { presencesOf } from '../queues/read-queues.ts';
import { unknownTicket, withMatchStatus } from './ticket-status.ts';

export interface KeepAliveDeps {
  readonly queues: Pick<QueueStore, 'get'>;
  readonly presence: Pick<PresenceStore, 'seen'>;
}

/** The maximum of players whose presence is written concurrently. */
const WRITES_AT_ONCE = 16;

/**
 * Records a sign of life of a player in each queue of the ticket with `presence`; in other queues it writes nothing. Each is a
 * conditional write, so a repetition or a crash changes nothing else.
 * @param by the connection that sent the sign
 * @param isKnown records it only if a sign of the player is already stored. A client that connected before the queue had
 * `presence` pings too rarely, and counts as never connected
 * @param nowMs the next sign is expected within {@link PRESENCE_PING_SECONDS}
 */
export async function recordSeen(
  deps: KeepAliveDeps,
  { ticketId, player, ...watched }: Omit<Watcher, 'playerId'>,
  by: string,
  nowMs: number,
  isKnown = false,
): Promise<void> {
  for (const { queue, options } of await presencesOf(deps, watchedQueues(watched))) {
    const seen = { by, silentFromMs: nowMs + silentAfterMs(options) };
    await deps.presence.seen(queue, ticketId, player, seen, isKnown);
  }
}

/**
 * Keeps a ticket alive. A request of a player is a sign of life of this player, that of a backend one of all players of the
 * ticket. A ticket that has ended does not change.
 *
 *     read     the ticket, and its match
 *     record   each player: see {@link recordSeen}. A crash between two: the request is repeated
 *
 * @throws Problem 404 no such ticket, 409 its queue has no `presence`
 */
export async function keepAlive(
  deps: KeepAliveDeps & {
    readonly tickets: Pick<TicketStore, 'get'>;
    readonly matches: Pick<SingleMatchStore, 'get'>;
  },
  ticketId: string,
  caller: Caller,
  nowMs: number,
): Promise<CurrentTicket> {
  const stored = await deps.tickets.get(ticketId);
  if (stored === undefined) throw unknownTicket(ticketId);
  const ticket = await withMatchStatus(deps, stored);
  if (isFinal(ticket.status)) return ticket;
  const { queue, players } = ticket;
  // In a match only the queue of the match asks for its players.
  const queues = ticket.status === 'QUEUED' ? viewsOf(ticket).map((view) => view.queue) : [queue];
  const asking = await presencesOf(deps, queues);
  if (asking.length === 0)
    throw conflict(
      'NO_PRESENCE',
      `Queue ${queue} has no presence, so its tickets need not be kept alive. Add presence to its definition, or omit this request.`,
    );
  const isOwn = ({ playerId }: { playerId: string }) =>
    caller.scope !== 'player' || playerId === caller.playerId;
  const places = players.flatMap((player, place) => (isOwn(player) ? [place] : []));
  for (const { queue: name, options } of asking) {
    const seen = { by: '', silentFromMs: nowMs + silentAfterMs(options) };
    await inParallel(places, WRITES_AT_ONCE, (place) => deps.presence.seen(name, ticketId, place, seen));
  }
  return ticket;
}
