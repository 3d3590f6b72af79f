import * as z from 'zod';
import type { Player } from '../../engine/types.ts';
import { meanSkill } from '../../policies/policy.ts';
import { DEFINITION_AGE_MS } from './timing.ts';
import type { Read } from './unreadable.ts';

/**
 * The boundary between two buckets: a skill, or a point among the tickets of one skill with a share in (0, 1) of them
 * below. The second form splits the players of a new game, who all have the same skill.
 */
export type Edge = number | readonly [skill: number, share: number];

/** The schema of a stored edge. */
export const edge = z.union([z.number(), z.tuple([z.number(), z.number()])]) satisfies z.ZodType<Edge>;

/**
 * How a queue's pool is split by skill.
 *
 * A ticket is written under the layout in force, into the bucket its skill lies in. Ticks alternate
 * between the layout's boundaries and boundaries moved by half a bucket, so that neighbours across an
 * edge are searched together on the next tick:
 *
 *     layout      |      0      |      1      |      2      |
 *     even slots  [------0------|------1------|------2------]
 *     odd slots   [---------0----------|----------1---------]
 *     cells       [------0------|--1---|--2---|------3------]
 *
 * Cells are the pieces between all edges of both kinds. A tick leases the cells of its range, so no
 * two ticks search the same tickets, whichever kind of slot they belong to.
 *
 * The first ticks of a new layout close the cells of older layouts that their range overlaps. A late tick of an older
 * layout then finds them done. The first ticks wait for a tick of an older layout that is still running.
 */
export const bucketLayout = z.object({
  version: z.number(),
  /** Ascending. Bucket i holds the tickets from edge i−1 (inclusive) to edge i. */
  boundaries: z.array(edge),
  /** The first slot searched under this layout, milliseconds since the epoch. */
  fromMs: z.number(),
  /**
   * The partition keys of each bucket, under a load that one key cannot take: see `waking/shards.ts`. A ticket's key follows
   * from a hash of its id. `count`: from 2. Tickets from before `sinceMs` have the bucket's first key. @default one key
   */
  shards: z.object({ count: z.int().min(2), sinceMs: z.number() }).exactOptional(),
});
export type BucketLayout = Read<typeof bucketLayout>;
export type Shards = NonNullable<BucketLayout['shards']>;

/** A range of sort keys: `from` inclusive, `to` exclusive; undefined is unbounded. */
export interface KeyRange {
  readonly from?: string;
  readonly to?: string;
}

/** The range that one tick of a slot searches. */
export interface TickRange extends KeyRange {
  readonly index: number;
  /** Names of the cells that the tick must lease, ascending. */
  readonly cells: readonly string[];
}

const DECIMALS = 6;
const WIDTH = 10 + 1 + DECIMALS;

/** A skill as part of a sort key, zero-padded so that strings sort like skills. */
export function skillKey(skill: number): string {
  return skill.toFixed(DECIMALS).padStart(WIDTH, '0');
}

/** The sort key of a ticket in its bucket: its mean skill, then a hash that spreads tickets of the same skill evenly. */
export function poolOrder(ticketId: string, players: readonly Player[]): string {
  return `${skillKey(meanSkill({ players }))}#${tieKey(ticketId)}`;
}

/** The skill in a sort key. */
export function skillOf(order: string): number {
  return Number.parseFloat(order.slice(0, WIDTH));
}

/** An edge as a sort key. Tickets from this key on belong to the upper bucket. */
export function edgeKey(edge: Edge): string {
  if (typeof edge === 'number') return skillKey(edge);
  const [skill, share] = edge;
  return `${skillKey(skill)}#${tieAt(share)}`;
}

/** The edge at a ticket's sort key, within a ten-thousandth of the tickets of its skill. */
export function edgeAt(order: string): Edge {
  const share = shareOf(order.slice(WIDTH + 1, WIDTH + 1 + TIE_WIDTH));
  return [skillOf(order), Math.max(1, Math.floor(share * 1e4)) / 1e4];
}

/** The pool key under which a ticket is stored. Compares sort keys instead of skills, so that rounding is consistent. */
export function poolKey(queue: string, layout: BucketLayout, order: string): string {
  return keyOfShard(queue, layout, bucketOf(layout, order), shardOf(order, layout.shards?.count ?? 1));
}

/** All pool keys that may contain a ticket: those of its bucket. */
export function poolKeysAround(queue: string, layout: BucketLayout, order: string): string[] {
  return keysOfBucket(queue, layout, bucketOf(layout, order));
}

