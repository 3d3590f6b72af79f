import { GetSecretValueCommand, type SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { type SecretGrants, secretRefusal } from '../contract/secret-grants.ts';
import type { Secrets } from '../service/ports/secrets.ts';

/** How long a value is cached. After this time at the latest, a rotated secret is used. */
const KEEP_MS = 5 * 60_000;

/**
 * Secrets from Secrets Manager, under a common prefix.
 * @param grants secrets besides a queue's own and the shared ones
 */
export function secretsManager(client: SecretsManagerClient, prefix: string, grants: SecretGrants): Secrets {
  const kept = new Map<string, { value: string; untilMs: number }>();
  return {
    async get(name, queue) {
      const why = secretRefusal(name, queue, grants);
      if (why !== undefined) return { outcome: 'refused', why };
      const known = kept.get(name);
      if (known !== undefined && known.untilMs > Date.now()) return { outcome: 'found', value: known.value };
      const { SecretString } = await client.send(new GetSecretValueCommand({ SecretId: `${prefix}${name}` }));
      if (SecretString === undefined)
        throw new Error(`Expected secret ${prefix}${name} to be a string, got binary`);
      kept.set(name, { value: SecretString, untilMs: Date.now() + KEEP_MS });
      return { outcome: 'found', value: SecretString };
    },
  };
}
