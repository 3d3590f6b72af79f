import * as z from 'zod';
import type { Ticket } from '../../engine/types.ts';
import { getOrCreate } from '../../vocabulary/get-or-create.ts';
import type { SkillSketch } from '../skill-sketch.ts';
import { Likenesses, type WaitingTicket } from './likenesses.ts';

/**
 * How likely a waiting ticket is matched by a tick, by how many ticks it has waited: a life table, as actuaries use it. Each
 * tick counts the tickets that it has searched and those that it has matched. A ticket that is cancelled or times out is no
 * longer counted, and never as matched, so these tickets are censored. The table follows a change of the rate soon, because it
 * needs no wait to be over, and because it compares the matches of the last ticks with those that it expected.
 *
 * Tickets differ by skill, size, roles and region. Each of these likenesses has a factor for the chance of a ticket like it,
 * separately for the first tick, the next seven and all later ones.
 */
export interface WaitTable {
  readonly version: 1;
  /** The time between two ticks that the ages refer to. */
  readonly tickMs: number;
  /** When the table was last counted. */
  readonly atMs: number;
  /** The mean time between the last ticks: longer than `tickMs` when ticks are late or dropped. @default tickMs */
  readonly everyMs?: number | undefined;
  /** Tickets searched and matched, by class of age. They decay. */
  readonly seen: readonly number[];
  readonly matched: readonly number[];
  /** By likeness: the matches, and those expected without this likeness, by part of the wait. They decay. */
  readonly like: Readonly<Record<string, Likeness>>;
  /** The matches of the last ticks, and those that the table expected: a change of the rate shows here first. They decay. */
  readonly lately?: { readonly got: number; readonly due: number } | undefined;
}

interface Likeness {
  readonly got: readonly number[];
  readonly due: readonly number[];
}

/** The schema of a stored table. */
export const waitTable = z.object({
  version: z.literal(1),
  tickMs: z.number().positive(),
  atMs: z.number(),
  everyMs: z.number().positive().exactOptional(),
  seen: z.array(z.number()),
  matched: z.array(z.number()),
  like: z.record(z.string(), z.object({ got: z.array(z.number()), due: z.array(z.number()) })),
  lately: z.object({ got: z.number(), due: z.number() }).exactOptional(),
}) satisfies z.ZodType<WaitTable>;

/** The table remembers about this many matched tickets, and at most an hour. */
const REMEMBERED = 600;
const REMEMBERED_MS = 3_600_000;
/** There is ground for an estimate after this many matched tickets, and in a class of age after this many searched ones. */
const MATCHED_LEAST = 50;
const SEEN_LEAST = 5;
/** A factor is drawn to 1 by as many expected matches. */
const PRIOR = 4;
/** How tickets differ from each other changes less than the rate, and is remembered longer by this factor. */
const LIKE_LONGER = 5;
/** What came lately is remembered until as many matches were expected, and its factor is drawn to 1 by as many. */
const LATELY = 120;
const LATELY_PRIOR = 10;
/** The mean time between ticks remembers about as many of them. */
const TICKS_REMEMBERED = 10;
/** The maximum of likenesses; those with the least matches are forgotten. */
const LIKENESSES_MAX = 40;
/** No chance is above this. */
const CHANCE_MAX = 0.98;
/** Quantiles further ahead than this many ticks are unknown. */
const TICKS_MAX = 3_000;

/**
 * Counts a tick. Costs a few operations for each ticket.
 * @param part the share of the queue's players with less skill, in [0, 1]
 */
