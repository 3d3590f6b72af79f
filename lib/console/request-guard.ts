import type { IncomingMessage } from 'node:http';

/**
 * Why the console rejects a request before it looks at its path; undefined when it accepts it.
 *
 * The console signs what it passes on with the credentials of the person who runs it. A page of another site can make
 * the person's browser send requests to 127.0.0.1, so requests are accepted only from the console's own page:
 * - `Host` must be this machine and port. After DNS rebinding the browser sends the name of the other site.
 * - `Origin` and `Sec-Fetch-Site`, which a page cannot change, must name the console when the browser sends them.
 * - A request that can change something must have an `Origin`. Browsers always send one with it.
 */
export function refusalOf(
  request: Pick<IncomingMessage, 'headers' | 'method' | 'url'>,
  port: number,
): string | undefined {
  const { host, origin } = request.headers;
  const hosts = [`127.0.0.1:${port}`, `localhost:${port}`];
  if (host === undefined || !hosts.includes(host.toLowerCase()))
    return `Expected the host ${hosts[0]}, got ${host}. Open the console at the URL that it printed.`;
  if (origin !== undefined && origin !== `http://${host}`)
    return `Expected a request of the console's own page, got one of ${origin}.`;
  const site = request.headers['sec-fetch-site'];
  // `none` is the address bar. A link on another page may open the console, but only as a document.
  const isDocument =
    request.headers['sec-fetch-mode'] === 'navigate' &&
    isSafe(request.method) &&
    !request.url?.startsWith('/api/');
  if (site !== undefined && site !== 'same-origin' && site !== 'none' && !isDocument)
    return `Expected a request of the console's own page, got one from another site (${site}).`;
  if (!isSafe(request.method) && origin === undefined)
    return 'Expected the header Origin in a request that changes something, got none.';
  return undefined;
}

function isSafe(method: string | undefined): boolean {
  return method === 'GET' || method === 'HEAD';
}
