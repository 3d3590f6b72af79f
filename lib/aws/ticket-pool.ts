import { type DynamoDBDocumentClient, QueryCommand, type QueryCommandInput } from '@aws-sdk/lib-dynamodb';
import { inParallel, inParallelWhile } from '../service/concurrency/in-parallel.ts';
import {
  bucketsWithin,
  type KeyRange,
  keysOfBucket,
  poolKeys,
  poolKeysAround,
  poolKeysWithin,
  poolOrder,
} from '../service/domain/buckets.ts';
import { StoreBusy } from '../service/ports/store-busy.ts';
import type { PoolSurvey, ReadBound, TicketStore } from '../service/ports/ticket-store.ts';
import type { ParsedTickets } from './parsed-tickets.ts';
import { QUERIES_AT_ONCE, readPool } from './read-pool.ts';
import { readQueued } from './ticket-item.ts';

type PoolReads = Pick<TicketStore, 'waiting' | 'survey' | 'neighbours' | 'hasWaiting'>;

/** Reads the tickets that are QUEUED by the sparse index `pool`: see `ticket-store.ts`. */
export function poolReads(
  client: DynamoDBDocumentClient,
  tables: PoolTables,
  parsed: ParsedTickets | undefined,
): PoolReads {
  return {
    async waiting(queue, layouts, range, bound = UNBOUNDED, linked = false) {
      const pools = layouts.flatMap((layout) => poolKeysWithin(queue, layout, range));
      const queries = pools.flatMap((pool) => inTables(tables, pool, range, linked));
      const { items, readUntil } = await readPool(client, queries, bound.limit, bound.hasTime);
      const next = readUntil === undefined ? {} : { next: sortKeyAfter(readUntil) };
      return { ...readQueued(bySkill(items), queue, parsed), pools: countByPool(items), ...next };
    },

    async survey(queue, layouts, range, hasTime, linked = false) {
      const buckets = layouts.flatMap((layout) =>
        bucketsWithin(layout, range).map(({ bucket }) => keysOfBucket(queue, layout, bucket)),
      );
      const cuts: string[] = [];
      let waiting = 0;
      try {
        for (const keys of buckets) {
          if (!hasTime()) break;
          const queries = keys.flatMap((pool) => inTables(tables, pool, range, linked));
          const parts = await Promise.all(queries.map((query) => surveyKey(client, query, hasTime)));
          waiting += parts.reduce((sum, part) => sum + part.waiting, 0);
          if (keys.length === 1) cuts.push(...parts.flatMap((part) => part.cuts));
          // Each shard is a random sample of the bucket, and too small for its pages to give cuts.
          else
            cuts.push(
              ...(await sampledCuts(
                client,
                inRange(tables.tickets, keys.at(-1)!, range),
                keys.length,
                hasTime,
              )),
            );
        }
      } catch (error) {
        // The count so far is useful even if it is incomplete.
        if (!(error instanceof StoreBusy)) throw error;
      }
      return { waiting, cuts: cuts.sort() };
    },

    async neighbours(ticket, layouts, limit, linked = false) {
      const order = poolOrder(ticket.ticketId, ticket.players);
      const pools = layouts.flatMap((layout) => poolKeysAround(ticket.queue, layout, order));
      const queries = pools.flatMap((pool) => [
        ...inTables(tables, pool, { from: order }, linked).map((query) => ({ ...query, Limit: limit + 1 })),
        ...inTables(tables, pool, { to: order }, linked).map((query) => ({
          ...query,
          Limit: limit,
          ScanIndexForward: false,
        })),
      ]);
      const found = await inParallel(queries, QUERIES_AT_ONCE, (query) =>
        client.send(new QueryCommand(query)),
      );
      const near = bySkill(found.flatMap(({ Items = [] }) => Items));
      const below = near.filter((item) => item.poolOrder < order);
      const nearest = [...below.slice(-limit), ...near.slice(below.length, below.length + limit + 1)];
      return readQueued(nearest, ticket.queue).tickets;
    },

    async hasWaiting(queue, layout, linked = false) {
      let isFound = false;
      const isOpen = async () => !isFound;
      const queries = poolKeys(queue, layout).flatMap((pool) => inTables(tables, pool, {}, linked));
      await inParallelWhile(queries, QUERIES_AT_ONCE, isOpen, async (query) => {
        const count = new QueryCommand({ ...query, Select: 'COUNT', Limit: 1 });
        const { Count = 0 } = await client.send(count);
        isFound ||= Count > 0;
      });
      return isFound;
    },
  };
}

/** The names of the tables with the items of pools. */
export interface PoolTables {
  readonly tickets: string;
  readonly entries: string;
}

/** The queries of a pool key: of its tickets and, with `linked`, of its entries. */
export function inTables(
  { tickets, entries }: PoolTables,
  pool: string,
  range: KeyRange,
  linked: boolean,
): QueryCommandInput[] {
  const own = inRange(tickets, pool, range);
  if (!linked) return [own];
  const { IndexName: _, ...query } = own;
  return [own, { ...query, TableName: entries }];
}

const UNBOUNDED: ReadBound = { limit: Number.MAX_SAFE_INTEGER, hasTime: () => true };

/** The next possible sort key. A space sorts before all characters of ids. */
export function sortKeyAfter(order: string): string {
  return `${order} `;
}

/** The number of items of each pool key. */
function countByPool(items: readonly Record<string, unknown>[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { pool } of items) counts.set(String(pool), (counts.get(String(pool)) ?? 0) + 1);
  return counts;
}

/**
 * The items of several pool keys in order of skill. A ticket that returns to the pool may move to a key of another layout. The
 * index lags, so the ticket may be found under both keys; it is returned once.
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

/** Counts the tickets of a key. Cuts are where DynamoDB ends a page. */
async function surveyKey(
  client: DynamoDBDocumentClient,
  query: QueryCommandInput,
  hasTime: () => boolean,
): Promise<PoolSurvey> {
  const cuts: string[] = [];
  let waiting = 0;
  for await (const page of pages(client, { ...query, Select: 'COUNT' })) {
    waiting += page.Count ?? 0;
    if (page.LastEvaluatedKey !== undefined) cuts.push(sortKeyAfter(page.LastEvaluatedKey.poolOrder));
    if (!hasTime()) break;
  }
  return { waiting, cuts };
}

/** A part of a sharded bucket has about this many tickets. */
const SAMPLED_PART = 100;

/** Cuts a bucket into parts of about `SAMPLED_PART` tickets by the sort keys of one of its shards, until the time is up. */
async function sampledCuts(
  client: DynamoDBDocumentClient,
  query: QueryCommandInput,
  shards: number,
  hasTime: () => boolean,
): Promise<string[]> {
  const orders: string[] = [];
  for await (const { Items = [] } of pages(client, query)) {
    for (const { poolOrder: order } of Items) orders.push(order);
    if (!hasTime()) break;
  }
  const step = Math.max(1, Math.round(SAMPLED_PART / shards));
  return orders.filter((_, i) => (i + 1) % step === 0).map(sortKeyAfter);
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
