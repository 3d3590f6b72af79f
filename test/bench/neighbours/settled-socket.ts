import { once } from 'node:events';
import type { WebSocket } from 'ws';

/** Resolves when a socket is open, or was refused. */
export async function settled(socket: WebSocket): Promise<void> {
  socket.on('error', () => {});
  await Promise.race([once(socket, 'open'), once(socket, 'close')]).catch(() => {});
}
