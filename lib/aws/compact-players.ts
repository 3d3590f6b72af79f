import type * as z from 'zod';
import type { Player } from '../engine/types.ts';
import { packId, unpackId } from './compact-id.ts';
import { packedAttribute } from './item.ts';

/**
 * Packs players for the store: JSON of `[playerId, skill, playerId, skill, roles, …]`, where the roles follow only for
 * players that have them. Every tick reads the index of waiting tickets and pays for its bytes; field names would be a
 * third of them. Ids are packed as in `compact-id.ts`.
 *
 * Numbers and strings are exact. A player with other fields is stored as an object. For a party that may be divided over
 * teams, `true` precedes the players.
 */
export function packPlayers(players: readonly Player[], split = false): string {
  const packed: unknown[] = split ? [true] : [];
  for (const player of players) {
    const { playerId, skill, roles, ...others } = player;
    if (Object.keys(others).length > 0) packed.push(player);
    else packed.push(packId(playerId), skill, ...(roles === undefined ? [] : [roles]));
  }
  return JSON.stringify(packed);
}

/** An attribute that holds packed players. */
export function packedPlayers<T extends z.ZodType>(schema: T) {
  return packedAttribute(schema, 'packed players', unpackPlayers);
}

/** Whether packed players are a party that may be divided. */
export function isPackedSplit(packed: unknown): boolean {
  return typeof packed === 'string' && packed.startsWith('[true');
}

/** Unpacks the result of `packPlayers`. */
export function unpackPlayers(text: string): unknown {
  const packed: unknown = JSON.parse(text);
  if (!Array.isArray(packed)) return packed;
  const players: unknown[] = [];
  for (let at = packed[0] === true ? 1 : 0; at < packed.length; at++) {
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
