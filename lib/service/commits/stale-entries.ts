import { inParallel } from '../concurrency/in-parallel.ts';
import type { StoredTicket } from '../domain/stored-ticket.ts';
import type { SingleMatchStore } from '../ports/match-store.ts';
import type { TicketStore } from '../ports/ticket-store.ts';

export interface StaleEntriesDeps {
  readonly tickets: Pick<TicketStore, 'getMany' | 'removeEntry'>;
  readonly matches: Pick<SingleMatchStore, 'getMany'>;
}

/** The time within which a post ends. It puts its entries before its ticket. Milliseconds. */
const POST_MS = 60_000;
/** The maximum of entries that are removed concurrently. */
const REMOVES_AT_ONCE = 8;

/**
 * Removes stale entries. A crash has left them, or the function that ends their ticket is about to remove them.
 *
 *     ticket                                   its entry
 *     ended, or of another post                stale
 *     has returned since                       stale
 *     has not returned that often yet          valid: a return puts the entry first
 *     QUEUED                                   valid
 *     claimed for a match that exists          stale
 *     claimed for another match                valid: the match is being formed, or the ticket returns
 *     missing                                  stale if the entry is a minute old: a post puts the entry first
 *
 * A stale entry stays stale, so the reads may lag behind.
 * @param found tickets that the caller has read already. @default none
 * @returns the ids of the tickets with stale entries
 */
export async function removeStale(
  deps: StaleEntriesDeps,
  entries: readonly StoredTicket[],
  nowMs: number,
  found?: ReadonlyMap<string, StoredTicket>,
): Promise<ReadonlySet<string>> {
  if (entries.length === 0) return new Set();
  const ids = [...new Set(entries.map(({ ticketId }) => ticketId))];
  const tickets = found ?? (await deps.tickets.getMany(ids, 'eventual'));
  const states = entries.map((entry) => ({ entry, state: stateOf(entry, tickets.get(entry.ticketId)) }));
  const matchIds = new Set(
    states.flatMap(({ state }) => (typeof state === 'object' ? state.staleIfExists : [])),
  );
  const matches = await deps.matches.getMany([...matchIds]);
  const stale = states.filter(({ state }) =>
    typeof state === 'object' ? matches.has(state.staleIfExists) : state !== 'valid',
  );
  await inParallel(stale, REMOVES_AT_ONCE, ({ entry, state }) =>
    deps.tickets.removeEntry(entry, state === 'no-ticket' ? nowMs - POST_MS : undefined),
  );
  return new Set(stale.flatMap(({ entry, state }) => (state === 'no-ticket' ? [] : entry.ticketId)));
}

/** The state of an entry by its ticket. `no-ticket`: the ticket is missing. @param read the entry, as a tick has read it */
function stateOf(
  { linked, entry }: StoredTicket,
  ticket: StoredTicket | undefined,
): 'stale' | 'valid' | 'no-ticket' | { readonly staleIfExists: string } {
  if (ticket === undefined) return 'no-ticket';
  const { status, matchId, returns = 0 } = ticket;
  if (ticket.linked !== linked || returns > entry!.n) return 'stale';
  if (status === 'QUEUED') return 'valid';
  if (status !== 'MATCHED' || matchId === undefined) return 'stale';
  return returns < entry!.n ? 'valid' : { staleIfExists: matchId };
}
