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

/** A call reads further pages for this long. API Gateway waits 30 s. */
export const PAGES_MS = 10_000;
/** The items of a page that are changed, or whose matches are read, at the same time. */
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
 * Erases a player from all tables, page by page. No index lists the items of a player, so the tables are read; a call does
 * the pages that it has time for, and the next call continues where it ended.
 *
 *     webhooks that wait           the player is remembered by a hash, so that `notify` posts them without the player
 *     ticket that waits            cancelled; the next reading blanks it
 *     ticket that has ended        blanked: a random id, skill 0, nothing else
 *     match that has ended or      blanked: a random id, no attributes, no token. The others in it stay. A place is removed
 *       is played, and its tickets
 *     match that is not accepted   pending: its tickets may return to the pool, where a blanked ticket would be searched
 *       or placed, or that asks
 *       for players
 *     polls, cooldowns, ratings    removed
 *     meetings                     the player's own are removed, and the player from those of the others
 *     avoid lists of others        without the player
 *     what cannot be read          stays, and is counted: another version of Muster has to erase it
 *
 * Each write is conditional on the item as it was read, so a faster tick, cancel or acceptance wins, and the next
 * reading finds the item again. A crash leaves a part erased; a repetition from the beginning or from the last
 * continuation does the rest. Until a whole reading has found nothing, `isErased` is false. So a tick that writes back what
 * it has read before, such as the players that a player met, is found as well.
 *
 * @param text the continuation of the response before; undefined begins
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

/** `unreadable`: the item, or one that decides about it, such as its match. */
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
    // A tick was faster: the ticket has a match now.
    if (error instanceof Problem) return 'pending';
    throw error;
  }
}

/** Whether the tickets of a match may still return to the pool, or its seats may be filled. Both depend on the stored players. */
async function isOpen(
  { backfills, clock }: EraseDeps,
  match: Extract<Named, { kind: 'match' }>['match'],
): Promise<boolean> {
  if (!isFinal(match.status)) return true;
  if (match.backfillId === undefined || match.endedAt !== undefined) return false;
  const backfill = await backfills.get(match.backfillId);
  return backfill !== undefined && currentBackfill(backfill, match, clock.now()).status === 'QUEUED';
}
