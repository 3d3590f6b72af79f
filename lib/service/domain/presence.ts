import { PRESENCE_PING_SECONDS, type PresenceOptions } from '../../contract/presence.ts';
import type { QueueState } from './queue-record.ts';

/** When a player of a ticket was last there, as far as is known. */
export interface PlayerPresence {
  /** The connection that has said so; empty: a request of the API, or the POST of the ticket; {@link ENDED}. */
  readonly by: string;
  /**
   * From then on the player is silent: when its last connection ended, or when nothing was heard for {@link silentAfterMs}. In
   * milliseconds since the epoch.
   */
  readonly silentFromMs: number;
}

/** The end of the player's last connection was reported. That is a fact, where a ping that is missing may have been lost. */
export const ENDED = 'ended';

/** The players of a ticket who have been there, by their place in it. The others have never connected. */
export type PresenceRecord = ReadonlyMap<number, PlayerPresence>;

/** A ping is missing when it is later than this. Milliseconds. */
const LATE_MS = 2_000;
/** Nothing proves that a player has left for this long after the last sign: one ping may be lost, and the next one is on its way. */
const UNPROVEN_MS = 2_000 * PRESENCE_PING_SECONDS + LATE_MS;
/**
 * How long a player may be silent while the service does not trust what is missing. API Gateway ends a connection without messages
 * after this time.
 */
export const HELD_MS = 600_000;

/** How long after its last sign a player is silent, and the grace begins: a ping, or longer where the grace is short. */
export function silentAfterMs({ graceSeconds }: PresenceOptions): number {
  return Math.max(1_000 * PRESENCE_PING_SECONDS, UNPROVEN_MS - 1_000 * graceSeconds);
}

/** What is known about signs of life in a queue. */
export interface Signs {
  readonly presence: PresenceOptions;
  /** Pings before were not noted: see {@link heardFrom}. */
  readonly heardFromMs: number;
  /** Whether missing pings say nothing at the moment: see {@link QueueState.presenceHeldUntilMs}. */
  readonly isHeld: boolean;
}

/**
 * Whether a player of a ticket is gone for longer than the grace. A player who has never connected counts as present.
 * @param sinceMs of players who had left before, an earlier ticket with this id has told
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

/** By what those players were last there whose next sign is missing, but who were there not long ago. */
export function unheard(
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
 * Since when pings are noted for certain: since the definition was changed, because the one before it may have had no `presence`.
 * So players who are there have the time to say so before any counts as gone.
 */
export function heardFrom({ change }: Pick<QueueState, 'change'>): number {
  return change?.at === undefined || change.version === 1 ? 0 : Date.parse(change.at);
}
