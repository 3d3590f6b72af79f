import type { Connection } from '../domain/connection.ts';
import type { SingleMatchStore } from '../ports/match-store.ts';
import type { QueueStore } from '../ports/queue-store.ts';
import type { TicketStore } from '../ports/ticket-store.ts';
import { type TicketAndMatch, withMatch } from '../tickets/ticket-status.ts';
import { ticketText } from './messages.ts';
import { endConnection, type SendDeps } from './send.ts';

export interface ShowDeps extends SendDeps {
  readonly tickets: Pick<TicketStore, 'get'>;
  readonly matches: Pick<SingleMatchStore, 'get'>;
  readonly queues: Pick<QueueStore, 'get'>;
}

/** How long the first message waits for its connection to open, in steps. */
const OPENS_MS = [25, 50, 100, 200, 400, 800, 1_600] as const;

/**
 * Sends a connection the ticket as it is. No change is missed between this message and those of `push`:
 *
 *     wait     until `publish` looks for those who watch the queue
 *     read     the ticket and its match. Changes before it are in the message
 *     send     the message, as soon as the connection is open. A crash after it: it is sent once more
 *     read     again. Changes since the connection was added are sent by `push`; but one between the two reads may have been
 *              sent before this message, which then is not the newest. Then the connection is closed: the client connects again
 *              and gets the ticket as it is
 *
 * A client ignores what comes before the first message.
 */
export async function showTicket(deps: ShowDeps, connection: Connection): Promise<void> {
  const { ticketId, shownFromMs } = connection;
  const untilMs = shownFromMs - deps.clock.now();
  if (untilMs > 0) await deps.clock.sleep(untilMs);
  const state = await stateOf(deps, ticketId);
  if (state === undefined) return endConnection(deps, connection);
  const text = await ticketText(deps, state, connection.player, deps.clock.now());
  if (!(await sendWhenOpen(deps, connection, text))) return endConnection(deps, connection);
  const now = await stateOf(deps, ticketId);
  if (now === undefined || !isSame(now, state)) await endConnection(deps, connection);
}

/** A ticket with its status and its match; undefined when there is none. */
export async function stateOf(
  deps: Pick<ShowDeps, 'tickets' | 'matches'>,
  ticketId: string,
): Promise<TicketAndMatch | undefined> {
  const ticket = await deps.tickets.get(ticketId);
  return ticket && withMatch(deps, ticket);
}

/** Whether no event is between two states. */
export function isSame(one: TicketAndMatch, other: TicketAndMatch): boolean {
  return signOf(one) === signOf(other);
}

/** What events change. Other changes, such as that a party has accepted, are no news. */
function signOf({ ticket, match }: TicketAndMatch): string {
  const { status, roster, assignment, endedAt } = match ?? {};
  return JSON.stringify([ticket.status, ticket.matchId, status, roster, assignment !== undefined, endedAt]);
}

/** Returns false when the client has left, or nobody knows whether it has the message. */
async function sendWhenOpen({ sockets, clock }: ShowDeps, { connectionId }: Connection, text: string) {
  let sent = await sockets.send(connectionId, text);
  for (const ms of OPENS_MS) {
    if (sent !== 'gone') break;
    await clock.sleep(ms);
    sent = await sockets.send(connectionId, text);
  }
  return sent === 'sent';
}
