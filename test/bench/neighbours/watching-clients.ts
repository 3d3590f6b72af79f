/**
 * The sockets of the benchmark of neighbours, in a process of their own: the local cloud holds the other end of each, and a process has
 * a limit of open files.
 */
import { WebSocket } from 'ws';
import { inParallel } from '../../../lib/service/concurrency/in-parallel.ts';
import { settled } from './settled-socket.ts';

/** Connections that are opened at the same time. */
const OPENED_AT_ONCE = 32;

/** A message to the process: opens sockets, or asks for the messages that they have received. */
export type ClientCommand = { readonly open: readonly string[] } | 'count';
/** How many sockets are open, or how many messages have arrived. */
export type ClientReply = number;

let messages = 0;

process.on('message', async (command: ClientCommand) => {
  const reply: ClientReply = command === 'count' ? messages : await open(command.open);
  process.send!(reply);
});

async function open(urls: readonly string[]): Promise<number> {
  const sockets = await inParallel(urls, OPENED_AT_ONCE, async (url) => {
    const socket = new WebSocket(url);
    socket.on('message', () => messages++);
    await settled(socket);
    return socket;
  });
  return sockets.filter(({ readyState }) => readyState === WebSocket.OPEN).length;
}
