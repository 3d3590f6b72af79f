import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { musterClient, type QueueDefinition } from 'muster/client';
import { type RawData, type WebSocket, WebSocketServer } from 'ws';
import { Lobby } from './lobby.ts';

export interface LobbyOptions {
  /** The URL of Muster. */
  readonly musterUrl: string;
  /** The port on 127.0.0.1; 0 for any free port. */
  readonly port: number;
  /** Changes to the queue of the lobby. */
  readonly queue?: Partial<QueueDefinition> | undefined;
}

/** The longest message of a player, in bytes. */
const MESSAGE_MAX = 4_096;

/** The page's files by path. Nothing else is served. */
const FILES: Readonly<Record<string, readonly [file: string, type: string]>> = {
  '/': ['index.html', 'text/html; charset=utf-8'],
  '/page.js': ['page.js', 'text/javascript; charset=utf-8'],
  '/style.css': ['style.css', 'text/css; charset=utf-8'],
};

/** Starts a lobby: its page and its WebSockets. */
export async function startLobby({ musterUrl, port, queue }: LobbyOptions) {
  const server = createServer();
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const lobby = new Lobby(musterClient({ url: musterUrl }), {
    name: 'lobby',
    teamSize: 5,
    imbalance: { alpha: 1, p: 1, q: 2 },
    beta: 20,
    release: { policy: 'greedy' },
    tickSeconds: 1,
    timeoutSeconds: 120,
    acceptance: { timeoutSeconds: 20 },
    ...queue,
  });

  server.on('request', (request, response) => {
    const file = FILES[request.url ?? ''];
    if (request.method === 'GET' && file !== undefined) {
      const security = "default-src 'self'; connect-src 'self'; frame-ancestors 'none'";
      response.writeHead(200, { 'content-type': file[1], 'content-security-policy': security });
      response.end(readFileSync(join(import.meta.dirname, 'page', file[0])));
    } else response.writeHead(404).end();
  });

  const sockets = new WebSocketServer({ noServer: true, maxPayload: MESSAGE_MAX });
  server.on('upgrade', (request, socket, head) => {
    // Another site's page must not play for this one's visitor.
    if (request.headers.origin === undefined || request.headers.origin === url)
      sockets.handleUpgrade(request, socket, head, seat);
    else socket.destroy();
  });
  const seat = (connection: WebSocket) => {
    const playerId = lobby.enter({ send: (message) => connection.send(JSON.stringify(message)) });
    const failed = (error: unknown) => {
      console.error(error);
      const why = 'The lobby could not reach the matchmaker. Try again.';
      connection.send(JSON.stringify({ at: 'home', why }));
    };
    connection.on('message', (data) => void lobby.received(playerId, parsed(data)).catch(failed));
    connection.on('close', () => void lobby.left(playerId).catch(failed));
    // A message that is too long. The connection ends by itself.
    connection.on('error', () => {});
  };

  await lobby.open();
  return {
    url,
    stop: async () => {
      lobby.close();
      server.closeAllConnections();
      server.close();
    },
  };
}

/** What a page sends, which may be anything. */
function parsed(data: RawData): unknown {
  try {
    return JSON.parse(String(data));
  } catch {
    return undefined;
  }
}
