import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { InvalidInput } from '../../lib/cli/failure.ts';
import { serviceCredentials } from '../../lib/cli/service-credentials.ts';

/** A deployed API. */
const API = 'https://abc123.execute-api.eu-west-1.amazonaws.com';

/** A home without AWS configuration, on a machine that is not an instance of AWS. */
beforeEach(() => {
  const home = mkdtempSync(join(tmpdir(), 'muster-home-'));
  for (const name of Object.keys(process.env)) if (name.startsWith('AWS_')) vi.stubEnv(name, undefined);
  vi.stubEnv('HOME', home);
  vi.stubEnv('AWS_EC2_METADATA_DISABLED', 'true');
  onTestFinished(() => {
    vi.unstubAllEnvs();
    rmSync(home, { recursive: true });
  });
});

/** The credentials that sign a request. */
async function signingOf(url: string) {
  const credentials = await serviceCredentials(url);
  if (credentials === undefined || !('aws' in credentials) || typeof credentials.aws !== 'function')
    throw new Error('Expected AWS credentials');
  return credentials.aws();
}

it('takes a token for any service', async () => {
  expect(await serviceCredentials(API, 'the-token')).toEqual({ token: 'the-token' });
});

it.each([
  'http://127.0.0.1:3000',
  'https://localhost:3000/',
  'http://[::1]:1',
  'http://muster.internal:3000',
])('signs nothing for %s, which is not AWS', async (url) => {
  expect(await serviceCredentials(url)).toBeUndefined();
});

it('signs with the credentials of the environment, for the region of the URL', async () => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKID');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret');
  vi.stubEnv('AWS_SESSION_TOKEN', 'session');
  vi.stubEnv('AWS_REGION', 'us-east-1');
  expect(await signingOf(API)).toMatchObject({
    accessKeyId: 'AKID',
    secretAccessKey: 'secret',
    sessionToken: 'session',
    region: 'eu-west-1',
  });
});

it('signs with the credentials of a profile, for a domain of its own in the region of the environment', async () => {
  const file = join(process.env.HOME!, 'keys');
  writeFileSync(file, '[studio]\naws_access_key_id = PROFILE\naws_secret_access_key = secret\n');
  vi.stubEnv('AWS_SHARED_CREDENTIALS_FILE', file);
  vi.stubEnv('AWS_PROFILE', 'studio');
  vi.stubEnv('AWS_REGION', 'us-east-1');
  expect(await signingOf('https://muster.example.com')).toMatchObject({
    accessKeyId: 'PROFILE',
    region: 'us-east-1',
  });
});

it.each([
  ['ftp://x', '--url: Expected a URL such as http://127.0.0.1:3000, got ftp://x'],
  ['https://muster.example.com', 'Expected the region of https://muster.example.com in AWS_REGION, got none'],
  [API, `Expected AWS credentials to sign requests to ${API} with, got none`],
])('says what is missing for %s', async (url, message) => {
  const failure = await serviceCredentials(url).catch((error) => error);
  expect(failure).toBeInstanceOf(InvalidInput);
  expect(failure.message).toContain(message);
});
