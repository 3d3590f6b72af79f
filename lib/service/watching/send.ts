import type { Connection } from '../domain/connection.ts';
import type { Clock } from '../ports/clock.ts';
import type { ConnectionStore } from '../ports/connection-store.ts';
import type { Sockets } from '../ports/sockets.ts';

export interface SendDeps {
  readonly connections: Pick<ConnectionStore, 'remove'>;
  readonly sockets: Sockets;
  readonly clock: Clock;
}

/** A connection that is younger may not be open yet: API Gateway opens it after the response of its function. */
const OPENING_MS = 10_000;

/**
 * Sends a message to a connection.
 *
 *     send     gone: its client has left, or is not connected yet; then the first message, which waits for it, says the same
 *     close    if it is unknown whether the message arrived. The client connects again, and gets the ticket as it is. So it
 *              misses nothing. If this fails too, the next ping of the client finds what it has missed
 *     remove   the connection. A crash before it: the next message does the same
 */
export async function sendTo(deps: SendDeps, connection: Connection, text: string): Promise<boolean> {
  const sent = await deps.sockets.send(connection.connectionId, text);
  if (sent === 'sent') return true;
  if (sent === 'gone' && deps.clock.now() - connection.connectedAtMs < OPENING_MS) return false;
  if (sent === 'failed') await deps.sockets.close(connection.connectionId);
  await forget(deps, connection);
  return false;
}

/** Ends a connection whose client may not know how its ticket is. */
export async function endConnection(deps: SendDeps, connection: Connection): Promise<void> {
  await deps.sockets.close(connection.connectionId);
  await forget(deps, connection);
}

function forget({ connections }: SendDeps, { ticketId, connectionId }: Connection): Promise<void> {
  return connections.remove(ticketId, connectionId);
}
