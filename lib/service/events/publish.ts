import type { EventType, MatchEventType, TicketEventType } from '../../contract/event-type.ts';
import type { MusterEvent } from '../../contract/events.ts';
import type { ProvisionerOptions, QueueDefinition } from '../../contract/queue-definition.ts';
import type { TicketStatus } from '../../contract/ticket.ts';
import { allOf } from '../concurrency/all-of.ts';
import { DEFINITION_AGE_MS } from '../domain/definition-age.ts';
import type { ParkedEvent } from '../domain/parked-event.ts';
import { eventOf, MATCH, TICKET } from '../domain/statuses.ts';
import { type StoredMatch, toMatchView } from '../domain/stored-match.ts';
import { type StoredTicket, toTicketView } from '../domain/stored-ticket.ts';
import { isOnBus, subscribers } from '../domain/subscribers.ts';
import { UnreadableQueue, unlessUnreadable } from '../domain/unreadable.ts';
import type { EventBus } from '../ports/event-bus.ts';
import type { EventParking } from '../ports/event-parking.ts';
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
  /** The same for every delivery of this change by the stream. */
  readonly changeId: string;
  readonly atMs: number;
}

/** The events after which a match may be PLACING. */
const PLACED_BY: readonly EventType[] = ['MatchFound', 'MatchAccepted'];

/**
 * The consumers inside Muster that an event is sent to: EventBridge rules look for these in its resources.
 * `httpProvisioner`: the function that calls provisioners over HTTP, which Agones is too. `rate`: the function that rates
 * the players of a match by its result.
 */
export const DESTINATIONS = {
  webhooks: 'webhooks/',
  httpProvisioner: 'provisioner/http',
  gameLift: 'provisioner/gamelift',
  rate: 'rate',
} as const;

/** Where matches are sent to be placed, by the provisioner of their queue; undefined where Muster calls none. */
const PLACED_AT: Readonly<Record<ProvisionerOptions['type'], string | undefined>> = {
  none: undefined,
  external: undefined,
  http: DESTINATIONS.httpProvisioner,
  agones: DESTINATIONS.httpProvisioner,
  gamelift: DESTINATIONS.gameLift,
};

/**
 * How long a parked event waits for the next try: a tenth of its age, within these milliseconds. SQS keeps a message for 14 days,
 * and its 1,000 receives last for almost as long.
 */
const PARKED_MS = { min: 5_000, max: 1_200_000 } as const;

export interface PublishDeps {
  readonly queues: QueueStore;
  readonly bus: EventBus;
  readonly parking: EventParking;
}

/**
 * Publishes changes as events on the event bus. Returns the indexes of changes that must be retried.
 *
 * The stream delivers a change until it is published or parked, so every event is published at least once. The event's
 * id is derived from the change, so every delivery of the event has the same id.
 *
 *     read the queues   one that cannot be read concerns its own events only: their receivers are unknown
 *     park              the events of such queues, durably; {@link publishParked} publishes them when their queue can be
 *                       read. A crash after it: parked again, so published twice with the same ids
 *     put on the bus    the others. A crash after it: put again, with the same ids
 *
 * Receivers get events in no order, so an event that was parked needs no place among the others.
 */
export async function publish(deps: PublishDeps, changes: readonly Change[]): Promise<number[]> {
  const names = [...new Set(changes.map(({ after }) => after.queue))];
  const found = await allOf(names.map(async (name) => [name, await definitionOf(deps, name)] as const));
  const definitions = new Map(found);
  const outgoing: Outgoing[] = [];
  const parked = new Map<UnreadableQueue, ParkedEvent[]>();
  for (const [index, change] of changes.entries()) {
    const event = toEvent(change);
    if (event === undefined) continue;
    const told: ParkedEvent = { event: fitted(event), hasDeadline: hasDeadline(change) };
    const definition = definitions.get(event.queue);
    if (definition instanceof UnreadableQueue)
      parked.set(definition, [...(parked.get(definition) ?? []), told]);
    else outgoing.push(...outgoingOf(told, definition).map((one) => ({ ...one, index })));
  }
  await allOf([...parked].map(([why, events]) => deps.parking.park(events, why)));
  if (outgoing.length === 0) return [];
  const refused = await deps.bus.publish(outgoing);
  return refused.map((i) => outgoing[i]!.index);
}

/** `done`: it is published or has no receiver. `waiting`: its queue still cannot be read. `retry`: the bus rejected it. */
export type PublishedParked =
  | { readonly outcome: 'done' }
  | { readonly outcome: 'waiting'; readonly why: string; readonly afterMs: number }
  | { readonly outcome: 'retry'; readonly why: string };

/** Publishes an event that was parked, as soon as its queue can be read. A crash after it: published again. */
export async function publishParked(
  deps: Pick<PublishDeps, 'queues' | 'bus'>,
  parked: ParkedEvent,
  nowMs: number,
): Promise<PublishedParked> {
  const definition = await definitionOf(deps, parked.event.queue);
  if (definition instanceof UnreadableQueue) {
    const tenthMs = (nowMs - Date.parse(parked.event.time)) / 10;
    const afterMs = Math.min(PARKED_MS.max, Math.max(PARKED_MS.min, tenthMs));
    return { outcome: 'waiting', why: definition.message, afterMs };
  }
  const refused = await deps.bus.publish(outgoingOf(parked, definition));
  return refused.length === 0 ? { outcome: 'done' } : { outcome: 'retry', why: 'the bus rejected the event' };
}

function definitionOf(
  { queues }: Pick<PublishDeps, 'queues'>,
  queue: string,
): Promise<QueueDefinition | undefined | UnreadableQueue> {
  return unlessUnreadable(async () => (await queues.get(queue, DEFINITION_AGE_MS))?.definition);
}

interface Outgoing {
  /** Of its change. */
  readonly index: number;
  readonly event: MusterEvent;
  readonly destinations: readonly string[];
}

/** The event with its destinations; nothing when it has no receiver. */
function outgoingOf(
  { event, hasDeadline }: ParkedEvent,
  definition: QueueDefinition | undefined,
): Omit<Outgoing, 'index'>[] {
  const destinations = destinationsOf(event, definition);
  const isWanted = isOnBus(definition, event.type) || destinations.length > 0 || hasDeadline;
  return isWanted ? [{ event, destinations }] : [];
}

/** The event of a change; undefined when no status changed. */
export function toEvent(change: Change): MusterEvent | undefined {
  if (change.table === 'tickets') {
    const type = eventOf(TICKET, change.before, change.after) as TicketEventType | undefined;
    if (type === undefined) return undefined;
    // No event leads to a status that clients do not see.
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

function destinationsOf(event: MusterEvent, definition: QueueDefinition | undefined): string[] {
  const destinations: string[] = [];
  if (subscribers(definition, event.type).length > 0)
    destinations.push(`${DESTINATIONS.webhooks}${event.queue}`);
  const placedAt = PLACED_AT[definition?.provisioner?.type ?? 'none'];
  if (placedAt !== undefined && PLACED_BY.includes(event.type)) destinations.push(placedAt);
  if (event.type === 'MatchEnded' && event.match.result?.ranks !== undefined)
    destinations.push(DESTINATIONS.rate);
  return destinations;
}

/** Always publish these: the deadline function needs the event even without a subscriber. */
function hasDeadline(change: Change): boolean {
  if (change.table !== 'matches' || change.after.deadline === undefined) return false;
  // A dissolved match has a deadline too, of which it needs no event, because its tickets are returned by who dissolves it.
  return change.after.status !== 'FAILED' || change.after.requeued === true;
}
