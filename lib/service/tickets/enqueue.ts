import { isDeepStrictEqual } from 'node:util';
import { conflict, Problem } from '../../contract/problem.ts';
import type { QueueDefinition } from '../../contract/queue-definition.ts';
import type { TicketStatus } from '../../contract/ticket.ts';
import { recentSeconds } from '../../rules/moments.ts';
import { coolingDown } from '../domain/cooldowns.ts';
import { placedViews, postDigest, viewsOf } from '../domain/linked-ticket.ts';
import type { QueueRecord } from '../domain/queue-record.ts';
import type { CurrentTicket, QueuedTicket, StoredTicket, TicketInQueue } from '../domain/stored-ticket.ts';
import { isOnBus } from '../domain/subscribers.ts';
import { DEFINITION_AGE_MS } from '../domain/timing.ts';
import type { Clock } from '../ports/clock.ts';
import type { CooldownStore } from '../ports/cooldown-store.ts';
import type { SingleMatchStore } from '../ports/match-store.ts';
import type { MeetingStore } from '../ports/meeting-store.ts';
import type { PresenceStore } from '../ports/presence-store.ts';
import { StoreBusy } from '../ports/store-busy.ts';
import type { AlongsideWrites, Places, TicketStore } from '../ports/ticket-store.ts';
import { openQueue } from '../queues/read-queues.ts';
import { markLinked, type ScheduleDeps, wake } from '../waking/schedule.ts';
import { type PoolWriter, poolWriter } from '../waking/shards.ts';
import { replacedTicket } from './cancel-ticket.ts';
import { freePlaces, placeScope } from './one-place.ts';
import { type PostedTo, readPosted } from './posted-queues.ts';
import type { SkillDeps } from './rated-skills.ts';
import { withMatchStatus } from './ticket-status.ts';

export interface EnqueueDeps extends ScheduleDeps, SkillDeps {
  readonly tickets: TicketStore;
  readonly matches: SingleMatchStore;
  readonly meetings: MeetingStore;
  readonly cooldowns: Pick<CooldownStore, 'of'>;
  readonly presence: Pick<PresenceStore, 'expect'>;
  readonly clock: Clock;
}

export interface Enqueued {
  /** False when the ticket already existed. */
  readonly created: boolean;
  readonly ticket: CurrentTicket;
  /** The records of its queues. */
  readonly records: readonly QueueRecord[];
}

/**
 * Adds a ticket to a queue, and to the further queues of its `also`.
 *
 *     read the queues      a crash before or after changes nothing
 *     read ratings         only in a queue with `ladder`: see rated-skills.ts
 *     read meetings        only in a queue with a `recent` rule: see meeting-records.ts
 *     read cooldowns       only in a queue with `cooldown`
 *     mark the queues      of a linked ticket, once a day, so that their ticks read entries. A crash after it: they find none
 *     put the entries      of a linked ticket. A crash after it: they have no ticket, and the ticks of their queues remove them
 *     put the ticket       on the condition that its id is new. From then on it is accepted. See waking/shards.ts. In one
 *                          transaction with it: the places of its players (one-place.ts), and the end of the ticket that it
 *                          replaces (cancel-ticket.ts)
 *     expect its players   only in a queue with `presence` and `required`: their grace begins, once for all repetitions of the
 *                          request. A crash before it: they count as present until the request is repeated
 *     wake the queues      a crash before it: the next dispatch finds the ticket waiting
 *
 * A repeated request returns the ticket's current state, and wakes the queue unless its ticks are scheduled. Once the ticket has
 * ended without a match, its id is rejected.
 * @throws Problem 400 invalid ticket, 404 no such queue, 409 the id belongs to another ticket or to one that has ended without a
 * match, a player is in another ticket, the ladder was removed, or the ticket that it replaces has a match, 429 a player has a
 * cooldown
 */
export async function enqueue(
  deps: EnqueueDeps,
  queue: string,
  body: unknown,
  nowMs: number,
): Promise<Enqueued> {
  const record = await openQueue(deps.queues, queue, DEFINITION_AGE_MS);
  const enqueued = await putTicket(deps, record, poolWriter(deps, nowMs), body, nowMs);
  if (enqueued.ticket.status === 'QUEUED') for (const one of enqueued.records) await wake(deps, one, nowMs);
  return enqueued;
}

