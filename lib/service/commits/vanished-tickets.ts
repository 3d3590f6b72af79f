import type { Why } from '../../contract/reason-code.ts';
import { hasPlayerLeft, heardFrom } from '../domain/presence.ts';
import type { QueueRecord } from '../domain/queue-record.ts';
import type { Freshness } from '../ports/freshness.ts';
import type { PresenceStore } from '../ports/presence-store.ts';

export interface PresenceDeps {
  readonly presence: Pick<PresenceStore, 'of'>;
}

/** Why a ticket with a player who is gone ends, and the match that it was in. */
export const PLAYER_LEFT: Why<'PLAYER_LEFT'> = { reason: 'a player has left', reasonCode: 'PLAYER_LEFT' };

/**
 * The tickets of which a player is gone for longer than the grace of their queue. A queue without `presence` reads nothing;
 * another one reads the record of each ticket. The read begins after `nowMs`, so who was back before the end of the grace is
 * found, if it is as of `now`.
 * @param nowMs not later than now
 * @param freshness @default 'now'
 */
export async function vanishedTickets(
  deps: PresenceDeps,
  { definition: { name, presence }, change }: Pick<QueueRecord, 'definition' | 'change'>,
  ticketIds: readonly string[],
  nowMs: number,
  freshness?: Freshness,
): Promise<ReadonlySet<string>> {
  if (presence === undefined || ticketIds.length === 0) return new Set();
  const heardFromMs = heardFrom({ ...(change && { change }) });
  const records = await deps.presence.of(name, ticketIds, freshness);
  const vanished = [...records].filter(([, record]) => hasPlayerLeft(presence, record, heardFromMs, nowMs));
  return new Set(vanished.map(([ticketId]) => ticketId));
}
