import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, describe, expect, it } from 'vitest';
import { type OutboundOptions, outbound, refusalOf } from '../../lib/aws/outbound.ts';

const PRIVATE = [
  '127.0.0.1',
  '10.0.0.1',
  '172.16.0.1',
  '192.168.1.1',
  '169.254.169.254',
  '100.64.0.1',
  '0.0.0.0',
  '192.0.2.1',
  '224.0.0.1',
  '255.255.255.255',
];
const PRIVATE_6 = [
  '::1',
  '::',
  '::ffff:10.0.0.1',
  '::ffff:7f00:1',
  '64:ff9b::7f00:1',
  '2002:7f00:1::',
  'fe80::1',
  'fd00:ec2::254',
  'ff02::1',
];

describe('in the cloud, a URL is rejected', () => {
  it.each([
    ...PRIVATE,
    ...PRIVATE_6.map((address) => `[${address}]`),
    '2130706433',
    '0x7f000001',
    '0x7f.1',
    '0177.0.0.1',
    '127.1',
    '127.0.0.1.',
    'localhost',
    'LOCALHOST',
    'api.localhost',
  ])('when its address is not public: https://%s', (host) => {
    expect(refusalOf(new URL(`https://${host}/hook`))).toMatch(/expected a public address/);
  });

  it('when it is not https', () => {
    expect(refusalOf(new URL('http://studio.example/hook'))).toBe('expected https, got http');
  });

  it.each(['studio.example', 'studio.example:8443', '93.184.215.14', '[2606:4700:4700::1111]'])(
    'but not with the public address https://%s',
    (host) => {
      expect(refusalOf(new URL(`https://${host}/hook`))).toBeUndefined();
    },
  );

  it('before anything is sent', async () => {
    const result = await outbound({ privateAllowed: false }).post('https://[::1]/', '{}', {}, 1_000);
    expect(result).toEqual({ outcome: 'forbidden', error: 'expected a public address, got ::1' });
  });
});

describe('in the cloud, a name is rejected', () => {
  it.each([...PRIVATE, ...PRIVATE_6])('when it resolves to %s', async (address) => {
    const { post } = outbound({ privateAllowed: false, resolve: resolvingTo(address) });
    expect(await post('https://studio.example/hook', '{}', {}, 1_000)).toEqual({
      outcome: 'forbidden',
      error: `studio.example: expected a public address, got ${address}`,
    });
  });

  it('when only one of its addresses is not public', async () => {
    const { post } = outbound({ privateAllowed: false, resolve: resolvingTo('1.1.1.1', '10.0.0.1') });
    expect(await post('https://studio.example/hook', '{}', {}, 1_000)).toMatchObject({
      outcome: 'forbidden',
    });
  });

  it('as unreachable when it resolves to nothing', async () => {
    const { post } = outbound({ privateAllowed: false, resolve: resolvingTo() });
    expect(await post('https://studio.example/hook', '{}', {}, 1_000)).toMatchObject({
      outcome: 'unreachable',
      error: expect.stringContaining('studio.example'),
    });
  });
});

describe('on the local cloud', () => {
  const { post } = outbound({ privateAllowed: true });

  it('POSTs the body with its headers and returns the response', async () => {
    let asked: { method?: string | undefined; headers: IncomingHttpHeaders; text: string } | undefined;
    const url = await serving(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      asked = {
        method: request.method,
        headers: request.headers,
        text: Buffer.concat(chunks).toString('utf8'),
      };
      response.statusCode = 202;
      response.end('{"fine":"ö"}');
    });
    expect(await post(url, '{"name":"Ä"}', { 'webhook-id': 'w1' }, 5_000)).toEqual({
      outcome: 'responded',
      status: 202,
      body: '{"fine":"ö"}',
    });
    expect(asked).toMatchObject({
      method: 'POST',
      text: '{"name":"Ä"}',
      headers: { 'content-type': 'application/json', 'content-length': '13', 'webhook-id': 'w1' },
    });
  });

  it('does not follow redirects', async () => {
    const url = await serving((_, response) => response.writeHead(308, { location: '/other' }).end());
    expect(await post(url, '{}', {}, 5_000)).toMatchObject({ outcome: 'responded', status: 308 });
  });

  it('stops at the timeout, before and during the response', async () => {
    const silent = await serving(() => {});
    const endless = await serving((_, response) => response.write('{'));
    for (const url of [silent, endless]) {
      expect(await post(url, '{}', {}, 100)).toMatchObject({ outcome: 'unreachable' });
    }
  });

  it('stops reading a response that is too large', async () => {
    const url = await serving((_, response) => response.end('x'.repeat(64 * 1024 + 1)));
    expect(await post(url, '{}', {}, 5_000)).toMatchObject({ outcome: 'unreachable' });
  });

  it('reports an unreachable endpoint', async () => {
    const url = await serving(() => {});
    await stopServers();
    expect(await post(url, '{}', {}, 5_000)).toMatchObject({
      outcome: 'unreachable',
      error: expect.stringContaining('ECONNREFUSED'),
    });
  });
});

const servers: Server[] = [];
async function serving(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

async function stopServers(): Promise<void> {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  }
}
afterAll(stopServers);

/** A name resolution that returns only these addresses. */
function resolvingTo(...addresses: string[]): NonNullable<OutboundOptions['resolve']> {
  const resolve = (_name: string, _options: unknown, callback: (...results: unknown[]) => void) => {
    if (addresses.length === 0)
      callback(Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' }));
    else
      callback(
        null,
        addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      );
  };
  return resolve as unknown as NonNullable<OutboundOptions['resolve']>;
}