export function countTick(
  table: WaitTable | undefined,
  searched: readonly (WaitingTicket & Pick<Ticket, 'ticketId'>)[],
  matchedIds: ReadonlySet<string>,
  { tickMs, nowMs, part }: { tickMs: number; nowMs: number; part: (skill: number) => number },
): WaitTable {
  const before = table?.tickMs === tickMs ? table : emptyTable(tickMs, nowMs);
  const forget = Math.min(0.5, matchedIds.size / REMEMBERED);
  const kept = (1 - forget) * Math.exp(-Math.max(0, nowMs - before.atMs) / REMEMBERED_MS);
  const seen = before.seen.map((value) => kept * value);
  const matched = before.matched.map((value) => kept * value);
  const keptLike =
    (1 - forget / LIKE_LONGER) * Math.exp(-Math.max(0, nowMs - before.atMs) / (LIKE_LONGER * REMEMBERED_MS));
  const like = new Map(
    Object.entries(before.like).map(([name, { got, due }]) => [
      name,
      { got: got.map((value) => keptLike * value), due: due.map((value) => keptLike * value) },
    ]),
  );
  const likenesses = new Likenesses(part, (name) => ({
    factors: factorsOf(before.like[name]),
    own: ownOf(like, name),
  }));
  const lately = latelyOf(before);
  let came = 0;
  let due = 0;
  for (const ticket of searched) {
    const age = classOf(Math.max(0, Math.floor((nowMs - ticket.enqueuedAtMs) / tickMs)));
    while (seen.length <= age) {
      seen.push(0);
      matched.push(0);
    }
    const got = matchedIds.has(ticket.ticketId) ? 1 : 0;
    seen[age]! += 1;
    matched[age]! += got;
    if ((before.seen[age] ?? 0) < SEEN_LEAST) continue;
    const stage = stageOf(age);
    const alike = likenesses.of(ticket);
    let chance = before.matched[age]! / before.seen[age]!;
    for (let i = 0; i < alike.length; i++) chance *= alike[i]!.factors[stage]!;
    came += got;
    due += Math.min(CHANCE_MAX, chance);
    for (let i = 0; i < alike.length; i++) {
      const { factors, own } = alike[i]!;
      own.got[stage]! += got;
      own.due[stage]! += Math.min(CHANCE_MAX, (chance * lately) / factors[stage]!);
    }
  }
  const most = [...like]
    .sort(([a, x], [b, y]) => sum(y.due) - sum(x.due) || (a < b ? -1 : 1))
    .slice(0, LIKENESSES_MAX)
    .map(([name, { got, due }]) => [name, { got: got.map(rounded), due: due.map(rounded) }] as const);
  const keptLately = Math.exp(-due / LATELY);
  return {
    version: 1,
    tickMs,
    atMs: nowMs,
    everyMs: rounded(everyMsAfter(before, searched, nowMs)),
    seen: seen.map(rounded),
    matched: matched.map(rounded),
    like: Object.fromEntries(most),
    lately: {
      got: rounded(keptLately * (before.lately?.got ?? 0) + came),
      due: rounded(keptLately * (before.lately?.due ?? 0) + due),
    },
  };
}

/** The mean time between ticks. A queue without waiting tickets has none, so only ticks count between which a ticket waited. */
function everyMsAfter(
  { tickMs, atMs, everyMs = tickMs }: WaitTable,
  searched: readonly WaitingTicket[],
  nowMs: number,
): number {
  const hasWaited = searched.some(({ enqueuedAtMs }) => enqueuedAtMs < atMs);
  return hasWaited ? everyMs + (nowMs - atMs - everyMs) / TICKS_REMEMBERED : everyMs;
}

/** The time at which a ticket asks how long it will wait. */
export interface Asked {
  readonly nowMs: number;
  readonly timeoutMs: number;
}

/**
 * For a ticket: the times from now on, in milliseconds, within which these shares of tickets like it are matched, given how
 * long it has waited already. Undefined where there is no ground for one: too few tickets were matched, or waited so long.
 *
 * Ticks are as frequent as they were lately, and the next one is equally likely at any time until then.
 * @param part the share of the queue's players with less skill, in [0, 1]
 * @param parts ascending, in (0, 1)
 */
export function quantilesIn(
  table: WaitTable | undefined,
  part: (skill: number) => number,
  parts: readonly number[],
): (ticket: WaitingTicket, asked: Asked) => (number | undefined)[] {
  if (table === undefined || sum(table.matched) < MATCHED_LEAST) return () => parts.map(() => undefined);
  const likenesses = new Likenesses(part, (name) => factorsOf(table.like[name]));
  const lately = latelyOf(table);
  return (ticket, asked) => {
    const alike = likenesses.of(ticket);
    const factors = STAGES.map((stage) => {
      let factor = lately;
      for (let i = 0; i < alike.length; i++) factor *= alike[i]![stage]!;
      return factor;
    });
    return quantilesWith(table, factors, parts, ticket.enqueuedAtMs, asked);
  };
}

