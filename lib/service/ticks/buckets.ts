import * as z from 'zod';
import type { Player } from '../../engine/types.ts';
import { meanSkill } from '../../policies/policy.ts';

/**
 * How a queue's pool is parted by skill.
 *
 * A ticket is written under the plan in force, into the bucket its skill lies in. Ticks alternate
 * between the plan's boundaries and boundaries moved by half a bucket, so that neighbours across an
 * edge meet on the next tick:
 *
 *     plan        |      0      |      1      |      2      |
 *     even slots  [------0------|------1------|------2------]
 *     odd slots   [---------0----------|----------1---------]
 *     cells       [------0------|--1---|--2---|------3------]
 *
 * Cells are the pieces between all edges of both kinds. A tick leases the cells of its range, so no
 * two ticks search the same tickets, whichever kind of slot they belong to.
 */
export interface BucketPlan {
  readonly version: number;
  /** Skills, ascending; bucket i holds skills from edge i−1 (inclusive) to edge i. */
  readonly boundaries: readonly number[];
  /** The first slot searched under this plan, milliseconds since the epoch. */
  readonly fromMs: number;
}

/** Reads a stored plan. */
export const bucketPlan = z.object({
  version: z.number(),
  boundaries: z.array(z.number()),
  fromMs: z.number(),
}) satisfies z.ZodType<BucketPlan>;

/** A range of sort keys: `from` inclusive, `to` exclusive; undefined is unbounded. */
export interface KeyRange {
  readonly from?: string;
  readonly to?: string;
}

/** One tick's share of a slot. */
export interface TickRange extends KeyRange {
  readonly index: number;
  /** Names of the cells it must lease, ascending. */
  readonly cells: readonly string[];
}

const DECIMALS = 6;
const WIDTH = 10 + 1 + DECIMALS;

/** A skill as part of a sort key: zero-padded, so that the order of strings is that of skills. */
export function skillKey(skill: number): string {
  return skill.toFixed(DECIMALS).padStart(WIDTH, '0');
}

/** Where a ticket stands in its bucket: by its mean skill, then by its id. */
export function poolOrder(ticketId: string, players: readonly Player[]): string {
  return `${skillKey(meanSkill({ players }))}#${ticketId}`;
}

/** The partition of the pool index a ticket belongs to. Compares keys, not skills: rounding must agree. */
export function poolPartition(queue: string, plan: BucketPlan, order: string): string {
  const key = order.slice(0, WIDTH);
  const bucket = plan.boundaries.filter((edge) => skillKey(edge) <= key).length;
  return partitionName(queue, plan, bucket);
}

/** Every partition of a plan. */
export function partitions(queue: string, plan: BucketPlan): string[] {
  return Array.from({ length: plan.boundaries.length + 1 }, (_, bucket) =>
    partitionName(queue, plan, bucket),
  );
}

/** The partitions of a plan that a range of keys touches. */
export function partitionsWithin(queue: string, plan: BucketPlan, range: KeyRange): string[] {
  const edges = plan.boundaries.map(skillKey);
  return partitions(queue, plan).filter((_, bucket) => {
    const low = edges[bucket - 1];
    const high = edges[bucket];
    const below = high !== undefined && range.from !== undefined && high <= range.from;
    const above = low !== undefined && range.to !== undefined && low >= range.to;
    return !below && !above;
  });
}

/** What a range's report is kept under. Even and odd slots of a plan with one bucket share their one range. */
export function rangeName(range: TickRange): string {
  return range.cells.join('+');
}

/** The names of all ranges of a plan, of even and of odd slots. */
export function rangesOf(plan: BucketPlan): string[] {
  return [false, true].flatMap((odd) => tickRanges(plan, odd).map(rangeName));
}

/** The names of all cells of a plan. */
export function cellsOf(plan: BucketPlan): string[] {
  return tickRanges(plan, false).flatMap(({ cells }) => cells);
}

/** The ranges of a plan that hold a ticket: one of the even slots, one of the odd ones. */
export function rangesAround(plan: BucketPlan, order: string): TickRange[] {
  return [false, true].flatMap((odd) =>
    tickRanges(plan, odd).filter(
      ({ from, to }) => (from === undefined || order >= from) && (to === undefined || order < to),
    ),
  );
}

/** The plan in force at a slot: the newest that has begun, or the oldest there is. */
export function planAt(plans: readonly BucketPlan[], slotMs: number): BucketPlan {
  return plans.findLast((plan) => plan.fromMs <= slotMs) ?? plans[0]!;
}

/** The ranges searched in a slot of a plan. */
export function tickRanges(plan: BucketPlan, odd: boolean): TickRange[] {
  const edges = plan.boundaries;
  const shifted = edges.slice(1).map((edge, i) => (edge + edges[i]!) / 2);
  const all = [...edges, ...shifted].sort((a, b) => a - b);
  const own = odd ? shifted : edges;
  return Array.from({ length: own.length + 1 }, (_, index) => {
    const low = own[index - 1];
    const high = own[index];
    const cells = Array.from({ length: all.length + 1 }, (_, cell) => cell).filter(
      (cell) =>
        (low === undefined || (cell > 0 && all[cell - 1]! >= low)) &&
        (high === undefined || (cell < all.length && all[cell]! <= high)),
    );
    return {
      index,
      ...(low !== undefined && { from: skillKey(low) }),
      ...(high !== undefined && { to: skillKey(high) }),
      cells: cells.map((cell) => `${plan.version}.${cell}`),
    };
  });
}

function partitionName(queue: string, plan: BucketPlan, bucket: number): string {
  return `${queue}#${plan.version}.${bucket}`;
}
