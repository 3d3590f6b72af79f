import type { AddressInfo } from 'node:net';
import { createServer, type Socket } from 'node:net';

/** What a hostile receiver of webhooks, or a hostile provisioner, does with each request. */
export const MANNERS = {
  /** Switches the protocol and says nothing more. */
  upgrades: (socket) =>
    socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'),
  /** Does what it should: the harm is in what it is sent. */
  answers: (socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'),
  /** Takes the request and never responds. */
  stalls: () => {},
  /** Sends a byte of its response each second. */
  drips: (socket) => {
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n');
    each(1_000, socket, 'x');
  },
  /** Breaks its word in one way after the other. */
  lies: (socket, nth) => LIES[nth % LIES.length]!(socket),
} as const satisfies Record<string, (socket: Socket, nth: number) => void>;

export type Manner = keyof typeof MANNERS;

const LIES: readonly ((socket: Socket) => void)[] = [
  // More was promised than is sent.
  (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc'),
  // A body without an end.
  (socket) => {
    socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n');
    each(50, socket, `3e8\r\n${'x'.repeat(1_000)}\r\n`);
  },
  // Headers without an end.
  (socket) => each(50, socket, 'HTTP/1.1 103 Early Hints\r\nLink: <a>\r\n\r\n'),
  (socket) => socket.destroy(),
  (socket) => socket.end('HTTP/1.1 000 x\r\nContent-Length: 0\r\n\r\n'),
  (socket) => socket.end('this is no HTTP\r\n\r\n'),
  (socket) => socket.end('HTTP/1.1 307 Temporary Redirect\r\nLocation: /\r\nContent-Length: 0\r\n\r\n'),
  (socket) =>
    socket.end(
      'HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\nRetry-After: 1e9\r\n\r\nabc',
    ),
];

function each(ms: number, socket: Socket, text: string): void {
  const timer = setInterval(() => socket.write(text), ms);
  socket.once('close', () => clearInterval(timer));
}

export interface HostileReceiver {
  /** The URL of a path on it. */
  url(path: string): string;
  /** The requests that it got so far. */
  readonly requests: number;
  stop(): void;
}

/** Starts a receiver on this machine that treats every request in the same manner. */
export async function startHostileReceiver(manner: Manner): Promise<HostileReceiver> {
  const sockets = new Set<Socket>();
  let requests = 0;
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('close', () => sockets.delete(socket));
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
      if (!text.includes('\r\n\r\n')) return;
      text = '';
      MANNERS[manner](socket, requests++);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: (path) => `http://127.0.0.1:${port}${path}`,
    get requests() {
      return requests;
    },
    stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
