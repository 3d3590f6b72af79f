import { type PresenceDeps, vanishedTickets } from '../commits/vanished-tickets.ts';
import { shareOf, tieKey } from '../domain/tie-key.ts';
import type { Clock } from '../ports/clock.ts';
import { vanishedTicket } from './end-tickets.ts';
import type { RangeRead } from './read-range.ts';
import type { LeasedTick } from './tick-lease.ts';

/** Every waiting ticket is looked at once in this time, so that one of a player who has left does not stand in the pool. */
const LOOK_EVERY_MS = 10_000;
/** The maximum of tickets that a tick looks at: with more, each has to wait longer for its turn. */
export const LOOKS_MAX = 5_000;

/**
 * Moves the waiting tickets of which a player has left to those that end, in a queue with `presence`; in another one it reads
 * nothing. Each tick looks at some of the tickets: a record is read ten times less often than the pool, and before a match every
 * one of its tickets is looked at once more (`game-commits.ts`).
 */
export async function withoutVanished(
  deps: PresenceDeps & { readonly clock: Pick<Clock, 'now'> },
  { record, definition, slotMs }: LeasedTick,
  read: RangeRead,
): Promise<RangeRead> {
  if (definition.presence === undefined) return read;
  const tickMs = 1_000 * definition.tickSeconds;
  const turns = Math.ceil(Math.max(LOOK_EVERY_MS / tickMs, read.tickets.length / LOOKS_MAX));
  const slot = Math.floor(slotMs / tickMs);
  // A range that is read in parts has its turns by chance, because its parts take turns as well.
  const turnOf = (ticketId: string) =>
    Math.floor(turns * shareOf(tieKey(read.isPart ? `${ticketId} ${slot}` : ticketId)));
  const turn = read.isPart ? 0 : slot % turns;
  const due = read.tickets.filter(({ ticketId }) => turnOf(ticketId) === turn).slice(0, LOOKS_MAX);
  const nowMs = deps.clock.now();
  const ids = due.map(({ ticketId }) => ticketId);
  const seeming = await vanishedTickets(deps, record, ids, nowMs, 'lately');
  // Few have gone, so most are read for half the units. The read may lack a sign of one who is there.
  const vanished = await vanishedTickets(deps, record, [...seeming], nowMs);
  if (vanished.size === 0) return read;
  return {
    ...read,
    tickets: read.tickets.filter(({ ticketId }) => !vanished.has(ticketId)),
    ending: [...[...vanished].map(vanishedTicket), ...read.ending],
  };
}
