import type { EventType, MatchEventType, TicketEventType } from '../../contract/event-type.ts';
import type { MusterEvent } from '../../contract/events.ts';
import type { ProvisionerOptions, QueueDefinition } from '../../contract/queue-definition.ts';
import type { TicketStatus } from '../../contract/ticket.ts';
import { allOf } from '../concurrency/in-parallel.ts';
import { eventOf, MATCH, TICKET } from '../domain/statuses.ts';
import { type StoredMatch, toMatchView } from '../domain/stored-match.ts';
import { type StoredTicket, toTicketView } from '../domain/stored-ticket.ts';
import { isOnBus, subscribers } from '../domain/subscribers.ts';
import { DEFINITION_AGE_MS } from '../domain/timing.ts';
import { UnreadableQueue, unlessUnreadable } from '../domain/unreadable.ts';
import type { EventBus } from '../ports/event-bus.ts';
import type { QueueStore } from '../ports/queue-store.ts';
import { fitted } from './fit-event.ts';

/** One write to the tickets or the matches table, as its stream reports it. */
export type Change = TicketChange | MatchChange;

export interface TicketChange extends StreamPosition {
  readonly table: 'tickets';
  readonly before: StoredTicket | undefined;
  readonly after: StoredTicket;
}

export interface MatchChange extends StreamPosition {
  readonly table: 'matches';
  readonly before: StoredMatch | undefined;
  readonly after: StoredMatch;
}

interface StreamPosition {
  /** Every delivery of this change by the stream has this id. */
  readonly changeId: string;
  readonly atMs: number;
}

/** The events after which a match may be PLACING. */
const PLACED_BY: readonly EventType[] = ['MatchFound', 'MatchAccepted'];

/**
 * The consumers inside Muster that an event is sent to. EventBridge rules match them in its resources. `httpProvisioner`: the
 * function that calls provisioners over HTTP, including Agones. `rate`: the function that rates the players of a match by its
 * result.
 */
export const DESTINATIONS = {
  webhooks: 'webhooks/',
  httpProvisioner: 'provisioner/http',
  gameLift: 'provisioner/gamelift',
  rate: 'rate',
} as const;

/** The consumer that places matches, by the provisioner of their queue; undefined where Muster calls none. */
const PLACED_AT: Readonly<Record<ProvisionerOptions['type'], string | undefined>> = {
  none: undefined,
  external: undefined,
  http: DESTINATIONS.httpProvisioner,
  agones: DESTINATIONS.httpProvisioner,
  gamelift: DESTINATIONS.gameLift,
};

export interface PublishDeps {
  readonly queues: QueueStore;
  readonly bus: EventBus;
}

/**
 * Publishes changes as events on the event bus. Returns the indexes of changes that must be retried.
 *
 * The stream delivers a change until it is published, so every event is published at least once. The event's id is derived from
 * the change, so every delivery of the event has the same id.
 *
 *     read the queues   the receivers of a queue that cannot be read are unknown, so its events go to all of them. Each reads the
 *                       queue itself: `notify` keeps the event until the queue can be read, and `provision` tries again
 *     put on the bus    a crash after it: put again, with the same ids
 */
export async function publish(deps: PublishDeps, changes: readonly Change[]): Promise<number[]> {
  const names = [...new Set(changes.map(({ after }) => after.queue))];
  const found = await allOf(names.map(async (name) => [name, await definitionOf(deps, name)] as const));
  const definitions = new Map(found);
  const outgoing: { index: number; event: MusterEvent; destinations: readonly string[] }[] = [];
  for (const [index, change] of changes.entries()) {
    const event = toEvent(change);
    if (event === undefined) continue;
    const definition = definitions.get(event.queue);
    const destinations = destinationsOf(event, definition);
    const isSubscribed = !(definition instanceof UnreadableQueue) && isOnBus(definition, event.type);
    if (isSubscribed || destinations.length > 0 || hasDeadline(change))
      outgoing.push({ index, event: fitted(event), destinations });
  }
  if (outgoing.length === 0) return [];
  const refused = await deps.bus.publish(outgoing);
  return refused.map((i) => outgoing[i]!.index);
}

type MaybeDefinition = QueueDefinition | undefined | UnreadableQueue;

function definitionOf({ queues }: PublishDeps, queue: string): Promise<MaybeDefinition> {
  return unlessUnreadable(async () => (await queues.get(queue, DEFINITION_AGE_MS))?.definition);
}

/** The event of a change; undefined when the change is no event. */
export function toEvent(change: Change): MusterEvent | undefined {
  if (change.table === 'tickets') {
    const type = eventOf(TICKET, change.before, change.after) as TicketEventType | undefined;
    if (type === undefined) return undefined;
    // Statuses that clients do not see have no event.
    const status = change.after.status as TicketStatus;
    const ticket = toTicketView({ ...change.after, status });
    return { type, ...aboutOf(change, change.after.enqueuedAt), ticket };
  }
  const type = eventOf(MATCH, change.before, change.after) as MatchEventType | undefined;
  if (type === undefined) return undefined;
  return {
    type,
    ...aboutOf(change, change.after.createdAt),
    match: toMatchView(change.after),
    ...(change.before?.status !== 'COMPLETED' && change.after.status === 'COMPLETED' && { ready: true }),
  };
}

/** @param begunAt the event's time is not earlier than this, because stream times are truncated to whole seconds */
function aboutOf({ changeId, atMs, after }: Change, begunAt: string) {
  const time = new Date(Math.max(atMs, Date.parse(begunAt))).toISOString();
  return { eventId: changeId, time, queue: after.queue };
}

function destinationsOf(event: MusterEvent, definition: MaybeDefinition): string[] {
  const destinations: string[] = [];
  const isUnreadable = definition instanceof UnreadableQueue;
  if (isUnreadable || subscribers(definition, event.type).length > 0)
    destinations.push(`${DESTINATIONS.webhooks}${event.queue}`);
  const placedAt = isUnreadable
    ? [DESTINATIONS.httpProvisioner, DESTINATIONS.gameLift]
    : [PLACED_AT[definition?.provisioner?.type ?? 'none'] ?? []].flat();
  if (PLACED_BY.includes(event.type)) destinations.push(...placedAt);
  if (event.type === 'MatchEnded' && event.match.result?.ranks !== undefined)
    destinations.push(DESTINATIONS.rate);
  return destinations;
}

/** Whether the match has a deadline. Its events are always published, because `deadline` needs them even without a subscriber. */
function hasDeadline(change: Change): boolean {
  if (change.table !== 'matches' || change.after.deadline === undefined) return false;
  // A dissolved match also has a deadline, but needs no event for it: its tickets are returned by the function that dissolves it.
  return change.after.status !== 'FAILED' || change.after.requeued === true;
}