/**
 * Stores a ticket, or returns the stored ticket with its id. If it is QUEUED, the caller must wake the queue.
 * @throws Problem 400 invalid ticket, 409 the id belongs to another ticket, 429 a player is cooling down
 */
export async function putTicket(
  deps: EnqueueDeps,
  record: QueueRecord,
  put: PoolWriter,
  body: unknown,
  nowMs: number,
): Promise<Enqueued> {
  const posted = await readPosted(deps, record, body, nowMs);
  const records = posted.map((one) => one.record);
  const byName = new Map(records.map((one) => [one.definition.name, one]));
  const ticket = await toTicket(deps, posted, byName, nowMs);
  if (ticket.views !== undefined) await markLinked(deps.queues, ticket.views, byName, nowMs);
  const result = await putOnce(deps, byName, put, ticket, nowMs);
  if (!result.created) assertSame(result.existing, ticket, byName);
  const { status } = result.created ? result.ticket : result.existing;
  if (status === 'QUEUED')
    for (const { definition } of records)
      if (definition.presence?.required)
        await deps.presence.expect(definition.name, ticket.ticketId, ticket.players.length, nowMs);
  if (result.created) return { ...result, records };
  const known = await withMatchStatus(deps, result.existing);
  if (ENDED.includes(known.status)) throw ended(known);
  return { created: false, ticket: known, records };
}

async function toTicket(
  deps: EnqueueDeps,
  posted: readonly [PostedTo, ...PostedTo[]],
  records: ReadonlyMap<string, QueueRecord>,
  nowMs: number,
): Promise<QueuedTicket> {
  const places = new Map(posted[0].ticket.players.map(({ playerId }, place) => [playerId, place]));
  const views = await Promise.all(
    posted.map(async ({ record: { definition }, ticket: { players, split } }): Promise<TicketInQueue> => {
      // Connections and pings name players by their index, which is the same in all queues.
      const inOrder = players.toSorted((a, b) => places.get(a.playerId)! - places.get(b.playerId)!);
      const met = await withMeetings(deps, definition, inOrder, nowMs);
      return { queue: definition.name, players: met, ...(split === true && { split }) };
    }),
  );
  const { ticketId, replaces } = posted[0].ticket;
  const isLinked = views.length > 1;
  return {
    ticketId,
    status: 'QUEUED',
    enqueuedAt: new Date(nowMs).toISOString(),
    ...views[0]!,
    ...(replaces !== undefined && { replaces }),
    ...(isLinked && {
      linked: postDigest(ticketId, views),
      views: placedViews(ticketId, views, records, nowMs),
    }),
  };
}

/** The statuses of a ticket that has ended without a match. */
const ENDED: readonly TicketStatus[] = ['CANCELLED', 'TIMED_OUT', 'FAILED'];

function ended({ ticketId, status }: CurrentTicket): Problem {
  return conflict(
    'TICKET_ENDED',
    `Ticket ${ticketId} is ${status}, and its id begins no other search. Use a new ticketId for a new search.`,
    { ticketStatus: status },
  );
}

/**
 * Each further try means that another ticket has taken a place since it was read, or that a tick has claimed the replaced one.
 */
const TRIES_MAX = 5;

type Put = { created: true; ticket: QueuedTicket } | { created: false; existing: StoredTicket };

/**
 * Stores a ticket and what is written alongside it. A repeated request finds its own ticket, even if since then its places were
 * taken, the ticket that it replaces has ended, or a player began to cool down.
 */
