import type { Why } from '../../contract/reason-code.ts';
import { hasPlayerLeft, heardFrom, type PresenceRecord } from '../domain/presence.ts';
import type { QueueRecord } from '../domain/queue-record.ts';
import type { PresenceStore } from '../ports/presence-store.ts';

export interface PresenceDeps {
  readonly presence: Pick<PresenceStore, 'of'>;
}

/** The fields of a queue's record that determine when its players count as gone. */
export type PresenceOf = Pick<QueueRecord, 'definition' | 'change' | 'presenceHeldUntilMs'>;

/** The reason of a ticket, or of its match, that ends because a player is gone. */
export const PLAYER_LEFT: Why<'PLAYER_LEFT'> = { reason: 'a player has left', reasonCode: 'PLAYER_LEFT' };

/**
 * The tickets with a player who is gone for longer than the grace of the queue. Only in a queue with `presence` it reads the
 * record of each ticket. The read is consistent and begins after `nowMs`, so it finds players who were back before the end of the
 * grace.
 * @param sinceMs when a ticket was enqueued, or its match created. Earlier signs belong to an earlier ticket with this id
 * @param nowMs not later than now
 */
export async function vanishedTickets(
  deps: PresenceDeps,
  record: PresenceOf,
  ticketIds: readonly string[],
  sinceMs: (ticketId: string) => number,
  nowMs: number,
): Promise<ReadonlySet<string>> {
  if (record.definition.presence === undefined || ticketIds.length === 0) return new Set();
  return vanishedOf(record, await deps.presence.of(record.definition.name, ticketIds), sinceMs, nowMs);
}

/** The same, by records that were read already. */
export function vanishedOf(
  { definition: { presence }, change, presenceHeldUntilMs = 0 }: PresenceOf,
  records: ReadonlyMap<string, PresenceRecord>,
  sinceMs: (ticketId: string) => number,
  nowMs: number,
): ReadonlySet<string> {
  if (presence === undefined) return new Set();
  const heardFromMs = heardFrom({ ...(change && { change }) });
  const signs = { presence, heardFromMs, isHeld: presenceHeldUntilMs > nowMs };
  const left = [...records].filter(([id, record]) => hasPlayerLeft(signs, record, sinceMs(id), nowMs));
  return new Set(left.map(([ticketId]) => ticketId));
}
