import { inParallel } from '../concurrency/in-parallel.ts';
import type { QueueRecord } from '../domain/queue-record.ts';
import { Unreadable } from '../domain/unreadable.ts';
import type { FormingMatch, SingleMatchStore } from '../ports/match-store.ts';
import type { QueueStore } from '../ports/queue-store.ts';
import type { RangeStore } from '../ports/range-store.ts';
import type { TicketStore } from '../ports/ticket-store.ts';
import { returnTickets } from './return-tickets.ts';

export interface SettleDeps {
  readonly tickets: TicketStore;
  readonly matches: SingleMatchStore;
  readonly queues: QueueStore;
  readonly ranges: RangeStore;
}

/** The maximum of matches that are settled concurrently. */
const SETTLES_AT_ONCE = 8;

/**
 * Settles the matches of a crashed tick: abandons every match of its journal that does not exist, and returns its tickets to the
 * pool.
 *
 *     read     and close the journal, page by page. A tick that is slow instead of dead can form no further match from then on
 *     settle   each match in it: see `settleMatch`
 *
 * Repeating it changes nothing. So after a crash in between, the next function that finds the lease repeats all of it. The caller
 * ends or takes over the lease only afterwards.
 *
 * An unreadable page, match or ticket does not stop the settling of the others.
 * @returns the first error of an unreadable one. Then the lease has to stay, because only its journal names the claimed tickets
 */
export async function settleTick(
  deps: SettleDeps,
  record: QueueRecord,
  owner: string,
  nowMs: number,
): Promise<Unreadable | undefined> {
  let unreadable: Unreadable | undefined;
  const unlessUnreadable = async <T>(work: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      unreadable ??= error;
      return undefined;
    }
  };
  for (let page = 0; ; page++) {
    const matches = await unlessUnreadable(() =>
      deps.ranges.journalUntilClosed(record.definition.name, owner, page, nowMs),
    );
    if (matches === 'closed') return unreadable;
    await inParallel(matches ?? [], SETTLES_AT_ONCE, (match) =>
      unlessUnreadable(() => settleMatch(deps, record, match, nowMs)),
    );
  }
}

/**
 * Abandons a match, unless it was created. `exists`: it was, and nothing has changed.
 *
 *     abandon   a conditional write, so the match can never be created. A crash before it changes nothing
 *     return    its tickets to the pool. A crash in between: repeated when it is settled again, and by `deadline`, which finds
 *               every abandoned match overdue
 */
export async function settleMatch(
  deps: Pick<SettleDeps, 'tickets' | 'matches' | 'queues'>,
  record: QueueRecord,
  match: FormingMatch,
  nowMs: number,
): Promise<'abandoned' | 'exists'> {
  const outcome = await deps.matches.abandon(record.definition.name, match, nowMs);
  if (outcome === 'abandoned') await returnTickets(deps, record, match, nowMs);
  return outcome;
}
