import * as z from 'zod';
import type { StoredTicket } from '../tickets/stored-ticket.ts';
import type { BucketLimits } from './bucket-limits.ts';
import { type Edge, edge, edgeAt, edgeKey, poolOrder, skillOf } from './buckets.ts';

/** What a range had to bear lately, as its last tick measured it. */
export interface BucketLoad {
  /** As a share of what a bucket bears; above 1 it is too much. */
  readonly share: number;
  /** The same by tickets alone. What is left is time, and may be the region's. */
  readonly ticketShare: number;
  /** The highest share of late; it fades by half in two minutes. */
  readonly peak: number;
  /** Since when the share has been above 1 time and again, and when it last was; milliseconds since the epoch. */
  readonly overSinceMs?: number | undefined;
  readonly overAtMs?: number | undefined;
  /** When the tickets were read, milliseconds since the epoch. */
  readonly readAtMs: number;
  /** Tickets that waited then, and how many of them go on waiting. */
  readonly waiting: number;
  readonly left: number;
  /** When the tickets were counted that no tick can read at once. */
  readonly surveyedMs?: number | undefined;
  /** The share of the time between two ticks that a tick takes, on average over some. */
  readonly busy: number;
  /** Where to cut the range so that each part bears little enough; empty unless the share is above 1. */
  readonly cuts: readonly Edge[];
}

/** Reads a stored load. */
export const bucketLoad = z.object({
  share: z.number(),
  ticketShare: z.number(),
  peak: z.number(),
  overSinceMs: z.number().optional(),
  overAtMs: z.number().optional(),
  readAtMs: z.number(),
  waiting: z.number(),
  left: z.number(),
  surveyedMs: z.number().optional(),
  busy: z.number(),
  cuts: z.array(edge),
}) satisfies z.ZodType<BucketLoad>;

/** A share above 1 for a moment is a burst, and no reason to split; */
const SUSTAINED_MS = 2_000;
/** one below for a moment does not end it: a tick counts little when the one before it came late. */
const LULL_MS = 3_000;
/** In this time the peak fades by half. */
const PEAK_HALF_MS = 120_000;
/** What one tick counts in the average of `busy`. */
const BUSY_WEIGHT = 0.2;
/** More parts than this are made in two steps. */
const PARTS_MAX = 128;

/** What a tick has seen of its range. */
export interface TickSight {
  /** When the tickets were read, milliseconds since the epoch. */
  readonly nowMs: number;
  readonly tickMs: number;
  readonly durationMs: number;
  /** The tickets read, in order, and how many of them go on waiting. */
  readonly read: readonly StoredTicket[];
  readonly left: number;
  /** How many there are and where to cut them, when they were counted because no tick can read them at once. */
  readonly survey?: { readonly waiting: number; readonly cuts: readonly string[] } | undefined;
  /** The tickets read are not all there are. */
  readonly isPart: boolean;
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
  const faded = (last?.peak ?? 0) * 0.5 ** (Math.max(0, nowMs - (last?.readAtMs ?? nowMs)) / PEAK_HALF_MS);
  const goesOn = nowMs - (last?.overAtMs ?? 0) <= LULL_MS + 2 * tickMs;
  const overAtMs = share > 1 ? nowMs : last?.overAtMs;
  return {
    share,
    ticketShare,
    peak: Math.max(share, faded),
    ...((share > 1 || goesOn) && { overSinceMs: goesOn ? last?.overSinceMs : nowMs, overAtMs }),
    readAtMs: nowMs,
    waiting,
    left: waiting - read.length + sight.left,
    ...(survey !== undefined
      ? { surveyedMs: nowMs }
      : isPart && last?.surveyedMs !== undefined && { surveyedMs: last.surveyedMs }),
    busy,
    cuts: share > 1 ? cutsOf(sight, last, partsOf(share, ticketShare, limits)) : [],
  };
}

/** Whether a range has too much to bear, and not for a moment only. */
export function isOverloaded({ share, overSinceMs }: BucketLoad, nowMs: number): boolean {
  return share > 1 && overSinceMs !== undefined && nowMs - overSinceMs >= SUSTAINED_MS;
}

/**
 * Tickets that come in a second. Some may have been taken out already, by a tick between this one and the
 * last of this range, so both ways to count them may find too few.
 */
function arrivalsPerSecond({ nowMs, tickMs, read, isPart }: TickSight, last: BucketLoad | undefined): number {
  const fresh = read.filter(({ enqueuedAt }) => Date.parse(enqueuedAt) > nowMs - tickMs).length;
  const ofTick = (1_000 * fresh) / tickMs;
  if (last === undefined || isPart || nowMs <= last.readAtMs) return ofTick;
  return Math.max(ofTick, (1_000 * (read.length - last.left)) / (nowMs - last.readAtMs));
}

/** A tick that takes too long is halved: how its time depends on its tickets is not known. */
function partsOf(share: number, ticketShare: number, { splitTo }: BucketLimits): number {
  const parts = ticketShare > 1 ? Math.ceil(share / splitTo) : 2;
  return Math.min(PARTS_MAX, parts);
}

function cutsOf({ read, survey, isPart }: TickSight, last: BucketLoad | undefined, parts: number): Edge[] {
  if (survey !== undefined) return ascending(evenly(survey.cuts, parts - 1).map(edgeAt));
  if (isPart) return [...(last?.cuts ?? [])];
  const at = Array.from({ length: parts - 1 }, (_, i) => Math.floor(((i + 1) * read.length) / parts));
  return ascending(at.flatMap((index) => (index > 0 ? [edgeBetween(read[index - 1]!, read[index]!)] : [])));
}

/** The edge below which the first ticket is, and the second not. */
function edgeBetween(below: StoredTicket, above: StoredTicket): Edge {
  const order = poolOrder(above.ticketId, above.players);
  const skill = skillOf(order);
  return edgeKey(skill) > poolOrder(below.ticketId, below.players) ? skill : edgeAt(order);
}

function ascending(edges: readonly Edge[]): Edge[] {
  const keys = edges.map(edgeKey);
  return edges.filter((_, i) => i === 0 || keys[i]! > keys[i - 1]!);
}

/** As many of the values, evenly chosen. */
export function evenly<T>(values: readonly T[], count: number): readonly T[] {
  if (count >= values.length) return values;
  return Array.from(
    { length: count },
    (_, i) => values[Math.floor(((i + 1) * values.length) / (count + 1))]!,
  );
}
