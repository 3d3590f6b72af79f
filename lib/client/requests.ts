import type { Problem } from './api-types.ts';
import { type Backoff, delayMs, pause, retryAfterMs } from './backoff.ts';
import { authorized, type Credentials } from './credentials.ts';
import { MusterProblem, MusterUnreachable, UnexpectedResponse } from './errors.ts';
import { serviceUrl } from './service-url.ts';

/** What a client needs to send requests. */
export interface ClientOptions {
  /** The URL of the API, as `https://ID.execute-api.REGION.amazonaws.com`; for `muster serve`, the URL that it prints. */
  readonly url: string;
  /**
   * How requests are authorized.
   * @default - requests are sent without credentials, as `muster serve` accepts them
   */
  readonly credentials?: Credentials | undefined;
  /**
   * The maximum of tries of a request, a whole number from 1. A request is retried after a temporary failure: no response, a
   * time-out, or status 429, 500, 502, 503 and 504. Every request of Muster is safe to repeat. The cooldown of a player (429 with
   * the code `COOLDOWN`) is not temporary: the request is rejected immediately.
   * @default 5
   */
  readonly tries?: number | undefined;
  /**
   * How long one try may take, in milliseconds. A long poll may take this much longer than it waits.
   * @default 30_000, the limit of API Gateway
   */
  readonly timeoutMs?: number | undefined;
  /**
   * Replaces the runtime's `fetch`, for a proxy or a test.
   * @default globalThis.fetch
   */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /**
   * Delays between tries. Each is random between half of its maximum and all of it.
   * @default { firstMs: 200, maxMs: 5_000 }
   */
  readonly backoff?: Backoff | undefined;
  /** @default Math.random */
  readonly random?: (() => number) | undefined;
  /**
   * Replaces the delays between tries, for a test. Rejects with the signal's reason when it aborts.
   * @default - a timer
   */
  readonly pause?: Pause | undefined;
}

/** Waits some milliseconds, or until the signal aborts. */
export type Pause = (ms: number, signal: AbortSignal | undefined) => Promise<void>;

