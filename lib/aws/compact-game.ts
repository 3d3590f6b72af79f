import { isDeepStrictEqual } from 'node:util';
import type * as z from 'zod';
import type { StoredMatch } from '../service/domain/stored-match.ts';
import { packId, unpackId } from './compact-id.ts';
import { packedAttribute } from './item.ts';

type Game = Pick<StoredMatch, 'ticketIds' | 'teams'>;
type Team = StoredMatch['teams'][number];
type Seat = Team['players'][number];

/**
 * Packs a game for the store: JSON with `seats` instead of `teams`. A seat is `[playerId, ticketId, role]`, without absent
 * values at its end. Ids are packed as in `compact-id.ts`. `ticketIds` are omitted if they are those of the seats, sorted.
 *
 * With UUIDs a game of ten players and its match stay below a kilobyte, the unit by which DynamoDB charges writes. Plain
 * JSON takes 1.7 KB.
 *
 * A bot's seat, and a seat or a team with other fields, is stored as an object.
 */
export function packGame({ teams, ticketIds, ...rest }: Game): string {
  const seats = teams.map(packTeam);
  const ids = isDeepStrictEqual(ticketIds, ticketIdsOf(teams)) ? {} : { ticketIds };
  return JSON.stringify({ ...rest, ...ids, seats });
}

function packTeam({ players, ...others }: Team): unknown {
  const seats = players.map(packSeat);
  return Object.keys(others).length > 0 ? { ...others, players: seats } : seats;
}

function packSeat(seat: Seat): unknown {
  const { playerId, ticketId, role, ...others } = seat;
  if (ticketId === undefined || Object.keys(others).length > 0) return seat;
  return [packId(playerId), packId(ticketId), ...(role === undefined ? [] : [role])];
}

/** An attribute that holds a packed game. */
export function packedGame<T extends z.ZodType>(schema: T) {
  return packedAttribute(schema, 'a packed game', unpackGame);
}

function unpackGame(text: string): unknown {
  const { seats, ...rest } = JSON.parse(text) as { readonly seats: unknown[] };
  const teams = seats.map(unpackTeam);
  return { ticketIds: ticketIdsOf(teams), ...rest, teams };
}

function unpackTeam(packed: unknown): Team {
  if (Array.isArray(packed)) return { players: packed.map(unpackSeat) };
  const { players, ...others } = packed as { readonly players: unknown[] };
  return { ...others, players: players.map(unpackSeat) };
}

function unpackSeat(packed: unknown): Seat {
  if (!Array.isArray(packed)) return packed as Seat;
  const [playerId, ticketId, role] = packed;
  return {
    playerId: unpackId(playerId),
    ticketId: unpackId(ticketId),
    ...(role !== undefined && { role }),
  };
}

function ticketIdsOf(teams: StoredMatch['teams']): string[] {
  const ids = teams.flatMap(({ players }) => players.flatMap(({ ticketId }) => ticketId ?? []));
  return [...new Set(ids)].sort();
}
