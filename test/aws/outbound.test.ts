import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import {
  INTERIM_RESPONSES_MAX,
  outbound,
  RESPONSE_BYTES_MAX,
  RESPONSE_HEADER_BYTES_MAX,
  type Resolve,
} from '../../lib/aws/outbound.ts';
import { refusalOf } from '../../lib/contract/outbound-url.ts';
import { eventually } from '../patience.ts';

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
  '::127.0.0.1',
  '::7f00:1',
  '::169.254.169.254',
  '0:0:0:0:0:0:a9fe:a9fe',
  '::ffff:0:127.0.0.1',
  '::1:0:0:0',
  '64:ff9b::7f00:1',
  '64:ff9b::8.8.8.8',
  '64:ff9b:1::a9fe:a9fe',
  '2002:808:808::',
  '2001::1',
  '2001:0:7f00:1::',
  '2001:2::1',
  '2001:db8::1',
  '100::1',
  '4000::1',
  'fec0::1',
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
    'localhost.',
    'localhost..',
    'LocalHost.',
    'api.localhost.',
    '0177.0.0.01.',
    '017700000001',
    '0X7F.0.0.0x1',
    '127.0.1',
    '127.1.',
    '①②⑦.⓪.⓪.①',
    '127。0。0。1',
    '%31%32%37.0.0.1',
    '0xA9FEA9FE',
    '2852039166',
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
    const result = await outbound({ privateAllowed: false }).post('https://[::1]/', '{}', {}, NEVER_MS);
    expect(result).toEqual({ outcome: 'forbidden', error: 'expected a public address, got ::1' });
  });
});

