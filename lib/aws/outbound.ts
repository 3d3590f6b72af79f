import { type LookupAddress, lookup } from 'node:dns';
import * as http from 'node:http';
import * as https from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { ClientCertificate, Outbound, OutboundResult } from '../service/ports/outbound.ts';

/** The maximum size of a response body. */
const BODY_BYTES_MAX = 64 * 1024;

class ForbiddenAddress extends Error {
  override readonly name = 'ForbiddenAddress';
}

export interface OutboundOptions {
  /** Whether http and private addresses may be called, as on the local cloud. */
  readonly privateAllowed: boolean;
  /** @default the system's name resolution */
  readonly resolve?: typeof lookup;
}

/**
 * POSTs to endpoints of the studio. Unless private addresses are allowed, only https and public addresses are called.
 * The address is checked when the connection is made, which also prevents DNS rebinding. Redirects are not followed.
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
        const outcome = error instanceof ForbiddenAddress ? 'forbidden' : 'unreachable';
        return { outcome, error: `${target.host}: ${(error as Error).message}` };
      }
    },
  };
}

/** Why a URL may not be called, judged by the URL alone. */
export function refusalOf(url: URL): string | undefined {
  if (url.protocol !== 'https:') return `expected https, got ${url.protocol.slice(0, -1)}`;
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0 && !isPublic(host)) return `expected a public address, got ${host}`;
  if (host === 'localhost' || host.endsWith('.localhost')) return `expected a public address, got ${host}`;
  return undefined;
}

function send(
  target: URL,
  body: string,
  headers: Record<string, string>,
  timeoutMs: number,
  { privateAllowed, resolve: resolveName = lookup }: OutboundOptions,
  certificate: ClientCertificate | undefined,
): Promise<OutboundResult> {
  return new Promise((resolve, reject) => {
    const client = target.protocol === 'https:' ? https : http;
    const request = client.request(
      target,
      {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
          'user-agent': 'muster',
          ...headers,
        },
        signal: AbortSignal.timeout(timeoutMs),
        ...(!privateAllowed && { lookup: publicOnly(resolveName) }),
        // Connections are only shared by requests with the same certificate.
        ...certificate,
      },
      (response) => {
        const chunks: Buffer[] = [];
        let size = 0;
        response.on('data', (chunk: Buffer) => {
          size += chunk.length;
          if (size > BODY_BYTES_MAX)
            request.destroy(new Error(`expected a response of at most ${BODY_BYTES_MAX} bytes`));
          else chunks.push(chunk);
        });
        response.on('error', reject);
        response.on('end', () =>
          resolve({
            outcome: 'responded',
            status: response.statusCode ?? 0,
            body: Buffer.concat(chunks).toString('utf8'),
          }),
        );
      },
    );
    request.on('error', (error) =>
      reject(
        error.name === 'AbortError' || error.name === 'TimeoutError'
          ? new Error(`no response within ${timeoutMs} ms`)
          : error,
      ),
    );
    request.end(body);
  });
}

/** Name resolution that fails when any of the addresses is not public. */
function publicOnly(resolveName: typeof lookup): LookupFunction {
  return (hostname, options, callback) => {
    resolveName(hostname, { ...options, all: true }, (error, addresses: LookupAddress[]) => {
      if (error) return callback(error, '', 0);
      const bad = addresses.find(({ address }) => !isPublic(address));
      if (bad) return callback(new ForbiddenAddress(`expected a public address, got ${bad.address}`), '', 0);
      if (options.all) return callback(null, addresses);
      const [first] = addresses;
      return callback(null, first!.address, first!.family);
    });
  };
}

function isPublic(address: string): boolean {
  return ipaddr.process(address).range() === 'unicast';
}
