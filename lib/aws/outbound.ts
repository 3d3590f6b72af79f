import type { LookupAddress } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import * as http from 'node:http';
import * as https from 'node:https';
import type { LookupFunction } from 'node:net';
import { isPublic, refusalOf } from '../contract/outbound-url.ts';
import type { ClientCertificate, Outbound, OutboundResult } from '../service/ports/outbound.ts';

/** The maximum size of a response body. */
export const RESPONSE_BYTES_MAX = 64 * 1024;
/** The maximum size of the headers of a response, and of its trailers. */
export const RESPONSE_HEADER_BYTES_MAX = 16 * 1024;
/** The maximum of interim responses (1xx) before the response. */
export const INTERIM_RESPONSES_MAX = 10;

class ForbiddenAddress extends Error {
  override readonly name = 'ForbiddenAddress';
}

/** The error of a call that exceeds its time. */
class TimedOut extends Error {
  override readonly name = 'TimedOut';
}

export interface OutboundOptions {
  /** Whether http and private addresses may be called, as on the local cloud. */
  readonly privateAllowed: boolean;
  /**
   * Resolves a name, when private addresses are not allowed. The signal aborts when the addresses are no longer needed.
   * @default queries to the name servers of the system
   */
  readonly resolve?: Resolve;
}

export type Resolve = (hostname: string, signal: AbortSignal) => Promise<LookupAddress[]>;

/**
 * POSTs to endpoints of the studio. Unless private addresses are allowed, only https and public addresses are called. The address
 * is checked when the connection is made, which also prevents DNS rebinding. Redirects are not followed.
 *
 * A call takes at most `timeoutMs`, from the resolution of the name to the last byte of the response. Then its connection is
 * closed, and the result is `unreachable`. The result is the same for a response that is larger than the maximum or does not
 * answer a POST, such as a switch of protocols.
 */
export function outbound(options: OutboundOptions): Outbound {
  return {
    async post(url, body, headers, timeoutMs, certificate) {
      const target = new URL(url);
      const refusal = options.privateAllowed ? undefined : refusalOf(target);
      if (refusal !== undefined) return { outcome: 'forbidden', error: refusal };
      try {
        return await send(target, body, headers, timeoutMs, options, certificate);
      } catch (error) {
        const why = `${target.host}: ${(error as Error).message}`;
        if (error instanceof ForbiddenAddress) return { outcome: 'forbidden', error: why };
        return { outcome: 'unreachable', error: why, ...(error instanceof TimedOut && { timedOut: true }) };
      }
    },
  };
}

function send(
  target: URL,
  body: string,
  headers: Record<string, string>,
  timeoutMs: number,
  { privateAllowed, resolve: resolveName = resolveWithServers }: OutboundOptions,
  certificate: ClientCertificate | undefined,
): Promise<OutboundResult> {
  const ended = new AbortController();
  const sent = new Promise<OutboundResult>((resolve, reject) => {
    const client = target.protocol === 'https:' ? https : http;
    const request = client.request(target, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        'user-agent': 'muster',
        ...headers,
      },
      maxHeaderSize: RESPONSE_HEADER_BYTES_MAX,
      ...(!privateAllowed && { lookup: publicOnly(resolveName, ended.signal) }),
      // Connections are only shared by requests with the same certificate.
      ...certificate,
    });
    // The timer covers failures that no event reports. The first settlement counts.
    const timer = setTimeout(() => fail(new TimedOut(`no response within ${timeoutMs} ms`)), timeoutMs);
    ended.signal.addEventListener('abort', () => clearTimeout(timer));
    const fail = (error: Error) => {
      reject(error);
      request.destroy();
    };
    let interim = 0;
    request.on('information', () => {
      if (++interim > INTERIM_RESPONSES_MAX)
        fail(new Error(`expected at most ${INTERIM_RESPONSES_MAX} interim responses`));
    });
    const switched = () => fail(new Error('expected a response, got a switch of protocols (status 101)'));
    // Node does not destroy a socket that it has handed over, and reports nothing without this listener.
    request.on('upgrade', (_, socket) => {
      socket.destroy();
      switched();
    });
    request.on('error', fail);
    request.on('close', () => fail(new Error('the connection was closed without a complete response')));
    request.on('response', (response) => {
      if (response.statusCode === 101) return switched();
      const chunks: Buffer[] = [];
      let size = 0;
      response.on('data', (chunk: Buffer) => {
        size += chunk.length;
        if (size <= RESPONSE_BYTES_MAX) chunks.push(chunk);
        else fail(new Error(`expected a response of at most ${RESPONSE_BYTES_MAX} bytes`));
      });
      response.on('error', fail);
      response.on('end', () => {
        resolve({
          outcome: 'responded',
          status: response.statusCode ?? 0,
          body: Buffer.concat(chunks).toString('utf8'),
        });
        // Node keeps the socket until the receiver has read the whole request, which may never happen.
        if (!request.writableFinished) request.destroy();
      });
    });
    request.end(body);
  });
  return sent.finally(() => ended.abort());
}

/** Name resolution that fails when any of the addresses is not public. */
function publicOnly(resolveName: Resolve, signal: AbortSignal): LookupFunction {
  return (hostname, options, callback) => {
    const found = (addresses: LookupAddress[]) => {
      const bad = addresses.find(({ address }) => !isPublic(address));
      if (bad) return callback(new ForbiddenAddress(`expected a public address, got ${bad.address}`), '', 0);
      if (options.all) return callback(null, addresses);
      const [first] = addresses;
      return callback(null, first!.address, first!.family);
    };
    resolveName(hostname, signal).then(found, (error: Error) => callback(error, '', 0));
  };
}

/**
 * Resolves a name with the system's name servers. The resolver of the operating system would block one of the process's few
 * threads and cannot be aborted, so some names without a response would stop every other resolution.
 */
async function resolveWithServers(hostname: string, signal: AbortSignal): Promise<LookupAddress[]> {
  const resolver = new Resolver({ timeout: 1_000, tries: 2 });
  signal.addEventListener('abort', () => resolver.cancel());
  const addresses = async (family: 4 | 6) => {
    const found = family === 4 ? await resolver.resolve4(hostname) : await resolver.resolve6(hostname);
    return found.map((address) => ({ address, family }));
  };
  return addresses(4).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENODATA') throw error;
    return addresses(6);
  });
}
