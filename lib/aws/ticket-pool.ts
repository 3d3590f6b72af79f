import { type DynamoDBDocumentClient, QueryCommand, type QueryCommandInput } from '@aws-sdk/lib-dynamodb';
import { inParallel, inParallelWhile } from '../service/concurrency/in-parallel.ts';
import {
  type BucketLayout,
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
  table: string,
  parsed: ParsedTickets | undefined,
): PoolReads {
  return {
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
          else
            cuts.push(
              ...(await sampledCuts(client, inRange(table, keys.at(-1)!, range), keys.length, hasTime)),
            );
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
      const queries = pools.flatMap((pool) => [
        { ...inRange(table, pool, { from: order }), Limit: limit + 1 },
        { ...inRange(table, pool, { to: order }), Limit: limit, ScanIndexForward: false },
      ]);
      const found = await inParallel(queries, QUERIES_AT_ONCE, (query) =>
        client.send(new QueryCommand(query)),
      );
      const near = bySkill(found.flatMap(({ Items = [] }) => Items));
      const below = near.filter((item) => item.poolOrder < order);
      const nearest = [...below.slice(-limit), ...near.slice(below.length, below.length + limit + 1)];
      return readQueued(nearest, ticket.queue).tickets;
    },

    async hasWaiting(queue: string, layout: BucketLayout) {
      let isFound = false;
      const isOpen = async () => !isFound;
      await inParallelWhile(poolKeys(queue, layout), QUERIES_AT_ONCE, isOpen, async (pool) => {
        const query = new QueryCommand({ ...inRange(table, pool, {}), Select: 'COUNT', Limit: 1 });
        const { Count = 0 } = await client.send(query);
        isFound ||= Count > 0;
      });
      return isFound;
    },
  };
}

const UNBOUNDED: ReadBound = { limit: Number.MAX_SAFE_INTEGER, hasTime: () => true };

/** A sort key directly after this one. A space sorts before all characters of ids. */
export function after(order: string): string {
  return `${order} `;
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

/** Cuts a bucket into parts of about `SAMPLED_PART` tickets by the sort keys of one of its shards, as far as there is time. */
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
