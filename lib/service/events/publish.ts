import type { EventType } from '../../contract/event-type.ts';
import type { MusterEvent } from '../../contract/events.ts';
import type { QueueDefinition } from '../../contract/queue-definition.ts';
import { type StoredMatch, toMatchView } from '../placement/stored-match.ts';
import type { EventBus } from '../ports/event-bus.ts';
import type { QueueStore } from '../ports/queue-store.ts';
import { type StoredTicket, toView } from '../tickets/stored-ticket.ts';
import { subscribers } from './subscribers.ts';

/** One write to the tickets or the matches table, as its stream tells it. */
export type Change = {
  /** The same whenever the stream hands out this change again. */
  readonly changeId: string;
  readonly atMs: number;
} & (
  | { readonly table: 'tickets'; readonly before: StoredTicket | undefined; readonly after: StoredTicket }
  | { readonly table: 'matches'; readonly before: StoredMatch | undefined; readonly after: StoredMatch }
);

/** The events after which a match may be PLACING. */
const PLACED_BY: readonly EventType[] = ['MatchFound', 'MatchAccepted'];

/** What routes an event inside Muster: EventBridge rules look for these in its resources. */
export const MARKS = { webhooks: 'webhooks/', httpProvisioner: 'provisioner/http' } as const;

/**
 * Puts what has happened on the event bus. Answers the indexes of changes that must be tried again.
 *
 * The stream hands out a change until it is published, so every event is published at least once; its
 * id comes from the change, so every delivery of it has the same.
 */
export async function publish(
  deps: { readonly queues: QueueStore; readonly bus: EventBus },
  changes: readonly Change[],
): Promise<number[]> {
  const definitions = new Map<string, QueueDefinition | undefined>();
  for (const queue of new Set(changes.map(({ after }) => after.queue))) {
    definitions.set(queue, (await deps.queues.get(queue))?.definition);
  }
  const outgoing = changes.flatMap((change, index) => {
    const event = toEvent(change);
    if (event === undefined) return [];
    const definition = definitions.get(event.queue);
    const marks = marksOf(event, definition);
    const wanted = definition?.events?.includes(event.type) ?? true;
    return wanted || marks.length > 0 || hasDeadline(change) ? [{ index, event, marks }] : [];
  });
  if (outgoing.length === 0) return [];
  const refused = await deps.bus.publish(outgoing);
  return refused.map((i) => outgoing[i]!.index);
}

/** The event a change is, if it is one: a write that moves no status is none. */
export function toEvent(change: Change): MusterEvent | undefined {
  const type = change.table === 'tickets' ? ticketEvent(change) : matchEvent(change);
  if (type === undefined) return undefined;
  return {
    type,
    eventId: change.changeId,
    time: new Date(Math.max(change.atMs, begunMs(change))).toISOString(),
    queue: change.after.queue,
    ...(change.table === 'tickets' ? { ticket: toView(change.after) } : { match: toMatchView(change.after) }),
  };
}

/** Streams tell whole seconds: an event must not seem older than what it tells of. */
function begunMs(change: Change): number {
  return Date.parse(change.table === 'tickets' ? change.after.enqueuedAt : change.after.createdAt);
}

function ticketEvent({ before, after }: Change & { table: 'tickets' }): EventType | undefined {
  if (before?.status === after.status) return undefined;
  if (after.status === 'QUEUED') return 'TicketQueued';
  if (after.status === 'CANCELLED') return 'TicketCancelled';
  if (after.status === 'TIMED_OUT') return 'TicketTimedOut';
  return undefined;
}

function matchEvent({ before, after }: Change & { table: 'matches' }): EventType | undefined {
  if (before === undefined) return 'MatchFound';
  if (before.assignment === undefined && after.assignment !== undefined) return 'MatchAssigned';
  if (before.status === after.status) return undefined;
  if (after.status === 'FAILED') return 'MatchFailed';
  return before.status === 'REQUIRES_ACCEPTANCE' ? 'MatchAccepted' : undefined;
}

function marksOf(event: MusterEvent, definition: QueueDefinition | undefined): string[] {
  const marks: string[] = [];
  if (subscribers(definition, event.type).length > 0) marks.push(`${MARKS.webhooks}${event.queue}`);
  if (definition?.provisioner?.type === 'http' && PLACED_BY.includes(event.type))
    marks.push(MARKS.httpProvisioner);
  return marks;
}

/** Somebody has to look after the match when its time is up, whoever else wants to hear of it. */
function hasDeadline(change: Change): boolean {
  return change.table === 'matches' && change.after.deadline !== undefined;
}
