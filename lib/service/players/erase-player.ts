import type { PlayerErasure } from '../../contract/player-data.ts';
import { Problem } from '../../contract/problem.ts';
import { isFinal } from '../../contract/ticket.ts';
import { inParallel } from '../concurrency/in-parallel.ts';
import { erasedName } from '../domain/erased-name.ts';
import { currentBackfill } from '../domain/stored-backfill.ts';
import { Unreadable } from '../domain/unreadable.ts';
import type { BackfillStore } from '../ports/backfill-store.ts';
import type { ErasedPlayers } from '../ports/erased-players.ts';
import type { Named, PlayerDataStore } from '../ports/player-data-store.ts';
import { type CancelDeps, cancelTicket } from '../tickets/cancel-ticket.ts';
import { withMatch } from '../tickets/ticket-status.ts';
import { type Progress, progressFrom, progressText } from './progress.ts';

/** A call starts no further page after this time. API Gateway waits 30 s. */
export const PAGES_MS = 10_000;
/** The maximum of items of a page that are changed, or whose matches are read, concurrently. */
export const AT_ONCE = 8;

export interface EraseDeps extends CancelDeps {
  readonly data: PlayerDataStore;
  readonly backfills: Pick<BackfillStore, 'get'>;
  readonly erased: Pick<ErasedPlayers, 'add'>;
  /** A new random name, which does not depend on the player. */
  readonly pseudonym: () => string;
  readonly log: { warn(message: string, more: { readonly why: string }): void };
}

/**
 * Erases a player from all tables, page by page. No index lists the items of a player, so the tables are scanned. A call scans
 * the pages that it has time for, and the next call continues there.
 *
 *     waiting webhooks                    the player is remembered by a hash, so that `notify` posts them without the player
 *     waiting ticket                      cancelled, which removes its entries; the next scan blanks it
 *     ended ticket                        blanked: a random id, skill 0, nothing else
 *     ended or running match              blanked, with its tickets: a random id, no attributes, no token. The other players stay
 *     open match                          pending: it is not accepted or placed, or it requests players. Its tickets may return
 *                                         to the pool, where a blanked ticket would be searched
 *     places, polls, cooldowns, ratings   removed
 *     meetings                            the player's own are removed, and the player is removed from those of others
 *     avoid lists of others               the player is removed. Entries with such a list end with their wait, in a day at most
 *     unreadable items                    stay, and are counted: another version of Muster has to erase them
 *
 * Each write requires that the item is as it was read, so a concurrent tick, cancel or acceptance wins, and the next scan finds
 * the item again. After a crash, a repetition from the beginning or from the last continuation erases the rest. `isErased` is
 * false until a whole scan has found nothing. So it also covers a tick that writes back what it has read before, such as
 * meetings.
 *
 * @param text the continuation of the previous response; undefined starts a scan
 * @throws Problem (400) when the continuation is not one of this route
 */
export async function erasePlayer(
  deps: EraseDeps,
  playerId: string,
  text: string | undefined,
): Promise<PlayerErasure> {
  const progress: Progress = progressFrom(text);
  await deps.erased.add(playerId, deps.clock.now());
  const endMs = deps.clock.now() + PAGES_MS;
  do {
    const { named, next } = await deps.data.page(playerId, progress.position);
    await inParallel(named, AT_ONCE, async (one) => {
      progress[await erase(deps, playerId, one)]++;
    });
    progress.position = next;
  } while (progress.position !== undefined && deps.clock.now() < endMs);
  const { changed, pending, unreadable } = progress;
  const isWhole = progress.position === undefined;
  return {
    playerId,
    isErased: isWhole && changed === 0 && pending === 0 && unreadable === 0,
    changed,
    pending,
    unreadable,
    ...(!isWhole && { continuation: progressText(progress) }),
  };
}

/**
 * Erases the player from an item. `unreadable`: the item cannot be read, or one on which the erasure depends, such as its match.
 */
async function erase(
  deps: EraseDeps,
  playerId: string,
  named: Named,
): Promise<'changed' | 'pending' | 'unreadable'> {
  try {
    if (named.kind === 'unreadable') throw new Unreadable(named.why);
    const fate = await fateOf(deps, named);
    if (fate !== 'blank') return fate;
    await deps.data.blank(playerId, named, erasedName(deps.pseudonym()));
    return 'changed';
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    deps.log.warn('data of a player cannot be erased by this version', { why: error.message });
    return 'unreadable';
  }
}

/** `blank`: the item may be rewritten now. `changed`: its ticket was cancelled. */
async function fateOf(
  deps: EraseDeps,
  named: Exclude<Named, { kind: 'unreadable' }>,
): Promise<'blank' | 'changed' | 'pending'> {
  switch (named.kind) {
    case 'ticket':
      return named.is === 'mention' ? 'blank' : ofTicket(deps, named.ticket);
    case 'match':
      return (await isOpen(deps, named.match)) ? 'pending' : 'blank';
    case 'backfill': {
      if (named.is === 'mention') return 'blank';
      const match = await deps.matches.get(named.backfill.matchId);
      return currentBackfill(named.backfill, match, deps.clock.now()).status === 'QUEUED'
        ? 'pending'
        : 'blank';
    }
    case 'place': {
      const ticket = await deps.tickets.get(named.ticketId);
      if (ticket === undefined) return 'blank';
      const now = await withMatch(deps, ticket);
      return isFinal(now.ticket.status) ? 'blank' : 'pending';
    }
    case 'meetings':
    case 'cooldown':
    case 'rating':
    case 'polls':
      return 'blank';
  }
}

async function ofTicket(
  deps: EraseDeps,
  ticket: Extract<Named, { kind: 'ticket' }>['ticket'],
): Promise<'blank' | 'changed' | 'pending'> {
  const now = await withMatch(deps, ticket);
  if (isFinal(now.ticket.status)) return 'blank';
  if (now.ticket.status !== 'QUEUED') return 'pending';
  try {
    await cancelTicket(deps, ticket.ticketId, deps.clock.now());
    return 'changed';
  } catch (error) {
    // A tick was faster: the ticket now has a match.
    if (error instanceof Problem) return 'pending';
    throw error;
  }
}

/** Whether the tickets of a match may still return to the pool, or its seats may be filled. Both use the stored players. */
async function isOpen(
  { backfills, clock }: EraseDeps,
  match: Extract<Named, { kind: 'match' }>['match'],
): Promise<boolean> {
  if (!isFinal(match.status)) return true;
  if (match.backfillId === undefined || match.endedAt !== undefined) return false;
  const backfill = await backfills.get(match.backfillId);
  return backfill !== undefined && currentBackfill(backfill, match, clock.now()).status === 'QUEUED';
}
