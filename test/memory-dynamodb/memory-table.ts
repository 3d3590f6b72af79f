import { isDeepStrictEqual } from 'node:util';
import { DYNAMODB_LIMITS } from './aws-limits.ts';
import type { Item } from './expressions.ts';
import { itemSize } from './item-size.ts';
import { type Entry, SortedItems } from './sorted-items.ts';

export interface KeySchema {
  readonly partition: string;
  readonly sort?: string | undefined;
}

export interface IndexSchema extends KeySchema {
  readonly name: string;
  /** The attributes that it has besides keys; undefined for all. */
  readonly attributes: readonly string[] | undefined;
}

export interface TableSchema extends KeySchema {
  readonly name: string;
  readonly hasStream: boolean;
  readonly indexes: readonly IndexSchema[];
}

/** A write in the stream. */
export interface TableChange {
  readonly before: Item | undefined;
  readonly after: Item | undefined;
}

/** The units of a write to the table or an index, by the partition key that they count for. */
export interface WriteUnits {
  readonly index?: string | undefined;
  readonly key: string;
  readonly units: number;
}

/** A table or an index, for queries. */
export class Partitions {
  readonly #sort: string | undefined;
  readonly #partitions = new Map<string, SortedItems>();

  constructor({ sort }: KeySchema) {
    this.#sort = sort;
  }

  of(key: string): SortedItems | undefined {
    return this.#partitions.get(key);
  }

