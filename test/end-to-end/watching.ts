import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { SignJWT } from 'jose';
import { WebSocket } from 'ws';
import type { TicketView } from '../../lib/contract/ticket.ts';
import { type WatchMessage, watchMessage } from '../../lib/contract/watch.ts';
import { Growing } from './growing.ts';

/** A game client that watches a ticket, without the client of the project. */
export interface Watching {
  /** Everything that the service has sent, as the contract describes it. */
  readonly messages: Growing<WatchMessage>;
  /** Sends a frame: text as it is, any other value as JSON. */
  send(frame: unknown): void;
  /** The code with which the connection has ended. */
  readonly closed: Promise<number>;
  /** Leaves as a player does who closes the game. */
  leave(): void;
  /** Leaves without a word. */
  vanish(): void;
  readonly socket: WebSocket;
}

type Watched = Pick<TicketView, 'watch'> & { readonly players: readonly { readonly playerId: string }[] };

/** The URL with which a player of a ticket watches it. */
export function watchUrl({ watch, players }: Watched, player = 0): string {
  return `${watch!.url}?token=${watch!.tokens[players[player]!.playerId]}`;
}

/**
 * Connects to a URL, and once more when the service ends the connection, as every game client does.
 * Rejects with the status of the response when the service refuses it.
 */
export async function watching(url: string): Promise<Watching> {
  const messages = new Growing<WatchMessage>();
  let last = await connection(url, messages);
  let hasLeft = false;
  const again = async (): Promise<void> => {
    await last.closed;
    if (hasLeft) return;
    last = await connection(url, messages);
    await again();
  };
  void again().catch(() => {});
  const leaving = (how: 'close' | 'terminate') => {
    hasLeft = true;
    last.socket[how]();
  };
  return {
    messages,
    send: (frame) => last.socket.send(typeof frame === 'string' ? frame : JSON.stringify(frame)),
    get closed() {
      return last.closed;
    },
    leave: () => leaving('close'),
    vanish: () => leaving('terminate'),
    get socket() {
      return last.socket;
    },
  };
}

/** One connection. */
export async function connection(url: string, messages = new Growing<WatchMessage>()) {
  const socket = new WebSocket(url);
  const closed = Promise.withResolvers<number>();
  // It is parsed, so that a message which the contract does not describe fails the test.
  socket.on('message', (data) => messages.add(watchMessage.parse(JSON.parse(String(data)))));
  socket.on('close', closed.resolve);
  const opened = Promise.withResolvers<void>();
  socket.on('open', () => opened.resolve());
  socket.on('unexpected-response', (_, { statusCode }) => {
    opened.reject(new Refused(statusCode ?? 0));
    socket.terminate();
  });
  socket.on('error', opened.reject);
  await opened.promise;
  return { socket, messages, closed: closed.promise };
}

/** A connection that the service has refused. */
export class Refused extends Error {
  readonly status: number;

  constructor(status: number) {
    super(`The service has refused a connection with status ${status}.`);
    this.status = status;
  }
}

/** A token like that of a player, signed with a key that is not the service's. */
export function forgedToken(ticket: Pick<TicketView, 'ticketId' | 'queue' | 'players'>): Promise<string> {
  const { ticketId, queue, players } = ticket;
  return new SignJWT({ ticketId, queue, player: 0 })
    .setProtectedHeader({ alg: 'HS256', kid: '1' })
    .setSubject(players[0]!.playerId)
    .setAudience('muster/watch')
    .setExpirationTime('1h')
    .sign(new TextEncoder().encode('not the key of the service, but as long'));
}

/** All that a client reads whose connection is refused. */
export async function refusal(url: string) {
  const socket = new WebSocket(url);
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    socket.on('unexpected-response', (_, refused) => resolve(refused));
    socket.on('open', () => reject(new Error('Expected a refusal, got a connection')));
    socket.on('error', reject);
  });
  const { statusCode: status, headers } = response;
  return { status, headers, body: await text(response) };
}
