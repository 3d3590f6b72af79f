import type { PlayerData, PlayerErasure } from './api-types.ts';
import type { MusterClient } from './client.ts';
import type { RequestOptions } from './requests.ts';

/** Readings of all tables before `erasePlayer` returns. A second one is usual; more are needed while ticks write back. */
const READINGS_MAX = 5;

type Request = MusterClient['request'];

/** Repeats the erasure of a player until it is done, or until only what is pending is left. */
export async function erasePlayer(
  request: Request,
  playerId: string,
  { signal }: RequestOptions = {},
): Promise<PlayerErasure> {
  for (let reading = 1; ; reading++) {
    let part: PlayerErasure | undefined;
    do part = await request<PlayerErasure>(partOf('DELETE', playerId, part?.continuation, signal));
    while (part.continuation !== undefined);
    if (part.changed === 0 || reading === READINGS_MAX) return part;
  }
}

/** All parts of what is stored about a player. */
export async function playerData(
  request: Request,
  playerId: string,
  { signal }: RequestOptions = {},
): Promise<PlayerData> {
  const parts: PlayerData[] = [];
  do parts.push(await request<PlayerData>(partOf('GET', playerId, parts.at(-1)?.continuation, signal)));
  while (parts.at(-1)?.continuation !== undefined);
  return {
    playerId,
    tickets: parts.flatMap(({ tickets }) => tickets),
    matches: parts.flatMap(({ matches }) => matches),
    backfills: parts.flatMap(({ backfills }) => backfills),
    meetings: parts.flatMap(({ meetings }) => meetings),
    places: parts.flatMap(({ places }) => places),
  };
}

function partOf(
  method: 'GET' | 'DELETE',
  playerId: string,
  continuation: string | undefined,
  signal: AbortSignal | undefined,
) {
  const query = continuation === undefined ? '' : `?continuation=${encodeURIComponent(continuation)}`;
  const path = `/players/${encodeURIComponent(playerId)}${query}`;
  return { method, path, ...(signal !== undefined && { signal }) };
}
