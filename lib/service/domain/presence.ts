import { PRESENCE_PING_SECONDS, type PresenceOptions } from '../../contract/presence.ts';
import type { QueueState } from './queue-record.ts';

/** When a player of a ticket was last there, as far as is known. */
export interface PlayerPresence {
  /** The connection that has said so; empty: a request of the API, or the POST of the ticket. */
  readonly by: string;
  /**
   * From then on the player is silent: when its last connection ended, or when its next ping is overdue. In milliseconds since the
   * epoch.
   */
  readonly silentFromMs: number;
}

/** The players of a ticket who have been there, by their place in it. The others have never connected. */
export type PresenceRecord = ReadonlyMap<number, PlayerPresence>;

/**
 * Whether a player of a ticket is gone for longer than the grace. A player who has never connected counts as present.
 * @param heardFromMs pings before were not noted: see {@link heardFrom}
 */
export function hasPlayerLeft(
  { graceSeconds }: PresenceOptions,
  record: PresenceRecord,
  heardFromMs: number,
  nowMs: number,
): boolean {
  const noneMs = heardFromMs + 1_000 * PRESENCE_PING_SECONDS;
  return [...record.values()].some(
    ({ silentFromMs }) => Math.max(silentFromMs, noneMs) + 1_000 * graceSeconds <= nowMs,
  );
}

/**
 * Since when pings are noted for certain: since the definition was changed, because the one before it may have had no `presence`.
 * So players who are there have the time to say so before any counts as gone.
 */
export function heardFrom({ change }: Pick<QueueState, 'change'>): number {
  return change?.at === undefined || change.version === 1 ? 0 : Date.parse(change.at);
}
