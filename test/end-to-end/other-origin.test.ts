import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterAll, describe, expect, it } from 'vitest';
import type * as client from '../../lib/client/index.ts';
import { launched } from '../console/launched.ts';
import { testIssuer } from '../local/tokens.ts';
import { PATIENCE_MS } from '../patience.ts';
import { definition } from '../service/definitions.ts';
import { fresh, testMuster } from './muster.ts';
import { tokenGateway } from './token-gateway.ts';

const { outputFiles } = await build({
  entryPoints: [fileURLToPath(new URL('../../lib/client/index.ts', import.meta.url))],
  bundle: true,
  write: false,
  format: 'iife',
  globalName: 'client',
});
const html = `<!doctype html><script>${outputFiles[0]!.text}</script>`;

/** A page with the client. Each server is an origin of its own. */
async function pageServer() {
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'text/html');
    response.end(html);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { origin: `http://127.0.0.1:${port}`, stop: () => server.close() };
}

const [game, stranger] = [await pageServer(), await pageServer()];
const issuer = await testIssuer();
const { cloud } = await testMuster();
const { url } = await tokenGateway(cloud, issuer, game.origin);
const browser = await launched();
afterAll(async () => {
  await browser.close();
  game.stop();
  stranger.stop();
});

const TOKEN = await issuer.token({ scope: 'muster/backend muster/admin', sub: 'server' });

/** What a page of an origin gets for a request: the body, or the name and the status of the error. */
async function asked(origin: string, token: string, method: 'GET' | 'PUT', path: string, body?: unknown) {
  const page = await browser.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  await page.goto(origin);
  const found = await page.evaluate(
    async ({ url, token, method, path, body }) => {
      const { musterClient } = (globalThis as unknown as { client: typeof client }).client;
      try {
        const muster = musterClient({ url, credentials: { token }, tries: 1 });
        return await muster.request<object>({ method, path, ...(body !== undefined && { body }) });
      } catch (error) {
        const { name, status } = error as { name: string; status?: number };
        return { name, status };
      }
    },
    { url, token, method, path, body },
  );
  await page.close();
  return found;
}

describe('a page of an origin that the option allows', () => {
  it('may change and read a queue, with a token and a body', async () => {
    const name = fresh('queue');
    const put = await asked(game.origin, TOKEN, 'PUT', `/queues/${name}`, definition({ name }));
    expect(put).toMatchObject({ name });
    expect(await asked(game.origin, TOKEN, 'GET', `/queues/${name}`)).toMatchObject({ name });
  });

  it('can read why a request is rejected, by the service, by API Gateway and by its authorizer', async () => {
    expect(await asked(game.origin, TOKEN, 'GET', '/tickets/none')).toEqual({
      name: 'MusterProblem',
      status: 404,
    });
    expect(await asked(game.origin, 'no-token', 'GET', '/tickets/none')).toMatchObject({ status: 401 });
    const response = await fetch(`${url}/tickets/none`, { headers: { origin: game.origin } });
    expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([
      401,
      game.origin,
    ]);
  });

  it('gets an answer to its preflight for every path, without credentials', async () => {
    const preflight = (origin: string) =>
      fetch(`${url}/matches/any/result`, {
        method: 'OPTIONS',
        headers: { origin, 'access-control-request-method': 'POST' },
      });
    const { status, headers } = await preflight(game.origin);
    expect(status).toBe(204);
    expect(headers.get('access-control-allow-methods')).toBe('GET,POST,PUT,DELETE');
    expect(headers.get('access-control-allow-headers')).toMatch(/^authorization,content-type,if-match,/);
    expect((await preflight(stranger.origin)).headers.get('access-control-allow-origin')).toBeNull();
  });
});

it('a page of another origin can read nothing', async () => {
  expect(await asked(stranger.origin, TOKEN, 'GET', '/queues')).toMatchObject({ name: 'MusterUnreachable' });
});
