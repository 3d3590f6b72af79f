import { Problem, parseWith } from '../../contract/problem.ts';
import type { TicketView } from '../../contract/ticket.ts';
import { type TicketBatchResult, ticketBatch } from '../../contract/ticket-batch.ts';
import type { QueueRecord } from '../domain/queue-record.ts';
import type { CurrentTicket } from '../domain/stored-ticket.ts';
import { DEFINITION_AGE_MS } from '../domain/timing.ts';
import { openQueue } from '../queues/read-queues.ts';
import { wake } from '../waking/schedule.ts';
import { type PoolWriter, poolWriter } from '../waking/shards.ts';
import { type EnqueueDeps, type Enqueued, putTicket } from './enqueue.ts';
import { placeScope } from './one-place.ts';

/** The outcome of one ticket of a batch. */
export type BatchOutcome = { readonly ticketId: string | null } & (
  | ({ readonly outcome: 'enqueued' } & Enqueued)
  | { readonly outcome: 'refused'; readonly problem: Problem }
  /** The ticket may or may not be stored; the request can be repeated safely. */
  | { readonly outcome: 'failed'; readonly error: unknown }
);

/**
 * Adds several tickets to a queue, each as `enqueue` does; an invalid ticket does not affect the others. Tickets with the
 * same id are stored one after the other, so the second finds the first. So are a ticket and the one that it replaces, and
 * tickets with the same player in a queue with `onePlace`.
 *
 *     read the queue     a crash before or after changes nothing
 *     put the tickets    each on the condition that its id is new. A crash between two: the same batch again
 *                        stores the rest
 *     wake the queues    once for all. A crash before it: the next dispatch finds the tickets waiting
 *
 * @returns the outcomes in the order of the tickets
 * @throws Problem 400 invalid batch, 404 no such queue
 */
export async function enqueueBatch(
  deps: EnqueueDeps,
  queue: string,
  body: unknown,
  nowMs: number,
): Promise<BatchOutcome[]> {
  const record = await openQueue(deps.queues, queue, DEFINITION_AGE_MS);
  const { tickets } = parseWith(ticketBatch, body, 'The batch');
  const outcomes = await putAll(deps, record, tickets, nowMs);
  if (!outcomes.some(isWaiting)) return outcomes;
  try {
    const waiting = outcomes.flatMap((one) => (isWaiting(one) ? one.records : []));
    const queues = new Map(waiting.map((one) => [one.definition.name, one]));
    for (const one of queues.values()) await wake(deps, one, nowMs);
    return outcomes;
  } catch (error) {
    // As for a single ticket, it is stored, but its ticks may not be scheduled.
    return outcomes.map((one) =>
      isWaiting(one) ? { ticketId: one.ticketId, outcome: 'failed', error } : one,
    );
  }
}

async function putAll(
  deps: EnqueueDeps,
  record: QueueRecord,
  tickets: readonly unknown[],
  nowMs: number,
): Promise<BatchOutcome[]> {
  const writer = poolWriter(deps, nowMs);
  const last = new Map<string, Promise<BatchOutcome>>();
  return Promise.all(
    tickets.map((posted) => {
      const ticketId = idOf(posted);
      const alone = [`ticket ${ticketId}`];
      const replaces = (posted as { replaces?: unknown } | null)?.replaces;
      if (replaces !== undefined) alone.push(`ticket ${replaces}`);
      // A further queue may have onePlace too.
      const isLinked = (posted as { also?: unknown } | null)?.also !== undefined;
      if (isLinked || placeScope(record.definition) !== undefined) alone.push(...playersOf(posted));
      const earlier = new Set(alone.flatMap((key) => last.get(key) ?? []));
      const put = () => putOne(deps, record, writer, ticketId, posted, nowMs);
      const outcome = earlier.size > 0 ? Promise.all(earlier).then(put) : put();
      for (const key of alone) last.set(key, outcome);
      return outcome;
    }),
  );
}

/** The players of a possibly invalid ticket. */
function playersOf(posted: unknown): string[] {
  const players = (posted as { players?: unknown } | null)?.players;
  if (!Array.isArray(players)) return [];
  return players.map((one) => `player ${(one as { playerId?: unknown } | null)?.playerId}`);
}

async function putOne(
  deps: EnqueueDeps,
  record: QueueRecord,
  writer: PoolWriter,
  ticketId: string | null,
  posted: unknown,
  nowMs: number,
): Promise<BatchOutcome> {
  try {
    return { ticketId, outcome: 'enqueued', ...(await putTicket(deps, record, writer, posted, nowMs)) };
  } catch (error) {
    if (error instanceof Problem) return { ticketId, outcome: 'refused', problem: error };
    return { ticketId, outcome: 'failed', error };
  }
}

/** The id of a possibly invalid ticket. */
function idOf(posted: unknown): string | null {
  const ticketId = (posted as { ticketId?: unknown } | null)?.ticketId;
  return typeof ticketId === 'string' ? ticketId : null;
}

function isWaiting(one: BatchOutcome): one is Extract<BatchOutcome, { outcome: 'enqueued' }> {
  return one.outcome === 'enqueued' && one.ticket.status === 'QUEUED';
}

/**
 * The result of one ticket of a batch in the format of the response.
 * @param problemOf the problem that the client gets for an error
 * @param view the ticket as the client gets it
 */
export async function toBatchResult(
  one: BatchOutcome,
  problemOf: (error: unknown) => Problem,
  view: (ticket: CurrentTicket) => Promise<TicketView>,
): Promise<TicketBatchResult['results'][number]> {
  const { ticketId } = one;
  if (one.outcome === 'enqueued')
    return { ticketId, status: one.created ? 201 : 200, ticket: await view(one.ticket) };
  if (one.outcome === 'failed') {
    const problem = new Problem(503, problemOf(one.error).message);
    return { ticketId, status: 503, problem: problem.toDocument() };
  }
  const { problem } = one;
  const { status: given } = problem;
  const status = given === 404 || given === 409 || given === 429 ? given : 400;
  return { ticketId, status, problem: problem.toDocument() };
}
