import { Problem } from '../../contract/problem.ts';
import { isFinal } from '../../contract/ticket.ts';
import { planTick } from '../../policies/plan.ts';
import type { Clock } from '../ports/clock.ts';
import type { MatchStore } from '../ports/match-store.ts';
import type { QueueStore } from '../ports/queue-store.ts';
import type { RangeStore } from '../ports/range-store.ts';
import type { TicketStore } from '../ports/ticket-store.ts';
import type { QueueRecord } from '../queues/queue-record.ts';
import { poolOrder, rangeName, rangesAround } from '../ticks/buckets.ts';
import { misfits } from './misfits.ts';
import { type StoredTicket, toEngineTicket } from './stored-ticket.ts';
import { withMatchStatus } from './ticket-status.ts';

export interface TicketDeps {
  readonly tickets: TicketStore;
  readonly matches: MatchStore;
  readonly queues: QueueStore;
}
export interface ReadDeps extends TicketDeps {
  readonly ranges: RangeStore;
  readonly clock: Clock;
}

/** Waits between two looks at a ticket that is being long-polled: quick at first, then calmer. */
const POLL_MS = [100, 150, 250, 250, 500] as const;
const POLL_MAX_MS = 1_000;

/**
 * A ticket as it is now. With `waitMs`, answers as soon as its status changes; at once when it is final
 * or the client has to accept; at the latest when the time is up.
 * @throws Problem (404)
 */
export async function getTicket(deps: ReadDeps, ticketId: string, waitMs = 0): Promise<StoredTicket> {
  const untilMs = deps.clock.now() + waitMs;
  const first = await current(deps, ticketId);
  let ticket = first;
  for (let look = 0; deps.clock.now() < untilMs; look++) {
    if (ticket.status !== first.status || isFinal(ticket.status) || ticket.status === 'REQUIRES_ACCEPTANCE')
      break;
    await deps.clock.sleep(Math.min(POLL_MS[look] ?? POLL_MAX_MS, untilMs - deps.clock.now()));
    ticket = await current(deps, ticketId);
  }
  return ticket.status === 'QUEUED' ? { ...ticket, reason: await whyWaiting(deps, ticket) } : ticket;
}

/**
 * Cancels a ticket that is QUEUED, by one conditional write: it either wins against every tick or
 * loses to one.
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

async function current(deps: TicketDeps, ticketId: string): Promise<StoredTicket> {
  const ticket = await deps.tickets.get(ticketId);
  if (ticket === undefined) throw unknownTicket(ticketId);
  return withMatchStatus(deps, ticket);
}

/** Neighbours on each side that an explanation looks at: enough for every game a ticket is likely in. */
const NEIGHBOURS = 40;

/** Plans a tick among the ticket's neighbours, changes nothing, and tells what it says of this ticket. */
async function whyWaiting(deps: ReadDeps, ticket: StoredTicket): Promise<string> {
  const record = await deps.queues.get(ticket.queue);
  if (record === undefined) return 'its queue was deleted';
  const fits = ({ players }: StoredTicket) => misfits(players, record.definition).length === 0;
  if (!fits(ticket))
    return 'the queue was changed and the ticket no longer fits it; the next tick cancels it';
  const [stored, memory] = await Promise.all([
    deps.tickets.neighbours(ticket, record.plans, NEIGHBOURS),
    lastMemory(deps, record, ticket),
  ]);
  const others = stored.filter((other) => other.ticketId !== ticket.ticketId && fits(other));
  const plan = planTick({
    rules: record.definition,
    tickets: [ticket, ...others].map(toEngineTicket),
    nowMs: deps.clock.now(),
    memory,
    timeouts: false,
  });
  return (
    plan.waiting.find(({ ticketId }) => ticketId === ticket.ticketId)?.reason ??
    'a match is within reach; the next tick decides'
  );
}

/** What the last tick that searched this ticket's skill has learned. */
async function lastMemory(deps: ReadDeps, record: QueueRecord, ticket: StoredTicket) {
  const order = poolOrder(ticket.ticketId, ticket.players);
  const names = new Set(record.plans.flatMap((plan) => rangesAround(plan, order).map(rangeName)));
  const reports = await deps.ranges.reports(record.definition.name, [...names]);
  return [...reports.values()].sort((a, b) => b.slotMs - a.slotMs)[0]?.memory;
}
