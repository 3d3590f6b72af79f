import type { TicketStatus } from '../../contract/ticket.ts';
import { type Connection, watchedQueues } from '../domain/connection.ts';
import type { Consistency } from '../ports/consistency.ts';
import type { SingleMatchStore } from '../ports/match-store.ts';
import type { PushRetries } from '../ports/push-retries.ts';
import type { QueueStore } from '../ports/queue-store.ts';
import type { Found, Sent } from '../ports/sockets.ts';
import type { TicketStore } from '../ports/ticket-store.ts';
import { pingSecondsOf } from '../queues/read-queues.ts';
import { type TicketAndMatch, type TicketStatusDeps, withMatch } from '../tickets/ticket-status.ts';
import { CONNECTIONS_PER_PLAYER_MAX } from './connect.ts';
import { ticketText } from './messages.ts';
import { endConnection, isOpening, leaveToRetries, type SendDeps, sendTo } from './send.ts';
import { isWatched, type WatchedTicket } from './watched-ticket.ts';

export interface ShowDeps extends SendDeps {
  readonly tickets: Pick<TicketStore, 'get'>;
  readonly matches: Pick<SingleMatchStore, 'get'>;
  readonly queues: Pick<QueueStore, 'get'>;
}

/** The intervals at which the first message checks whether its connection is open, in milliseconds. */
const OPENS_MS = [25, 50, 100, 200, 400, 800, 1_600] as const;

/**
 * Sends the current ticket to a new connection. No change is lost between this message and those of `push`:
 *
 *     wait   until `publish` knows the queue as watched
 *     find   the open connection. From then on `push` reaches it; an earlier change does not find it. A connection that opens
 *            slowly is left to the retries
 *     show   the ticket, unless the client already shows it: see {@link sendTicket}. A message that cannot be sent is left to the
 *            retries: see push-again.ts. A crash before it: the stream delivers the connection again
 */
export async function showTicket(
  deps: ShowDeps & { readonly retries: PushRetries },
  connection: Connection,
): Promise<void> {
  const { connectionId, shownFromMs } = connection;
  const untilMs = shownFromMs - deps.clock.now();
  if (untilMs > 0) await deps.clock.sleep(untilMs);
  const found = await opened(deps, connectionId);
  if (found === 'gone' && !isOpening(deps, connection)) return endConnection(deps, connection);
  if (found !== 'open' || (await sendTicket(deps, connection)) === 'failed')
    await leaveToRetries(deps, connection);
}

/**
 * The latest connections of each player of a ticket, up to the maximum of a player; older ones have been closed. So a client that
 * keeps reconnecting delays the first messages of others by three unopened connections at most.
 * @param added in the order in which they were added
 */
export function latestOfEachPlayer<Added extends { readonly connection: Connection }>(
  added: readonly Added[],
): Added[] {
  const counts = new Map<string, number>();
  return added
    .toReversed()
    .filter(({ connection: { ticketId, player } }) => {
      const whose = `${ticketId} ${player}`;
      const count = (counts.get(whose) ?? 0) + 1;
      counts.set(whose, count);
      return count <= CONNECTIONS_PER_PLAYER_MAX;
    })
    .toReversed();
}

/**
 * Sends the current ticket to an open connection.
 *
 *     read   the ticket and its match. Earlier changes are in the message
 *     send   the message. `push` may send a later change before or after it. The client keeps the one with the higher revision. A
 *            crash after it: the message is sent once more
 */
export async function sendTicket(deps: ShowDeps, connection: Connection): Promise<Sent> {
  const state = await stateOf(deps, connection);
  if (state === undefined) {
    await endConnection(deps, connection);
    return 'gone';
  }
  if (await isUpToDate(deps, connection, state)) return 'sent';
  return sendTo(deps, connection, await ticketText(deps, state, connection.player, deps.clock.now()));
}

/**
 * A watched ticket with its status and its match; undefined when the ticket is gone.
 * @param consistency @default 'strong'
 */
export async function stateOf(
  { tickets, matches }: TicketStatusDeps,
  watched: WatchedTicket,
  consistency?: Consistency,
): Promise<TicketAndMatch | undefined> {
  const deps = {
    tickets: { get: (id: string) => tickets.get(id, consistency) },
    matches: { get: (id: string) => matches.get(id, consistency) },
  };
  const ticket = await deps.tickets.get(watched.ticketId);
  return ticket && isWatched(ticket, watched) ? withMatch(deps, ticket) : undefined;
}

/** Whether a client has seen the current state of a ticket and its match. */
export function isKnown(
  seen: { readonly status: TicketStatus; readonly matchId?: string; readonly roster?: number },
  { ticket, match }: TicketAndMatch,
): boolean {
  const isSame = seen.status === ticket.status && seen.matchId === ticket.matchId;
  // A client that has seen the end of the match needs no further message.
  return isSame && seen.roster === match?.roster && match?.endedAt === undefined;
}

/** Whether the client already shows the ticket and pings often enough, so that it needs no first message. */
async function isUpToDate(deps: ShowDeps, connection: Connection, state: TicketAndMatch) {
  const { seen, pingSeconds } = connection;
  if (seen === undefined || !isKnown({ status: seen }, state)) return false;
  const asked = await pingSecondsOf(deps, watchedQueues(connection));
  return asked === undefined || (pingSeconds !== undefined && pingSeconds <= asked);
}

/** Waits until a connection is open, or its client has disconnected. */
async function opened({ sockets, clock }: ShowDeps, connectionId: string): Promise<Found> {
  let found = await sockets.find(connectionId);
  for (const ms of OPENS_MS) {
    if (found !== 'gone') break;
    await clock.sleep(ms);
    found = await sockets.find(connectionId);
  }
  return found;
}
