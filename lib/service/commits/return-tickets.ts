import type { Why } from '../../contract/reason-code.ts';
import { inParallel } from '../concurrency/in-parallel.ts';
import { type BucketLayout, layoutAt } from '../domain/buckets.ts';
import type { Offence } from '../domain/cooldowns.ts';
import { homeOf, placedViews, viewsOf } from '../domain/linked-ticket.ts';
import type { QueueRecord } from '../domain/queue-record.ts';
import { fateOf, playersAtFault } from '../domain/returning.ts';
import type { StoredMatch } from '../domain/stored-match.ts';
import type { StoredTicket } from '../domain/stored-ticket.ts';
import { DEFINITION_AGE_MS } from '../domain/timing.ts';
import type { FormingMatch, SingleMatchStore } from '../ports/match-store.ts';
import type { QueueStore } from '../ports/queue-store.ts';
import type { TicketStore } from '../ports/ticket-store.ts';
import { markLinked, type ScheduleDeps, wake } from '../waking/schedule.ts';
import { type OffenceDeps, recordOffences } from './record-offences.ts';

export interface ReturnDeps extends ScheduleDeps, OffenceDeps {
  readonly tickets: TicketStore;
  readonly matches: SingleMatchStore;
}

/** The maximum of tickets that are returned concurrently. */
const RETURNS_AT_ONCE = 16;
/** The maximum of tickets in one read. */
const READ_AT_ONCE = 100;

/**
 * Returns the tickets of an abandoned match to the pool. Tickets that have left the match do not change, so repeating it changes
 * nothing. A ticket is cancelled if none of its queues exists.
 *
 * A linked ticket returns to its home, and its entries have stayed. If its home no longer exists, it returns to its other queues
 * as from a match that players have seen.
 * @returns the number of tickets that were in the match and are waiting now
 */
export async function returnTickets(
  deps: PlaceDeps,
  record: QueueRecord | undefined,
  match: FormingMatch,
  nowMs: number,
): Promise<number> {
  const { matchId } = match;
  let waiting = 0;
  await eachTicketIn(deps, match, async (ticket) => {
    const { queue } = homeOf(ticket);
    const isHome = ticket.views === undefined || queue === record?.definition.name;
    const home = isHome ? record : await deps.queues.get(queue, DEFINITION_AGE_MS);
    const place =
      home === undefined && ticket.views !== undefined
        ? await placeOf(deps, ticket, record, nowMs)
        : home && { ticket, layout: layoutAt(home.layouts, nowMs) };
    if (place === undefined)
      return deps.tickets.cancelWithMatch(ticket.ticketId, matchId, QUEUE_DELETED, nowMs);
    waiting++;
    return deps.tickets.release(place.ticket, matchId, place.layout, home === undefined, nowMs);
  });
  return waiting;
}

interface PlaceDeps {
  readonly tickets: TicketStore;
  readonly queues: QueueStore;
}

/** The pool to which a ticket returns. */
interface Place {
  /** The ticket. If it is linked, it has the keys of its next entries, in the queues that exist. */
  readonly ticket: StoredTicket;
  /** The layout of its home. */
  readonly layout: BucketLayout;
  readonly records: readonly QueueRecord[];
}

/** The pool to which a ticket of this queue's match returns; undefined when none of its queues exists. */
async function placeOf(
  { queues }: Pick<PlaceDeps, 'queues'>,
  ticket: StoredTicket,
  record: QueueRecord | undefined,
  nowMs: number,
): Promise<Place | undefined> {
  const own = viewsOf(ticket);
  const found = await Promise.all(
    own.map(({ queue }) =>
      queue === record?.definition.name || ticket.views === undefined
        ? record
        : queues.get(queue, DEFINITION_AGE_MS),
    ),
  );
  const records = found.flatMap((one) => one ?? []);
  if (records.length === 0) return undefined;
  const byName = new Map(records.map((one) => [one.definition.name, one]));
  const views = placedViews(ticket.ticketId, own, byName, nowMs);
  const placed = ticket.views === undefined ? ticket : { ...ticket, views };
  const home = byName.get(homeOf(placed).queue)!;
  if (ticket.views !== undefined) await markLinked(queues, views, byName, nowMs);
  return { ticket: placed, layout: layoutAt(home.layouts, nowMs), records };
}

