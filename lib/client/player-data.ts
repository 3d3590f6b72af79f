import type { PlayerData, PlayerErasure } from './api-types.ts';
import { inParts } from './in-parts.ts';
import type { Call, RequestOptions } from './requests.ts';
import { to } from './route-to.ts';

/** The maximum of scans of all tables by `erasePlayer`. Two are usual; more are needed while ticks write names back. */
const READINGS_MAX = 5;

/** Repeats the erasure of a player until it is done, or until only pending or unreadable items remain. */
export async function erasePlayer(
  call: Call,
  playerId: string,
  options?: RequestOptions,
): Promise<PlayerErasure> {
  for (let reading = 1; ; reading++) {
    const parts = await inParts<PlayerErasure>(
      call,
      (query) => to('DELETE /players/{playerId}', { playerId }, query),
      options,
    );
    const last = parts.at(-1)!;
    if (last.changed === 0 || reading === READINGS_MAX) return last;
  }
}

/** All parts of the stored data about a player. */
export async function playerData(
  call: Call,
  playerId: string,
  options?: RequestOptions,
): Promise<PlayerData> {
  const parts = await inParts<PlayerData>(
    call,
    (query) => to('GET /players/{playerId}', { playerId }, query),
    options,
  );
  return {
    playerId,
    tickets: parts.flatMap(({ tickets }) => tickets),
    matches: parts.flatMap(({ matches }) => matches),
    backfills: parts.flatMap(({ backfills }) => backfills),
    meetings: parts.flatMap(({ meetings }) => meetings),
    places: parts.flatMap(({ places }) => places),
    cooldowns: parts.flatMap(({ cooldowns = [] }) => cooldowns),
    ratings: parts.flatMap(({ ratings = [] }) => ratings),
    unreadable: parts.at(-1)!.unreadable,
  };
}
