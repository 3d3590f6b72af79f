import type { PresenceOptions } from '../../contract/presence.ts';

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

/** Whether a player of a ticket is gone for longer than the grace. Who has never connected counts as present. */
export function hasPlayerLeft(
  { graceSeconds }: PresenceOptions,
  record: PresenceRecord,
  nowMs: number,
): boolean {
  return [...record.values()].some(({ silentFromMs }) => silentFromMs + 1_000 * graceSeconds <= nowMs);
}
