import { isFinal } from '../../contract/ticket.ts';
import { type Watcher, watchedQueues } from '../domain/connection.ts';
import { ENDED, silentAfterMs } from '../domain/presence.ts';
import type { ConnectionStore } from '../ports/connection-store.ts';
import type { PresenceStore } from '../ports/presence-store.ts';
import type { QueueStore } from '../ports/queue-store.ts';
import { presencesOf } from '../queues/read-queues.ts';
import type { TicketStatusDeps } from '../tickets/ticket-status.ts';
import { stateOf } from './show-ticket.ts';

export interface DisconnectDeps extends TicketStatusDeps {
  readonly queues: Pick<QueueStore, 'get'>;
  readonly connections: Pick<ConnectionStore, 'of' | 'remove'>;
  readonly presence: Pick<PresenceStore, 'left'>;
}

/**
 * Records that the connection of a player has ended. API Gateway's report may be lost, late or repeated. This is harmless,
 * because missing pings show the same a little later.
 *
 *     check    that the queue has `presence`, and that the ticket may still be matched or placed. Otherwise nothing else happens:
 *              the next message removes the connection
 *     remove   the connection. A crash before it: the player is silent from the next ping on
 *     find     another connection of the player, whose pings are then expected
 *     record   without one, that the player is silent from now on, unless another connection has sent a later sign. A crash
 *              before it: as above
 */
export async function disconnect(
  deps: DisconnectDeps,
  watcher: Watcher,
  connectionId: string,
  nowMs: number,
): Promise<void> {
  const { ticketId, player } = watcher;
  const asking = await presencesOf(deps, watchedQueues(watcher));
  if (asking.length === 0) return;
  const state = await stateOf(deps, watcher);
  if (state === undefined || isFinal(state.ticket.status)) return;
  await deps.connections.remove(ticketId, connectionId);
  const others = (await deps.connections.of(ticketId)).filter((one) => one.player === player);
  const other = others.at(-1);
  for (const { queue, options } of asking) {
    const next =
      other === undefined
        ? { by: ENDED, silentFromMs: nowMs }
        : { by: other.connectionId, silentFromMs: nowMs + silentAfterMs(options) };
    await deps.presence.left(queue, ticketId, player, connectionId, next);
  }
}
