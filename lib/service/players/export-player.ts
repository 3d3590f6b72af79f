import type { PlayerData } from '../../contract/player-data.ts';
import type { TicketStatus } from '../../contract/ticket.ts';
import { isFinal } from '../../contract/ticket.ts';
import { bytesOf, RESPONSE_BYTES } from '../domain/response-size.ts';
import { toTicketView } from '../domain/stored-ticket.ts';
import type { Clock } from '../ports/clock.ts';
import type { Named, PlayerDataStore } from '../ports/player-data-store.ts';
import { PAGES_MS } from './erase-player.ts';
import { progressFrom, progressText } from './progress.ts';

/** The maximum of items that name the player, but for those of the last page. */
const ITEMS_MAX = 500;
/** What the last page may add: a megabyte is read at once. */
const PAGE_BYTES = 1_048_576;

/**
 * What is stored about a player, page by page: the player's own tickets, seats, meetings, places, cooldowns and ratings. Avoid lists and meetings of
 * others that name the player are theirs, and are not returned.
 * @param text the continuation of the response before; undefined begins
 * @throws Problem (400) when the continuation is not one of this route
 */
export async function exportPlayer(
  deps: { readonly data: PlayerDataStore; readonly clock: Clock },
  playerId: string,
  text: string | undefined,
): Promise<PlayerData> {
  const progress = progressFrom(text);
  const endMs = deps.clock.now() + PAGES_MS;
  const all: PlayerData = {
    playerId,
    tickets: [],
    matches: [],
    backfills: [],
    meetings: [],
    places: [],
    cooldowns: [],
    ratings: [],
  };
  let count = 0;
  let bytes = 0;
  const hasRoom = () => count < ITEMS_MAX && bytes < RESPONSE_BYTES - PAGE_BYTES;
  do {
    const { named, next } = await deps.data.page(playerId, progress.position);
    for (const one of named) {
      const [kind, item] = partOf(playerId, one) ?? [];
      if (kind === undefined) continue;
      (all[kind] as unknown[]).push(item);
      bytes += bytesOf(item);
    }
    count += named.length;
    progress.position = next;
  } while (progress.position !== undefined && hasRoom() && deps.clock.now() < endMs);
  return { ...all, ...(progress.position !== undefined && { continuation: progressText(progress) }) };
}

/** The lists of the data of a player. */
type Kind = Exclude<keyof PlayerData, 'playerId' | 'continuation'>;
/** An item of one of the lists. */
type Part = { [K in Kind]: readonly [K, PlayerData[K][number]] }[Kind];

/** What an item says about the player; undefined when it is the item of others, or says nothing. */
function partOf(playerId: string, named: Named): Part | undefined {
  switch (named.kind) {
    case 'ticket': {
      if (named.is === 'mention') return undefined;
      const { ticket } = named;
      // The status of a ticket in a match is that of the match, which is returned beside it.
      const status: TicketStatus =
        ticket.status === 'MATCHED' || !isFinal(ticket.status) ? 'QUEUED' : ticket.status;
      const own = ticket.players.filter((player) => player.playerId === playerId);
      return ['tickets', toTicketView({ ...ticket, status, players: own })];
    }
    case 'match': {
      const { matchId, queue, status, createdAt, teams, assignment } = named.match;
      const seat = teams.flatMap(({ players }) => players).find((one) => one.playerId === playerId);
      const token = assignment?.tokens?.[playerId];
      if (seat === undefined) return undefined;
      return ['matches', { matchId, queue, status, createdAt, seat, ...(token !== undefined && { token }) }];
    }
    case 'backfill': {
      const { backfillId, matchId, queue, players } = named.backfill;
      const player = players.find((one) => one.playerId === playerId);
      if (player === undefined) return undefined;
      const [view] = toTicketView({ ...OF_BACKFILL, players: [player] }).players;
      return ['backfills', { backfillId, matchId, queue, player: view! }];
    }
    case 'place':
      return ['places', { queue: named.queue, ticketId: named.ticketId }];
    case 'meetings': {
      if (named.is !== 'about') return undefined;
      const met = named.met.map(([other, atMs]) => ({ playerId: other, at: isoOf(atMs) }));
      return ['meetings', { queue: named.queue, met }];
    }
    case 'cooldown': {
      const { offences, forgivenAtMs } = named.record;
      const cooldown = {
        queue: named.queue,
        offences: offences.map(({ kind, matchId, atMs }) => ({ kind, matchId, at: isoOf(atMs) })),
        ...(forgivenAtMs !== undefined && { forgivenAt: isoOf(forgivenAtMs) }),
      };
      return ['cooldowns', cooldown];
    }
    case 'rating': {
      const { mean, deviation, matches, updatedAtMs } = named.rating;
      return ['ratings', { ladder: named.ladder, mean, deviation, matches, updatedAt: isoOf(updatedAtMs) }];
    }
    case 'polls':
    case 'unreadable':
      return undefined;
  }
}

/** The fields of a ticket besides its players, which are not returned for a backfill. */
const OF_BACKFILL = { ticketId: '', queue: '', status: 'QUEUED', enqueuedAt: '' } as const;

const isoOf = (ms: number) => new Date(ms).toISOString();
