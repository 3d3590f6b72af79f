import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import { Problem } from '../contract/problem.ts';
import { LIMITS } from '../contract/queue-definition.ts';
import { type Caller, type RouteKey, scopesOf } from '../contract/routes.ts';
import { StoreBusy } from '../service/ports/store-busy.ts';
import { callerOf } from './caller.ts';
import { logger } from './log.ts';

/** A request to a route. */
export interface HttpRequest {
  readonly caller: Caller;
  readonly path: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly method: string;
  readonly rawPath: string;
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

export type Route = (request: HttpRequest) => Promise<HttpResponse>;

/**
 * A Lambda handler for routes of the HTTP API, by route key (`GET /tickets/{ticketId}`); `$default` takes what no route
 * serves. A caller without a scope of the route is rejected. Every error becomes a problem document. An error that is not
 * a `Problem` is logged, and the response does not contain its details.
 */
export function httpHandler(routes: Readonly<Partial<Record<RouteKey | '$default', Route>>>) {
  return async (
    event: APIGatewayProxyEventV2,
    context: Context,
  ): Promise<APIGatewayProxyStructuredResultV2> => {
    logger.addContext(context);
    logger.setCorrelationId(event.requestContext.requestId);
    try {
      const key = event.routeKey as RouteKey | '$default';
      const route = routes[key];
      if (route === undefined)
        throw new Error(`the API sent ${event.routeKey} to a function that does not serve it`);
      const caller = callerOf(event, key === '$default' ? [] : scopesOf(key));
      return toResult(await route(toRequest(event, caller)), event);
    } catch (error) {
      return problemResult(toProblem(error), event);
    }
  };
}

function toRequest(event: APIGatewayProxyEventV2, caller: Caller): HttpRequest {
  const path = Object.fromEntries(
    Object.entries(event.pathParameters ?? {}).map(([name, value]) => [name, decoded(value ?? '')]),
  );
  const query: Record<string, string> = {};
  for (const [name, value] of Object.entries(event.queryStringParameters ?? {})) query[name] = value ?? '';
  return {
    caller,
    path,
    query,
    method: event.requestContext.http.method,
    rawPath: event.rawPath,
    json: () => readJson(event),
  };
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
    throw new Problem(413, `Expected a body of at most ${LIMITS.bodyBytesMax} bytes, got ${bytes.length}.`);
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
