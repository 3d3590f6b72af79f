import * as z from 'zod';
import type { Player } from '../engine/types.ts';

/**
 * Players as they are stored: JSON of `[playerId, skill, playerId, skill, roles, …]`, a player's roles after
 * the skill where there are some. The index of waiting tickets is read at every tick and paid by its bytes,
 * and names of fields would be a third of them. An id that is a UUID is `=` and its 16 bytes in base64url, 23
 * characters in place of 36; any other id that begins with `=` has one more in front of it.
 *
 * Exact for every number and every string. A player with fields other than these is kept as an object.
 */
export function packPlayers(players: readonly Player[]): string {
  const packed: unknown[] = [];
  for (const player of players) {
    const { playerId, skill, roles, ...others } = player;
    if (Object.keys(others).length > 0) packed.push(player);
    else packed.push(packId(playerId), skill, ...(roles === undefined ? [] : [roles]));
  }
  return JSON.stringify(packed);
}

/** An attribute that holds packed players, or the list of objects that earlier releases stored. */
export function packedPlayers<T extends z.ZodType>(schema: T) {
  return z
    .string()
    .transform((text, context): unknown => {
      try {
        return unpackPlayers(text);
      } catch (error) {
        context.addIssue({ code: 'custom', message: `Expected packed players: ${(error as Error).message}` });
        return z.NEVER;
      }
    })
    .pipe(schema);
}

/** The players of what `packPlayers` made, or of the list of objects that earlier releases stored. */
export function unpackPlayers(text: string): unknown {
  const packed: unknown = JSON.parse(text);
  if (!Array.isArray(packed)) return packed;
  const players: unknown[] = [];
  for (let at = 0; at < packed.length; at++) {
    const first: unknown = packed[at];
    if (typeof first !== 'string') {
      players.push(first);
      continue;
    }
    const skill: unknown = packed[++at];
    const roles: unknown = packed[at + 1];
    if (Array.isArray(roles)) at++;
    players.push({ playerId: unpackId(first), skill, ...(Array.isArray(roles) && { roles }) });
  }
  return players;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

function packId(id: string): string {
  if (UUID.test(id)) return `=${Buffer.from(id.replaceAll('-', ''), 'hex').toString('base64url')}`;
  return id.startsWith('=') ? `=${id}` : id;
}

function unpackId(packed: string): string {
  if (!packed.startsWith('=')) return packed;
  if (packed.startsWith('==')) return packed.slice(1);
  const hex = Buffer.from(packed.slice(1), 'base64url').toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
