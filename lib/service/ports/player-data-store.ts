import type { CooldownRecord } from '../domain/cooldowns.ts';
import type { StoredBackfill } from '../domain/stored-backfill.ts';
import type { StoredMatch } from '../domain/stored-match.ts';
import type { StoredRating } from '../domain/stored-rating.ts';
import type { StoredTicket } from '../domain/stored-ticket.ts';

/** Where a reading of all tables continues. It is text without a meaning outside the store. */
export type Position = string;

/** An item that names a player. `about`: the item is the player's own. `mention`: an item of others that names the player. */
export type Named = { readonly item: StoredItem } & (
  | { readonly kind: 'ticket'; readonly ticket: StoredTicket; readonly is: 'about' | 'mention' }
  | { readonly kind: 'match'; readonly match: StoredMatch }
  | { readonly kind: 'backfill'; readonly backfill: StoredBackfill; readonly is: 'about' | 'mention' }
  /** When the player's long polls end. */
  | { readonly kind: 'polls' }
  | { readonly kind: 'cooldown'; readonly queue: string; readonly record: CooldownRecord }
  | { readonly kind: 'rating'; readonly ladder: string; readonly rating: StoredRating }
  | { readonly kind: 'place'; readonly queue: string; readonly ticketId: string }
  | {
      readonly kind: 'meetings';
      readonly queue: string;
      readonly is: 'about' | 'mention';
      readonly met: readonly (readonly [playerId: string, atMs: number])[];
    }
  /** It is of a later version of Muster, or damaged. */
  | { readonly kind: 'unreadable'; readonly why: string }
);

/** An item as it was read, for the write that changes it. */
export interface StoredItem {
  readonly table: string;
  readonly key: Readonly<Record<string, unknown>>;
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** Everything that is stored about players, which no index lists. */
export interface PlayerDataStore {
  /**
   * Reads a page of the tables: at most 1,000 items and a megabyte, consistently.
   * @param from undefined: the beginning
   * @throws Problem (400) when the position is not one of this store
   */
  page(
    playerId: string,
    from: Position | undefined,
  ): Promise<{ readonly named: readonly Named[]; readonly next: Position | undefined }>;
  /**
   * Rewrites an item without the player: a place, a cooldown, a rating and the player's own meetings are removed. In the player's own tickets,
   * seats and backfills `pseudonym` is the id, and nothing else of the player stays but the role. Elsewhere what names the
   * player is omitted. Returns false if the item has changed since it was read.
   */
  blank(playerId: string, named: Named, pseudonym: string): Promise<boolean>;
}
