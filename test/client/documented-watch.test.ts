import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

/** The game client that docs/players.md shows, which games copy. */
const page = readFileSync(join(import.meta.dirname, '../../docs/players.md'), 'utf8');
const code = /```js\n(function watch.+?)```/s.exec(page)![1]!;

class PlayedSocket {
  static readonly all: PlayedSocket[] = [];
  readonly url: string;
  readonly sent: unknown[] = [];
  onmessage!: (message: { data: string }) => void;
  onclose!: () => void;

  constructor(url: string) {
    this.url = url;
    PlayedSocket.all.push(this);
  }

  send(text: string): void {
    this.sent.push(JSON.parse(text));
  }

  close(): void {
    this.onclose();
  }

  receive(type: string, data: object): void {
    this.onmessage({ data: JSON.stringify({ type, timestamp: '2026-01-31T12:00:00.000Z', data }) });
  }
}

/** Starts the client, and returns the statuses that it has shown. */
function start(): string[] {
  const shown: string[] = [];
  const watch = new Function('WebSocket', `${code}; return watch;`)(PlayedSocket);
  watch('wss://example/live', 'token', ({ status }: { status: string }) => shown.push(status));
  return shown;
}

const match = { matchId: 'm-1' };
const ticket = (status: string, revision = 1) => ({
  ticket: { ticketId: 't-1', status, matchId: 'm-1' },
  revision,
});

beforeEach(() => {
  vi.useFakeTimers();
  PlayedSocket.all.length = 0;
});
afterEach(() => vi.useRealTimers());

describe('the game client of docs/players.md', () => {
  it('accepts a match that was found before it has connected', () => {
    const shown = start();
    const [socket] = PlayedSocket.all;
    socket!.receive('Ticket', { ...ticket('REQUIRES_ACCEPTANCE'), match });
    expect(socket!.sent).toEqual([{ action: 'accept', matchId: 'm-1' }]);
    socket!.receive('Done', { action: 'accept', matchId: 'm-1' });
    expect(shown).toEqual(['REQUIRES_ACCEPTANCE']);
  });

  it('reads the progress of a ready check, which has no match', () => {
    const shown = start();
    const [socket] = PlayedSocket.all;
    socket!.receive('Ticket', { ...ticket('REQUIRES_ACCEPTANCE', 1), match });
    socket!.receive('ReadyCheck', ticket('REQUIRES_ACCEPTANCE', 2));
    expect(shown).toEqual(['REQUIRES_ACCEPTANCE', 'REQUIRES_ACCEPTANCE']);
  });

  it.each(['COMPLETED', 'CANCELLED', 'TIMED_OUT', 'FAILED'])(
    'ends its connection when the ticket is %s',
    (status) => {
      start();
      const [socket] = PlayedSocket.all;
      const closed = vi.spyOn(socket!, 'close');
      socket!.receive('Ticket', ticket(status));
      socket!.receive('Done', { action: 'cancel' });
      expect(closed).toHaveBeenCalledOnce();
      vi.runAllTimers();
      expect(PlayedSocket.all).toHaveLength(1);
    },
  );

  it('connects again when a connection ends before the ticket has', () => {
    start();
    const [socket] = PlayedSocket.all;
    socket!.receive('Ticket', ticket('QUEUED'));
    socket!.receive('Problem', { title: 'Bad request', status: 400 });
    socket!.close();
    vi.advanceTimersByTime(5_000);
    const at = (status: string) => `wss://example/live?token=token&seen=${status}&pingSeconds=20`;
    expect(PlayedSocket.all.map(({ url }) => url)).toEqual([at('QUEUED'), at('QUEUED')]);
  });

  it('shows no state that is older than the last, even after it has reconnected', () => {
    const shown = start();
    PlayedSocket.all[0]!.receive('MatchFound', { ...ticket('PLACING', 5), match });
    PlayedSocket.all[0]!.receive('Ticket', ticket('QUEUED', 4));
    PlayedSocket.all[0]!.close();
    vi.advanceTimersByTime(5_000);
    PlayedSocket.all[1]!.receive('Ticket', ticket('QUEUED', 4));
    PlayedSocket.all[1]!.receive('Ticket', { ...ticket('COMPLETED', 6), match });
    expect(shown).toEqual(['PLACING', 'COMPLETED']);
  });

  it('says the last status that it has shown when it connects again', () => {
    start();
    const [socket] = PlayedSocket.all;
    socket!.receive('MatchFound', { ...ticket('PLACING'), match });
    socket!.close();
    vi.advanceTimersByTime(5_000);
    expect(PlayedSocket.all.at(-1)!.url).toContain('&seen=PLACING&');
  });
});
