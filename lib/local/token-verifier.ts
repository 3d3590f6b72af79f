/** Checks tokens with the keys of their issuer, as a JWT authorizer of API Gateway does. */
import { readFile } from 'node:fs/promises';
import {
  createLocalJWKSet,
  createRemoteJWKSet,
  type JSONWebKeySet,
  type JWTVerifyGetKey,
  jwtVerify,
} from 'jose';
import { InvalidInput } from '../vocabulary/invalid-input.ts';
import type { TokenVerifier } from './authorizers.ts';

/** The algorithms that API Gateway accepts. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512'];

/** Checks tokens with the public keys of a set (RFC 7517). */
export function verifierOf(keys: JSONWebKeySet): TokenVerifier {
  const find = createLocalJWKSet(keys);
  return (token, expected) => verify(token, expected, find);
}

/** Checks tokens with the keys that the issuer publishes. The first token triggers OpenID Connect discovery. */
export function discoveringVerifier(): TokenVerifier {
  const found = new Map<string, Promise<JWTVerifyGetKey>>();
  return async (token, expected) => {
    let keys = found.get(expected.issuer);
    if (keys === undefined) {
      keys = discover(expected.issuer);
      found.set(expected.issuer, keys);
      keys.catch(() => found.delete(expected.issuer));
    }
    return verify(token, expected, await keys);
  };
}

/**
 * Reads a JSON Web Key Set from a file.
 * @throws InvalidInput when the file is not a JSON Web Key Set
 */
export async function readKeySet(file: string): Promise<JSONWebKeySet> {
  const expected = `Expected ${file} to be a JSON Web Key Set, { "keys": [ … ] }`;
  let set: unknown;
  try {
    set = JSON.parse(new TextDecoder().decode(await readFile(file)));
    createLocalJWKSet(set as JSONWebKeySet);
  } catch (error) {
    throw new InvalidInput(`${expected}: ${(error as Error).message}`);
  }
  return set as JSONWebKeySet;
}

async function discover(issuer: string): Promise<JWTVerifyGetKey> {
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url} returned status ${response.status}`);
  const { jwks_uri } = (await response.json()) as { jwks_uri: string };
  return createRemoteJWKSet(new URL(jwks_uri));
}

async function verify(
  token: string,
  { issuer, audience }: Parameters<TokenVerifier>[1],
  keys: JWTVerifyGetKey,
): ReturnType<TokenVerifier> {
  const { payload } = await jwtVerify(token, keys, {
    issuer,
    algorithms: ALGORITHMS,
    requiredClaims: ['exp'],
  });
  // An access token of Cognito has a client_id and no aud.
  const audiences = [payload.aud ?? payload.client_id].flat();
  if (!audience.some((one) => audiences.includes(one))) throw new Error('The token is for another audience.');
  return payload;
}
