import { GetSecretValueCommand, type SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import type { Secrets } from '../service/ports/secrets.ts';

/** How long a value is kept: a rotated secret is used after this at the latest. */
const KEEP_MS = 5 * 60_000;

/** Secrets from Secrets Manager, under a common prefix. */
export function secretsManager(client: SecretsManagerClient, prefix: string): Secrets {
  const kept = new Map<string, { value: string; untilMs: number }>();
  return {
    async get(name) {
      const known = kept.get(name);
      if (known !== undefined && known.untilMs > Date.now()) return known.value;
      const { SecretString } = await client.send(new GetSecretValueCommand({ SecretId: `${prefix}${name}` }));
      if (SecretString === undefined)
        throw new Error(`Expected secret ${prefix}${name} to be a string, got binary`);
      kept.set(name, { value: SecretString, untilMs: Date.now() + KEEP_MS });
      return SecretString;
    },
  };
}
