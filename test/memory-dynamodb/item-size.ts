/**
 * The bytes of an item by DynamoDB's rules ("DynamoDB Item sizes and formats" in its developer guide): names and
 * strings in UTF-8, a number one byte for two significant digits and one more, binary values their length, a list or map three bytes and one for each
 * of its elements.
 */
export function itemSize(item: Readonly<Record<string, unknown>>): number {
  let bytes = 0;
  for (const name in item) {
    const value = item[name];
    if (value !== undefined) bytes += textSize(name) + valueSize(value);
  }
  return bytes;
}

const COLLECTION_BYTES = 3;
const ELEMENT_BYTES = 1;

function valueSize(value: unknown): number {
  if (typeof value === 'string') return textSize(value);
  if (typeof value === 'number') return numberSize(value);
  if (value instanceof Uint8Array) return value.byteLength;
  if (typeof value === 'boolean' || value === null) return 1;
  if (value instanceof Set) return [...value].reduce((sum: number, one) => sum + valueSize(one), 0);
  if (Array.isArray(value))
    return value.reduce((sum, one) => sum + ELEMENT_BYTES + valueSize(one), COLLECTION_BYTES);
  if (typeof value === 'object')
    return Object.entries(value).reduce(
      (sum, [name, one]) => sum + ELEMENT_BYTES + textSize(name) + valueSize(one),
      COLLECTION_BYTES,
    );
  throw new Error(`Expected a value of DynamoDB, got ${typeof value}.`);
}

function textSize(text: string): number {
  return Buffer.byteLength(text);
}

function numberSize(value: number): number {
  if (value === 0) return 1;
  const digits = String(Math.abs(value))
    .replace(/e.*$/, '')
    .replace('.', '')
    .replace(/^0+/, '')
    .replace(/0+$/, '');
  return Math.ceil(digits.length / 2) + 1 + (value < 0 ? 1 : 0);
}
