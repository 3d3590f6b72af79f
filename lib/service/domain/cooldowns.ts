import * as z from 'zod';
import {
  COOLDOWN_LIMITS,
  type CooldownOptions,
  FORGET_SECONDS,
  OFFENCE_KINDS,
  type OffenceKind,
} from '../../contract/cooldown.ts';
import { Problem } from '../../contract/problem.ts';
import type { Read } from './unreadable.ts';

/** The schema of stored offences. A match gives a player at most one offence of each kind. */
export const storedOffences = z.array(
  z.object({
    kind: z.enum(OFFENCE_KINDS),
    matchId: z.string(),
    /** When the match was dissolved or ended, in milliseconds since the epoch. Every repetition of the write has the same time. */
    atMs: z.number(),
  }),
);
export type Offence = Read<typeof storedOffences>[number];

/** The stored offences of a player in a queue. */
export interface CooldownRecord {
  /** In order of time. The latest 20 of each kind are kept. */
  readonly offences: readonly Offence[];
  /** Offences up to this time no longer count. */
  readonly forgivenAtMs?: number;
}

/** A period in which a player gets no ticket. */
export interface Cooldown {
  readonly kind: OffenceKind;
  /** The number of offences of this kind that have led to it. */
  readonly times: number;
  readonly untilMs: number;
}

/** How long an offence counts in a queue, in milliseconds. */
export function forgetMs({ forgetAfterSeconds = FORGET_SECONDS }: CooldownOptions): number {
  return 1_000 * forgetAfterSeconds;
}

/**
 * A record with one more offence. An offence that is already recorded changes nothing, even if it is older than those that are
 * kept.
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
 * The cooldown of a player at a time, by the definition in force; undefined when there is none. Each offence starts a cooldown.
 * Its length is that of the last step whose `times` is at most the number of offences of its kind that counted at that time. The
 * result is the cooldown that ends last.
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

/**
 * The rejection of a ticket with a player who has a cooldown; undefined when there is none. It names the player with the longest
 * cooldown, because the whole party waits for it.
 * @param records of players of the ticket, by player
 * @returns a Problem (429) with `Retry-After`
 */
export function coolingDown(
  options: CooldownOptions,
  records: ReadonlyMap<string, CooldownRecord>,
  playerIds: readonly string[],
  nowMs: number,
): Problem | undefined {
  const cooling = [...records].flatMap(([playerId, record]) => {
    const found = cooldownAt(options, record, nowMs);
    return found === undefined ? [] : [{ playerId, ...found }];
  });
  const [longest] = cooling.sort((a, b) => b.untilMs - a.untilMs || (a.playerId < b.playerId ? -1 : 1));
  if (longest === undefined) return undefined;
  const { playerId, kind, untilMs } = longest;
  const whom = playerIds.length === 1 ? 'The player' : 'The party';
  return new Problem(
    429,
    `Player ${playerId} ${cooldownReason(longest, nowMs)}. ${whom} can queue again then: post the ticket again after Retry-After.`,
    {
      extensions: { code: 'COOLDOWN', kind, playerId, until: new Date(untilMs).toISOString() },
      headers: { 'retry-after': String(Math.ceil((untilMs - nowMs) / 1_000)) },
    },
  );
}

/** In order of time, then of the match, so that all writers have the same order. */
function byTime(a: Offence, b: Offence): number {
  return a.atMs - b.atMs || (a.matchId < b.matchId ? -1 : 1);
}

/** Why a player gets no ticket, and for how long. The text continues a sentence whose subject is the player. */
export function cooldownReason({ kind, times, untilMs }: Cooldown, nowMs: number): string {
  const what = kind === 'decline' ? 'declined, or did not answer,' : 'left';
  const matches = times === 1 ? 'a match' : `${times} matches`;
  return `${what} ${matches} and gets no ticket for ${durationText(untilMs - nowMs)}`;
}

/** A duration in words, with its two largest units: `1 hour 5 minutes`. Seconds are rounded up. */
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
