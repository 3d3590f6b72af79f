/** A stand-in for API Gateway's WebSocket APIs, on the server of the HTTP API. */
import { randomBytes, randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type RawData, type WebSocket, WebSocketServer } from 'ws';
import type { AwsDelays } from './aws-delays.ts';
import type { Caller } from './aws-endpoint.ts';
import { ACCOUNT_ID } from './local-account.ts';
import { isAllowed, type Statement } from './policy.ts';
import type { SocketRoutes } from './socket-routes.ts';
import { THROTTLED } from './stage-throttle.ts';

/** The limits of API Gateway. */
export interface SocketApiLimits {
  /** The maximum of a frame that a client sends, in bytes. */
  readonly frameBytesMax: number;
  /** The maximum of a message to a client, in bytes. */
  readonly messageBytesMax: number;
  /** A connection without messages ends after this time. */
  readonly idleMs: number;
  /** Every connection ends after this time. */
  readonly connectedMs: number;
  /** The maximum of bytes buffered for a client that does not read. Beyond it the connection ends. */
  readonly unreadBytesMax: number;
}

/** The limits of API Gateway. AWS does not document the one on buffered bytes. */
export const SOCKET_API_LIMITS: SocketApiLimits = {
  frameBytesMax: 32 * 1024,
  messageBytesMax: 128 * 1024,
  idleMs: 600_000,
  connectedMs: 7_200_000,
  unreadBytesMax: 1024 * 1024,
};

export interface SocketApi {
  /** Serves a request to open a socket. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void>;
  /** Runs a command of a function on a connection. Returns undefined when the path is no command. */
  command(request: IncomingMessage, path: string, body: Buffer): Promise<CommandReply | undefined>;
  /** What API Gateway would bill, since the start. */
  readonly usage: SocketUsage;
  stop(): void;
}

export interface CommandReply {
  readonly status: number;
  readonly body?: object;
}

/** Messages in both directions, in units of 32 KB, and the duration of all connections that have ended. */
export interface SocketUsage {
  messages: number;
  connectedMs: number;
}

/** Responds to a command of a function in place of API Gateway; undefined passes it on. */
export type CommandInterceptor = (method: string, connectionId: string) => CommandReply | undefined;

export interface SocketApiOptions {
  readonly routes: SocketRoutes;
  /** The functions by their access keys. A caller with another key may send any command. */
  readonly callers: ReadonlyMap<string, Caller>;
  readonly delays: AwsDelays;
  readonly log: (line: string) => void;
  /** @default {@link SOCKET_API_LIMITS} */
  readonly limits?: SocketApiLimits | undefined;
  readonly interceptCommand?: CommandInterceptor | undefined;
}

interface Connection {
  readonly id: string;
  readonly socket: WebSocket;
  readonly connectedAtMs: number;
  /** The authorizer's context of the client. */
  readonly authorizer: object | undefined;
  readonly idle: NodeJS.Timeout;
}

export function makeSocketApi(options: SocketApiOptions): SocketApi {
  return new LocalSocketApi(options);
}

class LocalSocketApi implements SocketApi {
  readonly usage: SocketUsage = { messages: 0, connectedMs: 0 };
  readonly #options: SocketApiOptions;
  readonly #limits: SocketApiLimits;
  readonly #server: WebSocketServer;
  readonly #connections = new Map<string, Connection>();

  constructor(options: SocketApiOptions) {
    this.#options = options;
    this.#limits = options.limits ?? SOCKET_API_LIMITS;
    this.#server = new WebSocketServer({ noServer: true, maxPayload: this.#limits.frameBytesMax });
  }

