import * as z from 'zod';
import type { BucketLimits } from './bucket-limits.ts';
import { type Edge, edge, edgeAt, edgeKey, poolOrder, skillOf } from './buckets.ts';
import type { StoredTicket } from './stored-ticket.ts';
import type { Read } from './unreadable.ts';

/** The recent load of a range, as its last tick measured it. */
export const bucketLoad = z.object({
  /** The load as a share of a bucket's capacity; above 1 the bucket is overloaded. */
  share: z.number(),
  /** The share due to tickets alone. The rest is the time of the tick, which may have other causes. */
  ticketShare: z.number(),
  /** The highest recent share; it halves in two minutes. */
  peak: z.number(),
  /** The highest recent share, but halving in ten seconds. */
  lately: z.number(),
  /** When the share first rose above 1 in the current overload, and when it was last above 1; milliseconds since the epoch. */
  overSinceMs: z.number().optional(),
  overAtMs: z.number().optional(),
  /** When the tickets were read, milliseconds since the epoch. */
  readAtMs: z.number(),
  /** The tickets that were waiting then, and how many of them are still waiting. */
  waiting: z.number(),
  left: z.number(),
  /** When the tickets were last counted, if they are too many for one tick to read. */
  surveyedMs: z.number().optional(),
  /** The share of `tickSeconds` that a tick takes, a moving average. */
  busy: z.number(),
  /** Where to split the range so that no part is overloaded; empty unless the share is above 1. */
  cuts: z.array(edge),
});
export type BucketLoad = Read<typeof bucketLoad>;

/** The share must stay above 1 for this long before a bucket counts as overloaded. A shorter burst is no reason to split. */
const SUSTAINED_MS = 2_000;
/** A share below 1 for less than this does not end an overload: a tick that follows a late one has a low share. */
const LULL_MS = 3_000;
/** The peak decays by half in this time. */
const PEAK_HALF_MS = 120_000;
const LATELY_HALF_MS = 10_000;
/** The weight of one tick in the average of `busy`. */
const BUSY_WEIGHT = 0.2;
/** The maximum of parts in one split. */
const PARTS_MAX = 128;

/** The measurements of a tick in its range. */
export interface TickSight {
  /** When the tickets were read, milliseconds since the epoch. */
  readonly nowMs: number;
  readonly tickMs: number;
  readonly durationMs: number;
  /** The tickets read, in order, and how many of them are still waiting. */
  readonly read: readonly StoredTicket[];
  readonly left: number;
  /** The number of tickets and where to split them, if they were counted because one tick cannot read them all. */
  readonly survey?: { readonly waiting: number; readonly cuts: readonly string[] } | undefined;
  /** Whether the tickets read are only a part of the range. */
  readonly isPart: boolean;
  /** The number of partition keys of the bucket. */
  readonly shards: number;
}

/** The load after a tick. */
export function loadOf(sight: TickSight, last: BucketLoad | undefined, limits: BucketLimits): BucketLoad {
  const { nowMs, tickMs, read, survey, isPart } = sight;
  const counted = survey?.waiting ?? (isPart ? last?.waiting : undefined) ?? 0;
  const waiting = Math.max(counted, read.length);
  const busyNow = sight.durationMs / tickMs;
  const busy = last === undefined ? busyNow : last.busy + BUSY_WEIGHT * (busyNow - last.busy);
  const ticketShare = Math.max(
    arrivalsPerSecond(sight, last) / limits.arrivalsPerSecond,
    waiting / limits.waitingTickets,
  );
  const share = Math.max(ticketShare, waiting < limits.busyTickets ? 0 : busy / limits.busyShare);
  const sinceMs = Math.max(0, nowMs - (last?.readAtMs ?? nowMs));
  const faded = (before: number | undefined, halfMs: number) => (before ?? 0) * 0.5 ** (sinceMs / halfMs);
  const goesOn = nowMs - (last?.overAtMs ?? 0) <= LULL_MS + 2 * tickMs;
  const overAtMs = share > 1 ? nowMs : last?.overAtMs;
  return {
    share,
    ticketShare,
    peak: Math.max(share, faded(last?.peak, PEAK_HALF_MS)),
    lately: Math.max(share, faded(last?.lately, LATELY_HALF_MS)),
    ...((share > 1 || goesOn) && { overSinceMs: goesOn ? last?.overSinceMs : nowMs, overAtMs }),
    readAtMs: nowMs,
    waiting,
    left: waiting - read.length + sight.left,
    ...(survey !== undefined
      ? { surveyedMs: nowMs }
      : isPart && last?.surveyedMs !== undefined && { surveyedMs: last.surveyedMs }),
    busy,
    cuts: share > 1 ? cutsOf(sight, last, partsOf(share, ticketShare, sight.shards, limits)) : [],
  };
}

