import {
  GetSecretValueCommand,
  InvalidRequestException,
  ResourceNotFoundException,
  type SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import { type SecretGrants, secretRefusal } from '../contract/secret-grants.ts';
import type { Secrets } from '../service/ports/secrets.ts';

/** The maximum age of a cached value. A rotated secret is used after this time at the latest. */
const KEEP_MS = 5 * 60_000;

/**
 * Secrets from Secrets Manager, under a common prefix.
 * @param grants the queues that may use a secret other than their own and the shared ones
 */
export function secretsManager(client: SecretsManagerClient, prefix: string, grants: SecretGrants): Secrets {
  const kept = new Map<string, { value: string; untilMs: number }>();
  return {
    async get(name, queue) {
      const why = secretRefusal(name, queue, grants);
      if (why !== undefined) return { outcome: 'refused', why };
      const known = kept.get(name);
      if (known !== undefined && known.untilMs > Date.now()) return { outcome: 'found', value: known.value };
      const value = await storedValue(client, `${prefix}${name}`);
      if (value === undefined) return { outcome: 'missing', why: `there is no secret ${prefix}${name}` };
      kept.set(name, { value, untilMs: Date.now() + KEEP_MS });
      return { outcome: 'found', value };
    },
  };
}

/** The value of a secret; undefined when there is none, or when its deletion is scheduled. */
export async function storedValue(
  client: SecretsManagerClient,
  SecretId: string,
): Promise<string | undefined> {
  try {
    const { SecretString } = await client.send(new GetSecretValueCommand({ SecretId }));
    if (SecretString === undefined) throw new Error(`Expected secret ${SecretId} to be a string, got binary`);
    return SecretString;
  } catch (error) {
    if (error instanceof ResourceNotFoundException || error instanceof InvalidRequestException)
      return undefined;
    throw error;
  }
}
