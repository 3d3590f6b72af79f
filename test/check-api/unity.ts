/** Plays clients/unity/Muster.cs on Mono: the journeys of a watched ticket on the local service, and what a hostile server sends. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type WebSocket, WebSocketServer } from 'ws';
import { musterClient } from '../../lib/client/index.ts';
import { startMuster } from '../../lib/local/start-muster.ts';
import { ROOT, run } from '../tools.ts';

/** The limit of a client that hangs. */
const PATIENCE_MS = 600_000;
const FAILING_SECONDS = 600;
const DUEL = {
  name: 'duel',
  teamSize: 1,
  imbalance: { alpha: 1, p: 1, q: 1 },
  release: { policy: 'greedy' },
  tickSeconds: 1,
  // A busy machine is neither a player who does not answer nor a server that does not start.
  timeoutSeconds: 3_600,
  acceptance: { timeoutSeconds: 900 },
  provisioner: { type: 'external', timeoutSeconds: 3_600 },
};

interface Said {
  readonly name: string;
  readonly type: string;
  readonly status?: string;
  readonly matchId?: string | null;
  readonly [field: string]: unknown;
}

/** @throws when the client does not report what the service sends */
export async function playUnity(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'muster-unity-'));
  const program = join(folder, 'watch.exe');
  const sources = ['clients/unity/Muster.cs', 'test/check-api/watch.cs'];
  await run(ROOT, 'mcs', '-warnaserror', `-out:${program}`, ...sources);
  const client = new MonoClient(program);
  try {
    await playService(client, folder);
    await playHostile(client);
    console.log(`unity: ${client.heard} events on Mono, all as expected`);
  } finally {
    client.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The program on Mono, and what it has said. */
class MonoClient {
  heard = 0;
  readonly #process: ChildProcess;
  readonly #said = new Map<string, Said[]>();
  #wake: () => void = () => {};

  constructor(program: string) {
    this.#process = spawn('mono', [program], { stdio: ['pipe', 'pipe', 'inherit'] });
    createInterface({ input: this.#process.stdout! }).on('line', (line) => {
      const said: Said = JSON.parse(line);
      this.heard++;
      this.#said.set(said.name, [...(this.#said.get(said.name) ?? []), said]);
      this.#wake();
    });
  }

  do(...words: readonly string[]): void {
    this.#process.stdin!.write(`${words.join(' ')}\n`);
  }

  /** The next event of a watch. @throws when it is not as expected, or does not come */
  async next(name: string, expected: Partial<Said>): Promise<Said> {
    const endMs = Date.now() + PATIENCE_MS;
    for (;;) {
      const next = this.#said.get(name)?.shift();
      const text = `Expected ${JSON.stringify(expected)} of ${name}, got ${JSON.stringify(next)}`;
      if (next !== undefined) {
        for (const [key, value] of Object.entries(expected)) if (next[key] !== value) throw new Error(text);
        return next;
      }
      if (Date.now() > endMs) throw new Error(text);
      await Promise.race([
        new Promise<void>((wake) => {
          this.#wake = wake;
        }),
        new Promise((wake) => setTimeout(wake, 1_000).unref()),
      ]);
    }
  }

  stop(): void {
    this.#process.kill();
  }
}

async function playService(client: MonoClient, folder: string): Promise<void> {
  const [queuesDir, dataDir] = [join(folder, 'queues'), join(folder, 'data')];
  mkdirSync(queuesDir);
  writeFileSync(join(queuesDir, 'duel.json'), JSON.stringify(DUEL));
  let cloud = await startMuster({ port: 0, queuesDir, dataDir });
  const muster = musterClient({ url: cloud.url });
  const line = await Line.to(cloud.url);
  /** Posts a ticket of one player, and watches it. */
  const post = async (name: string): Promise<void> => {
    const { watch } = await muster.post('duel', {
      ticketId: name,
      players: [{ playerId: name, skill: 1500 }],
    });
    const url = new URL(watch!.url);
    url.port = String(line.port);
    client.do('watch', name, url.href, watch!.tokens[name]!, String(FAILING_SECONDS), 'QUEUED');
  };
  /** Posts two tickets, and returns their match. */
  const found = async (...names: readonly [string, string]): Promise<string> => {
    for (const name of names) await post(name);
    const expected = { status: 'REQUIRES_ACCEPTANCE', teams: 2 };
    const [one] = await Promise.all(names.map((name) => client.next(name, expected)));
    return one!.matchId!;
  };
  try {
    // A whole round.
    const first = await found('ann', 'bob');
    for (const name of ['ann', 'bob']) client.do('accept', name, first);
    const both = (expected: Partial<Said>) =>
      Promise.all(['ann', 'bob'].map((name) => nextOf(client, name, expected)));
    await both({ status: 'PLACING' });
    await muster.assign(first, { address: '203.0.113.7', port: 7000 });
    await both({ status: 'COMPLETED', address: '203.0.113.7' });
    client.do('accept', 'ann', 'another-match');
    await client.next('ann', { type: 'Problem', code: 'TICKET_NOT_ACCEPTING' });
    await muster.end(first);
    await both({ ended: true });
    await both({ type: 'Ended', error: null });

    // One declines, and the other is cancelled by its player.
    client.do('decline', 'cem', await found('cem', 'dan'));
    await nextOf(client, 'cem', { status: 'CANCELLED' });
    await client.next('cem', { type: 'Ended', error: null });
    await nextOf(client, 'dan', { status: 'QUEUED' });
    client.do('cancel', 'dan');
    await nextOf(client, 'dan', { status: 'CANCELLED' });
    await client.next('dan', { type: 'Ended', error: null });

    // An answer while there is no connection is sent on the next one.
    const third = await found('eve', 'fay');
    line.cut();
    for (const name of ['eve', 'fay']) client.do('accept', name, third);
    line.mend();
    for (const name of ['eve', 'fay']) await nextOf(client, name, { status: 'PLACING', matchId: third });
    // A change while the service is down, or its sockets are lost, is seen afterwards.
    line.cut();
    await muster.assign(third, { address: '203.0.113.8' });
    await cloud.stop();
    cloud = await startMuster({ port: Number(new URL(cloud.url).port), queuesDir, dataDir });
    line.mend();
    for (const name of ['eve', 'fay'])
      await nextOf(client, name, { status: 'COMPLETED', address: '203.0.113.8' });
  } finally {
    line.stop();
    await cloud.stop();
  }
}

/**
 * The next event that is as expected; progress of a ready check may come before it. A state is expected by its fields: where the first
 * message of a connection shows it, its own event is a repetition, which the client does not report.
 */
async function nextOf(client: MonoClient, name: string, expected: Partial<Said>): Promise<Said> {
  for (;;) {
    const next = await client.next(name, {});
    const isIt = Object.entries(expected).every(([key, value]) => next[key] === value);
    if (isIt) return next;
    if (next.type !== 'ReadyCheck' && next.type !== 'Ticket')
      throw new Error(`Expected ${JSON.stringify(expected)} of ${name}, got ${JSON.stringify(next)}`);
  }
}

/** A TCP line to the service that can be cut. */
class Line {
  readonly #server = createServer((near) => this.#join(near));
  readonly #ends = new Set<Socket>();
  readonly #to: URL;
  #isCut = false;

  private constructor(to: string) {
    this.#to = new URL(to);
  }

  static async to(url: string): Promise<Line> {
    const line = new Line(url);
    line.#server.listen(0, '127.0.0.1');
    await once(line.#server, 'listening');
    return line;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  cut(): void {
    this.#isCut = true;
    for (const end of this.#ends) end.destroy();
  }

  mend(): void {
    this.#isCut = false;
  }

  stop(): void {
    this.cut();
    this.#server.close();
  }

  #join(near: Socket): void {
    if (this.#isCut) {
      near.destroy();
      return;
    }
    const far = connect(Number(this.#to.port), this.#to.hostname);
    for (const [end, other] of [
      [near, far],
      [far, near],
    ] as const) {
      this.#ends.add(end);
      end.on('error', () => other.destroy());
      end.on('close', () => {
        this.#ends.delete(end);
        other.destroy();
      });
      end.pipe(other);
    }
  }
}

const ticketOf = (status: string, more: object = {}) => ({
  ticketId: 't',
  queue: 'duel',
  status,
  players: [],
  ...more,
});
const LARGEST = Number.MAX_SAFE_INTEGER;

/** A server that loses pings, repeats itself, sends old states, and what no client knows. */
async function playHostile(client: MonoClient): Promise<void> {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await once(server, 'listening');
  const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}/live`;
  const say = (socket: WebSocket, type: string, data: object) =>
    socket.send(JSON.stringify({ type, timestamp: '2026-01-01T00:00:00.000Z', data }));
  const watched = async (name: string, ...seen: readonly string[]): Promise<[WebSocket, string]> => {
    client.do('watch', name, url, 'a+token', String(FAILING_SECONDS), ...seen);
    const [socket, request] = await once(server, 'connection');
    return [socket, request.url];
  };
  const frame = async (socket: WebSocket) => JSON.parse(String((await once(socket, 'message'))[0]));
  const same = (got: unknown, expected: unknown) => {
    if (JSON.stringify(got) !== JSON.stringify(expected))
      throw new Error(`Expected ${JSON.stringify(expected)}, got ${JSON.stringify(got)}`);
  };
  try {
    const [socket, path] = await watched('gus', 'QUEUED');
    same(path, '/live?token=a%2Btoken&seen=QUEUED&pingSeconds=300');
    const asked = frame(socket);
    say(socket, 'Ping', {});
    same(await asked, { action: 'ping', seen: { status: 'QUEUED' } });
    for (const text of ['', 'null', '[', '{"type":1}', '"\\u12"', '{"message":"Internal server error"}'])
      socket.send(text);
    say(socket, 'Unknown', { anything: [1, null, true] });
    const match = {
      matchId: 'm1',
      status: 'REQUIRES_ACCEPTANCE',
      teams: [{ players: [{ playerId: 'ann' }] }],
    };
    const asks = (ready: number) =>
      ticketOf('REQUIRES_ACCEPTANCE', {
        matchId: 'm1',
        acceptance: { deadline: '2026-01-01T00:00:30.000Z', ready, of: 10, players: [] },
      });
    const revision = LARGEST - 5;
    say(socket, 'MatchFound', { ticket: asks(0), match, revision });
    say(socket, 'MatchFound', { ticket: asks(0), match, revision });
    say(socket, 'Ticket', { ticket: ticketOf('QUEUED'), revision: revision - 1 });
    say(socket, 'ReadyCheck', { ticket: asks(7), revision: revision + 1 });
    await client.next('gus', { type: 'MatchFound', matchId: 'm1', accepted: '0/10', revision });
    await client.next('gus', { type: 'ReadyCheck', accepted: '7/10', revision: revision + 1 });
    const pinged = frame(socket);
    say(socket, 'Ticket', { ticket: asks(7), revision: revision + 1, pingSeconds: 1 });
    same(await pinged, { action: 'ping', seen: { status: 'REQUIRES_ACCEPTANCE', matchId: 'm1' } });
    await client.next('gus-connection', { type: 'open' });
    socket.terminate();
    const [again, { url: next }] = await once(server, 'connection');
    same(next, '/live?token=a%2Btoken');
    for (const type of ['ended', 'open']) await client.next('gus-connection', { type });
    const placing = { ticket: ticketOf('PLACING', { matchId: 'm1' }), revision: revision + 2 };
    say(again, 'Ticket', placing);
    await client.next('gus', { type: 'Ticket', status: 'PLACING', ready: false });
    say(again, 'MatchAccepted', placing);
    say(again, 'MatchAccepted', { ...placing, ready: true });
    await client.next('gus', { type: 'MatchAccepted', status: 'PLACING', ready: true });
    say(again, 'TicketCancelled', { ticket: ticketOf('CANCELLED', { reason: 'é"\\\n' }), revision: LARGEST });
    await client.next('gus', { type: 'TicketCancelled', status: 'CANCELLED', revision: LARGEST });
    await client.next('gus', { type: 'Ended', error: null });
    await client.next('gus-connection', { type: 'ended' });

    const [left] = await watched('hal');
    const closed = once(left, 'close');
    say(left, 'Ticket', { ticket: ticketOf('QUEUED'), revision: 1 });
    await client.next('hal', { type: 'Ticket', status: 'QUEUED' });
    client.do('leave', 'hal');
    await closed;
    client.do('watch', 'ida', 'ws://127.0.0.1:1/live', 'token', '0');
    await client.next('ida', { type: 'Ended', error: 'IOException' });
  } finally {
    for (const socket of server.clients) socket.terminate();
    server.close();
  }
}
