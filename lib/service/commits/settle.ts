import { inParallel } from '../concurrency/in-parallel.ts';
import type { QueueRecord } from '../domain/queue-record.ts';
import type { FormingMatch, SingleMatchStore } from '../ports/match-store.ts';
import type { RangeStore } from '../ports/range-store.ts';
import type { TicketStore } from '../ports/ticket-store.ts';
import { returnTickets } from './return-tickets.ts';

export interface SettleDeps {
  readonly tickets: TicketStore;
  readonly matches: SingleMatchStore;
  readonly ranges: RangeStore;
}

/** The maximum of matches that are settled concurrently. */
const SETTLES_AT_ONCE = 8;

/**
 * Settles what a crashed tick left: abandons every match of its journal that does not exist, and returns its tickets to
 * the pool.
 *
 *     read      the journal, page by page, and close it. A tick that is slow instead of dead can form no further
 *               match from here on
 *     settle    each match in it: see `settleMatch`
 *
 * Repeating it changes nothing. So after a crash in between, whoever finds the lease next does all of it again. The caller
 * ends or takes over the lease only afterwards.
 */
export async function settleTick(
  deps: SettleDeps,
  record: QueueRecord,
  owner: string,
  nowMs: number,
): Promise<void> {
  for (let page = 0; ; page++) {
    const matches = await deps.ranges.journalUntilClosed(record.definition.name, owner, page, nowMs);
    if (matches === 'closed') return;
    await inParallel(matches, SETTLES_AT_ONCE, (match) => settleMatch(deps, record, match, nowMs));
  }
}

/**
 * Decides a match that may never have been created. `exists`: it was, and nothing has changed.
 *
 *     abandon    a conditional write, so the match can never be created. A crash before it changes nothing
 *     return     its tickets to the pool. A crash in between: repeated by whoever settles it again, and
 *                by `deadline`, which finds every abandoned match overdue
 */
export async function settleMatch(
  deps: { readonly tickets: TicketStore; readonly matches: SingleMatchStore },
  record: QueueRecord,
  match: FormingMatch,
  nowMs: number,
): Promise<'abandoned' | 'exists'> {
  const outcome = await deps.matches.abandon(record.definition.name, match, nowMs);
  if (outcome === 'abandoned') await returnTickets(deps, record, match, nowMs);
  return outcome;
}