/** @param factors by part of the wait */
function quantilesWith(
  table: WaitTable,
  factors: readonly number[],
  parts: readonly number[],
  enqueuedAtMs: number,
  { nowMs, timeoutMs }: Asked,
): (number | undefined)[] {
  const found: (number | undefined)[] = parts.map(() => undefined);
  const ageMs = Math.max(0, nowMs - enqueuedAtMs);
  const everyMs = Math.max(table.tickMs, table.everyMs ?? 0);
  const first = Math.floor(ageMs / everyMs);
  let left = 1;
  let begun: number | undefined;
  let next = 0;
  for (let at = first; at < first + TICKS_MAX && next < parts.length; at++) {
    const age = classOf(Math.floor(((at + 0.5) * everyMs) / table.tickMs));
    if ((table.seen[age] ?? 0) < SEEN_LEAST) return found;
    const base = table.matched[age]! / table.seen[age]!;
    const chance = Math.min(CHANCE_MAX, base * factors[stageOf(age)]!);
    // Of the tickets of this age, some have had the tick of this age already.
    begun ??= 1 - chance * (ageMs / everyMs - first);
    while (next < parts.length && left * (1 - chance) <= begun * (1 - parts[next]!)) {
      const within = (left - begun * (1 - parts[next]!)) / (left * chance);
      const inMs = (at + within) * everyMs - ageMs;
      if (ageMs + inMs > timeoutMs) return found;
      found[next++] = Math.max(0, inMs);
    }
    left *= 1 - chance;
  }
  return found;
}

function emptyTable(tickMs: number, nowMs: number): WaitTable {
  return { version: 1, tickMs, atMs: nowMs, seen: [], matched: [], like: {} };
}

/** Ages are counted in ticks, the first eight separately, later ones two classes for each doubling. */
function classOf(ticks: number): number {
  return ticks < CLASSES.length ? CLASSES[ticks]! : laterClassOf(ticks);
}

const laterClassOf = (ticks: number) => 8 + Math.floor(2 * Math.log2(ticks / 8));
const CLASSES = Uint8Array.from({ length: 4096 }, (_, ticks) => (ticks < 8 ? ticks : laterClassOf(ticks)));

/** The part of the wait: the first tick, the next seven, all others. */
function stageOf(age: number): number {
  return age === 0 ? 0 : age < 8 ? 1 : 2;
}

const STAGES = [0, 1, 2] as const;

/** The factors of a likeness by part of the wait. */
function factorsOf(likeness: Likeness | undefined): readonly number[] {
  return STAGES.map((stage) => factorOf(likeness, stage));
}

/** The counts of a likeness, with a new one where there is none. */
function ownOf(like: Map<string, Counts>, name: string): Counts {
  return getOrCreate(like, name, () => ({ got: [0, 0, 0], due: [0, 0, 0] }));
}

interface Counts {
  readonly got: number[];
  readonly due: number[];
}

function factorOf(likeness: Likeness | undefined, stage: number): number {
  return likeness === undefined ? 1 : (likeness.got[stage]! + PRIOR) / (likeness.due[stage]! + PRIOR);
}

/** How much more often tickets are matched lately than the table says. */
function latelyOf({ lately }: WaitTable): number {
  return lately === undefined ? 1 : (lately.got + LATELY_PRIOR) / (lately.due + LATELY_PRIOR);
}

/** The share of the players with less skill than a value. Coarse, and fast. */
export function shareBelow({ means, weights }: SkillSketch): (skill: number) => number {
  const total = sum(weights);
  const sums = new Float64Array(weights.length + 1);
  for (let at = 0; at < weights.length; at++) sums[at + 1] = sums[at]! + weights[at]!;
  return (skill) => {
    if (total === 0) return 0.5;
    const above = means.findIndex((mean) => mean >= skill);
    return sums[above === -1 ? means.length : above]! / total;
  };
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

/** To five digits or so, as a short text in JSON. */
function rounded(value: number): number {
  const scale = value >= 1_000 ? 1 : value >= 10 ? 1e3 : 1e5;
  return Math.round(value * scale) / scale;
}
