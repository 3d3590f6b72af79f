import { UnexpectedResponse } from './errors.ts';
import type { Call, RequestOptions, RouteRequest } from './requests.ts';

/**
 * The parts of a response that the service divides. Each part has the `continuation` of the next one, except the last.
 * @param routeOf the request for the part with this continuation
 * @throws UnexpectedResponse when a continuation repeats, because the requests would never end
 */
export async function inParts<Part extends { readonly continuation?: string | undefined }>(
  call: Call,
  routeOf: (query: { readonly continuation: string | undefined }) => Pick<RouteRequest, 'method' | 'path'>,
  options?: RequestOptions,
): Promise<Part[]> {
  const parts: Part[] = [];
  const seen = new Set<string>();
  let continuation: string | undefined;
  do {
    const route = routeOf({ continuation });
    const part = await call<Part>(route, options);
    parts.push(part);
    continuation = part.continuation;
    if (continuation !== undefined && seen.has(continuation)) throw repeated(route);
    seen.add(continuation ?? '');
  } while (continuation !== undefined);
  return parts;
}

function repeated({ method, path }: Pick<RouteRequest, 'method' | 'path'>): UnexpectedResponse {
  return new UnexpectedResponse(`${method} ${path}`, 200, 'a continuation that it has returned before');
}
