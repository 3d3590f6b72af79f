import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';

/** Tries of an item that a service rejects. */
const ATTEMPTS = 4;

/**
 * Sends a batch, and what is rejected of it again.
 * @param send returns the rejected items
 * @returns the items that are still rejected after all tries, or when another try fails
 * @throws what the first try throws: then nothing may have been accepted
 */
export async function untilAccepted<Item>(
  batch: readonly Item[],
  send: (left: readonly Item[]) => Promise<readonly Item[]>,
): Promise<readonly Item[]> {
  let left = await send(batch);
  for (let attempt = 2; left.length > 0 && attempt <= ATTEMPTS; attempt++) {
    await sleep(Math.random() * 25 * 2 ** attempt);
    try {
      left = await send(left);
    } catch {
      break;
    }
  }
  return left;
}

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

/**
 * Sends items together that are given in the same turn of the event loop, as the messages of a batch are that a function handles in
 * parallel.
 * @param send returns the result of each item, in their order
 */
export function gathered<Item>(
  send: (items: readonly Item[]) => readonly Promise<void>[],
): (item: Item) => Promise<void> {
  let next: { readonly items: Item[]; readonly results: Promise<readonly Promise<void>[]> } | undefined;
  const sendNext = async () => {
    await turn();
    const { items } = next!;
    next = undefined;
    return send(items);
  };
  return async (item) => {
    next ??= { items: [], results: sendNext() };
    const { items, results } = next;
    const at = items.push(item) - 1;
    await (await results)[at];
  };
}
