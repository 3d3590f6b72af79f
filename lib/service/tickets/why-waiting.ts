import { planTick } from '../../policies/plan.ts';
import { poolOrder, rangeName, rangesAround } from '../domain/buckets.ts';
import { hasLinked } from '../domain/linked-ticket.ts';
import type { QueueRecord } from '../domain/queue-record.ts';
import { definitionAt, runningVariants } from '../domain/running-experiment.ts';
import { type QueuedTicket, type StoredTicket, toEngineTicket } from '../domain/stored-ticket.ts';
import { DEFINITION_AGE_MS } from '../domain/timing.ts';
import type { Clock } from '../ports/clock.ts';
import type { QueueStore } from '../ports/queue-store.ts';
import type { RangeStore } from '../ports/range-store.ts';
import type { TicketStore } from '../ports/ticket-store.ts';
import { misfits } from './misfits.ts';

export interface ExplainDeps {
  readonly tickets: TicketStore;
  readonly queues: QueueStore;
  readonly ranges: RangeStore;
  readonly clock: Clock;
}

/** The neighbours read on each side: enough for every game that the ticket is likely to be in. */
const NEIGHBOURS = 40;
/** The time limit of the search for an explanation. */
export const SEARCH_MS = 1_000;

/**
 * Explains why a ticket is waiting. It plans a tick among the ticket's neighbours without storing anything, and returns the
 * plan's reason for this ticket. It explains a linked ticket in one of its queues: see `inQueue`. During an experiment it uses
 * the variant in force. It reads the pool and searches 81 tickets, so do not call it for every poll.
 */
export async function whyWaiting(
  deps: ExplainDeps,
  ticket: QueuedTicket,
  searchMs = SEARCH_MS,
): Promise<string> {
  const record = await deps.queues.get(ticket.queue, DEFINITION_AGE_MS);
  if (record === undefined) return 'its queue was deleted';
  const variants = runningVariants(record, deps.clock.now());
  const fits = (one: StoredTicket) => misfits(one, record.definition, variants).length === 0;
  if (!fits(ticket))
    return 'the queue was changed and the ticket no longer fits it; the next tick cancels it';
  const isDivided = record.layouts.at(-1)!.boundaries.length > 0;
  const [stored, memory, queueMemory] = await Promise.all([
    deps.tickets.neighbours(ticket, record.layouts, NEIGHBOURS, hasLinked(record, deps.clock.now())),
    lastMemory(deps, record, ticket),
    isDivided ? deps.ranges.arrivals(ticket.queue) : undefined,
  ]);
  const others = stored.filter((other) => other.ticketId !== ticket.ticketId && fits(other));
  const endMs = deps.clock.now() + searchMs;
  const plan = planTick({
    rules: definitionAt(record, deps.clock.now()),
    tickets: [ticket, ...others].map((one) => toEngineTicket(one, record.definition)),
    nowMs: deps.clock.now(),
    memory,
    queueMemory,
    timeouts: false,
    reasons: ticket.ticketId,
    outOfTime: () => deps.clock.now() >= endMs,
  });
  const { reason = 'A match is within reach; the next tick decides.' } =
    plan.waiting.find(({ ticketId }) => ticketId === ticket.ticketId) ?? {};
  return record.deletedAt === undefined
    ? reason
    : `${reason} The queue was deleted at ${record.deletedAt} and takes no more tickets.`;
}

/** The memory of the last tick that searched a range with this ticket's skill. */
async function lastMemory(deps: ExplainDeps, record: QueueRecord, ticket: QueuedTicket) {
  const order = poolOrder(ticket.ticketId, ticket.players);
  const names = new Set(record.layouts.flatMap((layout) => rangesAround(layout, order).map(rangeName)));
  const reports = await deps.ranges.reports(record.definition.name, [...names]);
  return [...reports.values()].sort((a, b) => b.slotMs - a.slotMs)[0]?.memory;
}
