import type { Forbids } from '../types.ts';
import type { PooledTicket } from './pooled-ticket.ts';

/** Whether the ticket may be in one game with each of these. It may be one of them itself. */
export function mayMeet(
  pooled: PooledTicket,
  others: readonly PooledTicket[],
  forbids: Forbids | undefined,
): boolean {
  if (!forbids) return true;
  for (const other of others) {
    if (other !== pooled && forbids(other.ticket, pooled.ticket) !== undefined) return false;
  }
  return true;
}

/** Whether all of these tickets may be in one game: no two of them are refused. */
export function mayAllMeet(members: readonly PooledTicket[], forbids: Forbids | undefined): boolean {
  return !forbids || members.every((member, i) => mayMeet(member, members.slice(0, i), forbids));
}