const QUEUE_DELETED: Why = { reason: 'its queue was deleted', reasonCode: 'QUEUE_DELETED' };

/**
 * Returns the tickets of a match that was dissolved, or was not placed in a queue that requeues. After a crash it returns the
 * remaining ones. What happens to each ticket follows from the match and the ticket: see `domain/returning.ts`. If the queue no
 * longer exists, the tickets that would return are cancelled.
 *
 *     record   offences of the players who have declined or not answered, if the queue has cooldowns for them:
 *              see `record-offences.ts`. This precedes the return, so that a repetition finds the ticket in the match. Until then
 *              the players can queue again: for a moment, or for a minute after a crash
 *     return   each ticket by a conditional write. Every reader has seen its new status since the match has FAILED
 *     wake     the queues of the tickets that return
 *     end      the match's deadline. A crash before it: a repeated request, or `deadline`, which finds the match overdue, returns
 *              the remaining tickets
 */
export async function returnDissolved(deps: ReturnDeps, match: StoredMatch, nowMs: number): Promise<void> {
  const { matchId, requeued, cancelled } = match;
  const awake = new Map<string, QueueRecord>();
  const record = await deps.queues.get(match.queue, DEFINITION_AGE_MS);
  await eachTicketIn(deps, match, async (ticket) => {
    const { ticketId } = ticket;
    const { becomes, ...why } = fateOf(match, ticket);
    if (becomes === 'FAILED') return deps.tickets.failWithMatch(ticketId, matchId, why, nowMs);
    if (becomes === 'CANCELLED') {
      const atFault = playersAtFault(match, ticketId);
      if (record !== undefined && !isUnheard(match, record, nowMs))
        await recordOffences(deps, record.definition, offenceOf(match, nowMs), atFault, nowMs);
      return deps.tickets.cancelWithMatch(ticketId, matchId, why, nowMs);
    }
    const place = await placeOf(deps, ticket, record, nowMs);
    if (place === undefined) return deps.tickets.cancelWithMatch(ticketId, matchId, QUEUE_DELETED, nowMs);
    for (const one of place.records) awake.set(one.definition.name, one);
    // The other tickets have not failed because a player has left.
    return requeued && cancelled === undefined
      ? deps.tickets.requeue(place.ticket, matchId, place.layout, nowMs)
      : deps.tickets.release(place.ticket, matchId, place.layout, true, nowMs);
  });
  for (const one of awake.values()) await wake(deps, one, nowMs);
  await deps.matches.ticketsReturned(matchId);
}

/** Whether answers may be missing because the service does not receive the players' requests. A decline was received. */
function isUnheard(
  { declined }: StoredMatch,
  { presenceHeldUntilMs = 0 }: QueueRecord,
  nowMs: number,
): boolean {
  return declined === undefined && presenceHeldUntilMs > nowMs;
}

/** The deadline of a dissolved match is the time of the dissolution, so every repetition has the same time. */
function offenceOf({ matchId, deadline }: StoredMatch, nowMs: number): Offence {
  return { kind: 'decline', matchId, atMs: deadline === undefined ? nowMs : Date.parse(deadline) };
}

/** Runs a task for each ticket that is still in a match. */
async function eachTicketIn(
  { tickets }: { readonly tickets: TicketStore },
  { matchId, ticketIds }: FormingMatch,
  leave: (ticket: StoredTicket) => Promise<void>,
): Promise<void> {
  for (let at = 0; at < ticketIds.length; at += READ_AT_ONCE) {
    const found = await tickets.getMany(ticketIds.slice(at, at + READ_AT_ONCE));
    const inMatch = [...found.values()].filter((ticket) => ticket.matchId === matchId && !hasEnded(ticket));
    await inParallel(inMatch, RETURNS_AT_ONCE, leave);
  }
}

/** Whether a ticket has ended. One that has ended with its match still names the match. */
function hasEnded({ status }: StoredTicket): boolean {
  return status === 'CANCELLED' || status === 'FAILED';
}
