import type { Problem, Ticket } from './api-types.ts';
import { type Backoff, delayMs, pause } from './backoff.ts';
import { MusterUnreachable } from './errors.ts';
import type { ClientOptions, RequestOptions, Sender } from './requests.ts';
import { SocketSession } from './socket-session.ts';
import { isFinal, pollsOf, readyIn } from './wait-for-match.ts';
import type { Change, SeenState, WatchTarget } from './watch-types.ts';

export interface WatchOptions extends RequestOptions {
  /**
   * The player whose token opens the socket.
   * @default the first player of the ticket
   */
  readonly playerId?: string | undefined;
  /** Called when the service rejects an action such as {@link Watch.accept}. @default - the rejection is ignored */
  readonly onProblem?: ((problem: Problem) => void) | undefined;
  /**
   * Replaces the runtime's `WebSocket`; null: none is used.
   * @default globalThis.WebSocket, which browsers and Node 22 have
   */
  readonly WebSocket?: typeof globalThis.WebSocket | null | undefined;
}

/** A watched ticket: an iterable of its changes. It connects when the iteration starts. */
export interface Watch extends AsyncIterable<Change> {
  /**
   * Accepts a match. By a socket or with the token of a player, it answers for this player where each player answers, otherwise
   * for the ticket. The effect arrives as a change.
   */
  accept(matchId: string): Promise<void>;
  /** Declines a match in the same way. */
  decline(matchId: string): Promise<void>;
  /** Cancels the ticket. */
  cancel(): Promise<void>;
}

/** A ticket as it was posted or read; without its status, a `Ticket` comes first. */
export type WatchedTicket = Ticket | (Pick<Ticket, 'ticketId' | 'watch'> & { readonly status?: never });

/**
 * The delays before a further connection. API Gateway opens 500 a second for an account, and all clients of a service may lose theirs
 * at the same moment.
 */
const BACKOFF: Backoff = { firstMs: 2_000, maxMs: 60_000 };
/** After a connection of at least this time, the delays start again. */
const STEADY_MS = 60_000;
/** How long connections may fail in a row without an alternative, in milliseconds. A deployment takes less. */
const FAILING_MS = 600_000;
/** After this many connections in a row without a message, long polls are used, if the client can poll. */
const FAILED_MAX = 4;

/** How the changes of a ticket are read, and how actions are sent without a socket. */
interface WatchSource {
  readonly target: WatchTarget | undefined;
  /** The ticket as the caller has it. */
  readonly known?: Change | false;
  readonly pause: Sender['pause'];
  /** Reads changes by long polls, if the client can send requests. */
  readonly polls?: ((last: Ticket | undefined) => AsyncIterable<Change>) | undefined;
  /** Sends an action as a request while there is no socket. */
  readonly act: (action: 'accept' | 'decline' | 'cancel', matchId?: string) => Promise<unknown>;
}

/**
 * Watches a ticket by its socket. It reconnects with growing delays when the connection ends, and yields each state once. It ends
 * when the ticket has ended without a match, when its match has ended, or with the signal.
 */
function watchBy(source: WatchSource, { signal, onProblem, WebSocket }: WatchOptions): Watch {
  const Socket = WebSocket === undefined ? globalThis.WebSocket : WebSocket;
  let session: SocketSession | undefined;
  const send = async (action: 'accept' | 'decline' | 'cancel', matchId?: string) => {
    // JSON omits what is undefined.
    if (!session?.send({ action, matchId })) await source.act(action, matchId);
  };
  async function* changes(): AsyncGenerator<Change> {
    const { known } = source;
    const seen = new Seen(source.target?.seen);
    if (known && seen.isNews(known)) yield known;
    let answeredMs = Date.now();
    let delays = 0;
    for (let failed = 0; ; ) {
      signal?.throwIfAborted();
      const { target } = source;
      if (target === undefined || !Socket || (failed >= FAILED_MAX && source.polls)) {
        if (source.polls === undefined)
          throw new TypeError('Expected a WebSocket, got none: pass the option WebSocket.');
        yield* source.polls(seen.last?.ticket);
        return;
      }
      if (Date.now() - answeredMs >= FAILING_MS)
        throw new MusterUnreachable(
          `watch ${target.url}`,
          new Error('No connection for ten minutes: no network, or an invalid token'),
        );
      session = new SocketSession(target, { Socket, signal, onProblem, seen: () => seen.state });
      const beganMs = Date.now();
      for await (const change of session.messages()) {
        failed = 0;
        if (!seen.isNews(change)) continue;
        yield change;
        if (isOver(change)) return;
      }
      if (session.isCurrent) answeredMs = Date.now();
      failed++;
      delays = session.isCurrent && Date.now() - beganMs >= STEADY_MS ? 1 : delays + 1;
      await source.pause(BACKOFF, delays, signal);
    }
  }
  return {
    async *[Symbol.asyncIterator]() {
      try {
        yield* changes();
      } finally {
        session?.end();
      }
    },
    accept: (matchId) => send('accept', matchId),
    decline: (matchId) => send('decline', matchId),
    cancel: () => send('cancel'),
  };
}