/** Whether a range is overloaded, and not only for a moment. */
export function isOverloaded({ share, overSinceMs }: BucketLoad, nowMs: number): boolean {
  return share > 1 && overSinceMs !== undefined && nowMs - overSinceMs >= SUSTAINED_MS;
}

/**
 * The tickets that arrive per second. A tick between this one and the last one of this range may have removed some, so
 * both ways of counting may find too few.
 */
function arrivalsPerSecond({ nowMs, tickMs, read, isPart }: TickSight, last: BucketLoad | undefined): number {
  const fresh = read.filter(isLaterThan(nowMs - tickMs)).length;
  const ofTick = (1_000 * fresh) / tickMs;
  if (last === undefined || isPart || nowMs <= last.readAtMs) return ofTick;
  return Math.max(ofTick, (1_000 * (read.length - last.left)) / (nowMs - last.readAtMs));
}

/** Whether a ticket was enqueued after this time. Times in the form of `toISOString` are compared without parsing them. */
function isLaterThan(atMs: number): (ticket: Pick<StoredTicket, 'enqueuedAt'>) => boolean {
  const at = new Date(atMs).toISOString();
  return ({ enqueuedAt }) =>
    enqueuedAt.length === ISO_LENGTH && at.length === ISO_LENGTH && enqueuedAt.endsWith('Z')
      ? enqueuedAt > at
      : Date.parse(enqueuedAt) > atMs;
}
const ISO_LENGTH = '2026-01-01T00:00:00.000Z'.length;

/** When only the time is too long, the range is halved, because it is unknown how the time depends on the tickets. */
function partsOf(share: number, ticketShare: number, shards: number, limits: BucketLimits): number {
  if (ticketShare <= 1) return 2;
  // DynamoDB has throttled requests, so the real load is unknown.
  const unseen = ticketShare >= limits.saturatedShare * shards ? limits.saturatedFactor : 1;
  return Math.min(PARTS_MAX, Math.ceil((unseen * share) / limits.splitTo));
}

function cutsOf({ read, survey, isPart }: TickSight, last: BucketLoad | undefined, parts: number): Edge[] {
  if (survey !== undefined) return ascending(evenly(survey.cuts, parts - 1).map(edgeAt));
  if (isPart) return [...(last?.cuts ?? [])];
  const at = Array.from({ length: parts - 1 }, (_, i) => Math.floor(((i + 1) * read.length) / parts));
  return ascending(at.flatMap((index) => (index > 0 ? [edgeBetween(read[index - 1]!, read[index]!)] : [])));
}

/** The edge between two tickets: the first is below it, the second is not. */
function edgeBetween(below: StoredTicket, above: StoredTicket): Edge {
  const order = poolOrder(above.ticketId, above.players);
  const skill = skillOf(order);
  return edgeKey(skill) > poolOrder(below.ticketId, below.players) ? skill : edgeAt(order);
}

function ascending(edges: readonly Edge[]): Edge[] {
  const keys = edges.map(edgeKey);
  return edges.filter((_, i) => i === 0 || keys[i]! > keys[i - 1]!);
}

/** Chooses this number of the values, evenly distributed. */
export function evenly<T>(values: readonly T[], count: number): readonly T[] {
  if (count >= values.length) return values;
  return Array.from(
    { length: count },
    (_, i) => values[Math.floor(((i + 1) * values.length) / (count + 1))]!,
  );
}
