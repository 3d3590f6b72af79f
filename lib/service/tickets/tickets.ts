import { Problem } from '../../contract/problem.ts';
import { isFinal, type TicketStatus } from '../../contract/ticket.ts';
import type { Clock } from '../ports/clock.ts';
import type { MatchStore } from '../ports/match-store.ts';
import type { QueueStore } from '../ports/queue-store.ts';
import type { RangeStore } from '../ports/range-store.ts';
import type { TicketStore } from '../ports/ticket-store.ts';
import type { StoredTicket } from './stored-ticket.ts';
import { type TicketAndMatch, withMatch, withMatchStatus } from './ticket-status.ts';
import { whyWaiting } from './why-waiting.ts';

export interface TicketDeps {
  readonly tickets: TicketStore;
  readonly matches: MatchStore;
  readonly queues: QueueStore;
}
export interface ReadDeps extends TicketDeps {
  readonly ranges: RangeStore;
  readonly clock: Clock;
}

/** The intervals at which a long poll reads the ticket: short at first, then longer. */
const POLL_MS = [100, 150, 250, 250, 500] as const;
const POLL_MAX_MS = 1_000;

/** The options for reading a ticket. */
export interface ReadOptions {
  /** How long to wait for a change, in milliseconds. @default 0 */
  readonly waitMs?: number;
  /** The last status that the client has seen; any other is a change. @default the status at the first read */
  readonly seen?: TicketStatus | undefined;
  /** Whether to explain why a ticket is waiting, which runs a search. @default false */
  readonly explain?: boolean | undefined;
}

/**
 * The current state of a ticket. With `waitMs`, returns as soon as there is a change: another status, another match, or
 * a match that the ticket has not accepted yet. A final status is returned immediately. A party that has accepted waits
 * for the others.
 * @throws Problem (404)
 */
export async function getTicket(
  deps: ReadDeps,
  ticketId: string,
  { waitMs = 0, seen, explain = false }: ReadOptions = {},
): Promise<StoredTicket> {
  const untilMs = deps.clock.now() + waitMs;
  const first = await current(deps, ticketId);
  const known = { status: seen ?? first.ticket.status, matchId: first.ticket.matchId };
  let latest = first;
  for (let look = 0; deps.clock.now() < untilMs && !isNews(latest, known); look++) {
    await deps.clock.sleep(Math.min(POLL_MS[look] ?? POLL_MAX_MS, untilMs - deps.clock.now()));
    latest = await current(deps, ticketId);
  }
  const { ticket } = latest;
  return explain && ticket.status === 'QUEUED'
    ? { ...ticket, reason: await whyWaiting(deps, ticket) }
    : ticket;
}

function isNews(
  { ticket, match }: TicketAndMatch,
  known: { readonly status: TicketStatus; readonly matchId: string | undefined },
): boolean {
  const { status, matchId } = ticket;
  const mustAccept = status === 'REQUIRES_ACCEPTANCE' && !match?.accepted?.includes(ticket.ticketId);
  return isFinal(status) || mustAccept || status !== known.status || matchId !== known.matchId;
}

/**
 * Cancels a ticket that is QUEUED, by one conditional write. Either the ticket is cancelled or a tick matches it.
 * @throws Problem 404 no such ticket, 409 it is no longer QUEUED
 */
export async function cancelTicket(deps: TicketDeps, ticketId: string, nowMs: number): Promise<StoredTicket> {
  const result = await deps.tickets.end(ticketId, 'CANCELLED', 'cancelled by the client', nowMs);
  if (result === undefined) throw unknownTicket(ticketId);
  if (result.ended) return result.ticket;
  const { status } = await withMatchStatus(deps, result.ticket);
  throw new Problem(409, `Ticket ${ticketId} is ${status}; only a QUEUED ticket can be cancelled.`, {
    extensions: { ticketStatus: status },
  });
}

export function unknownTicket(ticketId: string): Problem {
  return new Problem(
    404,
    `There is no ticket ${JSON.stringify(ticketId)}. Tickets are kept for a day after their end.`,
  );
}

async function current(deps: TicketDeps, ticketId: string): Promise<TicketAndMatch> {
  const ticket = await deps.tickets.get(ticketId);
  if (ticket === undefined) throw unknownTicket(ticketId);
  return withMatch(deps, ticket);
}
