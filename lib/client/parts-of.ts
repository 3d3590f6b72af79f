/** The most tickets, or ids, of a request. */
const ITEMS_MAX = 50;
/** The most characters of ids in a URL: API Gateway takes 10 KB of it and all headers. */
const IDS_SIZE_MAX = 6_000;

/** Divides items into parts that fit into a request each: up to 50, with sizes up to this sum. */
export function partsOf<T>(items: Iterable<T>, sizeMax: number, sizeOf: (item: T) => number): T[][] {
  const parts: T[][] = [];
  // Full, so that the first item begins a part.
  let partSize = sizeMax;
  for (const item of items) {
    const size = sizeOf(item);
    partSize += size;
    if (partSize > sizeMax || parts.at(-1)!.length === ITEMS_MAX) {
      parts.push([]);
      partSize = size;
    }
    parts.at(-1)!.push(item);
  }
  return parts;
}

/** Divides ids, each once, into parts that fit into a URL each. */
export const idParts = (ids: Iterable<string>): string[][] =>
  partsOf(new Set(ids), IDS_SIZE_MAX, (id) => encodeURIComponent(`${id},`).length);
