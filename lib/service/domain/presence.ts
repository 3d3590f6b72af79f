import { PRESENCE_PING_SECONDS, type PresenceOptions } from '../../contract/presence.ts';
import type { QueueState } from './queue-record.ts';

/** The last sign of life of a player of a ticket. */
export interface PlayerPresence {
  /** The connection that sent it. Empty: a request of the API, or the POST of the ticket. {@link ENDED}: its connection ended. */
  readonly by: string;
  /**
   * When the silence of the player begins, in milliseconds since the epoch: when the last connection ended, or {@link
   * silentAfterMs} after the last sign.
   */
  readonly silentFromMs: number;
}

/** The end of the player's last connection was reported. Unlike a missing ping, this is certain. */
export const ENDED = 'ended';

/** The last sign of each player of a ticket, by the player's index in it. Players without an entry have never connected. */
export type PresenceRecord = ReadonlyMap<number, PlayerPresence>;

/** A ping that is later than this is missing. Milliseconds. */
const LATE_MS = 2_000;
/** A player counts as present for this long after the last sign, because one ping may be lost and the next one late. */
const UNPROVEN_MS = 2_000 * PRESENCE_PING_SECONDS + LATE_MS;
/** The grace while missing pings are not trusted. API Gateway ends a connection without messages after this time. */
export const HELD_MS = 600_000;

/** The time from the last sign of a player until the grace begins: one ping, or longer if the grace is short. */
export function silentAfterMs({ graceSeconds }: PresenceOptions): number {
  return Math.max(1_000 * PRESENCE_PING_SECONDS, UNPROVEN_MS - 1_000 * graceSeconds);
}

/** When missing signs in a queue count. */
export interface Signs {
  readonly presence: PresenceOptions;
  /** The queue may not have recorded earlier pings: see {@link heardFrom}. */
  readonly heardFromMs: number;
  /** Whether missing pings are ignored at the moment: see {@link QueueState.presenceHeldUntilMs}. */
  readonly isHeld: boolean;
}

/**
 * Whether a player of a ticket is gone for longer than the grace. A player who has never connected counts as present.
 * @param sinceMs earlier signs belong to an earlier ticket with the same id
 */
export function hasPlayerLeft(signs: Signs, record: PresenceRecord, sinceMs: number, nowMs: number): boolean {
  const { presence, heardFromMs, isHeld } = signs;
  const graceMs = 1_000 * presence.graceSeconds;
  const noneMs = heardFromMs + silentAfterMs(presence);
  return [...record.values()].some(({ by, silentFromMs }) => {
    const allowedMs = isHeld && by !== ENDED ? Math.max(graceMs, HELD_MS) : graceMs;
    return silentFromMs + graceMs >= sinceMs && Math.max(silentFromMs, noneMs) + allowedMs <= nowMs;
  });
}

/** The connections whose next sign is missing, of players whose last sign is recent. */
export function missingSigns(
  { presence, heardFromMs }: Omit<Signs, 'isHeld'>,
  record: PresenceRecord,
  nowMs: number,
): string[] {
  const missingMs = nowMs - 1_000 * PRESENCE_PING_SECONDS - LATE_MS;
  return [...record.values()].flatMap(({ by, silentFromMs }) => {
    const heardMs = Math.max(silentFromMs - silentAfterMs(presence), heardFromMs);
    return by !== ENDED && heardMs <= missingMs && heardMs > nowMs - HELD_MS ? [by] : [];
  });
}

/**
 * Since when pings are recorded: the last change of the definition, because the previous definition may have had no `presence`.
 * So players have time to send a sign before they can count as gone.
 */
export function heardFrom({ change }: Pick<QueueState, 'change'>): number {
  return change?.at === undefined || change.version === 1 ? 0 : Date.parse(change.at);
}
