/** A stand-in for API Gateway: listens on 127.0.0.1 and passes requests to functions, for an HTTP API and a WebSocket API. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AwsDelays } from './aws-delays.ts';
import { httpEvent } from './http-event.ts';
import { LocalCloudError } from './local-cloud-error.ts';
import { refusalOf } from './local-requests.ts';
import type { ApiRoutes } from './routes.ts';
import type { SocketApi } from './socket-api.ts';
import { THROTTLED } from './stage-throttle.ts';

export interface ApiGateway {
  /** Has no trailing slash. */
  readonly url: string;
  /** Starts to serve requests. Requests that arrive earlier wait until then. */
  open(opened: OpenedApi): void;
  stop(): Promise<void>;
}

export interface OpenedApi {
  readonly routes: ApiRoutes;
  /** The WebSocket API of the template, if it has one. */
  readonly sockets?: SocketApi | undefined;
  /** The delays added to the function's own time. */
  readonly delays: AwsDelays;
  readonly log: Log;
}

type Log = (line: string) => void;

const BODY_MAX_BYTES = 10 * 1024 * 1024;

/**
 * Listens on 127.0.0.1.
 * @param port 0 for any free port
 * @throws LocalCloudError when the port is in use
 */
export async function listenForRequests(port: number): Promise<ApiGateway> {
  const opened = Promise.withResolvers<OpenedApi>();
  // Clients that offer HTTP/2, such as Java's, are answered in HTTP/1.1.
  const shouldUpgradeCallback = ({ headers }: IncomingMessage) =>
    headers.upgrade?.toLowerCase() === 'websocket';
  const options = { keepAliveTimeout: 75_000, shouldUpgradeCallback };
  const server = createServer(options, async (request, response) => {
    const api = await opened.promise;
    try {
      await serve(request, response, api);
    } catch (error) {
      // The client has disconnected and reads no response.
      if (request.destroyed) return;
      api.log(`${request.method} ${request.url}: ${error}`);
      respond(response, 500, { message: 'Internal Server Error' });
    }
  });
  server.on('upgrade', async (request, socket, head) => {
    const { sockets, log, routes } = await opened.promise;
    try {
      const isRefused = refusalOf(request, routes.cors.allowedOrigins) !== undefined;
      if (sockets === undefined || isRefused) socket.destroy();
      else await sockets.upgrade(request, socket, head);
    } catch (error) {
      log(`${request.url?.split('?')[0]}: ${error}`);
      socket.destroy();
    }
  });
  await listen(server, port);
  const address = server.address() as { port: number };
  return {
    url: `http://127.0.0.1:${address.port}`,
    open: (api) => opened.resolve(api),
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function listen(server: Server, port: number): Promise<void> {
  server.listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE')
      throw new LocalCloudError(`Port ${port} is in use: choose another with --port.`);
    if (code === 'EACCES')
      throw new LocalCloudError(`Port ${port} needs a privileged user: choose another with --port.`);
    throw error;
  }
}

async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  { routes, sockets, delays, log }: OpenedApi,
): Promise<void> {
  const refusal = refusalOf(request, routes.cors.allowedOrigins);
  if (refusal !== undefined) return respond(response, 403, { message: refusal });
  const added = Object.entries(routes.cors.headers(request));
  for (const [name, value] of added) response.setHeader(name, value);
  const body = await readBody(request);
  if (body === undefined) return respond(response, 413, { message: 'Request Entity Too Large' });
  const [path = '/', rawQueryString = ''] = splitQuery(request.url ?? '/');
  const command = await sockets?.command(request, path, body);
  if (command !== undefined) return respond(response, command.status, command.body ?? {});
  const match = routes.match(request.method ?? 'GET', path);
  if (match === undefined) return respond(response, 404, { message: 'Not Found' });
  const { route } = match;
  if (!routes.throttle(route.routeKey)) return respond(response, 429, { message: THROTTLED });
  if (!route.permitted) {
    log(
      `${route.routeKey}: no AWS::Lambda::Permission of ${route.target.logicalId} lets apigateway.amazonaws.com invoke it.`,
    );
    return respond(response, 500, { message: 'Internal Server Error' });
  }
  const admission = await route.authorize(request);
  if (!admission.admitted) return respond(response, admission.status, { message: admission.message });
  await delays.wait('apiGateway');
  const event = httpEvent(request, path, rawQueryString, body, match, routes.apiId, admission.authorizer);
  const timeout = Promise.withResolvers<'timeout'>();
  const timer = setTimeout(() => timeout.resolve('timeout'), route.timeoutMs);
  const result = await Promise.race([route.target.invoke(event), timeout.promise]);
  clearTimeout(timer);
  if (result === 'timeout') {
    log(`${route.routeKey}: no response within ${route.timeoutMs} ms.`);
    return respond(response, 504, { message: 'Endpoint request timed out' });
  }
  if (!result.ok) return respond(response, 500, { message: 'Internal Server Error' });
  respondWith(response, result.payload);
}

/** Returns undefined when the body is too large. */
async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += (chunk as Buffer).length;
    // A body that is too large is still read to its end: the client reads the response only after it has sent everything.
    if (bytes <= BODY_MAX_BYTES) chunks.push(chunk as Buffer);
  }
  return bytes <= BODY_MAX_BYTES ? Buffer.concat(chunks) : undefined;
}

function splitQuery(url: string): [string, string] {
  const at = url.indexOf('?');
  return at === -1 ? [url, ''] : [url.slice(0, at), url.slice(at + 1)];
}

interface ProxyResult {
  readonly statusCode: number;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly body?: string;
}

/** A result without `statusCode` is the JSON body of a 200 response, as in API Gateway. */
function respondWith(response: ServerResponse, payload: unknown): void {
  if (typeof payload !== 'object' || payload === null || !('statusCode' in payload)) {
    const body = typeof payload === 'string' ? payload : JSON.stringify(payload ?? null);
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(body);
    return;
  }
  const { statusCode, headers = {}, body = '' } = payload as ProxyResult;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, String(value));
  if (!response.hasHeader('content-type')) response.setHeader('content-type', 'text/plain;charset=UTF-8');
  response.writeHead(Number(statusCode));
  response.end(body);
}

function respond(response: ServerResponse, status: number, body: object): void {
  if (response.headersSent) return void response.end();
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}
