/** A stand-in for API Gateway's HTTP APIs: routes requests to functions in payload format 2.0. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { performance } from 'node:perf_hooks';
import type { LambdaFunction } from './lambda.ts';
import { LocalCloudError } from './local-cloud-error.ts';
import { matchesWildcard } from './policy.ts';
import { ACCOUNT_ID, type Resource, type Stack } from './template.ts';

export interface ApiGateway {
  /** Without a slash at the end. */
  readonly url: string;
  /** Starts to answer: requests before it wait. */
  open(routes: ApiRoutes): void;
  stop(): Promise<void>;
}

/** The routes of one HTTP API. */
export interface ApiRoutes {
  match(method: string, path: string): RouteMatch | undefined;
  readonly apiId: string;
  readonly log: (line: string) => void;
}

export interface RouteMatch {
  readonly route: Route;
  readonly pathParameters: Readonly<Record<string, string>>;
}

interface Route {
  readonly routeKey: string;
  readonly target: LambdaFunction;
  readonly timeoutMs: number;
  /** Whether a permission of the function lets the API invoke it. */
  readonly permitted: boolean;
  readonly authorizationType: string;
  readonly method: string;
  readonly segments: readonly string[];
}

const BODY_MAX_BYTES = 10 * 1024 * 1024;
const TIMEOUT_MAX_MS = 30_000;

/**
 * Listens on 127.0.0.1.
 * @param port 0 for any that is free
 * @throws LocalCloudError when the port is in use
 */
