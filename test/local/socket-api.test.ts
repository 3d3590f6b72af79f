import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { NO_DELAYS } from '../../lib/local/aws-delays.ts';
import { makeSocketApi, SOCKET_API_LIMITS } from '../../lib/local/socket-api.ts';
import type { StageThrottle } from '../../lib/local/stage-throttle.ts';
import { eventually } from '../patience.ts';
import { fakeFunction, resourceOf, stackOf } from './fixtures.ts';

interface SocketEvent {
  readonly requestContext: {
    readonly connectionId: string;
    readonly routeKey: string;
    readonly eventType: string;
  };
}

const MESSAGE_BYTES = 100_000;
/** More than a kernel keeps for a client that does not read. */
const MESSAGES_MAX = 2_000;

/** A WebSocket API whose functions let every client connect. */
async function socketApi({ throttle = () => true }: { throttle?: StageThrottle } = {}) {
  const stack = stackOf({ Api: { Type: 'AWS::ApiGatewayV2::Api', Properties: {} } });
  const fn = fakeFunction('Sockets', () => ({ statusCode: 200 }));
  const api = makeSocketApi({
    routes: {
      api: resourceOf(stack, 'AWS::ApiGatewayV2::Api', 'Api'),
      stage: 'live',
      throttle,
      target: () => fn,
      authorizer: undefined,
    },
    callers: new Map(),
    delays: NO_DELAYS,
    log: () => {},
    limits: { ...SOCKET_API_LIMITS, unreadBytesMax: 2 * MESSAGE_BYTES },
  });
  const server = createServer().on('upgrade', (request, socket, head) => api.upgrade(request, socket, head));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    api.stop();
    server.close();
  });
  const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}/live`;
  const events = fn.events as readonly SocketEvent[];
  /** Opens a connection. Returns its id too. */
  const connect = async () => {
    const socket = new WebSocket(url);
    await once(socket, 'open');
    return { socket, id: events.at(-1)!.requestContext.connectionId };
  };
  /** Sends a command as a function does. Returns the status of the response. */
  const command = async (method: string, id: string, body: Buffer = Buffer.alloc(0)) => {
    const request = { method, headers: {} } as IncomingMessage;
    return (await api.command(request, `/live/@connections/${encodeURIComponent(id)}`, body))!.status;
  };
  const send = (id: string, body: Buffer) => command('POST', id, body);
  return { connect, command, send, events, url };
}

it('a client that reads nothing loses its connection, and no other client misses a message', async () => {
  const { connect, send, events } = await socketApi();
  const slow = await connect();
  const other = await connect();
  let received = 0;
  other.socket.on('message', () => received++);
  slow.socket.pause();
  const message = Buffer.alloc(MESSAGE_BYTES, 'x');
  let sent = 0;
  let status = 200;
  while (status === 200 && sent < MESSAGES_MAX) {
    status = await send(slow.id, message);
    const arrived = once(other.socket, 'message');
    expect(await send(other.id, message)).toBe(200);
    await arrived;
    sent++;
  }
  expect(received).toBe(sent);
  expect(status).toBe(410);
  await eventually(() =>
    expect(events.at(-1)!.requestContext).toMatchObject({ connectionId: slow.id, routeKey: '$disconnect' }),
  );
  expect(await send(slow.id, message)).toBe(410);
  expect(await send(other.id, message)).toBe(200);
});

it('a function finds whether a connection is open, and closes it', async () => {
  const { connect, command } = await socketApi();
  const { id } = await connect();
  expect(await command('GET', id)).toBe(200);
  expect(await command('DELETE', id)).toBe(204);
  expect(await command('GET', id)).toBe(410);
});

it.each(['$connect', '$disconnect'])('a frame that names the route %s is a message', async (action) => {
  const { connect, events } = await socketApi();
  const { socket, id } = await connect();
  socket.send(JSON.stringify({ action }));
  await eventually(() =>
    expect(events.at(-1)!.requestContext).toMatchObject({
      connectionId: id,
      routeKey: '$default',
      eventType: 'MESSAGE',
    }),
  );
});

it('a client that is throttled is told, as API Gateway does, and a connection beyond the rate gets 429', async () => {
  const allowed = new Set(['$connect', '$default']);
  const { connect, events, url } = await socketApi({ throttle: (routeKey) => allowed.has(routeKey) });
  const { socket, id } = await connect();
  allowed.delete('$default');
  socket.send('{"action":"ping"}');
  const [data] = await once(socket, 'message');
  expect(JSON.parse(String(data))).toMatchObject({ message: 'Too Many Requests', connectionId: id });
  expect(events.map(({ requestContext }) => requestContext.routeKey)).toEqual(['$connect']);
  allowed.delete('$connect');
  const [, response] = await once(new WebSocket(url), 'unexpected-response');
  expect(response.statusCode).toBe(429);
});
