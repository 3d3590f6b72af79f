import {
  GetSecretValueCommand,
  ResourceNotFoundException,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, expect, it } from 'vitest';
import { secretsManager } from '../../lib/aws/secrets.ts';

const made = new SecretsManagerClient({ region: 'us-east-1' });
const client = mockClient(made);
beforeEach(() => {
  client.reset();
  client.on(GetSecretValueCommand).callsFake(({ SecretId }) => ({ SecretString: `value of ${SecretId}` }));
});

it('reads a secret that the queue may use, under the prefix', async () => {
  const secrets = secretsManager(made, 'muster/', { backend: ['duel'] });
  expect(await secrets.get('arena/hook', 'arena')).toEqual({
    outcome: 'found',
    value: 'value of muster/arena/hook',
  });
  expect(await secrets.get('backend', 'duel')).toMatchObject({ outcome: 'found' });
});

it('rejects a secret for a queue that may not use it, even after another queue has read it', async () => {
  const secrets = secretsManager(made, 'muster/', {});
  expect(await secrets.get('arena/hook', 'arena')).toMatchObject({ outcome: 'found' });
  expect(await secrets.get('arena/hook', 'duel')).toEqual({
    outcome: 'refused',
    why: expect.stringContaining('arena/hook'),
  });
  expect(client.commandCalls(GetSecretValueCommand)).toHaveLength(1);
});

it('says that a secret does not exist, and finds it as soon as it does', async () => {
  const secrets = secretsManager(made, 'muster/', {});
  const missing = new ResourceNotFoundException({ message: 'none', $metadata: {} });
  client.on(GetSecretValueCommand).rejectsOnce(missing).resolves({ SecretString: 'new' });
  expect(await secrets.get('arena/hook', 'arena')).toEqual({
    outcome: 'missing',
    why: 'there is no secret muster/arena/hook',
  });
  expect(await secrets.get('arena/hook', 'arena')).toEqual({ outcome: 'found', value: 'new' });
});
