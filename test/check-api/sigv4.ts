/** Compares the signatures of examples/sigv4 with those of aws4fetch, with which the client signs. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { AwsV4Signer } from 'aws4fetch';
import { ROOT } from '../tools.ts';

const API = 'https://a1b2c3d4e5.execute-api.eu-central-1.amazonaws.com';
const KEYS = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' };
const REGION = 'eu-central-1';

/** Requests with what signatures get wrong: an encoded path, a query out of order, text beyond ASCII, and temporary keys. */
const REQUESTS: readonly (readonly [method: string, path: string, body?: string, sessionToken?: string])[] = [
  ['GET', '/queues'],
  ['GET', '/tickets/ann%201%C3%A9*~?waitSeconds=20&seen=QUEUED&a=b%2Fc%20d'],
  [
    'POST',
    '/queues/duel/tickets',
    '{"ticketId":"é-1","players":[{"playerId":"ann"}]}',
    'temporary/token+1==',
  ],
];

/** @throws when a program signs a request in another way */
export async function checkSignatures(command: string, ...args: readonly string[]): Promise<void> {
  for (const [method, path, body, sessionToken] of REQUESTS) {
    const url = `${API}${path}`;
    const text = execFileSync(command, [...args, method, url, ...(body === undefined ? [] : [body])], {
      cwd: join(ROOT, 'examples/sigv4'),
      encoding: 'utf8',
      env: {
        ...process.env,
        AWS_ACCESS_KEY_ID: KEYS.accessKeyId,
        AWS_SECRET_ACCESS_KEY: KEYS.secretAccessKey,
        AWS_REGION: REGION,
        ...(sessionToken && { AWS_SESSION_TOKEN: sessionToken }),
      },
    });
    const header = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(text)?.[1] ?? '';
    const datetime = header('x-amz-date');
    const signer = new AwsV4Signer({
      ...KEYS,
      ...(sessionToken && { sessionToken }),
      ...(body && { body }),
      method,
      url,
      datetime,
      region: REGION,
      service: 'execute-api',
    });
    const expected = (await signer.sign()).headers;
    for (const name of ['authorization', 'x-amz-security-token'])
      if (header(name) !== (expected.get(name) ?? ''))
        throw new Error(`Expected ${name}: ${expected.get(name)} for ${method} ${path}, got ${text}`);
  }
  console.log(`${args.at(-1) ?? command}: signs ${REQUESTS.length} requests as aws4fetch does`);
}
