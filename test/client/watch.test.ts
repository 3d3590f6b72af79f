import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type WebSocket as ServerSocket, WebSocketServer } from 'ws';
import {
  type Change,
  musterClient,
  type Problem,
  type Ticket,
  watchBySocket,
} from '../../lib/client/index.ts';
import { SocketSession } from '../../lib/client/socket-session.ts';

let server: WebSocketServer;
let url: string;
/** Called with each connection, and how many there were before it. */
let connected: (socket: ServerSocket, before: number) => void;
let received: unknown[];
beforeEach(async () => {
  server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await once(server, 'listening');
  url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}/live`;
  received = [];
  let count = 0;
  server.on('connection', (socket) => {
    socket.on('message', (data) => received.push(JSON.parse(String(data))));
    connected(socket, count++);
  });
});
afterEach(() => {
  for (const socket of server.clients) socket.terminate();
  server.close();
});

const ticketOf = (status: Ticket['status'], matchId?: string) =>
  ({ ticketId: 't', queue: 'q', status, players: [], ...(matchId && { matchId }) }) as unknown as Ticket;
const matchOf = (matchId: string, status: string, more: object = {}) => ({
  matchId,
  status,
  createdAt: `2026-01-01T00:00:0${matchId.at(-1)}.000Z`,
  ...more,
});
const say = (socket: ServerSocket, type: string, data: object) =>
  socket.send(JSON.stringify({ type, timestamp: '2026-01-01T00:00:00.000Z', data }));
const noPause = { pause: async () => {} };
const target = () => ({ url, token: 'token' });
const all = async (changes: AsyncIterable<Change>) => {
  const states: string[] = [];
  for await (const { type, ticket } of changes) states.push(`${type} ${ticket.status}`);
  return states;
};

describe('a ticket that is watched', () => {
  it('yields the ticket as it is, then each change, until its match has ended', async () => {
    connected = (socket) => {
      say(socket, 'Ticket', { ticket: ticketOf('QUEUED') });
      say(socket, 'MatchFound', { ticket: ticketOf('PLACING', 'm1'), match: matchOf('m1', 'PLACING') });
      const match = matchOf('m1', 'COMPLETED', { assignment: { address: 'a' } });
      say(socket, 'MatchAssigned', { ticket: ticketOf('COMPLETED', 'm1'), match, ready: true });
      const ended = { ...match, endedAt: '2026-01-01T01:00:00.000Z' };
      say(socket, 'MatchEnded', { ticket: ticketOf('COMPLETED', 'm1'), match: ended });
    };
    expect(await all(watchBySocket(target(), noPause))).toEqual([
      'Ticket QUEUED',
      'MatchFound PLACING',
      'MatchAssigned COMPLETED',
      'MatchEnded COMPLETED',
    ]);
  });

  it('yields no state twice when it connects again, and none that is older than the last', async () => {
    connected = (socket, before) => {
      const second = { ticket: ticketOf('PLACING', 'm2'), match: matchOf('m2', 'PLACING'), revision: 11 };
      if (before === 0) {
        say(socket, 'Ticket', { ticket: ticketOf('QUEUED'), revision: 10 });
        say(socket, 'MatchFound', {
          ticket: ticketOf('PLACING', 'm1'),
          match: matchOf('m1', 'PLACING'),
          revision: 1,
        });
        say(socket, 'MatchFound', second);
        say(socket, 'MatchFound', second);
        socket.close();
      } else {
        say(socket, 'Ticket', second);
        say(socket, 'MatchFailed', {
          ticket: ticketOf('QUEUED'),
          match: matchOf('m1', 'FAILED'),
          revision: 10,
        });
        // Without a match it would look as new as any.
        say(socket, 'Ticket', { ticket: ticketOf('QUEUED'), revision: 10 });
        say(socket, 'TicketCancelled', { ticket: ticketOf('CANCELLED'), revision: 99 });
      }
    };
    expect(await all(watchBySocket(target(), noPause))).toEqual([
      'Ticket QUEUED',
      'MatchFound PLACING',
      'TicketCancelled CANCELLED',
    ]);
  });

  it('accepts, declines and cancels on the socket, and reports what is rejected', async () => {
    const problems: Problem[] = [];
    connected = (socket) => {
      say(socket, 'Ticket', {
        ticket: ticketOf('REQUIRES_ACCEPTANCE', 'm1'),
        match: matchOf('m1', 'REQUIRES_ACCEPTANCE'),
      });
      socket.on('message', (data) => {
        const { action } = JSON.parse(String(data));
        if (action === 'accept')
          say(socket, 'Problem', { type: 'about:blank', title: 'Conflict', status: 409, detail: 'late' });
        if (action === 'cancel') say(socket, 'TicketCancelled', { ticket: ticketOf('CANCELLED') });
      });
    };
    const watch = watchBySocket(target(), { onProblem: (problem) => problems.push(problem) });
    for await (const { ticket } of watch) {
      if (ticket.status !== 'REQUIRES_ACCEPTANCE') continue;
      await watch.accept('m1');
      await watch.decline('m1');
      await watch.cancel();
    }
    expect(received).toEqual([
      { action: 'accept', matchId: 'm1' },
      { action: 'decline', matchId: 'm1' },
      { action: 'cancel' },
    ]);
    expect(problems.map(({ status }) => status)).toEqual([409]);
  });

  it('yields the change after which the players can play once, even when it is sent again', async () => {
    const match = matchOf('m1', 'COMPLETED');
    connected = (socket) => {
      const state = { ticket: ticketOf('COMPLETED', 'm1'), match, revision: 3 };
      say(socket, 'Ticket', state);
      for (let i = 0; i < 2; i++) say(socket, 'MatchFound', { ...state, ready: true });
      const ended = { ...match, endedAt: '2026-01-01T01:00:00.000Z' };
      say(socket, 'MatchEnded', { ticket: ticketOf('COMPLETED', 'm1'), match: ended, revision: 4 });
    };
    expect(await all(watchBySocket(target(), noPause))).toEqual([
      'Ticket COMPLETED',
      'MatchFound COMPLETED',
      'MatchEnded COMPLETED',
    ]);
  });

  it('pings with the state that it has seen', async () => {
    connected = (socket) => {
      say(socket, 'Ticket', { ticket: ticketOf('QUEUED') });
      socket.on('message', () => say(socket, 'TicketTimedOut', { ticket: ticketOf('TIMED_OUT') }));
    };
    await all(watchBySocket({ ...target(), pingSeconds: 0.01 }, noPause));
    expect(received[0]).toEqual({ action: 'ping', seen: { status: 'QUEUED' } });
  });

  it('pings with the match that it has seen, as a backfill has left it', async () => {
    const match = matchOf('m1', 'COMPLETED', { roster: 2 });
    connected = (socket) => {
      say(socket, 'Ticket', { ticket: ticketOf('COMPLETED', 'm1'), match });
      socket.on('message', () => say(socket, 'TicketTimedOut', { ticket: ticketOf('TIMED_OUT') }));
    };
    await all(watchBySocket({ ...target(), pingSeconds: 0.01 }, noPause));
    expect(received[0]).toEqual({
      action: 'ping',
      seen: { status: 'COMPLETED', matchId: 'm1', roster: 2 },
    });
  });

  it('pings as often as the first message says', async () => {
    connected = (socket) => {
      say(socket, 'Ticket', { ticket: ticketOf('QUEUED'), pingSeconds: 0.01 });
      socket.on('message', () => say(socket, 'TicketTimedOut', { ticket: ticketOf('TIMED_OUT') }));
    };
    expect(await all(watchBySocket(target(), noPause))).toEqual([
      'Ticket QUEUED',
      'TicketTimedOut TIMED_OUT',
    ]);
    expect(received[0]).toEqual({ action: 'ping', seen: { status: 'QUEUED' } });
  });

  it('says what it shows, and begins with the first change', async () => {
    const urls: (string | undefined)[] = [];
    server.on('connection', (_, { url: path }) => urls.push(path));
    connected = (socket, before) => {
      if (before === 0) socket.close();
      else
        socket.on('message', (data) => {
          received.push(JSON.parse(String(data)));
          say(socket, 'TicketTimedOut', { ticket: ticketOf('TIMED_OUT') });
        });
    };
    const states = all(watchBySocket({ ...target(), seen: 'QUEUED', pingSeconds: 0.01 }, noPause));
    expect(await states).toEqual(['TicketTimedOut TIMED_OUT']);
    expect(urls).toEqual(Array(2).fill('/live?token=token&seen=QUEUED&pingSeconds=0.01'));
    expect(received[0]).toEqual({ action: 'ping', seen: { status: 'QUEUED' } });
  });

  it('waits longer before each connection that follows a short one, and after a long one starts again', async () => {
    const tries: number[] = [];
    // The first pause is 1 to 2 s, and each further one twice as long.
    const pause = async (ms: number) => {
      tries.push(1 + Math.floor(Math.log2(ms / 1_000)));
    };
    const now = vi.spyOn(Date, 'now');
    connected = (socket, before) => {
      if (before === 5) {
        say(socket, 'TicketCancelled', { ticket: ticketOf('CANCELLED') });
        return;
      }
      say(socket, 'Ticket', { ticket: ticketOf('QUEUED') });
      if (before === 3) {
        const laterMs = Date.now() + 61_000;
        now.mockImplementation(() => laterMs);
      }
      socket.close();
    };
    const client = musterClient({ url: 'http://muster.example', pause });
    const states = all(client.watch({ ticketId: 't', watch: { url, tokens: { ann: 'token' } } }));
    await states.finally(() => now.mockRestore());
    expect(tries).toEqual([1, 2, 3, 1, 2]);
  });

  it('asks for a first message that does not come, before it connects again', () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const sent: string[] = [];
    let ends = 0;
    class Silent {
      static readonly OPEN = 1;
      readonly readyState = 1;
      send(text: string) {
        sent.push(text);
      }
      close() {
        ends++;
      }
    }
    new SocketSession(target(), {
      Socket: Silent as never,
      signal: undefined,
      onProblem: undefined,
      seen: () => undefined,
    });
    vi.advanceTimersByTime(45_000);
    expect(sent).toEqual(Array(3).fill('{"action":"ping"}'));
    expect(ends).toBe(0);
    vi.advanceTimersByTime(15_000);
    expect(ends).toBe(1);
  });

  it('asks for the whole ticket when it connects again with a match', async () => {
    const urls: (string | undefined)[] = [];
    server.on('connection', (_, { url: path }) => urls.push(path));
    connected = (socket, before) => {
      const match = matchOf('m1', 'COMPLETED');
      if (before === 0) say(socket, 'MatchFound', { ticket: ticketOf('COMPLETED', 'm1'), match });
      else
        say(socket, 'Ticket', { ticket: ticketOf('COMPLETED', 'm1'), match: { ...match, endedAt: 'now' } });
      socket.close();
    };
    const states = await all(watchBySocket({ ...target(), seen: 'QUEUED' }, noPause));
    expect(states).toEqual(['MatchFound COMPLETED', 'Ticket COMPLETED']);
    expect(urls).toEqual(['/live?token=token&seen=QUEUED&pingSeconds=300', '/live?token=token']);
  });

  it('connects again after an hour without a change', async () => {
    const now = vi.spyOn(Date, 'now');
    connected = (socket, before) => {
      if (before === 0) {
        say(socket, 'Ticket', { ticket: ticketOf('QUEUED') });
        socket.once('message', () => {
          const hourLaterMs = Date.now() + 3_600_000;
          now.mockImplementation(() => hourLaterMs);
          socket.close();
        });
      } else say(socket, 'TicketCancelled', { ticket: ticketOf('CANCELLED') });
    };
    const states = all(watchBySocket({ ...target(), pingSeconds: 0.01 }, noPause));
    expect(await states.finally(() => now.mockRestore())).toEqual([
      'Ticket QUEUED',
      'TicketCancelled CANCELLED',
    ]);
  });

  it('begins with the ticket as its caller has it, without a message', async () => {
    let path: string | undefined;
    server.on('connection', (_, request) => {
      path = request.url;
    });
    connected = (socket) => say(socket, 'TicketCancelled', { ticket: ticketOf('CANCELLED') });
    const client = musterClient({ url: 'http://muster.example', ...noPause });
    const ticket = { ...ticketOf('QUEUED'), watch: { url, tokens: { ann: 'token' }, pingSeconds: 20 } };
    expect(await all(client.watch(ticket))).toEqual(['Ticket QUEUED', 'TicketCancelled CANCELLED']);
    expect(path).toBe('/live?token=token&seen=QUEUED&pingSeconds=20');
  });

  it('ends with the reason of its signal', async () => {
    const stop = new AbortController();
    connected = (socket) => say(socket, 'Ticket', { ticket: ticketOf('QUEUED') });
    const states = (async () => {
      for await (const _ of watchBySocket(target(), { signal: stop.signal })) stop.abort(new Error('enough'));
    })();
    await expect(states).rejects.toThrow('enough');
  });

  it('ends its connection when the caller leaves the loop', async () => {
    const closed = Promise.withResolvers<void>();
    connected = (socket) => {
      socket.on('close', () => closed.resolve());
      say(socket, 'Ticket', { ticket: ticketOf('QUEUED') });
    };
    for await (const _ of watchBySocket(target(), noPause)) break;
    await closed.promise;
  });
});

describe('a ticket that is watched by long polls', () => {
  /** A service that tells these states, one at each poll. */
  const polled = (...states: Ticket[]) => {
    const asked: string[] = [];
    const fetch = (async (input: string) => {
      asked.push(String(input));
      return Response.json(states[Math.min(asked.length, states.length) - 1]);
    }) as unknown as typeof globalThis.fetch;
    return { asked, client: musterClient({ url: 'http://muster.example', fetch, ...noPause }) };
  };

  it('yields each state when the deployment has no sockets', async () => {
    const { client, asked } = polled(
      ticketOf('QUEUED'),
      ticketOf('PLACING', 'm'),
      ticketOf('COMPLETED', 'm'),
    );
    expect(await all(client.watch({ ticketId: 't' }))).toEqual([
      'Ticket QUEUED',
      'Ticket PLACING',
      'Ticket COMPLETED',
    ]);
    expect(asked[1]).toContain('waitSeconds=20&seen=QUEUED');
  });

  it('continues from the last state when a socket can no longer be opened', async () => {
    connected = (socket, before) => {
      if (before === 0) say(socket, 'Ticket', { ticket: ticketOf('QUEUED') });
      socket.close();
    };
    const { client } = polled(ticketOf('QUEUED'), ticketOf('CANCELLED'));
    const watch = { url, tokens: { ann: 'token' } };
    expect(await all(client.watch({ ticketId: 't', watch }))).toEqual(['Ticket QUEUED', 'Ticket CANCELLED']);
  });

  it('is used where there is no WebSocket', async () => {
    const { client } = polled(ticketOf('FAILED'));
    const watch = { url, tokens: { ann: 'token' } };
    const none = { WebSocket: null as never };
    expect(await all(client.watch({ ticketId: 't', watch }, none))).toEqual(['Ticket FAILED']);
    await expect(all(watchBySocket(target(), none))).rejects.toThrow('Expected a WebSocket');
  });

  it('accepts and cancels by requests', async () => {
    const { client, asked } = polled(ticketOf('CANCELLED'));
    const watch = client.watch({ ticketId: 't' });
    await watch.accept('m');
    await watch.cancel();
    expect(asked).toEqual(['http://muster.example/tickets/t/acceptance', 'http://muster.example/tickets/t']);
  });
});
