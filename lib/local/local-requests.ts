import type { IncomingMessage } from 'node:http';

/** The host names by which a server on 127.0.0.1 is called. A tunnel keeps the name and may change the port. */
const LOCAL_NAMES = ['127.0.0.1', 'localhost', '[::1]'];

/**
 * Why a server of the local cloud rejects a request; undefined when it accepts it. A page of another site can make the
 * browser of the developer send requests to 127.0.0.1:
 * - `Host`: after DNS rebinding the browser sends the name of the other site.
 * - `Origin`: browsers send it with every request that can change something, and a page cannot change it. Pages of this
 *   machine are accepted, at any port.
 *
 * @param allowedOrigins further origins that are accepted; `*` means all
 */
export function refusalOf(
  { headers }: Pick<IncomingMessage, 'headers'>,
  allowedOrigins: readonly string[] = [],
): string | undefined {
  const { host, origin } = headers;
  if (host === undefined || !isLocal(`http://${host}`))
    return `Expected a request to ${LOCAL_NAMES.join(', ')}, got Host ${host}: use the URL that muster serve printed.`;
  const isAllowed = (one: string) => [one, '*'].some((entry) => allowedOrigins.includes(entry));
  if (origin !== undefined && !isLocal(origin) && !isAllowed(origin))
    return `Expected a request of a program or of a page on this machine, got one of the page ${origin}.`;
  return undefined;
}

function isLocal(url: string): boolean {
  return URL.canParse(url) && LOCAL_NAMES.includes(new URL(url).hostname);
}
