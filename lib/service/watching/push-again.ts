import { inParallel } from '../concurrency/in-parallel.ts';
import type { Connection } from '../domain/connection.ts';
import type { PushRetry } from '../domain/push-retry.ts';
import type { ConnectionStore } from '../ports/connection-store.ts';
import { isOpening } from './send.ts';
import { type ShowDeps, sendTicket, stateOf } from './show-ticket.ts';

export interface PushAgainDeps extends ShowDeps {
  readonly connections: Pick<ConnectionStore, 'of' | 'remove'>;
}

/** How long messages to the players of a ticket are retried. After that, the next change or ping delivers the state. */
const RETRIED_MS = 60_000;
/** The pause before the next try: a fifth of the time since the first, within these milliseconds. */
const PAUSE_MS = { min: 1_000, max: 20_000 } as const;
/** The maximum of tickets of a message that are handled concurrently. */
const RETRIES_AT_ONCE = 16;

/** `done`: every player has the current ticket or no longer watches it. `dropped`: the time is up. */
export type PushedAgain =
  | { readonly outcome: 'done' }
  | { readonly outcome: 'dropped' }
  | { readonly outcome: 'waiting'; readonly why: string; readonly afterMs: number };

/**
 * Sends current tickets to players who could not be reached, with growing delays. For a player who has to accept a match it tries
 * until the deadline, because a ping might come too late. A crash before the end: the message is received again, and clients
 * ignore states that they know.
 */
export async function pushAgain(
  deps: PushAgainDeps,
  { ticketIds, sinceMs }: PushRetry,
): Promise<PushedAgain> {
  const left = await inParallel(ticketIds, RETRIES_AT_ONCE, (ticketId) => unreachedOf(deps, ticketId));
  const unreached = left.flat();
  if (unreached.length === 0) return { outcome: 'done' };
  const nowMs = deps.clock.now();
  const afterMs = Math.min(PAUSE_MS.max, Math.max(PAUSE_MS.min, (nowMs - sinceMs) / 5));
  if (nowMs + afterMs > Math.max(sinceMs + RETRIED_MS, ...(await acceptanceDeadlines(deps, unreached))))
    return { outcome: 'dropped' };
  return {
    outcome: 'waiting',
    why: `${unreached.length} connections could not be reached`,
    afterMs,
  };
}

/** The connections of a ticket that could not be reached. */
async function unreachedOf(deps: PushAgainDeps, ticketId: string): Promise<Connection[]> {
  const unreached: Connection[] = [];
  for (const { seen: _, ...connection } of await deps.connections.of(ticketId)) {
    // `seen` is ignored, because a later message may have changed what the client shows.
    const sent = await sendTicket(deps, connection);
    if (sent === 'failed' || (sent === 'gone' && isOpening(deps, connection))) unreached.push(connection);
  }
  return unreached;
}

/** The acceptance deadlines of the matches of these connections. */
async function acceptanceDeadlines(
  deps: PushAgainDeps,
  connections: readonly Connection[],
): Promise<number[]> {
  const states = await inParallel(connections, RETRIES_AT_ONCE, (one) => stateOf(deps, one, 'eventual'));
  return states.flatMap((state) => {
    const { status, deadline } = state?.match ?? {};
    return status === 'REQUIRES_ACCEPTANCE' && deadline !== undefined ? [Date.parse(deadline)] : [];
  });
}