  async upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    // The client may leave while the functions run.
    socket.on('error', () => socket.destroy());
    const url = new URL(request.url ?? '/', 'ws://local.invalid');
    const { routes, delays } = this.#options;
    if (url.pathname !== `/${routes.stage}`) return reject(socket, 403);
    if (!routes.throttle('$connect')) return reject(socket, 429);
    const id = newConnectionId();
    const connectedAtMs = Date.now();
    await delays.wait('apiGateway');
    const admitted = await this.#admit(url, id, connectedAtMs);
    if ('status' in admitted) return reject(socket, admitted.status);
    const { authorizer } = admitted;
    const target = routes.target('$connect');
    if (target !== undefined) {
      const query = queryOf(url);
      const event = { ...this.#event('$connect', { id, connectedAtMs, authorizer }), ...query };
      const result = await target.invoke(event);
      const status = result.ok ? statusOf(result.payload) : 502;
      if (status >= 300) return reject(socket, status);
    }
    if (socket.destroyed) return void this.#invoke('$disconnect', { id, connectedAtMs, authorizer });
    this.#server.handleUpgrade(request, socket, head, (opened) =>
      this.#open({ id, socket: opened, connectedAtMs, authorizer }),
    );
  }

  async command(request: IncomingMessage, path: string, body: Buffer): Promise<CommandReply | undefined> {
    const { routes, callers, delays, interceptCommand } = this.#options;
    const prefix = `/${routes.stage}/@connections/`;
    if (!path.startsWith(prefix)) return undefined;
    const { method = 'GET' } = request;
    const id = decodeURIComponent(path.slice(prefix.length));
    const key = /Credential=([^/]+)\//.exec(request.headers.authorization ?? '')?.[1] ?? '';
    const caller = callers.get(key);
    const resourceArn = `${routes.api.arn}/${routes.stage}/${method}/@connections/${id}`;
    if (caller && !isAllowed(caller.statements, { action: 'execute-api:ManageConnections', resourceArn })) {
      this.#options.log(
        `${caller.name} is not authorized to perform execute-api:ManageConnections on ${resourceArn}`,
      );
      return { status: 403, body: { message: 'Forbidden' } };
    }
    return delays.atLeast(
      caller && 'socketRequest',
      async () => interceptCommand?.(method, id) ?? this.#do(method, id, body),
    );
  }

  stop(): void {
    for (const { socket } of this.#connections.values()) socket.terminate();
    this.#server.close();
  }

  #do(method: string, id: string, body: Buffer): CommandReply {
    const connection = this.#connections.get(id);
    if (connection === undefined) return { status: 410, body: { message: 'Gone' } };
    const { socket } = connection;
    switch (method) {
      case 'POST':
        if (body.length > this.#limits.messageBytesMax)
          return { status: 413, body: { message: 'Too large' } };
        if (socket.bufferedAmount + body.length > this.#limits.unreadBytesMax) {
          socket.terminate();
          return { status: 410, body: { message: 'Gone' } };
        }
        socket.send(body, { binary: false });
        this.#count(body.length);
        connection.idle.refresh();
        return { status: 200 };
      case 'GET':
        return { status: 200 };
      case 'DELETE':
        socket.close(1000);
        this.#connections.delete(id);
        return { status: 204 };
      default:
        return { status: 405, body: { message: 'Method Not Allowed' } };
    }
  }

  async #admit(
    url: URL,
    id: string,
    connectedAtMs: number,
  ): Promise<{ readonly status: number } | { readonly authorizer: object | undefined }> {
    const { authorizer, api, stage } = this.#options.routes;
    if (authorizer === undefined) return { authorizer: undefined };
    if (authorizer.queryParameters.some((name) => !url.searchParams.get(name))) return { status: 401 };
    const methodArn = `${api.arn}/${stage}/$connect`;
    const event = {
      type: 'REQUEST',
      methodArn,
      ...this.#event('$connect', { id, connectedAtMs }),
      ...queryOf(url),
    };
    const result = await authorizer.fn.invoke(event);
    if (!result.ok) return { status: 500 };
    const { principalId, context, policyDocument } = result.payload as AuthorizerResult;
    const access = { action: 'execute-api:Invoke', resourceArn: methodArn };
    if (!isAllowed(policyDocument.Statement, access)) return { status: 403 };
    return { authorizer: { principalId, ...context } };
  }

  #open(opened: Pick<Connection, 'id' | 'socket' | 'connectedAtMs' | 'authorizer'>): void {
    const { id, socket, connectedAtMs } = opened;
    const idle = setTimeout(() => socket.close(1001, 'Going away'), this.#limits.idleMs).unref();
    const longest = setTimeout(() => socket.close(1001, 'Going away'), this.#limits.connectedMs).unref();
    const connection: Connection = { ...opened, idle };
    this.#connections.set(id, connection);
    socket.on('message', (data, isBinary) => void this.#receive(connection, data, isBinary));
    // A frame that is too large or malformed. The socket closes by itself.
    socket.on('error', () => {});
    socket.on('close', (code) => {
      clearTimeout(connection.idle);
      clearTimeout(longest);
      this.#connections.delete(id);
      this.usage.connectedMs += Date.now() - connectedAtMs;
      void this.#invoke('$disconnect', connection, { disconnectStatusCode: code });
    });
  }

  async #receive(connection: Connection, data: RawData, isBinary: boolean): Promise<void> {
    const bytes = Buffer.concat([data].flat().map((part) => Buffer.from(part as Uint8Array)));
    this.#count(bytes.length);
    connection.idle.refresh();
    const text = bytes.toString();
    const routeKey = this.#routeOf(text);
    if (routeKey === undefined) return;
    const messageId = randomUUID();
    const fail = (message: string) =>
      connection.socket.send(JSON.stringify({ message, connectionId: connection.id, requestId: messageId }));
    if (!this.#options.routes.throttle(routeKey)) return fail(THROTTLED);
    const body = isBinary ? bytes.toString('base64') : text;
    const ok = await this.#invoke(routeKey, connection, { messageId }, { body, isBase64Encoded: isBinary });
    if (!ok) fail('Internal server error');
  }

  /** The route that the body selects, or the default one. */
  #routeOf(text: string): string | undefined {
    const { routes } = this.#options;
    const action = actionOf(text);
    // A client cannot invoke the routes of API Gateway itself.
    if (action !== undefined && !action.startsWith('$') && routes.target(action) !== undefined) return action;
    return routes.target('$default') === undefined ? undefined : '$default';
  }

  async #invoke(
    routeKey: string,
    connection: Pick<Connection, 'id' | 'connectedAtMs' | 'authorizer'>,
    context: object = {},
    more: object = {},
  ): Promise<boolean> {
    const target = this.#options.routes.target(routeKey);
    if (target === undefined) return true;
    const event = this.#event(routeKey, connection);
    const requestContext = { ...event.requestContext, ...context };
    return (await target.invoke({ ...event, requestContext, ...more })).ok;
  }

  #event(
    routeKey: string,
    { id, connectedAtMs, authorizer }: { id: string; connectedAtMs: number; authorizer?: object | undefined },
  ) {
    const { api, stage } = this.#options.routes;
    return {
      isBase64Encoded: false,
      requestContext: {
        routeKey,
        eventType: EVENT_TYPES[routeKey] ?? 'MESSAGE',
        connectionId: id,
        connectedAt: connectedAtMs,
        requestId: randomUUID(),
        requestTimeEpoch: Date.now(),
        messageDirection: 'IN',
        stage,
        apiId: api.ref,
        accountId: ACCOUNT_ID,
        ...(authorizer && { authorizer }),
      },
    };
  }

  #count(bytes: number): void {
    this.usage.messages += Math.max(1, Math.ceil(bytes / BILLED_BYTES));
  }
}

/** API Gateway bills each 32 KB of a message as one. */
const BILLED_BYTES = 32 * 1024;

const EVENT_TYPES: Readonly<Record<string, string>> = { $connect: 'CONNECT', $disconnect: 'DISCONNECT' };

interface AuthorizerResult {
  readonly principalId: string;
  readonly context?: object;
  readonly policyDocument: { readonly Statement: readonly Statement[] };
}

/** In the format of API Gateway: base64, which a URL has to encode. */
function newConnectionId(): string {
  return randomBytes(11).toString('base64').replace(/[+/]/g, 'a');
}

function queryOf(url: URL) {
  return { queryStringParameters: Object.fromEntries(url.searchParams) };
}

function statusOf(payload: unknown): number {
  return Number((payload as { statusCode?: unknown } | null)?.statusCode ?? 200);
}

function actionOf(text: string): string | undefined {
  try {
    const { action } = JSON.parse(text);
    return typeof action === 'string' ? action : undefined;
  } catch {
    return undefined;
  }
}

function reject(socket: Duplex, status: number): void {
  socket.end(`HTTP/1.1 ${status} \r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}
