import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { Growing } from './growing.ts';

/** The secret that signs every webhook of the tests, and its name. */
export const SECRET_NAME = 'shared/studio-webhooks';
export const SECRET = `whsec_${Buffer.from('a secret that only tests know').toString('base64')}`;

/** A request that the receiver got. */
export interface Delivery {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** Verifies the signature and returns the parsed body. Throws when the signature is invalid. */
  // biome-ignore lint/suspicious/noExplicitAny: events carry tickets or matches, provisioners get matches
  verified(): any;
}

/** Sends the receiver's response. @default status 200 without a body */
export type Answering = (delivery: Delivery, response: ServerResponse) => void;

/** A studio's own server, which receives webhooks and provisions matches. */
export interface Receiver {
  readonly deliveries: Growing<Delivery>;
  /** The URL of a path on it. */
  url(path: string): string;
  /** Sets the response to later requests to a path. */
  answer(path: string, answering: Answering): void;
  /** The deliveries to a path so far. */
  at(path: string): Delivery[];
  stop(): Promise<void>;
}

export async function startReceiver(): Promise<Receiver> {
  const deliveries = new Growing<Delivery>();
  const answers = new Map<string, Answering>();
  const server = createServer(async (request, response) => {
    const delivery = await read(request);
    deliveries.add(delivery);
    const answering = answers.get(delivery.path);
    if (answering === undefined) response.end();
    else answering(delivery, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    deliveries,
    url: (path) => `http://127.0.0.1:${port}${path}`,
    answer: (path, answering) => answers.set(path, answering),
    at: (path) => deliveries.items.filter((delivery) => delivery.path === path),
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function read(request: IncomingMessage): Promise<Delivery> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString('utf8');
  const headers = request.headers as Record<string, string>;
  return {
    path: request.url ?? '/',
    headers,
    text,
    verified: () => new Webhook(SECRET).verify(text, headers),
  };
}
