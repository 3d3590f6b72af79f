import type { CooldownRecord } from '../domain/cooldowns.ts';
import type { StoredBackfill } from '../domain/stored-backfill.ts';
import type { StoredMatch } from '../domain/stored-match.ts';
import type { StoredRating } from '../domain/stored-rating.ts';
import type { StoredTicket } from '../domain/stored-ticket.ts';

/** Where a scan of all tables continues. Only the store knows the meaning of this text. */
export type Position = string;

/** An item that names a player. `about`: it is the player's own. `mention`: it belongs to others. */
export type Named = { readonly item: StoredItem } & (
  | { readonly kind: 'ticket'; readonly ticket: StoredTicket; readonly is: 'about' | 'mention' }
  | { readonly kind: 'match'; readonly match: StoredMatch }
  | { readonly kind: 'backfill'; readonly backfill: StoredBackfill; readonly is: 'about' | 'mention' }
  /** When the slots of the player's long polls expire. */
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
  /** A later version of Muster has written it, or it is damaged. */
  | { readonly kind: 'unreadable'; readonly why: string }
);

/** An item as it was read, for the write that changes it. */
export interface StoredItem {
  readonly table: string;
  readonly key: Readonly<Record<string, string>>;
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** Everything that is stored about players. No index lists it by player. */
export interface PlayerDataStore {
  /**
   * Reads a page of the tables consistently: at most 1,000 items and a megabyte.
   * @param from undefined: the beginning
   * @throws Problem (400) when the position is not one of this store
   */
  page(
    playerId: string,
    from: Position | undefined,
  ): Promise<{ readonly named: readonly Named[]; readonly next: Position | undefined }>;
  /**
   * Erases the player from an item. The player's own places, cooldowns, ratings and meetings are removed. In the player's own
   * tickets, seats and backfills the id becomes `pseudonym`, and of the player's other fields only the role stays. In items of
   * others, everything that names the player is removed. Returns false if the item has changed since it was read.
   */
  blank(playerId: string, named: Named, pseudonym: string): Promise<boolean>;
}
