import type { Forbids } from '../types.ts';
import type { PooledTicket } from './pooled-ticket.ts';

/** Whether the ticket may be in one game with each of these, less the one that it replaces. It may be one of them itself. */
export function mayMeet(
  pooled: PooledTicket,
  others: Iterable<PooledTicket>,
  forbids: Forbids | undefined,
  replaced?: PooledTicket,
): boolean {
  if (!forbids) return true;
  for (const other of others) {
    if (other !== pooled && other !== replaced && forbids(other.ticket, pooled.ticket) !== undefined)
      return false;
  }
  return true;
}

/** Whether all of these tickets may be in one game: no two of them are refused. */
export function mayAllMeet(members: readonly PooledTicket[], forbids: Forbids | undefined): boolean {
  return !forbids || members.every((member, i) => mayMeet(member, members.slice(0, i), forbids));
}
