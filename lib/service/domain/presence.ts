import { PRESENCE_PING_SECONDS, type PresenceOptions } from '../../contract/presence.ts';
import type { QueueState } from './queue-record.ts';

/** The last sign of a player of a ticket. */
export interface PlayerPresence {
  /** The connection that sent it. Empty: a request of the API, or the POST of the ticket. {@link ENDED}: its connection ended. */
  readonly by: string;
  /**
   * From then on the player is silent, in milliseconds since the epoch: since its last connection ended, or since
   * {@link silentAfterMs} after its last sign.
   */
  readonly silentFromMs: number;
}

/** The end of the player's last connection was reported. This is certain, while a missing ping may only have been lost. */
export const ENDED = 'ended';

/** The last sign of each player of a ticket, by the player's place in it. Players without an entry have never connected. */
export type PresenceRecord = ReadonlyMap<number, PlayerPresence>;

/** A ping is missing when it is later than this. Milliseconds. */
const LATE_MS = 2_000;
/** A player does not count as gone for this long after the last sign: one ping may be lost, and the next is on its way. */
const UNPROVEN_MS = 2_000 * PRESENCE_PING_SECONDS + LATE_MS;
/**
 * How long a player may be silent while the service does not trust missing pings. API Gateway ends a connection without messages
 * after this time.
 */
export const HELD_MS = 600_000;

/** How long after its last sign a player counts as silent, so that the grace begins: one ping, or longer if the grace is short. */
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
 * @param sinceMs signs from before this are of an earlier ticket with the same id
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

/** The senders of the last signs of players whose next sign is missing, if the last one is recent. */
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
 * Since when pings are noted: since the last change of the definition, because the previous one may have had no `presence`. So
 * players have time to send a sign before one of them counts as gone.
 */
export function heardFrom({ change }: Pick<QueueState, 'change'>): number {
  return change?.at === undefined || change.version === 1 ? 0 : Date.parse(change.at);
}
