import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import type { ProblemDocument } from '../contract/problem-document.ts';
import { type PageFiles, pageFiles } from './page-files.ts';
import { refusalOf } from './request-guard.ts';
import type { ServiceConnection } from './service-connection.ts';

export interface ConsoleOptions {
  /** The port on 127.0.0.1; 0 for any free port. */
  readonly port: number;
  readonly service: ServiceConnection;
  /** The URL of the service, which the page shows. */
  readonly serviceUrl: string;
}

/** A running console. */
export interface Console {
  readonly url: string;
  stop(): Promise<void>;
}

/** The paths that are passed on to the service, without this prefix. */
const API = '/api/';
/** As much as the service accepts. */
const BODY_MAX_BYTES = 10 * 1024 * 1024;
/** Longer than the longest poll of a ticket, and than API Gateway's limit of 30 s. */
const SERVICE_TIMEOUT_MS = 35_000;
/** Headers of a request that the service reads. */
const REQUEST_HEADERS = ['accept', 'content-type', 'if-match', 'if-none-match'];
/** Headers of a response that the page reads. */
const RESPONSE_HEADERS = ['content-type', 'date', 'etag', 'retry-after'];

/**
 * What the page may do: run its own scripts and styles, show its own images, send requests to this server. Text from
 * the service can then run nothing, and nothing can leave the machine, even if the page had a fault.
 */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const SECURITY_HEADERS = {
  'content-security-policy': CONTENT_SECURITY_POLICY,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

/**
 * Serves the console's page on 127.0.0.1 and passes its requests on to the service. It accepts only requests of its own
 * page (see `request-guard.ts`).
 *
 * @throws the error of `listen`, with its `code`, when the port cannot be used
 */
export async function startConsole({ port, service, serviceUrl }: ConsoleOptions): Promise<Console> {
  let files: Promise<PageFiles> | undefined;
  // The page is built for its first visitor. A failed build is tried again, because a developer may have mended it.
  const page = () => {
    files ??= pageFiles().catch((error) => {
      files = undefined;
      throw error;
    });
    return files;
  };
  const server = createServer(async (request, response) => {
    try {
      await serve(request, response);
    } catch (error) {
      if (response.headersSent || request.destroyed) return void response.destroy();
      sendProblem(response, 500, `The console failed: ${(error as Error).message}`);
    }
  });
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    for (const [name, value] of Object.entries(SECURITY_HEADERS)) response.setHeader(name, value);
    const refusal = refusalOf(request, portOf(server));
    if (refusal !== undefined) return sendProblem(response, 403, refusal);
    const target = request.url ?? '/';
    if (target.startsWith(API)) return passOn(request, response, target.slice(API.length - 1), service);
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return sendProblem(response, 405, `Expected GET or HEAD, got ${request.method}`);
    await sendPage(request, response, await page(), serviceUrl);
  };
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${portOf(server)}`,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function portOf(server: ReturnType<typeof createServer>): number {
  return (server.address() as { port: number }).port;
}

/** A path of the page without a file is a place in the page, such as `/queues/duel`. */
async function sendPage(
  request: IncomingMessage,
  response: ServerResponse,
  files: PageFiles,
  serviceUrl: string,
): Promise<void> {
  const { url = '/' } = request;
  const path = URL.canParse(url, 'http://console') ? new URL(url, 'http://console').pathname : '/';
  const isAsset = path.startsWith('/assets/') || path === '/icon.svg';
  const name = isAsset ? path.slice(path.lastIndexOf('/') + 1) : 'index.html';
  const file = files.get(name);
  if (file === undefined) return sendProblem(response, 404, `The console has no file ${path}`);
  response.setHeader('content-type', file.type);
  response.setHeader('cache-control', 'no-cache');
  response.setHeader('vary', 'accept-encoding');
  if (name === 'index.html') {
    response.end(file.body.toString().replace('SERVICE_URL', escaped(serviceUrl)));
    return;
  }
  const isGzipped = /\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''));
  if (isGzipped) response.setHeader('content-encoding', 'gzip');
  response.end(isGzipped ? file.gzipped : file.body);
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

async function passOn(
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
  service: ServiceConnection,
): Promise<void> {
  const body = await readBody(request);
  if (body === undefined)
    return sendProblem(response, 413, `Expected a body of at most ${BODY_MAX_BYTES} bytes`);
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  let answer: Response;
  try {
    answer = await service(path, {
      method: request.method ?? 'GET',
      headers: picked(REQUEST_HEADERS, (name) => request.headers[name]),
      ...(body.length > 0 && { body: new Uint8Array(body) }),
      signal: AbortSignal.any([gone.signal, AbortSignal.timeout(SERVICE_TIMEOUT_MS)]),
    });
  } catch (error) {
    if (gone.signal.aborted) return;
    return sendProblem(response, 502, `The service does not respond (${reasonOf(error)}).`);
  }
  for (const [name, value] of Object.entries(picked(RESPONSE_HEADERS, (name) => answer.headers.get(name))))
    response.setHeader(name, value);
  response.setHeader('cache-control', 'no-store');
  response.writeHead(answer.status);
  if (answer.body === null) return void response.end();
  await pipeline(answer.body, response).catch(() => response.destroy());
}

/** Returns undefined when the body is too large. */
async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += (chunk as Buffer).length;
    if (bytes <= BODY_MAX_BYTES) chunks.push(chunk as Buffer);
  }
  return bytes <= BODY_MAX_BYTES ? Buffer.concat(chunks) : undefined;
}

function picked(
  names: readonly string[],
  headerOf: (name: string) => string | string[] | null | undefined,
): Record<string, string> {
  const found = names.flatMap((name) => {
    const value = headerOf(name);
    return typeof value === 'string' ? [[name, value]] : [];
  });
  return Object.fromEntries(found);
}

function reasonOf(error: unknown): string {
  const { cause, message, name } = error as Error & { cause?: { code?: string; message?: string } };
  if (name === 'TimeoutError') return `no response within ${SERVICE_TIMEOUT_MS / 1_000} s`;
  return cause?.code ?? cause?.message ?? message;
}

function sendProblem(response: ServerResponse, status: number, detail: string): void {
  const problem: ProblemDocument = {
    type: 'about:blank',
    title: TITLES[status] ?? 'Error',
    status,
    detail,
  };
  response.writeHead(status, { 'content-type': 'application/problem+json', 'cache-control': 'no-store' });
  response.end(JSON.stringify(problem));
}

const TITLES: Readonly<Record<number, string>> = {
  403: 'Forbidden',
  404: 'Not found',
  405: 'Method not allowed',
  413: 'Content too large',
  500: 'Internal error',
  502: 'Bad gateway',
};
