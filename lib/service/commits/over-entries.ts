import { inParallel } from '../concurrency/in-parallel.ts';
import type { StoredTicket } from '../domain/stored-ticket.ts';
import type { SingleMatchStore } from '../ports/match-store.ts';
import type { TicketStore } from '../ports/ticket-store.ts';

export interface OverEntriesDeps {
  readonly tickets: Pick<TicketStore, 'getMany' | 'removeEntry'>;
  readonly matches: Pick<SingleMatchStore, 'getMany'>;
}

/** A post puts its entries before its ticket, and ends within this time. Milliseconds. */
const POST_MS = 60_000;
/** The maximum of entries that are removed concurrently. */
const REMOVES_AT_ONCE = 8;

/**
 * Removes entries that are certainly over: a crash has left them, or the function that ends their ticket is about to remove them.
 *
 *     ticket                                   entry
 *     ended, or of another post                over
 *     has returned since                       over
 *     has not returned that often yet          not: a return puts the entry first
 *     QUEUED                                   not: it is live
 *     claimed for a match that exists          over
 *     claimed for one that does not            not: the match is being formed, or the ticket returns
 *     there is none                            over, if the entry was put a minute ago: a post puts the entry first
 *
 * Each answer stays true once it is over, so the reads may lag behind.
 * @param found tickets that the caller has read already. @default none
 * @returns the ids of the tickets whose entries are over
 */
export async function removeOver(
  deps: OverEntriesDeps,
  entries: readonly StoredTicket[],
  nowMs: number,
  found?: ReadonlyMap<string, StoredTicket>,
): Promise<ReadonlySet<string>> {
  if (entries.length === 0) return new Set();
  const ids = [...new Set(entries.map(({ ticketId }) => ticketId))];
  const tickets = found ?? (await deps.tickets.getMany(ids, 'eventual'));
  const fates = entries.map((entry) => ({ entry, fate: fateOf(entry, tickets.get(entry.ticketId)) }));
  const matchIds = new Set(fates.flatMap(({ fate }) => (typeof fate === 'object' ? fate.ifExists : [])));
  const matches = await deps.matches.getMany([...matchIds]);
  const over = fates.filter(({ fate }) =>
    typeof fate === 'object' ? matches.has(fate.ifExists) : fate !== 'not',
  );
  await inParallel(over, REMOVES_AT_ONCE, ({ entry, fate }) =>
    deps.tickets.removeEntry(entry, fate === 'alone' ? nowMs - POST_MS : undefined),
  );
  return new Set(over.flatMap(({ entry, fate }) => (fate === 'alone' ? [] : entry.ticketId)));
}

/** `alone`: there is no ticket. @param read the entry, as a tick has read it */
function fateOf(
  { linked, entry }: StoredTicket,
  ticket: StoredTicket | undefined,
): 'over' | 'not' | 'alone' | { readonly ifExists: string } {
  if (ticket === undefined) return 'alone';
  const { status, matchId, returns = 0 } = ticket;
  if (ticket.linked !== linked || returns > entry!.n) return 'over';
  if (status === 'QUEUED') return 'not';
  if (status !== 'MATCHED' || matchId === undefined) return 'over';
  return returns < entry!.n ? 'not' : { ifExists: matchId };
}
