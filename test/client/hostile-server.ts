import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request that arrived. */
export interface Arrived {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** Responds to a request, or does something worse. */
export type Behaviour = (request: Arrived, response: ServerResponse) => void;

/** A real HTTP server on this machine that behaves as a test says, one behaviour for each request. */
export interface HostileServer {
  readonly url: string;
  readonly arrived: Arrived[];
  /** The behaviours of the next requests; the last one stays. */
  behave(...next: readonly Behaviour[]): void;
  stop(): Promise<void>;
}

export async function hostileServer(): Promise<HostileServer> {
  const arrived: Arrived[] = [];
  let behaviours: Behaviour[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks).toString();
    const one = { method: request.method!, path: request.url!, headers: request.headers, body };
    arrived.push(one);
    const behaviour = behaviours.length > 1 ? behaviours.shift()! : behaviours[0]!;
    behaviour(one, response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    arrived,
    behave: (...next) => {
      behaviours = [...next];
      arrived.length = 0;
    },
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Responds with JSON. */
export function json(status: number, body: unknown, headers: Record<string, string> = {}): Behaviour {
  return (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(body));
  };
}

/** Responds with a problem document. */
export function problem(status: number, headers: Record<string, string> = {}): Behaviour {
  return json(status, { type: 'about:blank', title: `title ${status}`, status, detail: 'why' }, headers);
}

/** Closes the connection without a response. */
export const drop: Behaviour = (_, response) => void response.destroy();

/** Closes the connection in the middle of the response. */
export const cut: Behaviour = (_, response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' });
  response.write('{"ticketId":');
  setImmediate(() => response.destroy());
};

/** Never responds. */
export const hang: Behaviour = () => {};

/** Responds with text that is not of Muster. */
export function garbage(status: number, text = '<!doctype html>'): Behaviour {
  return (_, response) => void response.writeHead(status, { 'content-type': 'text/html' }).end(text);
}

/** Redirects to another URL. */
export function redirect(to: string): Behaviour {
  return (_, response) => void response.writeHead(307, { location: to }).end();
}
