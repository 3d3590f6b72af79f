import { setTimeout as sleep } from 'node:timers/promises';
import { AwsV4Signer } from 'aws4fetch';
import type { Sockets } from '../service/ports/sockets.ts';
import { logger } from './log.ts';

/** The timeout of a request to API Gateway. A message is small, and API Gateway does not wait for the client to read it. */
const SEND_TIMEOUT_MS = 1_000;
type Method = 'POST' | 'GET' | 'DELETE';

/** The maximum of tries of a request that fails or is throttled. */
const SENDS_MAX = 3;

/**
 * The sockets of a WebSocket API, by the commands of its stage (`@connections`). They are signed with the function's credentials.
 * @param url the URL of the stage, wss://ID.execute-api.REGION.amazonaws.com/STAGE
 */
export function sockets(url: string): Sockets {
  const base = `${url.replace(/^ws/, 'http')}/@connections/`;
  const command = async (method: Method, connectionId: string, body?: string) => {
    let status: number | undefined;
    for (let tried = 1; tried <= SENDS_MAX; tried++) {
      if (tried > 1) await sleep(Math.random() * 50 * 2 ** tried);
      status = await statusOf(method, `${base}${encodeURIComponent(connectionId)}`, body);
      if (status !== undefined && status < 500 && status !== 429) break;
    }
    if (status !== 200 && status !== 204 && status !== 410)
      logger.warn('a socket did not take a command', { method, status });
    return status;
  };
  return {
    async send(connectionId, message) {
      const status = await command('POST', connectionId, message);
      return status === 200 ? 'sent' : status === 410 ? 'gone' : 'failed';
    },

    async find(connectionId) {
      const status = await command('GET', connectionId);
      return status === 200 ? 'open' : status === 410 ? 'gone' : 'failed';
    },

    async close(connectionId) {
      const status = await command('DELETE', connectionId);
      return status === 204 || status === 200 || status === 410;
    },
  };
}

/** Cached signing keys, by secret and day. Deriving one takes half of a request's CPU time. */
const signingKeys = new Map<string, ArrayBuffer>();

/** The status of the response; undefined when there was none. */
async function statusOf(method: Method, url: string, body?: string): Promise<number | undefined> {
  const { AWS_ACCESS_KEY_ID = '', AWS_SECRET_ACCESS_KEY = '', AWS_SESSION_TOKEN, AWS_REGION } = process.env;
  const signer = new AwsV4Signer({
    method,
    url,
    ...(body !== undefined && { body }),
    accessKeyId: AWS_ACCESS_KEY_ID,
    secretAccessKey: AWS_SECRET_ACCESS_KEY,
    ...(AWS_SESSION_TOKEN && { sessionToken: AWS_SESSION_TOKEN }),
    ...(AWS_REGION && { region: AWS_REGION }),
    service: 'execute-api',
    cache: signingKeys,
  });
  const { headers } = await signer.sign();
  try {
    const response = await fetch(url, {
      method,
      headers,
      ...(body !== undefined && { body }),
      signal: AbortSignal.timeout(SEND_TIMEOUT_MS),
    });
    await response.arrayBuffer();
    return response.status;
  } catch {
    return undefined;
  }
}
