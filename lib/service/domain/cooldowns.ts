import * as z from 'zod';
import {
  COOLDOWN_LIMITS,
  type CooldownOptions,
  FORGET_SECONDS,
  OFFENCE_KINDS,
  type OffenceKind,
} from '../../contract/cooldown.ts';

/** Something that a player has done in a match. A player has one offence of a kind for each match at most. */
export interface Offence {
  readonly kind: OffenceKind;
  readonly matchId: string;
  /** When the match was dissolved or ended, in milliseconds since the epoch: the same at every repetition. */
  readonly atMs: number;
}

/** What is stored of a player in a queue. */
export interface CooldownRecord {
  /** By time. Of each kind the latest 20 are kept. */
  readonly offences: readonly Offence[];
  /** Offences up to this time do not count any more. */
  readonly forgivenAtMs?: number;
}

/** The schema of stored offences. */
export const storedOffences = z.array(
  z.object({ kind: z.enum(OFFENCE_KINDS), matchId: z.string(), atMs: z.number() }),
);

/** A player gets no ticket until a time. */
export interface Cooldown {
  readonly kind: OffenceKind;
  /** The number of offences of this kind that it is for. */
  readonly times: number;
  readonly untilMs: number;
}

/** How long an offence counts in a queue, in milliseconds. */
export function forgetMs({ forgetAfterSeconds = FORGET_SECONDS }: CooldownOptions): number {
  return 1_000 * forgetAfterSeconds;
}

/**
 * A record with one more offence. Adding the same one again changes nothing, even if it is older than those that are kept.
 * @returns undefined when the record has it already
 */
export function withOffence(record: CooldownRecord, offence: Offence): CooldownRecord | undefined {
  const isSame = ({ kind, matchId }: Offence) => kind === offence.kind && matchId === offence.matchId;
  if (record.offences.some(isSame)) return undefined;
  const all = [...record.offences, offence].sort(byTime);
  const kept = OFFENCE_KINDS.flatMap((kind) =>
    all.filter((one) => one.kind === kind).slice(-COOLDOWN_LIMITS.timesMax),
  );
  return kept.includes(offence) ? { ...record, offences: kept.sort(byTime) } : undefined;
}

/** The offences of a record that count at a time, oldest first. */
export function counting(options: CooldownOptions, record: CooldownRecord, nowMs: number): Offence[] {
  const { offences, forgivenAtMs = Number.NEGATIVE_INFINITY } = record;
  return offences.filter(({ atMs }) => atMs > forgivenAtMs && atMs + forgetMs(options) > nowMs);
}

/**
 * The cooldown of a player at a time, by the definition in force; undefined when there is none. Each offence begins one: its
 * length is that of the last step whose `times` are reached by the offences of its kind that counted when it happened. The one
 * that ends last is returned.
 */
export function cooldownAt(
  options: CooldownOptions,
  record: CooldownRecord,
  nowMs: number,
): Cooldown | undefined {
  let latest: Cooldown | undefined;
  for (const offence of counting(options, record, nowMs)) {
    const { kind, atMs } = offence;
    const before = counting(options, record, atMs).filter((one) => one.kind === kind);
    const times = before.indexOf(offence) + 1;
    const { seconds = 0 } = options[kind]?.findLast((step) => step.times <= times) ?? {};
    const untilMs = atMs + 1_000 * seconds;
    if (untilMs > nowMs && untilMs >= (latest?.untilMs ?? 0)) latest = { kind, times, untilMs };
  }
  return latest;
}

/** By time; of the same time by match, so that the order is that of no writer. */
function byTime(a: Offence, b: Offence): number {
  return a.atMs - b.atMs || (a.matchId < b.matchId ? -1 : 1);
}

/** Why a player gets no ticket, and for how long, as the rest of a sentence that begins with the player. */
export function cooldownReason({ kind, times, untilMs }: Cooldown, nowMs: number): string {
  const what = kind === 'decline' ? 'declined, or did not answer,' : 'left';
  const matches = times === 1 ? 'a match' : `${times} matches`;
  return `${what} ${matches} and gets no ticket for ${durationText(untilMs - nowMs)}`;
}

/** A duration in words, with its two largest units: `1 hour 5 minutes`. Rounded up to seconds. */
function durationText(ms: number): string {
  let left = Math.ceil(ms / 1_000);
  const parts = UNITS.flatMap(([name, seconds]) => {
    const count = Math.floor(left / seconds);
    left -= count * seconds;
    return count === 0 ? [] : [`${count} ${name}${count === 1 ? '' : 's'}`];
  });
  return parts.slice(0, 2).join(' ');
}

const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const;
