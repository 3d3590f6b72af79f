import { Problem } from '../../contract/problem.ts';
import type { ConnectQuery } from '../../contract/watch.ts';
import { type Connection, type Watcher, watchedQueues } from '../domain/connection.ts';
import type { QueueRecord } from '../domain/queue-record.ts';
import { DEFINITION_AGE_MS } from '../domain/timing.ts';
import type { Clock } from '../ports/clock.ts';
import type { ConnectionStore } from '../ports/connection-store.ts';
import type { QueueStore } from '../ports/queue-store.ts';
import type { Sockets } from '../ports/sockets.ts';
import { StoreBusy } from '../ports/store-busy.ts';
import type { TicketStore } from '../ports/ticket-store.ts';
import { type KeepAliveDeps, recordSeen } from '../tickets/keep-alive.ts';
import { checkWatched } from './watched-ticket.ts';

export interface ConnectDeps extends KeepAliveDeps {
  readonly tickets: Pick<TicketStore, 'get'>;
  readonly queues: Pick<QueueStore, 'get' | 'extendWatched'>;
  readonly connections: ConnectionStore;
  readonly sockets: Sockets;
  readonly clock: Clock;
}

/** API Gateway ends a connection after two hours. */
export const CONNECTION_MS = 7_200_000;
/** A queue counts as watched for this long. So its item is written once in a few hours at most. */
const WATCHED_MS = 4 * CONNECTION_MS;
/** Upper bounds on the difference between the clocks of functions, and on the time of a write to the queue's item. */
const CLOCKS_MS = 250;
const WRITE_MS = 250;
/** The time after which every function knows that a queue is watched. */
const KNOWN_MS = DEFINITION_AGE_MS + CLOCKS_MS + WRITE_MS;
/** The maximum of connections of one player of a ticket. */
export const CONNECTIONS_PER_PLAYER_MAX = 3;
/** The maximum of older connections that a new one closes: the one that it replaces, and a few that crashes have left. */
const CLOSED_MAX = 4;
/** Each further try means that another connection has extended the period at the same time. */
const TRIES_MAX = 5;

/**
 * Connects a player who watches a ticket.
 *
 *     check    that the token was issued for this ticket, and not for an earlier one with its id
 *     extend   the period in which the queue is watched, if it would end before the connection. `publish` knows it from `fromMs`
 *              on. A crash after it: the queue counts as watched, and no connection is found
 *     add      the connection. Later changes are sent to it. The stream of its table sends the current ticket: see
 *              show-ticket.ts. A crash before it: the client is not connected, and tries again. A crash after it: the client may
 *              not be connected; then the first message removes the connection
 *     record   a sign of the player, in a queue with `presence`: see keep-alive.ts. A crash before it: the client is not
 *              connected, and tries again
 *     close    older connections of the same player beyond the maximum, so that a token opens only a few. A crash before it: the
 *              next connection closes them
 *
 * @param query the state that the client already shows; if it is current, no first message is sent
 * @throws Problem 404 the ticket or the queue is gone
 * @throws StoreBusy
 */
export async function connect(
  deps: ConnectDeps,
  { playerId: _, ...watched }: Watcher,
  connectionId: string,
  nowMs: number,
  query: ConnectQuery = {},
): Promise<void> {
  await checkWatched(deps, watched);
  const fromMs = await watchedFrom(deps, watchedQueues(watched), nowMs);
  const connection: Connection = {
    ...watched,
    connectionId,
    status: 'CONNECTED',
    connectedAtMs: nowMs,
    shownFromMs: Math.max(nowMs, fromMs),
    ...query,
  };
  await deps.connections.add(connection);
  await recordSeen(deps, connection, connectionId, nowMs);
  await closeOldest(deps, connection);
}

/** The time from which changes of these queues are sent to their connections. */
async function watchedFrom(deps: ConnectDeps, queues: readonly string[], nowMs: number): Promise<number> {
  return Math.max(...(await Promise.all(queues.map((queue) => queueWatchedFrom(deps, queue, nowMs)))));
}

async function queueWatchedFrom(
  { queues, clock }: ConnectDeps,
  queue: string,
  nowMs: number,
): Promise<number> {
  for (let attempt = 0; attempt < TRIES_MAX; attempt++) {
    const record = await queues.get(queue, attempt === 0 ? DEFINITION_AGE_MS : 0);
    if (record === undefined) throw new Problem(404, `There is no queue ${JSON.stringify(queue)}.`);
    const { watched } = record;
    if (watched !== undefined && watched.untilMs >= nowMs + CONNECTION_MS) return watched.fromMs;
    const beforeMs = clock.now();
    const next = { fromMs: startOf(record, beforeMs), untilMs: beforeMs + WATCHED_MS };
    // A write that took too long is repeated with a later time, because other functions may not know the queue as watched at the
    // written one.
    if ((await queues.extendWatched(record, next)) && clock.now() - beforeMs <= WRITE_MS) return next.fromMs;
  }
  throw new StoreBusy(`other connections keep changing queue ${queue}`);
}

/** The start of the period: unchanged if every function knows the current period already. */
function startOf({ watched }: QueueRecord, nowMs: number): number {
  return watched !== undefined && watched.untilMs > nowMs + KNOWN_MS ? watched.fromMs : nowMs + KNOWN_MS;
}

/**
 * Closes connections older than the given one only. So a thousand connections that open at once do not all close the same ones.
 */
async function closeOldest(
  { connections, sockets }: ConnectDeps,
  { ticketId, player, connectionId }: Connection,
): Promise<void> {
  const all = await connections.of(ticketId, 'eventual');
  const own = all.filter((one) => one.player === player && one.status === 'CONNECTED');
  const at = own.findIndex((one) => one.connectionId === connectionId);
  // The read may miss this connection, which is then the latest.
  const place = at === -1 ? own.length : at;
  const older = own.slice(0, Math.max(0, place + 1 - CONNECTIONS_PER_PLAYER_MAX));
  for (const one of older.slice(-CLOSED_MAX)) {
    // A connection that is still opening cannot be closed. The next one closes it.
    if (await sockets.close(one.connectionId)) await connections.remove(ticketId, one.connectionId);
  }
}
