import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';

/** One player's connection. */
export interface Connection {
  /** Sends a value as JSON. Does nothing after the end. */
  send(message: unknown): void;
  close(): void;
}

export interface ConnectionEvents {
  message(message: unknown): void;
  ended(): void;
}

/** The longest message of a player, in bytes. */
const MESSAGE_MAX = 4_096;
const TEXT = 1;
const CLOSE = 8;
const PING = 9;
const PONG = 10;

/**
 * Accepts a WebSocket (RFC 6455): text messages of JSON without fragments, which is all that the lobby's page sends. A real
 * backend would use a library.
 */
export function acceptWebSocket(
  request: IncomingMessage,
  socket: Duplex,
  events: ConnectionEvents,
): Connection {
  const key = `${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`;
  const accept = createHash('sha1').update(key).digest('base64');
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
  );
  const write = (kind: number, text: Buffer) => {
    if (!socket.writable) return;
    const { length } = text;
    const header =
      length < 126
        ? Buffer.from([0x80 | kind, length])
        : length < 65_536
          ? Buffer.from([0x80 | kind, 126, length >> 8, length & 255])
          : undefined;
    if (header !== undefined) socket.write(Buffer.concat([header, text]));
  };
  let received = Buffer.alloc(0);
  socket.on('data', (chunk: Buffer) => {
    received = Buffer.concat([received, chunk]);
    for (;;) {
      const frame = firstFrame(received);
      if (frame === 'incomplete') return;
      if (frame === 'invalid') {
        socket.destroy();
        return;
      }
      received = received.subarray(frame.bytes);
      if (frame.kind === CLOSE) socket.end();
      else if (frame.kind === PING) write(PONG, frame.payload);
      else if (frame.kind === TEXT) {
        const message = parsed(frame.payload.toString());
        if (message !== undefined) events.message(message);
      }
    }
  });
  socket.on('error', () => socket.destroy());
  socket.on('close', () => events.ended());
  return {
    send: (message) => write(TEXT, Buffer.from(JSON.stringify(message))),
    close: () => socket.end(),
  };
}

interface Frame {
  readonly kind: number;
  readonly payload: Buffer;
  /** The length of the whole frame. */
  readonly bytes: number;
}

/** The first frame of what was received. Frames of a browser are masked. */
function firstFrame(data: Buffer): Frame | 'incomplete' | 'invalid' {
  if (data.length < 2) return 'incomplete';
  const isWhole = (data[0]! & 0x80) !== 0;
  const isMasked = (data[1]! & 0x80) !== 0;
  const short = data[1]! & 0x7f;
  if (!isWhole || !isMasked || short === 127) return 'invalid';
  const start = short === 126 ? 4 : 2;
  if (data.length < start + 4) return 'incomplete';
  const length = short === 126 ? data.readUInt16BE(2) : short;
  if (length > MESSAGE_MAX) return 'invalid';
  if (data.length < start + 4 + length) return 'incomplete';
  const mask = data.subarray(start, start + 4);
  const payload = Buffer.from(data.subarray(start + 4, start + 4 + length));
  for (let i = 0; i < payload.length; i++) payload[i]! ^= mask[i % 4]!;
  return { kind: data[0]! & 0x0f, payload, bytes: start + 4 + length };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