  put(key: string, item: Item, tableKey: string, bytes: number): void {
    const partition = this.#partitions.get(key) ?? new SortedItems();
    this.#partitions.set(key, partition);
    partition.put({ position: this.#position(item, tableKey), item, bytes });
  }

  delete(key: string, item: Item, tableKey: string): void {
    const partition = this.#partitions.get(key)!;
    partition.delete(this.#position(item, tableKey));
    if (partition.size === 0) this.#partitions.delete(key);
  }

  #position(item: Item, tableKey: string): string {
    return `${this.#sort === undefined ? '' : item[this.#sort]}\0${tableKey}`;
  }
}

/** What DynamoDB says of an item above its limit. */
export class ItemTooLarge extends Error {
  override readonly name = 'ValidationException';

  constructor() {
    super('Item size has exceeded the maximum allowed size');
  }
}

class KeyTooLong extends Error {
  override readonly name = 'ValidationException';

  constructor() {
    super(
      'One or more parameter values were invalid: Size of hashkey or rangekey has exceeded the maximum size limit',
    );
  }
}

/** A table of DynamoDB with its indexes, which are updated at once. */
export class MemoryTable {
  readonly schema: TableSchema;
  /** The writes that changed an item since the list was last emptied; only for a table with a stream. */
  readonly changes: TableChange[] = [];
  readonly indexes: ReadonlyMap<string, { readonly schema: IndexSchema; readonly partitions: Partitions }>;
  readonly partitions: Partitions;
  readonly #items = new Map<string, Entry>();

  constructor(schema: TableSchema) {
    this.schema = schema;
    this.partitions = new Partitions(schema);
    this.indexes = new Map(
      schema.indexes.map((index) => [index.name, { schema: index, partitions: new Partitions(index) }]),
    );
  }

  keyOf(item: Item): string {
    const { partition, sort } = this.schema;
    return sort === undefined ? String(item[partition]) : `${item[partition]}\0${item[sort]}`;
  }

  get(key: string): Item | undefined {
    return this.#items.get(key)?.item;
  }

  bytesOf(key: string): number {
    return this.#items.get(key)?.bytes ?? 0;
  }

  /** Every item, in no order. */
  *all(): Generator<Item> {
    for (const { item } of this.#items.values()) yield item;
  }

  /** Removes an item that is in no index, as its expiry does: without units and without a stream record. */
  expire(key: string): void {
    this.#items.delete(key);
  }

  /**
   * Replaces an item, or removes it.
   * @returns the units of the table and of each index
   */
  write(key: string, after: Item | undefined): WriteUnits[] {
    const old = this.#items.get(key);
    const before = old?.item;
    const bytes = after === undefined ? 0 : itemSize(after);
    if (bytes > DYNAMODB_LIMITS.itemBytesMax) throw new ItemTooLarge();
    if (after !== undefined) this.#checkKeys(after);
    const partition = String((after ?? before)?.[this.schema.partition] ?? key.split('\0')[0]);
    const units: WriteUnits[] = [{ key: partition, units: kilobytes(Math.max(bytes, old?.bytes ?? 0)) }];
    for (const { schema, partitions } of this.indexes.values())
      units.push(...this.#writeIndex(schema, partitions, key, before, after));
    if (after === undefined) {
      this.#items.delete(key);
      if (before !== undefined && this.schema.sort !== undefined)
        this.partitions.delete(partition, before, key);
    } else {
      this.#items.set(key, { position: key, item: after, bytes });
      if (this.schema.sort !== undefined) this.partitions.put(partition, after, key, bytes);
    }
    if (this.schema.hasStream && !isDeepStrictEqual(before, after)) this.changes.push({ before, after });
    return units;
  }

  /** @throws KeyTooLong also of an index: then DynamoDB refuses the write to the table */
  #checkKeys(item: Item): void {
    const schemas = [this.schema, ...[...this.indexes.values()].map(({ schema }) => schema)];
    const isLonger = (name: string | undefined, most: number) =>
      name !== undefined && Buffer.byteLength(String(item[name] ?? '')) > most;
    for (const { partition, sort } of schemas)
      if (
        isLonger(partition, DYNAMODB_LIMITS.partitionKeyBytesMax) ||
        isLonger(sort, DYNAMODB_LIMITS.sortKeyBytesMax)
      )
        throw new KeyTooLong();
  }

  #writeIndex(
    index: IndexSchema,
    partitions: Partitions,
    key: string,
    before: Item | undefined,
    after: Item | undefined,
  ): WriteUnits[] {
    const old = before && this.#projected(index, before);
    const entry = after && this.#projected(index, after);
    const units: WriteUnits[] = [];
    const charge = (item: Item, bytes: number) =>
      units.push({ index: index.name, key: String(item[index.partition]), units: kilobytes(bytes) });
    if (old !== undefined && entry !== undefined && sameKeys(index, old, entry)) {
      if (isDeepStrictEqual(old, entry)) return [];
      const bytes = itemSize(entry);
      partitions.put(String(entry[index.partition]), entry, key, bytes);
      charge(entry, Math.max(bytes, itemSize(old)));
      return units;
    }
    if (old !== undefined) {
      partitions.delete(String(old[index.partition]), old, key);
      charge(old, itemSize(old));
    }
    if (entry !== undefined) {
      const bytes = itemSize(entry);
      partitions.put(String(entry[index.partition]), entry, key, bytes);
      charge(entry, bytes);
    }
    return units;
  }

  /** The index's copy of an item; undefined when the item lacks one of the index's keys. */
  #projected({ partition, sort, attributes }: IndexSchema, item: Item): Item | undefined {
    if (item[partition] === undefined || (sort !== undefined && item[sort] === undefined)) return undefined;
    if (attributes === undefined) return item;
    const projected: Record<string, unknown> = {};
    const keys = [this.schema.partition, this.schema.sort, partition, sort];
    for (const name of [...keys, ...attributes])
      if (name !== undefined && item[name] !== undefined) projected[name] = item[name];
    return projected;
  }
}

function sameKeys({ partition, sort }: KeySchema, a: Item, b: Item): boolean {
  return a[partition] === b[partition] && (sort === undefined || a[sort] === b[sort]);
}

/** Write units: one for each kilobyte or part of it. */
function kilobytes(bytes: number): number {
  return Math.max(1, Math.ceil(bytes / 1_024));
}