/** Options of a single request. */
export interface RequestOptions {
  /** Ends the request, its retries and its delays. The promise is rejected with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** A request to a route. */
export interface RouteRequest extends RequestOptions {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  /** From the slash on, with encoded parameters. */
  readonly path: string;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Further headers. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Added to the time-out of a try, in milliseconds. */
  readonly extraMs?: number;
  /** Whether 404 is success after an earlier try without a response: that try may have removed what the path names. */
  readonly removes?: boolean;
}

/** Sends a request to a route and returns the body of its response. */
export type Call = <T>(
  route: Pick<RouteRequest, 'method' | 'path' | 'removes' | 'headers'>,
  options?: RequestOptions,
  body?: unknown,
) => Promise<T>;

/** The response to a request that succeeded. */
export interface RouteResponse<T> {
  readonly status: number;
  readonly body: T;
  readonly etag?: string | undefined;
}

/** Sends the requests of a client. */
export interface Sender {
  /** Sends a request until there is a response, or no try is left. */
  send<T>(request: RouteRequest): Promise<RouteResponse<T>>;
  /** Waits before a further try. */
  pause(backoff: Backoff, tries: number, signal: AbortSignal | undefined): Promise<void>;
}

const TRIES = 5;
const TIMEOUT_MS = 30_000;
const BACKOFF: Backoff = { firstMs: 200, maxMs: 5_000 };
/** Statuses of temporary failures, after which the same request may succeed. */
const TEMPORARY = [429, 500, 502, 503, 504];
/** The code of a problem that outlasts retries: a player gets no ticket. */
const COOLDOWN = 'COOLDOWN';

/**
 * Creates the sender of a client. It rejects with {@link MusterProblem} when the service rejects a request, {@link
 * MusterUnreachable} when no response arrives, and {@link UnexpectedResponse} when the response is not one of Muster.
 *
 * @throws TypeError when the URL is not an HTTP URL
 */
export function sender(options: ClientOptions): Sender {
  const base = serviceUrl(options.url);
  const random = options.random ?? Math.random;
  const wait = options.pause ?? pause;
  const backoff = options.backoff ?? BACKOFF;
  return {
    async send<T>(request: RouteRequest) {
      const { signal } = request;
      for (let tried = 1; ; tried++) {
        const attempt = await attemptOf<T>(base, options, request);
        if (attempt.response !== undefined) return attempt.response;
        signal?.throwIfAborted();
        if (request.removes && tried > 1 && attempt.status === 404)
          return { status: 204, body: undefined as T };
        if (!attempt.isTemporary || tried >= (options.tries ?? TRIES)) throw attempt.error;
        await wait(delayMs(backoff, tried, random, attempt.retryAfterMs), signal);
      }
    },
    pause: (backoff, tries, signal) => wait(delayMs(backoff, tries, random), signal),
  };
}

type Attempt<T> =
  | { readonly response: RouteResponse<T> }
  | {
      readonly response?: never;
      readonly error: Error;
      /** The status of the response, if Muster sent one. */
      readonly status?: number;
      /** Whether the next try may succeed. */
      readonly isTemporary: boolean;
      readonly retryAfterMs?: number;
    };

/** One try. Every way in which it can fail is an outcome, except errors of the credentials' function. */
async function attemptOf<T>(
  base: string,
  options: ClientOptions,
  { method, path, body, headers: more, signal, extraMs = 0 }: RouteRequest,
): Promise<Attempt<T>> {
  const what = `${method} ${path}`;
  signal?.throwIfAborted();
  const text = body === undefined ? undefined : JSON.stringify(body);
  const url = `${base}${path}`;
  const headers = await authorized(
    {
      method,
      url,
      headers: { ...(text !== undefined && { 'content-type': 'application/json' }), ...more },
      body: text,
    },
    options.credentials,
  );
  const timeout = AbortSignal.timeout((options.timeoutMs ?? TIMEOUT_MS) + extraMs);
  const { fetch = globalThis.fetch } = options;
  let response: Response;
  let received: string;
  try {
    response = await fetch(url, {
      method,
      headers,
      ...(text !== undefined && { body: text }),
      // A redirect could send the credentials and the ticket elsewhere.
      redirect: 'manual',
      signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
    });
    received = await response.text();
  } catch (error) {
    return { error: new MusterUnreachable(what, error), isTemporary: true };
  }
  const { status } = response;
  const unexpected = (got: string) => new UnexpectedResponse(what, status, got);
  if (response.type === 'opaqueredirect' || (status >= 300 && status < 400)) {
    const to = response.headers.get('location');
    return { error: unexpected(`a redirect${to === null ? '' : ` to ${to}`}`), isTemporary: false };
  }
  const parsed = parsedJson(received);
  if (response.ok && (parsed !== undefined || received === ''))
    return { response: { status, body: parsed as T, etag: response.headers.get('etag') ?? undefined } };
  const retry = {
    isTemporary: TEMPORARY.includes(status),
    retryAfterMs: retryAfterMs(response.headers.get('retry-after'), Date.now()),
  };
  if (response.ok) return { error: unexpected('no JSON'), isTemporary: false };
  if (!isObject(parsed)) return { error: unexpected(`status ${status} and no JSON`), ...retry };
  const requestId = response.headers.get('x-request-id') ?? undefined;
  if (parsed.code === COOLDOWN) retry.isTemporary = false;
  return { error: new MusterProblem(what, problemOf(status, parsed), requestId), status, ...retry };
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** API Gateway sends `{ "message" }` instead of a problem document. */
function problemOf(status: number, body: Record<string, unknown>): Problem {
  if (typeof body.title === 'string' && typeof body.status === 'number') return body as unknown as Problem;
  const title = typeof body.message === 'string' ? body.message : `status ${status}`;
  return { type: 'about:blank', title, status, detail: title };
}
