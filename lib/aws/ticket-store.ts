import {
  type DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  type QueryCommandInput,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import type { Why } from '../contract/reason-code.ts';
import {
  type BucketLayout,
  bucketsWithin,
  type KeyRange,
  keysOfBucket,
  poolKey,
  poolKeys,
  poolKeysAround,
  poolKeysWithin,
  poolOrder,
} from '../service/domain/buckets.ts';
import { TICKET, type Transition } from '../service/domain/statuses.ts';
import { type StoredTicket, storedTicket } from '../service/domain/stored-ticket.ts';
import { readWith } from '../service/domain/unreadable.ts';
import { StoreBusy } from '../service/ports/store-busy.ts';
import type {
  PoolSurvey,
  ReadBound,
  ReplacedTicket,
  TicketStore,
  WaitingTickets,
} from '../service/ports/ticket-store.ts';
import { batchGet } from './batch-get.ts';
import { isPackedSplit, packedPlayers, packPlayers } from './compact-players.ts';
import { conditionally, itemAfter, secondsAfter, transact } from './dynamo.ts';
import type { ParsedTickets } from './parsed-tickets.ts';
import { placesOf, placeWrites } from './places.ts';
import { readPool } from './read-pool.ts';
import { movedBy } from './status-condition.ts';
import { newWriteMark, wasApplied } from './write-mark.ts';

/** The attribute `announced` marks a ticket whose TicketQueued event is published. The filter of the stream uses it. */
export const ANNOUNCED = 'TicketQueued';

/** Days that a ticket is kept after its end. */
export const TICKET_DAYS = 1;

/**
 * Tickets in DynamoDB. Key: `ticketId`. The sparse index `pool` holds those that are QUEUED: pool key
 * `pool` (queue, layout, bucket, and a shard if the bucket has several), sort key `poolOrder` (skill, and a spread of the ids). Every tick reads the
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
  table: string,
  parsed?: ParsedTickets,
): TicketStore {
  return {
    async create(ticket, layout, announced = false, { places, replaced } = {}) {
      const order = poolOrder(ticket.ticketId, ticket.players);
      const put = {
        TableName: table,
        Item: {
          ticketId: ticket.ticketId,
          queue: ticket.queue,
          status: ticket.status,
          enqueuedAt: Date.parse(ticket.enqueuedAt),
          players: packPlayers(ticket.players, ticket.split),
          pool: poolKey(ticket.queue, layout, order),
          poolOrder: order,
          ...(announced && { announced: ANNOUNCED }),
          ...(ticket.failures !== undefined && { failures: ticket.failures }),
          ...(ticket.replaces !== undefined && { replaces: ticket.replaces }),
        },
        ConditionExpression: statusOf(CREATE).condition,
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      } as const;
      if (places === undefined && replaced === undefined) {
        const write = await conditionally(() => client.send(new PutCommand(put)));
        return write.met ? { created: true } : { created: false, existing: toTicket(write.item!) };
      }
      const ends = replaced === undefined ? [] : [{ Update: replacement(table, replaced, ticket) }];
      const taken = places === undefined ? [] : placeWrites(table, ticket, places);
      const write = await transact(client, [...ends, { Put: put }, ...taken]);
      if (write.met) return { created: true };
      const existing = write.items[ends.length];
      return existing ? { created: false, existing: toTicket(existing) } : { created: false, isStale: true };
    },

    places: (scope, playerIds) => placesOf(client, table, scope, playerIds),

    async get(ticketId) {
      const { Item } = await client.send(
        new GetCommand({ TableName: table, Key: { ticketId }, ConsistentRead: true }),
      );
      return Item && toTicket(Item);
    },

    async getMany(ticketIds) {
      const keys = ticketIds.map((ticketId) => ({ ticketId }));
      const tickets = (await batchGet(client, table, keys)).map(toTicket);
      return new Map(tickets.map((ticket) => [ticket.ticketId, ticket]));
    },

    async waiting(queue, layouts, range, bound = UNBOUNDED) {
      const pools = layouts.flatMap((layout) => poolKeysWithin(queue, layout, range));
      const queries = pools.map((pool) => inRange(table, pool, range));
      const { items, readUntil } = await readPool(client, queries, bound.limit, bound.hasTime);
      const next = readUntil === undefined ? {} : { next: after(readUntil) };
      return { ...readQueued(bySkill(items), queue, parsed), pools: countByPool(items), ...next };
    },

    async survey(queue, layouts, range, hasTime) {
      const buckets = layouts.flatMap((layout) =>
        bucketsWithin(layout, range).map(({ bucket }) => keysOfBucket(queue, layout, bucket)),
      );
      const cuts: string[] = [];
      let waiting = 0;
      try {
        for (const keys of buckets) {
          if (!hasTime()) break;
          const parts = await Promise.all(keys.map((pool) => surveyKey(client, table, pool, range, hasTime)));
          waiting += parts.reduce((sum, part) => sum + part.waiting, 0);
          if (keys.length === 1) cuts.push(...parts[0]!.cuts);
          // Each shard is a random sample of the bucket, and too small to be cut by its pages.
          else cuts.push(...(await sampledCuts(client, inRange(table, keys.at(-1)!, range), keys.length)));
        }
      } catch (error) {
        // The count so far is useful even if it is incomplete.
        if (!(error instanceof StoreBusy)) throw error;
      }
      return { waiting, cuts: cuts.sort() };
    },

    async neighbours(ticket, layouts, limit) {
      const order = poolOrder(ticket.ticketId, ticket.players);
      const pools = layouts.flatMap((layout) => poolKeysAround(ticket.queue, layout, order));
      const found = await Promise.all(
        pools.flatMap((pool) => [
          client.send(new QueryCommand({ ...inRange(table, pool, { from: order }), Limit: limit + 1 })),
          client.send(
            new QueryCommand({
              ...inRange(table, pool, { to: order }),
              Limit: limit,
              ScanIndexForward: false,
            }),
          ),
        ]),
      );
      const near = bySkill(found.flatMap(({ Items = [] }) => Items));
      const below = near.filter((item) => item.poolOrder < order);
      const nearest = [...below.slice(-limit), ...near.slice(below.length, below.length + limit + 1)];
      return readQueued(nearest, ticket.queue).tickets;
    },

    async hasWaiting(queue: string, layout: BucketLayout) {
      const found = await Promise.all(
        poolKeys(queue, layout).map((pool) =>
          client.send(new QueryCommand({ ...inRange(table, pool, {}), Select: 'COUNT', Limit: 1 })),
        ),
      );
      return found.some(({ Count = 0 }) => Count > 0);
    },

    async claim(ticketId, matchId, nowMs) {
      const update = await conditionally(() =>
        client.send(
          new UpdateCommand({
            TableName: table,
            Key: { ticketId },
            UpdateExpression:
              'SET #status = :matched, matchId = :matchId, expiresAt = :expiresAt REMOVE #pool',
            ConditionExpression: `${statusOf(CLAIM).condition} AND (attribute_not_exists(releasedFrom) OR releasedFrom <> :matchId)`,
            ExpressionAttributeNames: { '#status': 'status', '#pool': 'pool' },
            ExpressionAttributeValues: {
              ...statusOf(CLAIM).values,
              ':matched': 'MATCHED',
              ':matchId': matchId,
              ':expiresAt': secondsAfter(nowMs, TICKET_DAYS),
            },
            ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
          }),
        ),
      );
      return update.met || (update.item?.status === 'MATCHED' && update.item.matchId === matchId);
    },

    async release(ticket, matchId, layout, announced) {
      await toPool(
        client,
        table,
        announced ? RELEASE : UNCLAIM,
        ticket,
        matchId,
        layout,
        announced ? '' : ', releasedFrom = :matchId',
      );
    },

    async requeue(ticket, matchId, layout) {
      const failed = `, failures = :failures, releasedFrom = :matchId`;
      const failures = (ticket.failures ?? 0) + 1;
      await toPool(client, table, REQUEUE, ticket, matchId, layout, failed, { ':failures': failures });
    },

    async cancelWithMatch(ticketId, matchId, why, nowMs) {
      await endWithMatch(client, table, CANCEL_WITH_MATCH, ticketId, matchId, why, nowMs);
    },

    async failWithMatch(ticketId, matchId, why, nowMs) {
      await endWithMatch(client, table, FAIL_WITH_MATCH, ticketId, matchId, why, nowMs);
    },

    async end(ticketId, status, why, nowMs, freedFrom) {
      const mark = newWriteMark();
      const ending = endOf(table, { ticketId, status, why, nowMs, freedFrom }, { writeId: mark });
      const update = await conditionally(() =>
        client.send(
          new UpdateCommand({
            ...ending,
            ReturnValues: 'ALL_NEW',
            ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
          }),
        ),
      );
      const item = itemAfter(update);
      return item && { ended: wasApplied(update, mark), ticket: toTicket(item) };
    },
  };
}

const { create: CREATE, claim: CLAIM, release: RELEASE, requeue: REQUEUE } = TICKET.transitions;
const { unclaim: UNCLAIM, cancel: CANCEL, timeOut: TIME_OUT } = TICKET.transitions;
const { cancelWithMatch: CANCEL_WITH_MATCH, failWithMatch: FAIL_WITH_MATCH } = TICKET.transitions;

/** Returns a ticket from its match to the pool, on the condition that it is still in this match. */
async function toPool(
  client: DynamoDBDocumentClient,
  table: string,
  transition: Transition<string>,
  ticket: StoredTicket,
  matchId: string,
  layout: BucketLayout,
  sets: string,
  values: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  const order = poolOrder(ticket.ticketId, ticket.players);
  const inIt = inMatch(transition, matchId);
  await conditionally(() =>
    client.send(
      new UpdateCommand({
        TableName: table,
        Key: { ticketId: ticket.ticketId },
        UpdateExpression: `SET #status = :queued, #pool = :pool, poolOrder = :poolOrder${sets} REMOVE matchId, expiresAt`,
        ConditionExpression: inIt.condition,
        ExpressionAttributeNames: { '#status': 'status', '#pool': 'pool' },
        ExpressionAttributeValues: {
          ...inIt.values,
          ':queued': 'QUEUED',
          ':pool': poolKey(ticket.queue, layout, order),
          ':poolOrder': order,
          ...values,
        },
      }),
    ),
  );
}

/** Ends a ticket with its match, on the condition that it is still in this match. */
async function endWithMatch(
  client: DynamoDBDocumentClient,
  table: string,
  transition: Transition<string>,
  ticketId: string,
  matchId: string,
  { reason = 'its match has failed', reasonCode }: Partial<Why>,
  nowMs: number,
): Promise<void> {
  const inIt = inMatch(transition, matchId);
  await conditionally(() =>
    client.send(
      new UpdateCommand({
        TableName: table,
        Key: { ticketId },
        UpdateExpression: `SET #status = :status, reason = :reason, expiresAt = :expiresAt${reasonCode ? ', reasonCode = :code' : ''}`,
        ConditionExpression: inIt.condition,
        ExpressionAttributeNames: { '#status': 'status' },
        ExpressionAttributeValues: {
          ...inIt.values,
          ':status': transition.to[0],
          ':reason': reason,
          ':expiresAt': secondsAfter(nowMs, TICKET_DAYS),
          ...(reasonCode !== undefined && { ':code': reasonCode }),
        },
      }),
    ),
  );
}

interface End {
  readonly ticketId: string;
  readonly status: 'CANCELLED' | 'TIMED_OUT';
  readonly why: Why;
  readonly nowMs: number;
  readonly freedFrom?: string | undefined;
}

/** The write that ends a ticket if it is QUEUED, or in a match that has freed it. @param more further attributes that it sets */
function endOf(
  table: string,
  { ticketId, status, why: { reason, reasonCode }, nowMs, freedFrom }: End,
  more: Readonly<Record<string, string>>,
) {
  const waiting = statusOf(status === 'CANCELLED' ? CANCEL : TIME_OUT);
  const freed = freedFrom === undefined ? undefined : inMatch(CANCEL_WITH_MATCH, freedFrom);
  const sets = { status, reason, reasonCode, expiresAt: secondsAfter(nowMs, TICKET_DAYS), ...more };
  return {
    TableName: table,
    Key: { ticketId },
    UpdateExpression: `SET ${Object.keys(sets)
      .map((name) => `${name === 'status' ? '#status' : name} = :${name}`)
      .join(', ')} REMOVE #pool, matchId`,
    ConditionExpression: freed ? `${waiting.condition} OR (${freed.condition})` : waiting.condition,
    ExpressionAttributeNames: { '#status': 'status', '#pool': 'pool' },
    ExpressionAttributeValues: {
      ...waiting.values,
      ...freed?.values,
      ...Object.fromEntries(Object.entries(sets).map(([name, value]) => [`:${name}`, value])),
    },
  };
}

/** The write that cancels a ticket for the one that replaces it. */
function replacement(
  table: string,
  { ticket: { ticketId }, freedFrom, nowMs }: ReplacedTicket,
  by: StoredTicket,
) {
  const why = { reason: `replaced by ticket ${by.ticketId}`, reasonCode: 'REPLACED' } as const;
  const end = { ticketId, status: 'CANCELLED', why, nowMs, freedFrom } as const;
  return endOf(table, end, { replacedBy: by.ticketId });
}

function statusOf(transition: Transition<string>) {
  return movedBy(transition, 'ticketId');
}

/** The condition of a write that returns a ticket from a match. */
function inMatch(transition: Transition<string>, matchId: string) {
  const { condition, values } = statusOf(transition);
  return { condition: `matchId = :matchId AND ${condition}`, values: { ...values, ':matchId': matchId } };
}

const ticketItem = storedTicket.extend({
  players: packedPlayers(storedTicket.shape.players),
  // Earlier versions stored the time as ISO 8601.
  enqueuedAt: z.union([
    z.number().transform((enqueuedAtMs) => new Date(enqueuedAtMs).toISOString()),
    storedTicket.shape.enqueuedAt,
  ]),
});

const UNBOUNDED: ReadBound = { limit: Number.MAX_SAFE_INTEGER, hasTime: () => true };

/** A sort key directly after this one. A space sorts before all characters of ids. */
function after(order: string): string {
  return `${order} `;
}

/**
 * A ticket from its item.
 * @throws Unreadable
 */
export function toTicket(item: Record<string, unknown>): StoredTicket {
  return readWith(ticketItem, withSplit(item), `ticket ${item.ticketId}`);
}

/** The players' attribute also says whether the party may be divided, because the index contains it. */
function withSplit(item: Record<string, unknown>): Record<string, unknown> {
  return isPackedSplit(item.players) ? { ...item, split: true } : item;
}

/** The index contains only what a tick needs. Queue and status follow from the presence in the index. */
export function readQueued(
  items: readonly Record<string, unknown>[],
  queue: string,
  parsed?: ParsedTickets,
): Pick<WaitingTickets, 'tickets' | 'unreadable'> {
  const tickets: StoredTicket[] = [];
  const unreadable: string[] = [];
  for (const item of items) {
    const known = parsed?.get(item, queue);
    if (known !== undefined) {
      tickets.push(known);
      continue;
    }
    const read = ticketItem.safeParse({ ...withSplit(item), queue, status: 'QUEUED' });
    if (read.success) {
      tickets.push(read.data);
      parsed?.set(item, read.data);
    } else unreadable.push(String(item.ticketId));
  }
  return { tickets, unreadable };
}

/** The number of items of each pool key. */
function countByPool(items: readonly Record<string, unknown>[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { pool } of items) counts.set(String(pool), (counts.get(String(pool)) ?? 0) + 1);
  return counts;
}

/**
 * The items of several pool keys in order of skill. A ticket that returns to the pool may move between the keys of
 * two layouts, and the index lags: it may be found under both, and is returned once.
 */
export function bySkill(items: readonly Record<string, unknown>[]): Record<string, string>[] {
  const once = new Map(items.map((item) => [item.ticketId, item as Record<string, string>]));
  return [...once.values()].sort((a, b) => (a.poolOrder! < b.poolOrder! ? -1 : 1));
}

/** Sort keys continue after the skill, so BETWEEN excludes the upper skill itself. */
export function inRange(table: string, pool: string, { from, to }: KeyRange): QueryCommandInput {
  const order =
    from !== undefined && to !== undefined
      ? ' AND poolOrder BETWEEN :from AND :to'
      : from !== undefined
        ? ' AND poolOrder >= :from'
        : to !== undefined
          ? ' AND poolOrder < :to'
          : '';
  return {
    TableName: table,
    IndexName: 'pool',
    KeyConditionExpression: `#pool = :pool${order}`,
    ExpressionAttributeNames: { '#pool': 'pool' },
    ExpressionAttributeValues: {
      ':pool': pool,
      ...(from !== undefined && { ':from': from }),
      ...(to !== undefined && { ':to': to }),
    },
  };
}

/** Counts the tickets of a key. The cuts are where DynamoDB ends a page. */
async function surveyKey(
  client: DynamoDBDocumentClient,
  table: string,
  pool: string,
  range: KeyRange,
  hasTime: () => boolean,
): Promise<PoolSurvey> {
  const cuts: string[] = [];
  let waiting = 0;
  for await (const page of pages(client, { ...inRange(table, pool, range), Select: 'COUNT' })) {
    waiting += page.Count ?? 0;
    if (page.LastEvaluatedKey !== undefined) cuts.push(after(page.LastEvaluatedKey.poolOrder));
    if (!hasTime()) break;
  }
  return { waiting, cuts };
}

/** A part of a sharded bucket has about this many tickets. */
const SAMPLED_PART = 100;

/** Cuts a bucket into parts of about `SAMPLED_PART` tickets by the sort keys of one of its shards. */
async function sampledCuts(
  client: DynamoDBDocumentClient,
  query: QueryCommandInput,
  shards: number,
): Promise<string[]> {
  const orders: string[] = [];
  for await (const { Items = [] } of pages(client, query))
    orders.push(...Items.map(({ poolOrder: order }) => order));
  const step = Math.max(1, Math.round(SAMPLED_PART / shards));
  return orders.filter((_, i) => (i + 1) % step === 0).map(after);
}

async function* pages(client: DynamoDBDocumentClient, query: QueryCommandInput) {
  let start: Record<string, unknown> | undefined;
  do {
    const page = await client.send(
      new QueryCommand({ ...query, ...(start && { ExclusiveStartKey: start }) }),
    );
    yield page;
    start = page.LastEvaluatedKey;
  } while (start !== undefined);
}
