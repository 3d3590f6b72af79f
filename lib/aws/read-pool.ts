import { type DynamoDBDocumentClient, QueryCommand, type QueryCommandInput } from '@aws-sdk/lib-dynamodb';

/** An item of the pool's index, as far as reading in order needs to know it. */
export type PoolItem = Record<string, unknown> & { readonly poolOrder: string };

export interface PoolPart {
  /** In order; none is left out up to `readUntil`. */
  readonly items: PoolItem[];
  /** The sort key of the last item, when there may be more after it. */
  readonly readUntil?: string | undefined;
}

/**
 * Reads the first items of several partitions of the pool's index, as if they were one, in order of their
 * sort keys.
 *
 * Every partition is read in pages. As long as one of them has more, only what lies below the end of what was
 * read of it is complete; so it is always the one that is behind that is read on.
 *
 * @param queries one for each partition, each in ascending order
 * @param limit read no more than about this many items
 * @param hasTime asked before each further page
 */
export async function readPool(
  client: DynamoDBDocumentClient,
  queries: readonly QueryCommandInput[],
  limit: number,
  hasTime: () => boolean,
): Promise<PoolPart> {
  const partitions = queries.map((query) => new Partition(client, query));
  // An even share of what is wanted, and some more: partitions are hardly ever equal.
  const share = Math.ceil((SHARE_MARGIN * limit) / Math.max(1, queries.length));
  await Promise.all(partitions.map((partition) => partition.readOn(Math.min(limit, share))));
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
    await behind!.readOn(limit - part.length);
  }
}

const SHARE_MARGIN = 1.2;
/** More items than a page of a megabyte has. */
const LIMIT_MAX = 1_000_000;

/** One partition, as far as it has been read. */
class Partition {
  readonly items: PoolItem[] = [];
  readonly #client: DynamoDBDocumentClient;
  readonly #query: QueryCommandInput;
  #next: Record<string, unknown> | undefined;
  hasMore = true;

  constructor(client: DynamoDBDocumentClient, query: QueryCommandInput) {
    this.#client = client;
    this.#query = query;
  }

  /** Reads a page of at most this many items; DynamoDB ends it at a megabyte. */
  async readOn(limit: number): Promise<void> {
    const { Items = [], LastEvaluatedKey } = await this.#client.send(
      new QueryCommand({
        ...this.#query,
        Limit: Math.min(LIMIT_MAX, Math.max(1, limit)),
        ...(this.#next && { ExclusiveStartKey: this.#next }),
      }),
    );
    for (const item of Items) this.items.push(item as PoolItem);
    this.#next = LastEvaluatedKey;
    this.hasMore = LastEvaluatedKey !== undefined;
  }

  /** Up to here, inclusive, all is read. */
  get readUntil(): string {
    return (this.#next as PoolItem | undefined)?.poolOrder ?? '';
  }
}

const byOrder = (a: PoolItem, b: PoolItem) => (a.poolOrder < b.poolOrder ? -1 : 1);

const byReadUntil = (a: Partition, b: Partition) => (a.readUntil < b.readUntil ? -1 : 1);