/**
 * Watches a ticket in a game client that has only the URL and the token from its backend. It needs no other credentials, and
 * reconnects when a connection ends.
 *
 * @throws MusterUnreachable during the iteration, after ten minutes without a connection: a WebSocket cannot distinguish a
 * rejected token from a failing network
 */
export function watchBySocket(
  target: WatchTarget,
  options: WatchOptions & Pick<ClientOptions, 'pause'> = {},
): Watch {
  const act = async () => {
    throw new Error('No connection. Try again after the next change.');
  };
  const wait = options.pause ?? pause;
  const paused: WatchSource['pause'] = (backoff, tries, signal) =>
    wait(delayMs(backoff, tries, Math.random), signal);
  return watchBy({ target, pause: paused, act }, options);
}

/** Watches a ticket of a client that can also send requests. */
export function watchTicket(
  sender: Sender,
  ticket: WatchedTicket,
  options: WatchOptions & Pick<WatchSource, 'act'>,
): Watch {
  const { ticketId, watch } = ticket;
  const tokens = Object.entries(watch?.tokens ?? {});
  const { playerId = tokens[0]?.[0] } = options;
  const token = tokens.find(([one]) => one === playerId)?.[1];
  const target = watch && token !== undefined ? { ...watch, token } : undefined;
  const polls = (last: Ticket | undefined) => changesByPolls(sender, ticketId, last, options);
  // A ticket whose status has changed needs a message with its match.
  const known = ticket.status === 'QUEUED' && { type: 'Ticket', timestamp: new Date().toISOString(), ticket };
  return watchBy({ target, known, pause: sender.pause, polls, act: options.act }, options);
}

/** The changes of a ticket by long polls, until it has ended or has its match. */
async function* changesByPolls(
  sender: Sender,
  ticketId: string,
  last: Ticket | undefined,
  { signal }: RequestOptions,
): AsyncGenerator<Change> {
  for await (const ticket of pollsOf(sender, ticketId, { last, signal })) {
    yield { type: 'Ticket', timestamp: new Date().toISOString(), ticket };
    if (isFinal(ticket.status)) return;
  }
}

/** Whether no change can follow: the ticket has ended without a match, or its match has ended. */
function isOver({ ticket, match }: Change): boolean {
  return (isFinal(ticket.status) && ticket.status !== 'COMPLETED') || match?.endedAt !== undefined;
}

/** The state that was yielded last. */
class Seen {
  last: Change | undefined;
  readonly #status: Ticket['status'] | undefined;

  /** @param status the status that the caller already shows */
  constructor(status: Ticket['status'] | undefined) {
    this.#status = status;
  }

  /** The state for pings and for the next connection. JSON omits undefined fields. */
  get state(): SeenState | undefined {
    const { ticket, match } = this.last ?? {};
    const status = ticket?.status ?? this.#status;
    return status && { status, matchId: ticket?.matchId, roster: match?.roster };
  }

  /** Whether a change is new. One that was sent before the last one and arrives after it is not. */
  isNews(change: Change): boolean {
    const last = this.last;
    if (last !== undefined) {
      if (change.revision! < last.revision!) return false;
      if (signOf(last) === signOf(change) && (!change.ready || last.ready)) return false;
    }
    this.last = change;
    return true;
  }
}

function signOf({ ticket, match }: Change): string {
  const { matchId, status, roster, assignment, endedAt } = match ?? {};
  return JSON.stringify([
    ticket.status,
    ticket.matchId,
    readyIn(ticket),
    matchId,
    status,
    roster,
    assignment?.address,
    endedAt,
  ]);
}
