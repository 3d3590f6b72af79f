import type { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { errors, type JWTVerifyGetKey, jwtVerify, SignJWT } from 'jose';
import * as z from 'zod';
import { id } from '../contract/ticket.ts';
import type { PlayerTokens } from '../service/ports/player-tokens.ts';
import { storedValue } from './secrets.ts';

/** A key that signs tokens: its `kid` in the tokens, and its secret in Secrets Manager. */
const playerKey = z.object({ keyId: z.string(), secretArn: z.string() });
export type PlayerKey = z.output<typeof playerKey>;

/** The keys of a deployment. The first one signs, and all of them verify. */
export const playerKeys = z.array(playerKey).min(1);

const ALGORITHM = 'HS256';
/** Distinguishes these tokens from others that the same key might sign. */
const AUDIENCE = 'muster/watch';

const claims = z.object({
  sub: id,
  ticketId: id,
  queue: z.string().min(1),
  also: z.string().optional(),
  player: z.number().int().min(0),
  enqueuedAtMs: z.number().int(),
});

/**
 * Tokens as JWTs (HMAC with SHA-256). A function caches a key forever: a key never changes, because a rotation adds another one.
 * @param keys the first one signs, and all of them verify
 */
export function playerTokens(client: SecretsManagerClient, keys: readonly PlayerKey[]): PlayerTokens {
  const read = new Map<string, Promise<Uint8Array>>();
  const keyFor = ({ keyId, secretArn }: PlayerKey): Promise<Uint8Array> => {
    const known = read.get(keyId);
    if (known !== undefined) return known;
    const value = keyOf(client, secretArn);
    read.set(keyId, value);
    // A failed read is not cached, so the next call tries again.
    value.catch(() => read.delete(keyId));
    return value;
  };
  const keyOfToken: JWTVerifyGetKey = ({ kid }) => {
    const key = keys.find(({ keyId }) => keyId === kid);
    if (key === undefined) throw new errors.JWKSNoMatchingKey();
    return keyFor(key);
  };
  return {
    async issue({ playerId, ...watched }, untilMs) {
      const newest = keys[0]!;
      return new SignJWT(watched)
        .setProtectedHeader({ alg: ALGORITHM, kid: newest.keyId })
        .setSubject(playerId)
        .setAudience(AUDIENCE)
        .setExpirationTime(Math.floor(untilMs / 1_000))
        .sign(await keyFor(newest));
    },

    async verify(token, nowMs) {
      try {
        const { payload } = await jwtVerify(token, keyOfToken, {
          algorithms: [ALGORITHM],
          audience: AUDIENCE,
          requiredClaims: ['exp', 'sub'],
          currentDate: new Date(nowMs),
        });
        const read = claims.safeParse(payload);
        if (!read.success) return undefined;
        const { sub: playerId, ...watched } = read.data;
        return { playerId, ...watched };
      } catch (error) {
        if (error instanceof errors.JOSEError) return undefined;
        throw error;
      }
    },
  };
}

async function keyOf(client: SecretsManagerClient, secretArn: string): Promise<Uint8Array> {
  const value = await storedValue(client, secretArn);
  if (value === undefined)
    throw new Error(
      `Expected the secret ${secretArn} to exist, got none: deploy the stack again with a higher \`pushKey\`.`,
    );
  return new TextEncoder().encode(value);
}