export async function listenForRequests(port: number): Promise<ApiGateway> {
  const opened = Promise.withResolvers<ApiRoutes>();
  const server = createServer({ keepAliveTimeout: 75_000 }, async (request, response) => {
    const routes = await opened.promise;
    try {
      await serve(request, response, routes);
    } catch (error) {
      // Who hung up waits for no answer.
      if (request.destroyed) return;
      routes.log(`${request.method} ${request.url}: ${error}`);
      answer(response, 500, { message: 'Internal Server Error' });
    }
  });
  await listen(server, port);
  const address = server.address() as { port: number };
  return {
    url: `http://127.0.0.1:${address.port}`,
    open: (routes) => opened.resolve(routes),
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

/** @throws LocalCloudError when the stack has no HTTP API, or a route without local counterpart */
export function makeRoutes(
  stack: Stack,
  functions: readonly LambdaFunction[],
  log: ApiRoutes['log'],
): ApiRoutes {
  const [api] = stack.resources('AWS::ApiGatewayV2::Api');
  if (api === undefined) throw new LocalCloudError('The template has no HTTP API.');
  const stage = stack.resources('AWS::ApiGatewayV2::Stage')[0]?.properties.StageName;
  if (stage !== '$default') {
    throw new LocalCloudError(`Expected the API's stage to be $default, got ${stage}.`);
  }
  const routes = stack
    .resources('AWS::ApiGatewayV2::Route')
    .map((route) => makeRoute(route, api, stack, functions))
    .sort(byPrecedence);
  return {
    apiId: api.name,
    log,
    match(method, path) {
      const segments = path.split('/').slice(1);
      for (const route of routes) {
        const pathParameters = matchRoute(route, method, segments);
        if (pathParameters !== undefined) return { route, pathParameters };
      }
      return undefined;
    },
  };
}

// ---------------------------------------------------------------- routes

function makeRoute(
  { logicalId, properties }: Resource,
  api: Resource,
  stack: Stack,
  functions: readonly LambdaFunction[],
): Route {
  const routeKey = String(properties.RouteKey);
  const integration = stack
    .resources('AWS::ApiGatewayV2::Integration')
    .find(({ ref }) => properties.Target === `integrations/${ref}`);
  const {
    IntegrationUri,
    PayloadFormatVersion,
    TimeoutInMillis = TIMEOUT_MAX_MS,
  } = integration?.properties ?? {};
  const target = functions.find(({ arn }) => arn === IntegrationUri);
  if (target === undefined || PayloadFormatVersion !== '2.0') {
    throw new LocalCloudError(
      `The route ${logicalId} (${routeKey}) needs an integration with a function of the template in payload format 2.0.`,
    );
  }
  const [method = '', path = ''] = routeKey === '$default' ? ['ANY', '/{proxy+}'] : routeKey.split(' ');
  return {
    routeKey,
    target,
    timeoutMs: Math.min(Number(TimeoutInMillis), TIMEOUT_MAX_MS),
    permitted: mayInvoke(api, target, routeKey, stack),
    authorizationType: String(properties.AuthorizationType ?? 'NONE'),
    method,
    segments: path.split('/').slice(1),
  };
}

/** Whether a resource-based permission of the function covers the route's ARN. */
function mayInvoke(api: Resource, target: LambdaFunction, routeKey: string, stack: Stack): boolean {
  const [method, path] = routeKey === '$default' ? ['*', '/$default'] : routeKey.split(' ');
  const routeArn = `${api.arn}/$default/${method === 'ANY' ? '*' : method}${path}`;
  return stack.resources('AWS::Lambda::Permission').some(({ properties }) => {
    const { Action, Principal, FunctionName, SourceArn } = properties;
    return (
      Action === 'lambda:InvokeFunction' &&
      Principal === 'apigateway.amazonaws.com' &&
      (FunctionName === target.arn || FunctionName === target.name) &&
      (SourceArn === undefined || coversRoute(String(SourceArn), routeArn))
    );
  });
}

/** A permission's `*` may stand for the stage and the method, and its path for the `$default` route too. */
function coversRoute(sourceArn: string, routeArn: string): boolean {
  if (matchesWildcard(sourceArn, routeArn)) return true;
  // The `$default` route's ARN has no method.
  return (
    routeArn.endsWith('/*/$default') &&
    matchesWildcard(sourceArn, routeArn.replace('/*/$default', '/$default'))
  );
}

/** A full match before a parameter, a parameter before a greedy one, a method before ANY, `$default` at the end. */
function byPrecedence(a: Route, b: Route): number {
  return rank(a).localeCompare(rank(b));
}

function rank({ routeKey, segments, method }: Route): string {
  if (routeKey === '$default') return '9';
  const path = segments.map((segment) =>
    /^\{.*\+\}$/.test(segment) ? '2' : segment.startsWith('{') ? '1' : '0',
  );
  return `${path.join('')}${method === 'ANY' ? '1' : '0'}`;
}

/** The path's parameters, decoded, when the route takes the request. */
function matchRoute(
  route: Route,
  method: string,
  segments: readonly string[],
): Record<string, string> | undefined {
  if (route.routeKey === '$default') return {};
  if (route.method !== 'ANY' && route.method !== method) return undefined;
  const parameters: Record<string, string> = {};
  for (const [index, expected] of route.segments.entries()) {
    const [, name, greedy] = /^\{([^+}]+)(\+?)\}$/.exec(expected) ?? [];
    if (name !== undefined && greedy === '+') {
      if (segments.length <= index) return undefined;
      parameters[name] = decode(segments.slice(index).join('/'));
      return parameters;
    }
    const segment = segments[index];
    if (segment === undefined || (name === undefined ? segment !== expected : segment === ''))
      return undefined;
    if (name !== undefined) parameters[name] = decode(segment);
  }
  return segments.length === route.segments.length ? parameters : undefined;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

// ---------------------------------------------------------------- requests

async function serve(request: IncomingMessage, response: ServerResponse, routes: ApiRoutes): Promise<void> {
  const startedAtMs = performance.now();
  const body = await readBody(request);
  if (body === undefined) return answer(response, 413, { message: 'Request Entity Too Large' });
  const [path = '/', rawQueryString = ''] = splitQuery(request.url ?? '/');
  const match = routes.match(request.method ?? 'GET', path);
  if (match === undefined) return answer(response, 404, { message: 'Not Found' });
  const { route } = match;
  if (!route.permitted) {
    routes.log(
      `${route.routeKey}: no AWS::Lambda::Permission of ${route.target.logicalId} lets apigateway.amazonaws.com invoke it.`,
    );
    return answer(response, 500, { message: 'Internal Server Error' });
  }
  const event = eventOf(request, path, rawQueryString, body, match, routes.apiId);
  const timeout = Promise.withResolvers<'timeout'>();
  const timer = setTimeout(() => timeout.resolve('timeout'), route.timeoutMs);
  const result = await Promise.race([route.target.invoke(event), timeout.promise]);
  clearTimeout(timer);
  if (result === 'timeout') {
    routes.log(`${route.routeKey}: no answer within ${Math.round(performance.now() - startedAtMs)} ms.`);
    return answer(response, 504, { message: 'Endpoint request timed out' });
  }
  if (!result.ok) return answer(response, 500, { message: 'Internal Server Error' });
  answerWith(response, result.payload);
}

/** Undefined when the body is too large. */
async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += (chunk as Buffer).length;
    // What is too large is read to its end, so that the sender gets to read the answer.
    if (bytes <= BODY_MAX_BYTES) chunks.push(chunk as Buffer);
  }
  return bytes <= BODY_MAX_BYTES ? Buffer.concat(chunks) : undefined;
}

