/** The event that API Gateway passes to a function for an HTTP request: payload format 2.0. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { ACCOUNT_ID } from './local-account.ts';
import type { RouteMatch } from './routes.ts';

/**
 * @param rawPath as received, without the query
 * @param rawQueryString as received, without the question mark
 * @param authorizer what the route's authorizer reports about the caller
 */
export function httpEvent(
  request: IncomingMessage,
  rawPath: string,
  rawQueryString: string,
  body: Buffer,
  { route, pathParameters }: RouteMatch,
  apiId: string,
  authorizer?: object,
) {
  const { connection: _, ...otherHeaders } = request.headersDistinct;
  const headers = Object.fromEntries(
    Object.entries(otherHeaders).map(([name, values]) => [name, values!.join(',')]),
  );
  const query = joinRepeated(new URLSearchParams(rawQueryString));
  const host = headers.host ?? '';
  const isText = isTextual(headers['content-type']);
  return {
    version: '2.0',
    routeKey: route.routeKey,
    rawPath,
    rawQueryString,
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
      ...(authorizer && { authorizer }),
      domainName: host,
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
      timeEpoch: Date.now(),
    },
    ...(Object.keys(pathParameters).length > 0 && { pathParameters }),
    ...(body.length > 0 && { body: body.toString(isText ? 'utf8' : 'base64') }),
    isBase64Encoded: body.length > 0 && !isText,
  };
}

/** Other bodies are passed to the function in base64. */
function isTextual(contentType: string | undefined): boolean {
  return /^(text\/|application\/(json|javascript|xml|[^;]*\+(json|xml))\b)/i.test(contentType ?? '');
}

function joinRepeated(parameters: URLSearchParams): Record<string, string> {
  return Object.fromEntries(
    [...new Set(parameters.keys())].map((name) => [name, parameters.getAll(name).join(',')]),
  );
}
