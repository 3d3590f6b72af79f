import { authorized, type Credentials } from '../client/credentials.ts';
import { serviceUrl } from '../client/service-url.ts';

/** A request of the page, as it is passed on. */
export interface PassedRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array<ArrayBuffer>;
  readonly signal: AbortSignal;
}

/** Sends a request to the service, with the caller's authorization, and returns the response as it is. */
export type ServiceConnection = (path: string, request: PassedRequest) => Promise<Response>;

export interface ConnectionOptions {
  /** The URL of the service. */
  readonly url: string;
  /** How requests are authorized, as by the client. @default requests are sent without credentials */
  readonly credentials?: Credentials | undefined;
}

/**
 * Connects to a service. Requests are not retried: the page shows a failure at once and asks again by itself.
 *
 * @throws TypeError when the URL is not one of HTTP
 */
export function connectTo({ url, credentials }: ConnectionOptions): ServiceConnection {
  const base = serviceUrl(url);
  return async (path, { signal, ...request }) =>
    fetch(base + path, {
      ...request,
      headers: await authorized({ ...request, url: base + path }, credentials),
      // Credentials are for the service alone, so no redirect is followed.
      redirect: 'manual',
      signal,
    });
}
