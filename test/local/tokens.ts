import { exportJWK, generateKeyPair, type JSONWebKeySet, SignJWT } from 'jose';

export const ISSUER = 'https://issuer.example';
export const AUDIENCE = 'game';
/** The origin whose pages the app with tokens permits. */
export const ORIGIN = 'https://game.example';

/** An issuer of tokens with its own key. */
export interface Issuer {
  readonly keys: JSONWebKeySet;
  /** A token that is valid for an hour. `changes` replace its claims. */
  token(changes?: Record<string, unknown>): Promise<string>;
}

export async function testIssuer(): Promise<Issuer> {
  const { publicKey, privateKey } = await generateKeyPair('RS256');
  const key = { ...(await exportJWK(publicKey)), kid: 'one', alg: 'RS256' };
  const now = Math.floor(Date.now() / 1_000);
  return {
    keys: { keys: [key] },
    token: (changes = {}) =>
      new SignJWT({ iss: ISSUER, aud: AUDIENCE, iat: now, exp: now + 3_600, ...changes })
        .setProtectedHeader({ alg: 'RS256', kid: 'one' })
        .sign(privateKey),
  };
}
