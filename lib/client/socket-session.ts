import type { Problem } from './api-types.ts';
import type { Change, SeenState, WatchTarget } from './watch-types.ts';

/** The options of a connection. */
export interface SessionOptions {
  readonly Socket: typeof globalThis.WebSocket;
  readonly signal: AbortSignal | undefined;
  readonly onProblem: ((problem: Problem) => void) | undefined;
  /** The state that the caller has seen, if any. */
  readonly seen: () => SeenState | undefined;
}

/** The pause between two pings, which keeps a connection from ending after the ten minutes of API Gateway. */
const PING_SECONDS = 300;
/** How long a client waits for the first message before it asks for it. After several requests it closes the connection. */
const FIRST_MESSAGE_MS = 15_000;
const ASKED_MAX = 3;

/** One connection to the socket of a ticket. */
export class SocketSession {
  readonly #socket: WebSocket;
  readonly #options: SessionOptions;
  readonly #received: Change[] = [];
  #wake: () => void = () => {};
  /** Whether the first message has arrived, or the connection is open and needs none. */
  isCurrent = false;
  #isOver = false;
  readonly #timer: ReturnType<typeof setInterval>;
  #pings: ReturnType<typeof setInterval> | undefined;
  #pingSeconds = Number.POSITIVE_INFINITY;

  constructor({ url, token, pingSeconds = PING_SECONDS }: WatchTarget, options: SessionOptions) {
    this.#options = options;
    const seen = options.seen();
    // A match has to be shown completely, so the client reports no state.
    const said = seen && !seen.matchId ? `&seen=${seen.status}&pingSeconds=${pingSeconds}` : '';
    this.#socket = new options.Socket(`${url}?token=${encodeURIComponent(token)}${said}`);
    this.#socket.onopen = () => {
      this.isCurrent ||= said !== '';
    };
    this.#socket.onmessage = ({ data }) => this.#take(String(data));
    this.#socket.onclose = this.end;
    this.#socket.onerror = this.end;
    options.signal?.addEventListener('abort', this.end, { once: true });
    let asked = 0;
    // Reconnecting would not help a service whose messages are throttled.
    this.#timer = setInterval(() => {
      if (this.isCurrent) clearInterval(this.#timer);
      else if (asked++ >= ASKED_MAX || !this.#ping()) this.end();
    }, FIRST_MESSAGE_MS);
    this.#pingEvery(pingSeconds);
  }

  /** Sends a frame. Returns false while there is no connection. */
  send(frame: object): boolean {
    if (this.#socket.readyState !== this.#options.Socket.OPEN) return false;
    this.#socket.send(JSON.stringify(frame));
    return true;
  }

  /** The messages of the service until the connection ends. */
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
    clearInterval(this.#timer);
    clearInterval(this.#pings);
    this.#options.signal?.removeEventListener('abort', this.end);
    this.#socket.close();
    this.#wake();
  };

  /** Pings at an interval, unless it already pings more often. */
  #pingEvery(seconds: number): void {
    if (seconds >= this.#pingSeconds) return;
    this.#pingSeconds = seconds;
    clearInterval(this.#pings);
    this.#pings = setInterval(() => this.#ping(), 1_000 * seconds);
  }

  #ping(): boolean {
    return this.send({ action: 'ping', seen: this.#options.seen() });
  }

  #take(text: string): void {
    const message = parsed(text);
    if (message === undefined) return;
    const { type, timestamp, data } = message;
    if (type === 'Problem') {
      this.#options.onProblem?.(data as unknown as Problem);
      return;
    }
    if (type === 'Ping') {
      this.#ping();
      return;
    }
    // In a queue with presence a client pings more often.
    if (data.pingSeconds !== undefined) this.#pingEvery(data.pingSeconds);
    if (data.ticket === undefined) return;
    this.isCurrent = true;
    const { ticket, match, revision, ready } = data;
    this.#received.push({ type, timestamp, ticket, match, revision, ready });
    this.#wake();
  }
}

interface Message {
  readonly type: string;
  readonly timestamp: string;
  readonly data: Partial<Pick<Change, 'ticket' | 'match' | 'revision' | 'ready'>> & {
    readonly pingSeconds?: number;
  };
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
