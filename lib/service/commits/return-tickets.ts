import type { Why } from '../../contract/reason-code.ts';
import { inParallel } from '../concurrency/in-parallel.ts';
import { layoutAt } from '../domain/buckets.ts';
import type { Offence } from '../domain/cooldowns.ts';
import type { QueueRecord } from '../domain/queue-record.ts';
import { fateOf, hasNotAccepted } from '../domain/returning.ts';
import type { StoredMatch } from '../domain/stored-match.ts';
import type { StoredTicket } from '../domain/stored-ticket.ts';
import { DEFINITION_AGE_MS } from '../domain/timing.ts';
import type { FormingMatch, SingleMatchStore } from '../ports/match-store.ts';
import type { TicketStore } from '../ports/ticket-store.ts';
import { type ScheduleDeps, wake } from '../waking/schedule.ts';
import { noteOffences, type OffenceDeps } from './note-offences.ts';

export interface ReturnDeps extends ScheduleDeps, OffenceDeps {
  readonly tickets: TicketStore;
  readonly matches: SingleMatchStore;
}

/** The maximum of tickets that are returned concurrently. */
const RETURNS_AT_ONCE = 16;
/** The maximum of tickets that are read at once. */
const READ_AT_ONCE = 100;

/**
 * Returns the tickets of an abandoned match to the pool. Tickets that are no longer in the match are left alone, so repeating
 * it changes nothing. If the queue does not exist any more, the tickets are cancelled.
 * @returns the number of tickets that were in the match and are waiting now
 */
export async function returnTickets(
  deps: { readonly tickets: TicketStore },
  record: QueueRecord | undefined,
  match: FormingMatch,
  nowMs: number,
): Promise<number> {
  const inMatch = await eachTicketIn(deps, match, (ticket) =>
    record === undefined
      ? deps.tickets.cancelWithMatch(ticket.ticketId, match.matchId, QUEUE_DELETED, nowMs)
      : deps.tickets.release(ticket, match.matchId, layoutAt(record.layouts, nowMs), false),
  );
  return record === undefined ? 0 : inMatch.length;
}

const QUEUE_DELETED: Why = { reason: 'its queue was deleted', reasonCode: 'QUEUE_DELETED' };

/**
 * Returns the tickets of a match that was dissolved, or was not placed in a queue that requeues; also those that a crash has
 * left in it. What becomes of each ticket follows from the match and the ticket: see `domain/returning.ts`. If the queue does
 * not exist any more, the tickets that would return are cancelled.
 *
 *     note      the players of a ticket that is cancelled because it has not accepted, if the queue has cooldowns for that: see
 *               `note-offences.ts`. Before the ticket leaves the match, so that a repetition finds it. Until then the players
 *               can queue again: a moment, or a minute after a crash
 *     return    each ticket by a conditional write. Every reader has seen its new status since the match has FAILED
 *     wake      the queue
 *     end       the match's deadline. A crash before it: a repeated request, or `deadline`, which finds the match overdue,
 *               returns the remaining tickets
 */
export async function returnDissolved(deps: ReturnDeps, match: StoredMatch, nowMs: number): Promise<void> {
  const { matchId, requeued, cancelled } = match;
  const record = await deps.queues.get(match.queue, DEFINITION_AGE_MS);
  const left = await eachTicketIn(deps, match, async (ticket) => {
    const { ticketId } = ticket;
    const { becomes, ...why } = fateOf(match, ticket);
    if (becomes === 'FAILED') return deps.tickets.failWithMatch(ticketId, matchId, why, nowMs);
    if (becomes === 'CANCELLED') {
      if (record !== undefined && hasNotAccepted(match, ticketId) && !isUnheard(match, record, nowMs))
        await noteOffences(deps, record.definition, offenceOf(match, nowMs), playerIdsOf(ticket), nowMs);
      return deps.tickets.cancelWithMatch(ticketId, matchId, why, nowMs);
    }
    if (record === undefined) return deps.tickets.cancelWithMatch(ticketId, matchId, QUEUE_DELETED, nowMs);
    const layout = layoutAt(record.layouts, nowMs);
    // That a player has left is no failure of the others.
    return requeued && cancelled === undefined
      ? deps.tickets.requeue(ticket, matchId, layout)
      : deps.tickets.release(ticket, matchId, layout, true);
  });
  const isWaiting = (ticket: StoredTicket) => fateOf(match, ticket).becomes === 'QUEUED';
  if (record !== undefined && left.some(isWaiting)) await wake(deps, record, nowMs);
  await deps.matches.ticketsReturned(matchId);
}

/** Whether answers may be missing because the service does not hear its players. A ticket that has declined was heard. */
function isUnheard(
  { declinedBy }: StoredMatch,
  { presenceHeldUntilMs = 0 }: QueueRecord,
  nowMs: number,
): boolean {
  return declinedBy === undefined && presenceHeldUntilMs > nowMs;
}

/** The deadline of a dissolved match is the time at which it was dissolved, the same at every repetition. */
function offenceOf({ matchId, deadline }: StoredMatch, nowMs: number): Offence {
  return { kind: 'decline', matchId, atMs: deadline === undefined ? nowMs : Date.parse(deadline) };
}

const playerIdsOf = ({ players }: StoredTicket) => players.map(({ playerId }) => playerId);

/** Does something with each ticket that is still in a match. Returns these tickets as they were. */
async function eachTicketIn(
  { tickets }: { readonly tickets: TicketStore },
  { matchId, ticketIds }: FormingMatch,
  leave: (ticket: StoredTicket) => Promise<void>,
): Promise<StoredTicket[]> {
  const all: StoredTicket[] = [];
  for (let at = 0; at < ticketIds.length; at += READ_AT_ONCE) {
    const found = await tickets.getMany(ticketIds.slice(at, at + READ_AT_ONCE));
    const inMatch = [...found.values()].filter((ticket) => ticket.matchId === matchId && !hasEnded(ticket));
    await inParallel(inMatch, RETURNS_AT_ONCE, leave);
    all.push(...inMatch);
  }
  return all;
}

/** A ticket that has ended with its match still names it. */
function hasEnded({ status }: StoredTicket): boolean {
  return status === 'CANCELLED' || status === 'FAILED';
}
