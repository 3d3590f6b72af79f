import type { DynamoDBDocumentClient, QueryCommandInput } from '@aws-sdk/lib-dynamodb';
import { inParallel } from '../service/concurrency/in-parallel.ts';
import { type PoolItem, poolPage } from './pool-page.ts';

/** The maximum of pool keys that are queried concurrently. A queue may have thousands. */
export const QUERIES_AT_ONCE = 32;

export interface PoolPart {
  /** In order of their sort keys, complete up to `readUntil`. */
  readonly items: PoolItem[];
  /** The sort key of the last item; absent when no items follow. */
  readonly readUntil?: string | undefined;
}

/**
 * Reads the first items of several partitions of the pool's index, merged in order of their sort keys.
 *
 * Each partition is read in pages. The merged items are complete only up to the least sort key at which a partition
 * with more items has stopped, so the next page is always read from that partition.
 *
 * @param queries one for each partition, each in ascending order
 * @param limit the maximum of items returned; slightly more may be read
 * @param hasTime called before each further page; when false, the complete items so far are returned
 */
export async function readPool(
  client: DynamoDBDocumentClient,
  queries: readonly QueryCommandInput[],
  limit: number,
  hasTime: () => boolean,
): Promise<PoolPart> {
  const partitions = queries.map((query) => new Partition(client, query));
  // An even share and a margin, because partitions are rarely equal in size.
  const share = Math.ceil((SHARE_MARGIN * limit) / Math.max(1, queries.length));
  await inParallel(partitions, QUERIES_AT_ONCE, (partition) => partition.readPage(Math.min(limit, share)));
  for (;;) {
    const behind = partitions.filter(({ hasMore }) => hasMore).sort(byReadUntil)[0];
    const complete = partitions.flatMap(({ items }) => items);
    if (behind === undefined && complete.length <= limit) return { items: complete.sort(byOrder) };
    const readUntil = behind?.readUntil;
    const part =
      readUntil === undefined ? complete : complete.filter(({ poolOrder }) => poolOrder <= readUntil);
    if (part.length >= limit || (!hasTime() && part.length > 0)) {
      const items = part.sort(byOrder).slice(0, limit);
      return { items, readUntil: items.at(-1)!.poolOrder };
    }
    await behind!.readPage(limit - part.length);
  }
}

const SHARE_MARGIN = 1.2;
/** More items than fit into a page of a megabyte. */
const LIMIT_MAX = 1_000_000;

/** One partition, with the items read so far. */
class Partition {
  readonly items: PoolItem[] = [];
  readonly #client: DynamoDBDocumentClient;
  readonly #query: QueryCommandInput;
  #next: PoolItem | undefined;
  hasMore = true;

  constructor(client: DynamoDBDocumentClient, query: QueryCommandInput) {
    this.#client = client;
    this.#query = query;
  }

  /** Reads a page of at most this many items; DynamoDB ends it at a megabyte. */
  async readPage(limit: number): Promise<void> {
    const { items, last } = await poolPage(this.#client, {
      ...this.#query,
      Limit: Math.min(LIMIT_MAX, Math.max(1, limit)),
      ...(this.#next && { ExclusiveStartKey: this.#next }),
    });
    for (const item of items) this.items.push(item);
    this.#next = last;
    this.hasMore = last !== undefined;
  }

  /** The sort key up to which, inclusive, all items are read. */
  get readUntil(): string {
    return this.#next?.poolOrder ?? '';
  }
}

const byOrder = (a: PoolItem, b: PoolItem) => (a.poolOrder < b.poolOrder ? -1 : 1);

const byReadUntil = (a: Partition, b: Partition) => (a.readUntil < b.readUntil ? -1 : 1);