/** Every pool key of a layout. */
export function poolKeys(queue: string, layout: BucketLayout): string[] {
  return poolKeysWithin(queue, layout, {});
}

/** The pool keys of a layout that overlap a range of sort keys. */
export function poolKeysWithin(queue: string, layout: BucketLayout, range: KeyRange): string[] {
  return bucketsWithin(layout, range).flatMap(({ bucket }) => keysOfBucket(queue, layout, bucket));
}

/** A bucket by its index in a layout, and its sort keys. */
export interface Bucket extends KeyRange {
  readonly bucket: number;
}

/** The buckets of a layout that overlap a range of sort keys. */
export function bucketsWithin(layout: BucketLayout, range: KeyRange): Bucket[] {
  const edges = layout.boundaries.map(edgeKey);
  return Array.from({ length: edges.length + 1 }, (_, bucket): Bucket => {
    const from = edges[bucket - 1];
    const to = edges[bucket];
    return { bucket, ...(from !== undefined && { from }), ...(to !== undefined && { to }) };
  }).filter((bucket) => overlap(bucket, range));
}

/** Whether two ranges have sort keys in common. */
export function overlap(a: KeyRange, b: KeyRange): boolean {
  const isBelow = (low: KeyRange, high: KeyRange) =>
    low.to !== undefined && high.from !== undefined && low.to <= high.from;
  return !isBelow(a, b) && !isBelow(b, a);
}

/** The pool keys of a bucket. */
export function keysOfBucket(queue: string, layout: BucketLayout, bucket: number): string[] {
  return Array.from({ length: layout.shards?.count ?? 1 }, (_, shard) =>
    keyOfShard(queue, layout, bucket, shard),
  );
}

/** The key of a range's report. Even and odd slots of a layout with one bucket share the only range. */
export function rangeName(range: TickRange): string {
  return range.cells.join('+');
}

/** The names of all ranges of a layout, for even and odd slots. */
export function rangesOf(layout: BucketLayout): string[] {
  return [false, true].flatMap((odd) => tickRanges(layout, odd).map(rangeName));
}

/** The names of all cells of a layout. */
export function cellsOf(layout: BucketLayout): string[] {
  return tickRanges(layout, false).flatMap(({ cells }) => cells);
}

/** The names of the cells of a layout that overlap a range of keys. */
export function cellsWithin(layout: BucketLayout, range: KeyRange): string[] {
  const edges = layout.boundaries;
  const keys = edges
    .flatMap((edge, i) => (i === 0 ? [edge] : [between(edges[i - 1]!, edge), edge]))
    .map(edgeKey);
  return cellsOf(layout).filter((_, cell) => {
    const from = keys[cell - 1];
    const to = keys[cell];
    return overlap({ ...(from !== undefined && { from }), ...(to !== undefined && { to }) }, range);
  });
}

/** The ranges of a layout that contain a ticket: one of even slots and one of odd slots. */
export function rangesAround(layout: BucketLayout, order: string): TickRange[] {
  return [false, true].flatMap((odd) =>
    tickRanges(layout, odd).filter(
      ({ from, to }) => (from === undefined || order >= from) && (to === undefined || order < to),
    ),
  );
}

/**
 * How long before its first slot a layout is written, so that every function has read it by then. Functions cache definitions for
 * `DEFINITION_AGE_MS`. A function that has not read it finds its cells closed, which is harmless.
 */
const LAYOUT_NOTICE_MS = DEFINITION_AGE_MS + 2_000;

/** The layout with these boundaries that succeeds another. */
export function nextLayout(newest: BucketLayout, boundaries: readonly Edge[], nowMs: number): BucketLayout {
  return {
    version: newest.version + 1,
    boundaries,
    fromMs: Math.max(nowMs + LAYOUT_NOTICE_MS, newest.fromMs + 1),
  };
}

/**
 * The maximum of pool keys of all layouts of a queue. Ticks and `dispatch` make a query for each key. A layout is kept until it
 * is five minutes over and its last ticket is gone. 256 buckets can change seven times in that time.
 */
const POOL_KEYS_MAX = 2_048;

/** The layouts with one more; undefined if they would exceed the maximum of pool keys. */
export function withLayout(
  layouts: readonly BucketLayout[],
  next: BucketLayout,
): readonly BucketLayout[] | undefined {
  const all = [...layouts, next];
  const keys = all.reduce((sum, one) => sum + (one.boundaries.length + 1) * (one.shards?.count ?? 1), 0);
  return keys <= POOL_KEYS_MAX && all.length <= LAYOUTS_MAX ? all : undefined;
}

