/** The maximum of one request. */
export interface BatchLimit {
  readonly count: number;
  readonly bytes: number;
}

/** Splits items, in their order, into batches within both limits. An item larger than `bytes` is a batch by itself. */
export function inBatches<Item>(
  items: readonly Item[],
  limit: BatchLimit,
  bytesOf: (item: Item) => number,
): Item[][] {
  const batches: Item[][] = [];
  let bytes = 0;
  for (const item of items) {
    const size = bytesOf(item);
    const batch = batches.at(-1);
    if (batch === undefined || batch.length === limit.count || bytes + size > limit.bytes) {
      batches.push([item]);
      bytes = size;
    } else {
      batch.push(item);
      bytes += size;
    }
  }
  return batches;
}
