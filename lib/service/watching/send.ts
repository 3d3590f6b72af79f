import type { Connection } from '../domain/connection.ts';
import type { Clock } from '../ports/clock.ts';
import type { ConnectionStore } from '../ports/connection-store.ts';
import type { PushRetries } from '../ports/push-retries.ts';
import type { Sent, Sockets } from '../ports/sockets.ts';

export interface SendDeps {
  readonly connections: Pick<ConnectionStore, 'remove'>;
  readonly sockets: Sockets;
  readonly clock: Clock;
}

/** A connection younger than this may still be opening, because API Gateway opens it after the response of its function. */
const OPENING_MS = 10_000;

/**
 * Sends a message to a connection.
 *
 *     send     `gone`: the client has disconnected or is not connected yet; a client that connects gets the state in its first
 *              message. `failed`: API Gateway is throttled, fails or does not respond. Then the connection is kept, because the
 *              client may be healthy and reconnecting adds load. The caller tries again later
 *     remove   the connection of a disconnected client. A crash before it: the next message removes it
 */
export async function sendTo(deps: SendDeps, connection: Connection, text: string): Promise<Sent> {
  const sent = await deps.sockets.send(connection.connectionId, text);
  if (sent === 'gone' && !isOpening(deps, connection)) await forget(deps, connection);
  return sent;
}

/** Whether a connection that was not found may still open. */
export function isOpening({ clock }: Pick<SendDeps, 'clock'>, { connectedAtMs }: Connection): boolean {
  return clock.now() - connectedAtMs < OPENING_MS;
}

/** Leaves a ticket whose players could not be reached to the retries: see push-again.ts. */
export function leaveToRetries(
  { retries, clock }: { readonly retries: PushRetries; readonly clock: Clock },
  { queue, ticketId }: Pick<Connection, 'queue' | 'ticketId'>,
): Promise<void> {
  return retries.send([{ queue, ticketIds: [ticketId], sinceMs: clock.now() }]);
}

/** Closes a connection whose ticket is gone or that does not open. Its client may connect again. One that stays open keeps its record. */
export async function endConnection(deps: SendDeps, connection: Connection): Promise<void> {
  if (await deps.sockets.close(connection.connectionId)) await forget(deps, connection);
}

function forget({ connections }: SendDeps, { ticketId, connectionId }: Connection): Promise<void> {
  return connections.remove(ticketId, connectionId);
}
