import type { PlayerData } from '../../contract/player-data.ts';
import type { TicketStatus } from '../../contract/ticket.ts';
import { isFinal } from '../../contract/ticket.ts';
import { toTicketView } from '../domain/stored-ticket.ts';
import type { Clock } from '../ports/clock.ts';
import type { Named, PlayerDataStore } from '../ports/player-data-store.ts';
import { PAGES_MS } from './erase-player.ts';
import { progressFrom, progressText } from './progress.ts';

/** A response of API Gateway may have 10 MB, and one of Lambda 6 MB. An item about a player takes a few kilobytes. */
const ITEMS_MAX = 500;

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
  do {
    const { named, next } = await deps.data.page(playerId, progress.position);
    for (const one of named) add(all, playerId, one);
    count += named.length;
    progress.position = next;
  } while (progress.position !== undefined && count < ITEMS_MAX && deps.clock.now() < endMs);
  return { ...all, ...(progress.position !== undefined && { continuation: progressText(progress) }) };
}

function add(all: PlayerData, playerId: string, named: Named): void {
  switch (named.kind) {
    case 'ticket': {
      if (named.is === 'mention') return;
      const { ticket } = named;
      // The status of a ticket in a match is that of the match, which is returned beside it.
      const status: TicketStatus =
        ticket.status === 'MATCHED' || !isFinal(ticket.status) ? 'QUEUED' : ticket.status;
      const own = ticket.players.filter((player) => player.playerId === playerId);
      all.tickets.push(toTicketView({ ...ticket, status, players: own }));
      return;
    }
    case 'match': {
      const { matchId, queue, status, createdAt, teams, assignment } = named.match;
      const seat = teams.flatMap(({ players }) => players).find((one) => one.playerId === playerId);
      const token = assignment?.tokens?.[playerId];
      if (seat !== undefined)
        all.matches.push({ matchId, queue, status, createdAt, seat, ...(token !== undefined && { token }) });
      return;
    }
    case 'backfill': {
      const { backfillId, matchId, queue, players } = named.backfill;
      const player = players.find((one) => one.playerId === playerId);
      if (player === undefined) return;
      const [view] = toTicketView({ ...OF_BACKFILL, players: [player] }).players;
      all.backfills.push({ backfillId, matchId, queue, player: view! });
      return;
    }
    case 'place':
      all.places.push({ queue: named.queue, ticketId: named.ticketId });
      return;
    case 'meetings':
      if (named.is === 'about')
        all.meetings.push({
          queue: named.queue,
          met: named.met.map(([other, atMs]) => ({ playerId: other, at: isoOf(atMs) })),
        });
      return;
    case 'cooldown': {
      const { offences, forgivenAtMs } = named.record;
      all.cooldowns.push({
        queue: named.queue,
        offences: offences.map(({ kind, matchId, atMs }) => ({ kind, matchId, at: isoOf(atMs) })),
        ...(forgivenAtMs !== undefined && { forgivenAt: isoOf(forgivenAtMs) }),
      });
      return;
    }
    case 'rating': {
      const { mean, deviation, matches, updatedAtMs } = named.rating;
      all.ratings.push({ ladder: named.ladder, mean, deviation, matches, updatedAt: isoOf(updatedAtMs) });
      return;
    }
    case 'polls':
    case 'unreadable':
      return;
  }
}

/** The fields of a ticket besides its players, which are not returned for a backfill. */
const OF_BACKFILL = { ticketId: '', queue: '', status: 'QUEUED', enqueuedAt: '' } as const;

const isoOf = (ms: number) => new Date(ms).toISOString();