describe('in the cloud, a name is rejected', () => {
  it.each([...PRIVATE, ...PRIVATE_6])('when it resolves to %s', async (address) => {
    const { post } = outbound({ privateAllowed: false, resolve: resolvingTo(address) });
    expect(await post('https://studio.example/hook', '{}', {}, NEVER_MS)).toEqual({
      outcome: 'forbidden',
      error: `studio.example: expected a public address, got ${address}`,
    });
  });

  it('when only one of its addresses is not public', async () => {
    const { post } = outbound({ privateAllowed: false, resolve: resolvingTo('1.1.1.1', '10.0.0.1') });
    expect(await post('https://studio.example/hook', '{}', {}, NEVER_MS)).toMatchObject({
      outcome: 'forbidden',
    });
  });

  it('as unreachable when it resolves to nothing', async () => {
    const { post } = outbound({ privateAllowed: false, resolve: resolvingTo() });
    expect(await post('https://studio.example/hook', '{}', {}, NEVER_MS)).toMatchObject({
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
    expect(await post(url, '{"name":"Ä"}', { 'webhook-id': 'w1' }, NEVER_MS)).toEqual({
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
    expect(await post(url, '{}', {}, NEVER_MS)).toMatchObject({ outcome: 'responded', status: 308 });
  });

  it('stops at the timeout, before and during the response', async () => {
    const silent = await serving(() => {});
    const endless = await serving((_, response) => response.write('{'));
    for (const url of [silent, endless]) {
      expect(await post(url, '{}', {}, 100)).toMatchObject({ outcome: 'unreachable' });
    }
  });

  it('reads a response of the maximum size, and stops reading a larger one', async () => {
    const url = await serving((request, response) => {
      response.end('x'.repeat(RESPONSE_BYTES_MAX + Number(request.headers['x-more'])));
    });
    expect(await post(url, '{}', { 'x-more': '0' }, NEVER_MS)).toMatchObject({ outcome: 'responded' });
    expect(await post(url, '{}', { 'x-more': '1' }, NEVER_MS)).toMatchObject({ outcome: 'unreachable' });
  });

  it('takes interim responses up to the maximum', async () => {
    const url = await serving((_, response) => {
      for (let i = 0; i < INTERIM_RESPONSES_MAX; i++) response.writeProcessing();
      response.end();
    });
    expect(await post(url, '{}', {}, NEVER_MS)).toMatchObject({ outcome: 'responded', status: 200 });
  });

  it('reports an unreachable endpoint', async () => {
    const url = await serving(() => {});
    await stopServers();
    expect(await post(url, '{}', {}, NEVER_MS)).toMatchObject({
      outcome: 'unreachable',
      error: expect.stringContaining('ECONNREFUSED'),
    });
  });
});

/** A body that no socket buffer holds. */
const LARGE_BODY = 'x'.repeat(16 * 1024 * 1024);

interface HostilePeer {
  readonly does: (socket: Socket) => void;
  /** It responds with an error before the limit; the limit ends the others. */
  readonly ends?: true;
  readonly body?: string;
}

/** Receivers that misbehave, by what they do with a connection that has sent them bytes. */
const HOSTILE: Readonly<Record<string, HostilePeer>> = {
  'is silent': { does: () => {} },
  'switches protocols': { does: (socket) => socket.write(UPGRADE), ends: true },
  'switches protocols and keeps sending': {
    does: (socket) => {
      socket.write(UPGRADE);
      repeat(socket, () => socket.write('x'));
    },
    ends: true,
  },
  'says 101 without a protocol': {
    does: (socket) => socket.write('HTTP/1.1 101 Switching\r\n\r\n'),
    ends: true,
  },
  'says 100 and no more': { does: (socket) => socket.write('HTTP/1.1 100 Continue\r\n\r\n') },
  'sends interim responses without end': {
    does: (socket) => repeat(socket, () => socket.write('HTTP/1.1 103 Early Hints\r\nlink: <a>\r\n\r\n')),
    ends: true,
  },
  'sends half of a status line': { does: (socket) => socket.write('HTTP/1.1 2') },
  'drips its headers': {
    does: (socket) => {
      socket.write('HTTP/1.1 200 OK\r\nx: ');
      repeat(socket, () => socket.write('x'));
    },
  },
  'sends headers without end': {
    does: (socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      repeat(socket, () => socket.write(`x: ${'x'.repeat(1_000)}\r\n`));
    },
    ends: true,
  },
  'sends one huge header': {
    does: (socket) => socket.write(`HTTP/1.1 200 OK\r\nx: ${'x'.repeat(RESPONSE_HEADER_BYTES_MAX)}`),
    ends: true,
  },
  'drips its body': {
    does: (socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\n');
      repeat(socket, () => socket.write('x'));
    },
  },
  'sends a body without end': {
    does: (socket) => {
      socket.write(CHUNKED);
      repeat(socket, () => socket.write(`3e8\r\n${'x'.repeat(1_000)}\r\n`));
    },
    ends: true,
  },
  'drips empty lines before its response': { does: (socket) => repeat(socket, () => socket.write('\r\n')) },
  'drips the size of a chunk': {
    does: (socket) => {
      socket.write(CHUNKED);
      repeat(socket, () => socket.write('0'));
    },
  },
  'drips its trailers': {
    does: (socket) => {
      socket.write(`${CHUNKED}0\r\nx: `);
      repeat(socket, () => socket.write('x'));
    },
  },
  'closes within its body': {
    does: (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nabc'),
    ends: true,
  },
  'resets within its body': {
    does: (socket) =>
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nabc', () => socket.resetAndDestroy()),
    ends: true,
  },
  'closes without a response': { does: (socket) => socket.end(), ends: true },
  'resets without a response': { does: (socket) => socket.resetAndDestroy(), ends: true },
  'speaks HTTP/2': { does: (socket) => socket.write('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), ends: true },
  'speaks something else': { does: (socket) => socket.write('\0\x01\xff garbage\r\n\r\n'), ends: true },
  'sends two lengths': {
    does: (socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 9\r\n\r\nx'),
    ends: true,
  },
  'stops reading the request': { does: (socket) => socket.pause(), body: LARGE_BODY },
};
const UPGRADE = 'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n';
const CHUNKED = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n';
/** Far above the time of a response on this machine. */
const NEVER_MS = 600_000;

describe('a receiver that misbehaves', () => {
  const { post } = outbound({ privateAllowed: true });

  it.concurrent.for(Object.entries(HOSTILE))(
    '%s: the call settles and its connection is closed',
    async ([, { does, ends, body = '{}' }], { expect, onTestFinished }) => {
      const { url, sockets } = await receiving(does, onTestFinished);
      const result = await post(url, body, {}, ends ? NEVER_MS : 200);
      expect(result).toMatchObject({ outcome: 'unreachable' });
      expect('timedOut' in result).toBe(!ends);
      if (!ends)
        expect(result).toMatchObject({ error: expect.stringContaining('no response within 200 ms') });
      // On a busy machine the peer may accept it, and pause it, only now.
      const [socket] = await eventually(() => {
        expect(sockets).toHaveLength(1);
        return sockets;
      });
      socket!.on('pause', () => socket!.resume()).resume();
      // Not `once`, which fails on the reset that most of them get.
      if (!socket!.closed) await new Promise((closed) => socket!.once('close', closed));
      expect(sockets).toHaveLength(1);
    },
  );

  it('responds without reading the request: the call returns the response, and its connection is closed', async () => {
    const { url, sockets } = await receiving((socket) => {
      socket.pause();
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');
    });
    const result = await post(url, LARGE_BODY, {}, NEVER_MS);
    expect(result).toEqual({ outcome: 'responded', status: 200, body: '' });
    const [socket] = sockets;
    socket!.on('pause', () => socket!.resume()).resume();
    if (!socket!.closed) await new Promise((closed) => socket!.once('close', closed));
  });

  it('has a name that resolves to nothing for ever: the call settles, and the resolution is aborted', async () => {
    const aborted = Promise.withResolvers<void>();
    const resolve: Resolve = (_name, signal) =>
      new Promise(() => signal.addEventListener('abort', () => aborted.resolve()));
    const { post } = outbound({ privateAllowed: false, resolve });
    expect(await post('https://studio.example/', '{}', {}, 100)).toEqual({
      outcome: 'unreachable',
      error: 'studio.example: no response within 100 ms',
      timedOut: true,
    });
    await aborted.promise;
  });

  it('accepts no TLS handshake: the call settles', async () => {
    const { url } = await receiving(() => {});
    const result = await post(url.replace('http:', 'https:'), '{}', {}, 100);
    expect(result).toMatchObject({ outcome: 'unreachable', error: expect.stringContaining('within 100 ms') });
  });
});

/** A TCP server, which lets `does` continue with each connection after its first bytes. */
async function receiving(does: (socket: Socket) => void, atEnd = onTestFinished) {
  const sockets: Socket[] = [];
  const server = createTcpServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => {});
    socket.once('data', () => {
      socket.resume();
      does(socket);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  atEnd(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, 'close');
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, sockets };
}

/** Repeats until the socket is closed. */
function repeat(socket: Socket, write: () => void): void {
  const timer = setInterval(() => (socket.destroyed || !socket.writable ? clearInterval(timer) : write()), 1);
}

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
function resolvingTo(...addresses: string[]): Resolve {
  return async () => {
    if (addresses.length === 0) throw Object.assign(new Error('queryA ENOTFOUND'), { code: 'ENOTFOUND' });
    return addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  };
}
