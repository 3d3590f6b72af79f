import type { PlayerData, PlayerErasure } from './api-types.ts';
import type { Call, RequestOptions } from './requests.ts';
import { to } from './route-to.ts';

/** Readings of all tables before `erasePlayer` returns. A second one is usual; more are needed while ticks write back. */
const READINGS_MAX = 5;

/** Repeats the erasure of a player until it is done, or until only what is pending is left. */
export async function erasePlayer(
  call: Call,
  playerId: string,
  options?: RequestOptions,
): Promise<PlayerErasure> {
  for (let reading = 1; ; reading++) {
    let part: PlayerErasure | undefined;
    do {
      const query = { continuation: part?.continuation };
      part = await call<PlayerErasure>(to('DELETE /players/{playerId}', { playerId }, query), options);
    } while (part.continuation !== undefined);
    if (part.changed === 0 || reading === READINGS_MAX) return part;
  }
}

/** All parts of what is stored about a player. */
export async function playerData(
  call: Call,
  playerId: string,
  options?: RequestOptions,
): Promise<PlayerData> {
  const parts: PlayerData[] = [];
  do {
    const query = { continuation: parts.at(-1)?.continuation };
    parts.push(await call<PlayerData>(to('GET /players/{playerId}', { playerId }, query), options));
  } while (parts.at(-1)?.continuation !== undefined);
  return {
    playerId,
    tickets: parts.flatMap(({ tickets }) => tickets),
    matches: parts.flatMap(({ matches }) => matches),
    backfills: parts.flatMap(({ backfills }) => backfills),
    meetings: parts.flatMap(({ meetings }) => meetings),
    places: parts.flatMap(({ places }) => places),
  };
}
