import type { Problem } from './api-types.ts';
import type { Change, WatchTarget } from './watch-types.ts';

/** What a connection needs besides its target. */
export interface SessionOptions {
  readonly Socket: typeof globalThis.WebSocket;
  readonly signal: AbortSignal | undefined;
  readonly onProblem: ((problem: Problem) => void) | undefined;
  /** What was yielded last, for pings. */
  readonly seen: () => Change | undefined;
}

/** The pause between two pings, which keeps a connection from ending after the ten minutes of API Gateway. */
const PING_SECONDS = 300;
/** A connection whose first message takes longer is ended. */
const FIRST_MESSAGE_MS = 15_000;

/** One connection to the socket of a ticket. */
export class SocketSession {
  readonly #socket: WebSocket;
  readonly #options: SessionOptions;
  readonly #received: Change[] = [];
  #wake: () => void = () => {};
  #hasFirst = false;
  #isOver = false;
  readonly #timer: ReturnType<typeof setTimeout>;
  #pings: ReturnType<typeof setInterval> | undefined;
  #pingSeconds = Number.POSITIVE_INFINITY;

  constructor({ url, token, pingSeconds = PING_SECONDS }: WatchTarget, options: SessionOptions) {
    this.#options = options;
    this.#socket = new options.Socket(`${url}?token=${encodeURIComponent(token)}`);
    this.#socket.onmessage = ({ data }) => this.#take(String(data));
    this.#socket.onclose = () => this.end();
    this.#socket.onerror = () => this.end();
    options.signal?.addEventListener('abort', this.end, { once: true });
    this.#timer = setTimeout(() => this.#hasFirst || this.end(), FIRST_MESSAGE_MS);
    this.#pingEvery(pingSeconds);
  }

  /** Sends a frame. Returns false while there is no connection. */
  send(frame: object): boolean {
    if (this.#socket.readyState !== this.#options.Socket.OPEN) return false;
    this.#socket.send(JSON.stringify(frame));
    return true;
  }

  /** What the service sends, from the first message on, until the connection ends. */
  async *messages(): AsyncGenerator<Change> {
    for (;;) {
      const next = this.#received.shift();
      if (next !== undefined) {
        yield next;
        continue;
      }
      if (this.#isOver) return;
      await new Promise<void>((wake) => {
        this.#wake = wake;
      });
    }
  }

  readonly end = (): void => {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#timer);
    clearInterval(this.#pings);
    this.#options.signal?.removeEventListener('abort', this.end);
    this.#socket.close();
    this.#wake();
  };

  /** Pings at an interval, or more often if it is so already. */
  #pingEvery(seconds: number): void {
    if (seconds >= this.#pingSeconds) return;
    this.#pingSeconds = seconds;
    clearInterval(this.#pings);
    this.#pings = setInterval(() => this.#ping(), 1_000 * seconds);
  }

  #ping(): void {
    const last = this.#options.seen();
    // JSON leaves out what is undefined.
    const seen = last && {
      status: last.ticket.status,
      matchId: last.ticket.matchId,
      roster: last.match?.roster,
    };
    this.send({ action: 'ping', seen });
  }

  #take(text: string): void {
    const message = parsed(text);
    if (message === undefined) return;
    const { type, timestamp, data } = message;
    if (type === 'Problem') {
      this.#options.onProblem?.(data as unknown as Problem);
      return;
    }
    // What comes before the first message may be older than it.
    this.#hasFirst ||= type === 'Ticket';
    // In a queue with presence a client pings more often.
    if (data.pingSeconds !== undefined) this.#pingEvery(data.pingSeconds);
    if (!this.#hasFirst || data.ticket === undefined) return;
    const { ticket, match, ready } = data;
    this.#received.push({ type, timestamp, ticket, ...(match && { match }), ...(ready && { ready }) });
    this.#wake();
  }
}

interface Message {
  readonly type: string;
  readonly timestamp: string;
  readonly data: Partial<Pick<Change, 'ticket' | 'match' | 'ready'>> & { readonly pingSeconds?: number };
}

/** A message of the service; undefined for anything else, such as an error of API Gateway. */
function parsed(text: string): Message | undefined {
  try {
    const message = JSON.parse(text);
    return typeof message?.type === 'string' && typeof message.data === 'object' ? message : undefined;
  } catch {
    return undefined;
  }
}