/** A layout is kept for this long after the next one began, because writes under it may still be in flight. */
export const LAYOUT_GRACE_MS = 5 * 60_000;

/** The maximum of layouts that a queue may have. */
const LAYOUTS_MAX = 64;

/** The layout in force at a slot: the newest that has begun, otherwise the oldest. */
export function layoutAt(layouts: readonly BucketLayout[], slotMs: number): BucketLayout {
  return layouts.findLast((layout) => layout.fromMs <= slotMs) ?? layouts[0]!;
}

/** The ranges searched in a slot of a layout. */
export function tickRanges(layout: BucketLayout, odd: boolean): TickRange[] {
  const edges = layout.boundaries;
  const keys = (odd ? edges.slice(1).map((edge, i) => between(edges[i]!, edge)) : edges).map(edgeKey);
  const lastCell = Math.max(0, 2 * edges.length - 1);
  return Array.from({ length: keys.length + 1 }, (_, index) => {
    const from = keys[index - 1];
    const to = keys[index];
    // Edges of both kinds alternate, so range i has the cells on both sides of the edge inside it.
    const first = Math.max(0, odd ? 2 * index : 2 * index - 1);
    const last = to === undefined ? lastCell : odd ? 2 * index + 1 : 2 * index;
    return {
      index,
      ...(from !== undefined && { from }),
      ...(to !== undefined && { to }),
      cells: Array.from({ length: last - first + 1 }, (_, i) => `${layout.version}.${first + i}`),
    };
  });
}

/** The edge halfway between two edges. */
function between(low: Edge, high: Edge): Edge {
  const [lowSkill, lowShare] = typeof low === 'number' ? [low, 0] : low;
  const [highSkill, highShare] = typeof high === 'number' ? [high, 0] : high;
  if (lowSkill === highSkill) return [lowSkill, (lowShare + highShare) / 2];
  const middle = (lowSkill + highSkill) / 2;
  // Skills that have the same sort key have no skill between them.
  return lowShare > 0 && skillKey(middle) <= skillKey(lowSkill) ? [lowSkill, (lowShare + 1) / 2] : middle;
}

function bucketOf(layout: BucketLayout, order: string): number {
  return layout.boundaries.filter((edge) => edgeKey(edge) <= order).length;
}

/** The first shard has the key of the bucket without shards, so tickets from before the shards are found. */
function keyOfShard(queue: string, layout: BucketLayout, bucket: number, shard: number): string {
  return `${queue}#${layout.version}.${bucket}${shard === 0 ? '' : `.${shard}`}`;
}

/** The shard of a sort key: its last digits, because the first ones decide the order within a skill. */
function shardOf(order: string, shards: number): number {
  return shards === 1 ? 0 : Number.parseInt(order.slice(-SHARD_DIGITS), 32) % shards;
}

const SHARD_DIGITS = 3;

/** Characters of a tie key: 50 bits, so that two of a million tickets of one skill have the same one in 1 of 2,000 pools. */
const TIE_WIDTH = 10;

/**
 * A key that orders tickets of the same skill. It depends only on the id and is evenly distributed for any ids. Ten
 * digits of base 32 in ASCII order, shorter than most ids.
 *
 * The hash is cyrb53, which is fast. Only its even distribution matters.
 */
export function tieKey(ticketId: string): string {
  let high = 0xdeadbeef;
  let low = 0x41c6ce57;
  for (let i = 0; i < ticketId.length; i++) {
    const code = ticketId.charCodeAt(i);
    high = Math.imul(high ^ code, 2654435761);
    low = Math.imul(low ^ code, 1597334677);
  }
  const mixedHigh = mix(high, low);
  const mixedLow = mix(low, mixedHigh);
  const hash = (2 ** 18 * mixedHigh + (mixedLow >>> 14)) % 2 ** 50;
  return hash.toString(32).padStart(TIE_WIDTH, '0');
}

/** The key at this share of all tie keys, in [0, 1). */
function tieAt(share: number): string {
  return Math.floor(share * 2 ** 50)
    .toString(32)
    .padStart(TIE_WIDTH, '0');
}

/** The share of all tie keys that are below a key. */
export function shareOf(key: string): number {
  return Number.parseInt(key, 32) / 2 ** 50;
}

function mix(a: number, b: number): number {
  return (Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909)) >>> 0;
}
