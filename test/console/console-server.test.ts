import { once } from 'node:events';
import { createServer, type IncomingMessage, request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Console, startConsole } from '../../lib/console/console-server.ts';
import { buildPage } from '../../lib/console/page-files.ts';
import { connectTo } from '../../lib/console/service-connection.ts';
import { firstLoad } from './first-load.ts';

/** A console, and the requests that its service has received. */
let page: Console;
let serviceUrl: string;
const received: { method: string; url: string; body: string; headers: IncomingMessage['headers'] }[] = [];

beforeAll(async () => {
  const service = createServer(async (incoming, response) => {
    let body = '';
    for await (const chunk of incoming) body += chunk;
    received.push({ method: incoming.method!, url: incoming.url!, body, headers: incoming.headers });
    if (incoming.url === '/moved') response.writeHead(302, { location: 'http://127.0.0.1:1/' });
    else response.writeHead(409, { 'content-type': 'application/problem+json', 'retry-after': '7' });
    response.end('{"detail":"no"}');
  });
  service.listen(0, '127.0.0.1');
  await once(service, 'listening');
  serviceUrl = `http://127.0.0.1:${(service.address() as { port: number }).port}`;
  page = await startConsole({
    port: 0,
    service: connectTo({ url: `${serviceUrl}/`, credentials: { token: 'the-token' } }),
    serviceUrl: `${serviceUrl}/"><script>`,
  });
  afterAll(async () => {
    await page.stop();
    service.close();
  });
});

interface Sent {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** Sends a request with any headers, also those that `fetch` does not let one set. */
async function send(
  method: string,
  path: string,
  headers: Record<string, string> = {},
  body = '',
): Promise<Sent> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  request(`${page.url}${path}`, { method, headers }, resolve).on('error', reject).end(body);
  const response = await promise;
  let text = '';
  for await (const chunk of response) text += chunk;
  return { status: response.statusCode!, headers: response.headers, body: text };
}

describe('the console', () => {
  it('passes requests on with the authorization, and returns the response with its status', async () => {
    const { status, body, headers } = await send(
      'PUT',
      '/api/queues/a%2Fb?x=1',
      { origin: page.url, 'content-type': 'application/json', cookie: 'secret=1' },
      '{"name":"a"}',
    );
    expect({ status, body, later: headers['retry-after'] }).toEqual({
      status: 409,
      body: '{"detail":"no"}',
      later: '7',
    });
    const last = received.at(-1)!;
    expect(last).toMatchObject({ method: 'PUT', url: '/queues/a%2Fb?x=1', body: '{"name":"a"}' });
    expect(last.headers).toMatchObject({
      authorization: 'Bearer the-token',
      'content-type': 'application/json',
    });
    expect(last.headers.cookie).toBeUndefined();
  });

  it('signs what it passes on, body and all, with AWS credentials', async () => {
    const aws = { accessKeyId: 'AKID', secretAccessKey: 'secret', region: 'eu-west-1' };
    const signing = await startConsole({
      port: 0,
      service: connectTo({ url: serviceUrl, credentials: { aws } }),
      serviceUrl,
    });
    const body = '{"name":"ä"}';
    await fetch(`${signing.url}/api/queues/a`, { method: 'PUT', headers: { origin: signing.url }, body });
    await signing.stop();
    const { headers, ...last } = received.at(-1)!;
    expect(last).toEqual({ method: 'PUT', url: '/queues/a', body });
    expect(headers.authorization).toMatch(
      /^AWS4-HMAC-SHA256 Credential=AKID\/\d{8}\/eu-west-1\/execute-api\/aws4_request, /,
    );
  });

  it('follows no redirect of the service', async () => {
    expect((await send('GET', '/api/moved')).status).toBe(302);
  });

  it.each([
    ['another name for this machine, as after DNS rebinding', 'GET', { host: 'evil.example:80' }],
    ['no port in the host', 'GET', { host: '127.0.0.1' }],
    ['the origin of another site', 'POST', { origin: 'https://evil.example' }],
    ['the origin of another port', 'POST', { origin: 'http://127.0.0.1:1' }],
    ['an opaque origin', 'POST', { origin: 'null' }],
    ['no origin in a request that changes something', 'DELETE', {}],
    ['an image of another site', 'GET', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' }],
    [
      'a link of another site to the API',
      'GET',
      { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' },
    ],
    [
      'a page of the same site with another port',
      'GET',
      { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'cors' },
    ],
  ])('rejects %s, and sends nothing to the service', async (_, method, headers) => {
    const before = received.length;
    expect((await send(method, '/api/queues', headers as Record<string, string>)).status).toBe(403);
    expect(received.length).toBe(before);
  });

  it('opens from a link of another site, and from localhost', async () => {
    const link = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' };
    expect((await send('GET', '/queues/duel', link)).status).toBe(200);
    const { port } = new URL(page.url);
    expect((await send('GET', '/', { host: `localhost:${port}` })).status).toBe(200);
  });

  it('sends the page with a policy that permits nothing inline and no other site', async () => {
    const { body, headers } = await send('GET', '/any/place');
    expect(body).toContain('<script type="module" src="/assets/console.js"></script>');
    expect(body).toContain('&#34;&#62;&#60;script&#62;');
    expect(body).not.toMatch(/\bstyle=|<style|<script>/);
    const policy = String(headers['content-security-policy']);
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/unsafe|https?:|\*|data:/);
    expect((await send('GET', '/assets/console.js', { 'accept-encoding': 'gzip' })).headers).toMatchObject({
      'content-encoding': 'gzip',
      'content-type': 'text/javascript; charset=utf-8',
    });
    expect((await send('GET', '/assets/..%2fpage-files.ts')).status).toBe(404);
  });

  it('reports that the service does not respond', async () => {
    const lonely = await startConsole({
      port: 0,
      service: () => Promise.reject(new Error('fetch failed', { cause: { code: 'ECONNREFUSED' } })),
      serviceUrl,
    });
    const response = await fetch(`${lonely.url}/api/queues`);
    await lonely.stop();
    expect(response.status).toBe(502);
    expect(await response.json()).toMatchObject({
      status: 502,
      detail: 'The service does not respond (ECONNREFUSED).',
    });
  });
});

describe('the page', () => {
  it('loads first in less than 100 KB compressed, and the engine only when it is needed', async () => {
    const files = await buildPage();
    const { gzipSync } = await import('node:zlib');
    const first = firstLoad(files);
    const bytes = first.reduce((sum, name) => sum + gzipSync(files.get(name)!).length, 0);
    expect(first).toContain('console.js');
    expect(first).not.toContain('engine-worker.js');
    expect(bytes).toBeLessThan(100_000);
  });
});
