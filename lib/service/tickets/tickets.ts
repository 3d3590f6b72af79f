import { conflict, Problem } from '../../contract/problem.ts';
import type { Why } from '../../contract/reason-code.ts';
import { isFinal, type TicketStatus } from '../../contract/ticket.ts';
import { fateOf } from '../domain/returning.ts';
import type { CurrentTicket, StoredTicket } from '../domain/stored-ticket.ts';
import type { Clock } from '../ports/clock.ts';
import type { SingleMatchStore } from '../ports/match-store.ts';
import type { QueueStore } from '../ports/queue-store.ts';
import type { RangeStore } from '../ports/range-store.ts';
import { StoreBusy } from '../ports/store-busy.ts';
import type { TicketStore } from '../ports/ticket-store.ts';
import { type TicketAndMatch, withMatch } from './ticket-status.ts';
import { whyWaiting } from './why-waiting.ts';

export interface TicketDeps {
  readonly tickets: TicketStore;
  readonly matches: SingleMatchStore;
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
): Promise<CurrentTicket> {
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

export interface CancelDeps extends Pick<TicketDeps, 'tickets' | 'matches'> {
  readonly clock: Clock;
}

/** The intervals at which a cancel looks whether the match of its ticket was created. A commit takes some 20 to 50 ms. */
const FORMING_MS = [20, 40, 80, 160] as const;
/** Each try after the first meets another match that has claimed the ticket. */
const CANCELS_MAX = 5;

/**
 * Cancels a ticket that is QUEUED. Either the ticket is cancelled or a tick matches it. A ticket that is CANCELLED stays as it
 * is, so a request whose response was lost can be repeated.
 *
 *     end       one conditional write: done, unless a tick has claimed the ticket for a match
 *     wait      a moment, until that match exists: the ticket cannot be cancelled any more
 *     abandon   the match, by a conditional write, so that it never exists. A crash after it: the ticket returns
 *               to the pool, and the request can be repeated
 *     end       the ticket, which is free of that match
 *
 * @throws Problem 404 no such ticket, 409 it has a match, or has ended in another way
 */
export async function cancelTicket(
  deps: CancelDeps,
  ticketId: string,
  nowMs: number,
): Promise<CurrentTicket> {
  let freedFrom: string | undefined;
  for (let attempt = 0; attempt < CANCELS_MAX; attempt++) {
    const result = await deps.tickets.end(ticketId, 'CANCELLED', BY_REQUEST, nowMs, freedFrom);
    if (result === undefined) throw unknownTicket(ticketId);
    const { ticket } = await (result.ended ? withMatch(deps, result.ticket) : formed(deps, result.ticket));
    if (result.ended || ticket.status === 'CANCELLED') return ticket;
    if (ticket.status !== 'QUEUED')
      throw conflict(
        'TICKET_NOT_QUEUED',
        `Ticket ${ticketId} is ${ticket.status}; only a QUEUED ticket can be cancelled.`,
        { ticketStatus: ticket.status },
      );
    freedFrom = await freed(deps, result.ticket, nowMs);
  }
  throw new StoreBusy(`ticks keep claiming ticket ${ticketId}`);
}

const BY_REQUEST: Why = { reason: 'cancelled by the client', reasonCode: 'CANCELLED_BY_REQUEST' };

/** The state of a ticket, after a moment in which the match that a tick forms for it may begin to exist. */
export async function formed(deps: CancelDeps, ticket: StoredTicket): Promise<TicketAndMatch> {
  let latest = await withMatch(deps, ticket);
  for (const ms of FORMING_MS) {
    if (latest.ticket.status !== 'QUEUED') break;
    await deps.clock.sleep(ms);
    latest = await withMatch(deps, (await deps.tickets.get(ticket.ticketId)) ?? ticket);
  }
  return latest;
}

/** The match of a ticket, if it does not exist and can never exist, or if it returns the ticket to the pool. */
export async function freed(
  deps: CancelDeps,
  ticket: StoredTicket,
  nowMs: number,
): Promise<string | undefined> {
  const { queue, ticketId, matchId } = ticket;
  if (matchId === undefined) return undefined;
  if ((await deps.matches.abandon(queue, { matchId, ticketIds: [ticketId] }, nowMs)) === 'abandoned')
    return matchId;
  const match = await deps.matches.get(matchId);
  return match?.status === 'FAILED' && fateOf(match, ticket).becomes === 'QUEUED' ? matchId : undefined;
}

export function unknownTicket(ticketId: string): Problem {
  return new Problem(
    404,
    `There is no ticket ${JSON.stringify(ticketId)}. Tickets are kept for a day after their end.`,
  );
}

async function current(
  deps: Pick<TicketDeps, 'tickets' | 'matches'>,
  ticketId: string,
): Promise<TicketAndMatch> {
  const ticket = await deps.tickets.get(ticketId);
  if (ticket === undefined) throw unknownTicket(ticketId);
  return withMatch(deps, ticket);
}
