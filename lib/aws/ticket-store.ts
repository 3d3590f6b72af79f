import { type DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import type { Why } from '../contract/reason-code.ts';
import { type BucketLayout, poolKey, poolOrder } from '../service/domain/buckets.ts';
import { homeOf } from '../service/domain/linked-ticket.ts';
import { TICKET, type Transition } from '../service/domain/statuses.ts';
import type { StoredTicket } from '../service/domain/stored-ticket.ts';
import type { ReplacedTicket, TicketStore } from '../service/ports/ticket-store.ts';
import { changeItem, type ItemChange, updateOf } from './change-item.ts';
import { packPlayers } from './compact-players.ts';
import { conditionally, secondsAfter, transact } from './dynamo.ts';
import { entries, isOfEntry } from './entries.ts';
import { itemTable } from './item-table.ts';
import type { ParsedTickets } from './parsed-tickets.ts';
import { placesOf, placeWrites } from './places.ts';
import { statusCondition } from './status-condition.ts';
import { linkAttributes, toTicket } from './ticket-item.ts';
import { type PoolTables, poolReads } from './ticket-pool.ts';

/** The attribute `announced` marks a ticket whose TicketQueued event is published. The filter of the stream uses it. */
export const ANNOUNCED = 'TicketQueued';

/** Days that a ticket is kept after its end. */
export const TICKET_DAYS = 1;

/**
 * Tickets in DynamoDB. Key: `ticketId`. The sparse index `pool` holds those that are QUEUED: pool key
 * `pool` (queue, layout, bucket, and a shard if the bucket has several), sort key `poolOrder` (skill, then the tie key). Every tick reads the
 * index and pays for its bytes: about 150 for a player whose ids are UUIDs.
 *
 *     create            → in the pool
 *     claim             → out of the pool, MATCHED; never again to a match that has released it, because a repeated
 *                       request may arrive late
 *     end               → out of the pool
 *     release, requeue  → in the pool
 *     cancelWithMatch, failWithMatch
 *
 * The condition of each write on the status is that of its transition in `service/domain/statuses.ts`. Every way out of the
 * pool has the same condition, so exactly one of them happens. For writes whose response is lost see `write-mark.ts`.
 * @param parsed what the function has parsed of the pool, for a function that reads it at every tick. @default nothing is kept
 */
export function ticketStore(
  client: DynamoDBDocumentClient,
  tables: PoolTables,
  parsed?: ParsedTickets,
): TicketStore {
  const { put, ...removal } = entries(client, tables.entries);
  return {
    ...ticketItems(client, tables.tickets, { put, ...removal }),
    ...poolReads(client, tables, parsed),
    ...poolExits(client, tables.tickets, removal),
    ...matchExits(client, tables.tickets, put),
    ...removal,
  };
}

type Entries = ReturnType<typeof entries>;

/** Reads by id, which need no entries. */
export function ticketReads(
  client: DynamoDBDocumentClient,
  table: string,
): Pick<TicketStore, 'get' | 'getMany'> {
  const items = itemTable(client, table, (ticketId: string) => ({ ticketId }));
  return {
    async get(ticketId, consistency) {
      const item = await items.get([ticketId], consistency);
      return item && toTicket(item);
    },

    async getMany(ticketIds, consistency) {
      const found = await items.all(
        ticketIds.map((ticketId) => [ticketId]),
        consistency,
      );
      return new Map(found.map(toTicket).map((ticket) => [ticket.ticketId, ticket]));
    },
  };
}

/** The creation of tickets, and reads by id. */
function ticketItems(
  client: DynamoDBDocumentClient,
  table: string,
  linked: Pick<Entries, 'put' | 'removeEntries'>,
): Pick<TicketStore, 'create' | 'places' | 'get' | 'getMany'> {
  const reads = ticketReads(client, table);
  return {
    ...reads,

    async create(ticket, layout, announced = false, { places = [], replaced, nowMs = 0 } = {}) {
      if (ticket.views !== undefined) {
        const existing = await reads.get(ticket.ticketId);
        if (existing?.status === 'QUEUED') await linked.put(existing, nowMs);
        if (existing !== undefined) return { created: false, existing };
        await linked.put(ticket, nowMs);
      }
      const put = {
        TableName: table,
        Item: {
          ticketId: ticket.ticketId,
          queue: ticket.queue,
          status: ticket.status,
          enqueuedAt: Date.parse(ticket.enqueuedAt),
          ...inPool(ticket, layout),
          ...(announced && { announced: ANNOUNCED }),
          ...(ticket.failures !== undefined && { failures: ticket.failures }),
          ...(ticket.replaces !== undefined && { replaces: ticket.replaces }),
        },
        ConditionExpression: statusOf(CREATE).condition,
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      } as const;
      if (places.length === 0 && replaced === undefined) {
        const write = await conditionally(() => client.send(new PutCommand(put)));
        return write.met ? { created: true } : { created: false, existing: toTicket(write.item!) };
      }
      const ends = replaced === undefined ? [] : [{ Update: updateOf(replacement(table, replaced, ticket)) }];
      const taken = places.flatMap((one) => placeWrites(table, ticket, one));
      const write = await transact(client, [...ends, { Put: put }, ...taken]);
      if (write.met) {
        if (replaced !== undefined) await linked.removeEntries(replaced.ticket);
        return { created: true };
      }
      const existing = write.items[ends.length];
      return existing ? { created: false, existing: toTicket(existing) } : { created: false, isStale: true };
    },

    places: (scope, playerIds) => placesOf(client, table, scope, playerIds),
  };
}

/** The ways out of the pool. */
function poolExits(
  client: DynamoDBDocumentClient,
  table: string,
  { removeEntries }: Pick<Entries, 'removeEntries'>,
): Pick<TicketStore, 'claim' | 'claimLinked' | 'end'> {
  const claim = async (change: ItemChange, matchId: string, nowMs: number, returned: 'found' | 'after') => {
    const isNew = {
      condition: '(attribute_not_exists(releasedFrom) OR releasedFrom <> :matchId)',
      values: { ':matchId': matchId },
    };
    const set = { status: 'MATCHED', matchId, expiresAt: secondsAfter(nowMs, TICKET_DAYS), ...change.set };
    const conditions = [statusOf(CLAIM), isNew, ...(change.if ?? [])];
    const claiming = { ...change, set, remove: ['pool'], if: conditions };
    const { met, item } = await changeItem(client, claiming, returned);
    return { claimed: met || (item?.status === 'MATCHED' && item.matchId === matchId), item };
  };
  return {
    claim: async (ticketId, matchId, nowMs) =>
      (await claim({ table, key: { ticketId } }, matchId, nowMs, 'found')).claimed,

    async claimLinked(ticket, matchId, nowMs) {
      const { ticketId, queue } = ticket;
      const change = { table, key: { ticketId }, set: { queue }, if: isOfEntry(ticket) };
      const { claimed, item } = await claim(change, matchId, nowMs, 'after');
      return { claimed, ticket: item && toTicket(item) };
    },

    async end(ticketId, status, why, nowMs, freedFrom) {
      const ending = endOf(table, { ticketId, status, why, nowMs, freedFrom });
      const { met, item } = await changeItem(client, { ...ending, once: true }, 'after');
      if (item === undefined) return undefined;
      const ticket = toTicket(item);
      if (met) await removeEntries(ticket);
      return { ended: met, ticket };
    },
  };
}

type MatchExits = Pick<TicketStore, 'release' | 'requeue' | 'cancelWithMatch' | 'failWithMatch'>;

/** The ways out of a match, on the condition that the ticket is still in it. */
function matchExits(client: DynamoDBDocumentClient, table: string, putEntries: Entries['put']): MatchExits {
  const change = async (
    transition: Transition<string>,
    ticketId: string,
    matchId: string,
    set: Readonly<Record<string, unknown>>,
    remove: readonly string[] = [],
  ) => {
    await changeItem(client, { table, key: { ticketId }, set, remove, if: [inMatch(transition, matchId)] });
  };
  const end = (
    transition: Transition<string>,
    ticketId: string,
    matchId: string,
    { reason = 'its match has failed', reasonCode }: Partial<Why>,
    nowMs: number,
  ) => {
    const expiresAt = secondsAfter(nowMs, TICKET_DAYS);
    return change(transition, ticketId, matchId, { status: transition.to[0], reason, reasonCode, expiresAt });
  };
  return {
    async release(ticket, matchId, layout, announced, nowMs) {
      const returns = announced && { returns: returnsOf(ticket) };
      if (returns) await putEntries({ ...ticket, ...returns }, nowMs);
      const set = { ...queued(ticket, layout), releasedFrom: matchId, ...returns };
      return change(announced ? RELEASE : UNCLAIM, ticket.ticketId, matchId, set, ['matchId', 'expiresAt']);
    },

    async requeue(ticket, matchId, layout, nowMs) {
      const failures = (ticket.failures ?? 0) + 1;
      const returns = returnsOf(ticket);
      await putEntries({ ...ticket, returns }, nowMs);
      const failed = { failures, returns, releasedFrom: matchId };
      const set = { ...queued(ticket, layout), ...failed };
      return change(REQUEUE, ticket.ticketId, matchId, set, ['matchId', 'expiresAt']);
    },

    cancelWithMatch: (ticketId, matchId, why, nowMs) => end(CANCEL_WITH_MATCH, ticketId, matchId, why, nowMs),
    failWithMatch: (ticketId, matchId, why, nowMs) => end(FAIL_WITH_MATCH, ticketId, matchId, why, nowMs),
  };
}

/** The number of returns after one more. The ticket is as it was read in its match. */
const returnsOf = ({ returns = 0 }: StoredTicket) => returns + 1;

const { create: CREATE, claim: CLAIM, unclaim: UNCLAIM, release: RELEASE } = TICKET.transitions;
const { requeue: REQUEUE, cancel: CANCEL, timeOut: TIME_OUT } = TICKET.transitions;
const { cancelWithMatch: CANCEL_WITH_MATCH, failWithMatch: FAIL_WITH_MATCH } = TICKET.transitions;

/** The attributes of a ticket that returns to the pool. A linked one may return to another home. */
function queued(ticket: StoredTicket, layout: BucketLayout) {
  const { pool, poolOrder: order, ...more } = inPool(ticket, layout);
  const place = { status: 'QUEUED', pool, poolOrder: order };
  return ticket.views === undefined ? place : { ...place, queue: ticket.views[0]!.queue, ...more };
}

/** The attributes of a ticket in the pool of its home. */
function inPool(ticket: StoredTicket, layout: BucketLayout) {
  const { queue, players, split } = homeOf(ticket);
  const order = poolOrder(ticket.ticketId, players);
  return {
    players: packPlayers(players, split),
    pool: poolKey(queue, layout, order),
    poolOrder: order,
    ...linkAttributes(ticket),
  };
}

interface End {
  readonly ticketId: string;
  readonly status: 'CANCELLED' | 'TIMED_OUT';
  readonly why: Why;
  readonly nowMs: number;
  readonly freedFrom?: string | undefined;
}

/** The change that ends a ticket if it is QUEUED, or in an abandoned or dissolved match. @param more further attributes to set */
function endOf(
  table: string,
  { ticketId, status, why: { reason, reasonCode }, nowMs, freedFrom }: End,
  more: Readonly<Record<string, string>> = {},
): ItemChange {
  const waiting = statusOf(status === 'CANCELLED' ? CANCEL : TIME_OUT);
  const freed = freedFrom === undefined ? undefined : inMatch(CANCEL_WITH_MATCH, freedFrom);
  const either = freed && {
    condition: `${waiting.condition} OR (${freed.condition})`,
    values: { ...waiting.values, ...freed.values },
  };
  return {
    table,
    key: { ticketId },
    set: { status, reason, reasonCode, expiresAt: secondsAfter(nowMs, TICKET_DAYS), ...more },
    remove: ['pool', 'matchId'],
    if: [either ?? waiting],
  };
}

/** The write that cancels a ticket for the one that replaces it. */
function replacement(
  table: string,
  { ticket: { ticketId }, freedFrom, nowMs }: ReplacedTicket,
  by: StoredTicket,
): ItemChange {
  const why = { reason: `replaced by ticket ${by.ticketId}`, reasonCode: 'REPLACED' } as const;
  const end = { ticketId, status: 'CANCELLED', why, nowMs, freedFrom } as const;
  return endOf(table, end, { replacedBy: by.ticketId });
}

function statusOf(transition: Transition<string>) {
  return statusCondition(transition, 'ticketId');
}

/** The condition of a write that returns a ticket from a match. */
function inMatch(transition: Transition<string>, matchId: string) {
  const { condition, values } = statusOf(transition);
  return { condition: `matchId = :matchId AND ${condition}`, values: { ...values, ':matchId': matchId } };
}
