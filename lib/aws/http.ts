import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import type * as z from 'zod';
import type { Caller } from '../contract/callers.ts';
import { Problem, parseWith } from '../contract/problem.ts';
import { LIMITS } from '../contract/queue-definition.ts';
import {
  type ApiFunction,
  type PathOf,
  pathSchema,
  type QueryOf,
  type RouteKey,
  type RoutesOf,
  routeOf,
} from '../contract/routes.ts';
import { StoreBusy } from '../service/ports/store-busy.ts';
import { callerOf } from './caller.ts';
import { logger } from './log.ts';

/** A request to a route, with its path and query parsed by the table of routes. */
export interface HttpRequest<Key extends RouteKey> {
  readonly caller: Caller;
  readonly path: PathOf<Key>;
  readonly query: QueryOf<Key>;
  /** By name in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /**
   * The body, parsed.
   * @throws Problem 400 malformed, 413 too large, 415 not JSON
   */
  json(): unknown;
}

export interface HttpResponse {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The response with this body. */
export const ok = (body: unknown): HttpResponse => ({ status: 200, body });

/** The handler of each route of a function. */
export type Handlers<Fn extends ApiFunction> = {
  readonly [Key in RoutesOf<Fn>]: (request: HttpRequest<Key>) => Promise<HttpResponse>;
};

/** Responds to a request that no route serves. */
export type Fallback = (method: string, path: string) => HttpResponse;

/**
 * The Lambda handler of a function of the HTTP API. It rejects callers without a scope of the route, and paths or queries that
 * violate the route's schemas. Every error becomes a problem document. An error that is not a `Problem` is logged, and the
 * response does not contain its details.
 */
export function httpHandler<Fn extends ApiFunction>(name: Fn, handlers: Handlers<Fn>, fallback?: Fallback) {
  const schemas = new Map(Object.keys(handlers).map((key) => [key, pathSchema(key as RouteKey)]));
  return async (
    event: APIGatewayProxyEventV2,
    context: Context,
  ): Promise<APIGatewayProxyStructuredResultV2> => {
    logger.resetKeys();
    logger.addContext(context);
    logger.setCorrelationId(event.requestContext.requestId);
    const { queue, ticketId, matchId } = pathOf(event);
    logIds({ queue, ticketId, matchId });
    try {
      const { routeKey } = event;
      if (routeKey === PREFLIGHT && fallback) return { statusCode: 204 };
      if (routeKey === '$default' && fallback)
        return toResult(fallback(event.requestContext.http.method, event.rawPath), event);
      if (!Object.hasOwn(handlers, routeKey))
        throw new Error(`the API sent ${routeKey} to ${name}, which does not serve it`);
      const key = routeKey as RoutesOf<Fn>;
      return toResult(await handlers[key](toRequest(key, schemas.get(key), event)), event);
    } catch (error) {
      return problemResult(toProblem(error), event);
    }
  };
}

/** API Gateway adds the headers to the response. */
const PREFLIGHT = 'OPTIONS /{proxy+}';

/** Ids have at most 128 characters. */
const LOGGED_MAX = 128;

/**
 * Adds ids to the following log lines of this request. They contain no data of players. Values that cannot be ids are omitted.
 */
export function logIds(ids: Readonly<Record<string, unknown>>): void {
  const isId = (value: unknown) => typeof value === 'string' && value.length <= LOGGED_MAX;
  const known = Object.entries(ids).filter(([, id]) => (Array.isArray(id) ? id.every(isId) : isId(id)));
  if (known.length > 0) logger.appendKeys(Object.fromEntries(known));
}

function toRequest<Key extends RouteKey>(
  key: Key,
  path: z.ZodObject | undefined,
  event: APIGatewayProxyEventV2,
): HttpRequest<Key> {
  const { scopes, query } = routeOf(key);
  const caller = callerOf(event, scopes);
  return {
    caller,
    path: (path ? parseWith(path, pathOf(event), 'The path') : {}) as PathOf<Key>,
    query: (query ? parseWith(query, queryOf(event), 'The query') : {}) as QueryOf<Key>,
    headers: event.headers,
    json: () => readJson(event),
  };
}

function pathOf({ pathParameters = {} }: APIGatewayProxyEventV2): Record<string, string> {
  return Object.fromEntries(
    Object.entries(pathParameters).map(([name, value]) => [name, decoded(value ?? '')]),
  );
}

function queryOf({ queryStringParameters = {} }: APIGatewayProxyEventV2): Record<string, string> {
  return Object.fromEntries(
    Object.entries(queryStringParameters).map(([name, value]) => [name, value ?? '']),
  );
}

/** Identifiers contain no percent sign, so decoding twice has no effect. */
function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

function readJson(event: APIGatewayProxyEventV2): unknown {
  const bytes = Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8');
  if (bytes.length > LIMITS.bodyBytesMax) {
    throw new Problem(
      413,
      `Expected a body of at most ${LIMITS.bodyBytesMax} bytes, got ${bytes.length}: send fewer tickets in a request, or shorter attributes.`,
    );
  }
  const type = event.headers['content-type'] ?? 'none';
  if (!/^application\/(json|[\w.+-]+\+json)\s*(;|$)/i.test(type)) {
    throw new Problem(415, `Expected content-type application/json, got ${type}.`);
  }
  try {
    return JSON.parse(new TextDecoder('utf8', { fatal: true }).decode(bytes));
  } catch (error) {
    throw new Problem(400, `The body is not JSON: ${(error as Error).message}`, {
      errors: [{ pointer: '#', detail: 'Expected JSON in UTF-8' }],
    });
  }
}

/** The problem that the caller gets for an error. An error that is not a `Problem` is logged, and its details are omitted. */
export function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof StoreBusy) {
    logger.warn('the store is busy', error);
    return new Problem(503, 'The service is too busy. Retry the request; it is safe to repeat.', {
      headers: { 'retry-after': '1' },
    });
  }
  logger.error('a request failed', error as Error);
  return new Problem(500, 'An internal error occurred and was logged. It is safe to repeat the request.');
}

function toResult({ status, body, headers }: HttpResponse, event: APIGatewayProxyEventV2) {
  return {
    statusCode: status,
    headers: {
      'content-type': 'application/json',
      'x-request-id': event.requestContext.requestId,
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  };
}

function problemResult(problem: Problem, event: APIGatewayProxyEventV2) {
  return toResult(
    {
      status: problem.status,
      body: problem.toDocument(),
      headers: { 'content-type': 'application/problem+json', ...problem.headers },
    },
    event,
  );
}
