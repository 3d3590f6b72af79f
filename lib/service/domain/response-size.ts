/** The bytes of a list in a response, as {@link bytesOf} counts them. Lambda allows 6 MB. */
export const RESPONSE_BYTES = 4 * 1_048_576;

/** The first items of a list that fit into a response. */
export function fitting<Item>(items: readonly Item[]): readonly Item[] {
  let bytes = 0;
  const end = items.findIndex((item) => {
    bytes += bytesOf(item);
    return bytes > RESPONSE_BYTES;
  });
  return end === -1 ? items : items.slice(0, end);
}

/**
 * The size of a part of a body as Lambda counts it. The body is a string in the JSON of the response, so its quotes are escaped.
 */
export function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(JSON.stringify(value)));
}