async function putOnce(
  deps: EnqueueDeps,
  records: ReadonlyMap<string, QueueRecord>,
  put: PoolWriter,
  ticket: QueuedTicket,
  nowMs: number,
): Promise<Put> {
  const definitions = [...records.values()].map(({ definition }) => definition);
  const announced = isOnBus(definitions[0]!, 'TicketQueued');
  for (let attempt = 0; attempt < TRIES_MAX; attempt++) {
    const alongside = await alongsideWrites(deps, definitions, ticket, nowMs);
    if (alongside instanceof Problem) {
      const existing = await deps.tickets.get(ticket.ticketId);
      if (existing !== undefined) return { created: false, existing };
      throw alongside;
    }
    const waiting = withWaitOf(ticket, alongside.replaced?.ticket);
    const result = await put(waiting, records, announced, alongside);
    if (result.created) return { created: true, ticket: waiting };
    if ('existing' in result) return result;
  }
  throw new StoreBusy(`other requests and ticks keep changing what ticket ${ticket.ticketId} needs`);
}

async function alongsideWrites(
  deps: EnqueueDeps,
  definitions: readonly QueueDefinition[],
  ticket: StoredTicket,
  nowMs: number,
): Promise<AlongsideWrites | Problem> {
  const playerIds = ticket.players.map(({ playerId }) => playerId);
  for (const definition of definitions) {
    const { name, cooldown } = definition;
    if (cooldown === undefined) continue;
    const cooling = coolingDown(cooldown, await deps.cooldowns.of(name, playerIds), playerIds, nowMs);
    if (cooling !== undefined) return cooling;
  }
  const { replaces } = ticket;
  const replaced = replaces === undefined ? undefined : await replacedTicket(deps, ticket, replaces, nowMs);
  if (replaced instanceof Problem) return replaced;
  const places: Places[] = [];
  for (const scope of new Set(definitions.flatMap((definition) => placeScope(definition) ?? []))) {
    const free = await freePlaces(deps, ticket, scope, nowMs);
    if (free instanceof Problem) return free;
    places.push(free);
  }
  return { ...(replaced && { replaced }), places, nowMs };
}

/** The ticket with the enqueue time and the failed matches of the one that it replaces. */
function withWaitOf(ticket: QueuedTicket, replaced: StoredTicket | undefined): QueuedTicket {
  if (replaced === undefined) return ticket;
  const { enqueuedAt, failures } = replaced;
  return { ...ticket, enqueuedAt, ...(failures !== undefined && { failures }) };
}

/** The maximum of meetings in a ticket, the latest of each player: with the longest ids 150 KB of the 400 that an item holds. */
const TICKET_MET_MAX = 1_000;

/** Adds the players' recent meetings, in a queue with a `recent` rule. */
async function withMeetings(
  { meetings }: EnqueueDeps,
  definition: QueueDefinition,
  players: StoredTicket['players'],
  nowMs: number,
): Promise<StoredTicket['players']> {
  const seconds = recentSeconds(definition);
  if (seconds === 0) return players;
  const ids = players.map(({ playerId }) => playerId);
  const met = await meetings.of(definition.name, ids, nowMs - 1000 * seconds);
  const most = Math.floor(TICKET_MET_MAX / players.length);
  return players.map((player) => {
    const own = (met.get(player.playerId) ?? []).slice(0, most);
    return own.length === 0 ? player : { ...player, met: own };
  });
}

function assertSame(
  existing: StoredTicket,
  posted: StoredTicket,
  records: ReadonlyMap<string, QueueRecord>,
): void {
  const bodyOf = (ticket: StoredTicket) =>
    viewsOf(ticket).map((view) => asPosted(view, records.get(view.queue)?.definition.ladder));
  // Normalizes −0 as the store does, because JSON has no −0.
  const isSame =
    isDeepStrictEqual(bodyOf(existing), JSON.parse(JSON.stringify(bodyOf(posted)))) &&
    existing.replaces === posted.replaces;
  if (isSame) return;
  throw conflict(
    'TICKET_ID_TAKEN',
    `Ticket ${posted.ticketId} already exists with another body. Use a new ticketId for a new ticket.`,
  );
}

/**
 * A ticket in a queue, without the fields that Muster has added: the players' meetings, and in a queue with a ladder their skill.
 */
function asPosted({ queue, players, split }: TicketInQueue, ladder: string | undefined) {
  const posted = players.map(({ met: _, skill, ...player }) =>
    ladder === undefined ? { skill, ...player } : player,
  );
  return { queue, split: split === true, players: posted };
}
