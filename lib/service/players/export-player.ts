import type { PlayerData } from '../../contract/player-data.ts';
import type { RuledPlayer } from '../../rules/types.ts';
import { inParallel } from '../concurrency/in-parallel.ts';
import { inQueue, viewsOf } from '../domain/linked-ticket.ts';
import { bytesOf, RESPONSE_BYTES } from '../domain/response-size.ts';
import { type StoredMatch, toMatchView } from '../domain/stored-match.ts';
import { toRecentView } from '../domain/stored-rating.ts';
import { toTicketView } from '../domain/stored-ticket.ts';
import { Unreadable } from '../domain/unreadable.ts';
import type { Clock } from '../ports/clock.ts';
import type { Named, PlayerDataStore } from '../ports/player-data-store.ts';
import { type TicketStatusDeps, withMatchStatus } from '../tickets/ticket-status.ts';
import { AT_ONCE, PAGES_MS } from './erase-player.ts';
import { progressFrom, progressText } from './progress.ts';

/** The maximum of items that name the player, not counting those of the last page. */
const ITEMS_MAX = 500;
/** The bytes that the last page may add: a page is a megabyte. */
const PAGE_BYTES = 1_048_576;

export interface ExportDeps extends TicketStatusDeps {
  readonly data: PlayerDataStore;
  readonly clock: Clock;
}

/**
 * The stored data of a player, page by page: the player's own tickets, seats, meetings, places, cooldowns and ratings. Avoid
 * lists and meetings of other players are theirs and are not returned. A ticket has the status that its owner sees, which may be
 * that of its match, and a ticket in several queues is listed for each of them.
 * @param text the continuation of the previous response; undefined starts a scan
 * @throws Problem (400) when the continuation is not one of this route
 */
export async function exportPlayer(
  deps: ExportDeps,
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
    unreadable: 0,
  };
  let count = 0;
  let bytes = 0;
  const hasRoom = () => count < ITEMS_MAX && bytes < RESPONSE_BYTES - PAGE_BYTES;
  do {
    const { named, next } = await deps.data.page(playerId, progress.position);
    const parts = await inParallel(named, AT_ONCE, (one) => partsOf(deps, playerId, one));
    for (const part of parts.flat()) {
      if (part === 'unreadable') {
        progress.unreadable++;
        continue;
      }
      const [kind, item] = part;
      (all[kind] as unknown[]).push(item);
      bytes += bytesOf(item);
    }
    count += named.length;
    progress.position = next;
  } while (progress.position !== undefined && hasRoom() && deps.clock.now() < endMs);
  all.unreadable = progress.unreadable;
  return { ...all, ...(progress.position !== undefined && { continuation: progressText(progress) }) };
}

/** The lists of the data of a player. */
type Kind = Exclude<keyof PlayerData, 'playerId' | 'unreadable' | 'continuation'>;
/** An entry of one of these lists. */
type Part = { [K in Kind]: readonly [K, PlayerData[K][number]] }[Kind];

/** The entries that an item contributes; undefined for an item of others. */
async function partsOf(
  deps: TicketStatusDeps,
  playerId: string,
  named: Named,
): Promise<(Part | 'unreadable')[]> {
  switch (named.kind) {
    case 'ticket': {
      if (named.is === 'mention') return [];
      try {
        const ticket = await withMatchStatus(deps, named.ticket);
        return viewsOf(ticket).flatMap(({ queue }) => {
          const view = inQueue(ticket, queue);
          const players = view.players.filter((player) => player.playerId === playerId);
          return [['tickets', toTicketView({ ...view, players })] as const, ...metOf(queue, players[0])];
        });
      } catch (error) {
        if (!(error instanceof Unreadable)) throw error;
        return ['unreadable'];
      }
    }
    case 'match':
      return [['matches', ownPart(playerId, named.match)]];
    case 'backfill': {
      const { backfillId, matchId, queue, players } = named.backfill;
      const player = players.find((one) => one.playerId === playerId);
      if (player === undefined) return [];
      const [view] = toTicketView({ ...OF_BACKFILL, players: [player] }).players;
      return [['backfills', { backfillId, matchId, queue, player: view! }], ...metOf(queue, player)];
    }
    case 'place':
      return [['places', { queue: named.queue, ticketId: named.ticketId }]];
    case 'meetings':
      return named.is === 'about' ? metOf(named.queue, named) : [];
    case 'cooldown': {
      const { offences, forgivenAtMs } = named.record;
      const cooldown = {
        queue: named.queue,
        offences: offences.map(({ kind, matchId, atMs }) => ({ kind, matchId, at: isoOf(atMs) })),
        ...(forgivenAtMs !== undefined && { forgivenAt: isoOf(forgivenAtMs) }),
      };
      return [['cooldowns', cooldown]];
    }
    case 'rating': {
      const { mean, deviation, matches, updatedAtMs, recent } = named.rating;
      const rating = {
        mean,
        deviation,
        matches,
        updatedAt: isoOf(updatedAtMs),
        recent: toRecentView(recent),
      };
      return [['ratings', { ladder: named.ladder, ...rating }]];
    }
    case 'unreadable':
      return ['unreadable'];
    case 'polls':
      return [];
  }
}

/** The part of a match that concerns one player. */
function ownPart(playerId: string, match: StoredMatch): PlayerData['matches'][number] {
  const { matchId, queue, status, createdAt, region, reason, reasonCode, endedAt, ...view } =
    toMatchView(match);
  const team = view.teams.findIndex(({ players }) => players.some((one) => one.playerId === playerId));
  const seat = view.teams[team]?.players.find((one) => one.playerId === playerId);
  const token = Object.entries(view.assignment?.tokens ?? {}).find(([name]) => name === playerId)?.[1];
  const joinedAt = Object.entries(match.joined ?? {}).find(([ticketId]) => ticketId === seat?.ticketId)?.[1];
  const rank = view.result?.ranks?.[team];
  const weight = view.result?.players?.find((one) => one.playerId === playerId)?.weight;
  const rating = view.ratings?.find((one) => one.playerId === playerId);
  return {
    matchId,
    queue,
    status,
    createdAt,
    ...(region !== undefined && { region }),
    ...(reason !== undefined && { reason }),
    ...(reasonCode !== undefined && { reasonCode }),
    ...(endedAt !== undefined && { endedAt }),
    ...(seat && { seat }),
    ...(token !== undefined && { token }),
    ...(joinedAt !== undefined && { joinedAt }),
    ...(view.result && {
      result: {
        at: view.result.at,
        ...(rank !== undefined && { rank }),
        ...(weight !== undefined && { weight }),
      },
    }),
    ...(rating && { rating: { before: rating.before, after: rating.after } }),
  };
}

function metOf(queue: string, { met = [] }: Pick<RuledPlayer, 'met'> = {}): Part[] {
  if (met.length === 0) return [];
  return [['meetings', { queue, met: met.map(([playerId, atMs]) => ({ playerId, at: isoOf(atMs) })) }]];
}

/** The ticket fields other than players. They are not returned for a backfill. */
const OF_BACKFILL = { ticketId: '', queue: '', status: 'QUEUED', enqueuedAt: '' } as const;

const isoOf = (ms: number) => new Date(ms).toISOString();