/** The event of payload format 2.0. */
function eventOf(
  request: IncomingMessage,
  rawPath: string,
  rawQueryString: string,
  body: Buffer,
  { route, pathParameters }: RouteMatch,
  apiId: string,
) {
  const { cookie, connection: _, ...otherHeaders } = request.headersDistinct;
  const headers = Object.fromEntries(
    Object.entries(otherHeaders).map(([name, values]) => [name, values!.join(',')]),
  );
  const query = joinRepeated(new URLSearchParams(rawQueryString));
  const now = new Date();
  const host = headers.host ?? '';
  const isText = isTextual(headers['content-type']);
  return {
    version: '2.0',
    routeKey: route.routeKey,
    rawPath,
    rawQueryString,
    ...(cookie !== undefined && { cookies: cookie.flatMap((line) => line.split(/;\s*/)) }),
    headers: {
      ...headers,
      'x-forwarded-for': request.socket.remoteAddress ?? '127.0.0.1',
      'x-forwarded-port': host.split(':')[1] ?? '80',
      'x-forwarded-proto': 'http',
    },
    ...(Object.keys(query).length > 0 && { queryStringParameters: query }),
    requestContext: {
      accountId: ACCOUNT_ID,
      apiId,
      ...(route.authorizationType === 'AWS_IAM' && { authorizer: { iam: CALLER } }),
      domainName: host,
      domainPrefix: host.split('.')[0],
      http: {
        method: request.method,
        path: rawPath,
        protocol: `HTTP/${request.httpVersion}`,
        sourceIp: request.socket.remoteAddress ?? '127.0.0.1',
        userAgent: headers['user-agent'] ?? '',
      },
      requestId: randomUUID(),
      routeKey: route.routeKey,
      stage: '$default',
      time: clfTime(now),
      timeEpoch: now.getTime(),
    },
    ...(Object.keys(pathParameters).length > 0 && { pathParameters }),
    ...(body.length > 0 && { body: body.toString(isText ? 'utf8' : 'base64') }),
    isBase64Encoded: body.length > 0 && !isText,
  };
}

/** Who calls, in the eyes of a function behind IAM authorization: signatures are not checked locally. */
const CALLER = {
  accessKey: 'LOCALCALLER',
  accountId: ACCOUNT_ID,
  callerId: 'LOCALCALLER',
  cognitoIdentity: null,
  principalOrgId: null,
  userArn: `arn:aws:iam::${ACCOUNT_ID}:user/local`,
  userId: 'LOCALCALLER',
};

/** Anything else reaches the function in base64. */
function isTextual(contentType: string | undefined): boolean {
  return /^(text\/|application\/(json|javascript|xml|[^;]*\+(json|xml))\b)/i.test(contentType ?? '');
}

function joinRepeated(parameters: URLSearchParams): Record<string, string> {
  return Object.fromEntries(
    [...new Set(parameters.keys())].map((name) => [name, parameters.getAll(name).join(',')]),
  );
}

function splitQuery(url: string): [string, string] {
  const at = url.indexOf('?');
  return at === -1 ? [url, ''] : [url.slice(0, at), url.slice(at + 1)];
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** Common Log Format: 12/Mar/2026:19:03:58 +0000. */
function clfTime(date: Date): string {
  const two = (n: number) => String(n).padStart(2, '0');
  const day = `${two(date.getUTCDate())}/${MONTHS[date.getUTCMonth()]}/${date.getUTCFullYear()}`;
  return `${day}:${two(date.getUTCHours())}:${two(date.getUTCMinutes())}:${two(date.getUTCSeconds())} +0000`;
}

// ---------------------------------------------------------------- answers

interface ProxyAnswer {
  readonly statusCode: number;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly cookies?: readonly string[];
  readonly body?: string;
  readonly isBase64Encoded?: boolean;
}

/** An answer without `statusCode` is inferred to be the body of a 200, in JSON. */
function answerWith(response: ServerResponse, payload: unknown): void {
  if (typeof payload !== 'object' || payload === null || !('statusCode' in payload)) {
    const body = typeof payload === 'string' ? payload : JSON.stringify(payload ?? null);
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(body);
    return;
  }
  const { statusCode, headers = {}, cookies = [], body = '', isBase64Encoded } = payload as ProxyAnswer;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, String(value));
  if (!response.hasHeader('content-type')) response.setHeader('content-type', 'text/plain;charset=UTF-8');
  if (cookies.length > 0) response.setHeader('set-cookie', cookies);
  response.writeHead(Number(statusCode));
  response.end(Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8'));
}

function answer(response: ServerResponse, status: number, body: object): void {
  if (response.headersSent) return void response.end();
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}
