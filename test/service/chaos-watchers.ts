import { connectionStore } from '../../lib/aws/connection-store.ts';
import { toProblem } from '../../lib/aws/http.ts';
import type { ConnectQuery, WatchMessage } from '../../lib/contract/watch.ts';
import type { Connection, Watcher } from '../../lib/service/domain/connection.ts';
import type { PushRetry } from '../../lib/service/domain/push-retry.ts';
import type { Change } from '../../lib/service/events/publish.ts';
import type { Found, Sent, Sockets } from '../../lib/service/ports/sockets.ts';
import { answerFrame, type FrameDeps } from '../../lib/service/watching/answer-frame.ts';
import { connect } from '../../lib/service/watching/connect.ts';
import { type DisconnectDeps, disconnect } from '../../lib/service/watching/disconnect.ts';
import { type PushDeps, push } from '../../lib/service/watching/push.ts';
import { pushAgain } from '../../lib/service/watching/push-again.ts';
import { showTicket, stateOf } from '../../lib/service/watching/show-ticket.ts';
import { type RandomSource, seededRandom } from '../../lib/simulation/random.ts';
import type { ChaosAnswers } from './chaos-answers.ts';
import { type Presences, presenceViolations } from './chaos-presence.ts';
import type { Interleaving } from './interleaving.ts';
import type { VirtualCloud } from './virtual-cloud.ts';
import { watcherOf } from './watching/watcher-of.ts';

type Deps = VirtualCloud['deps'];
type StateMessage = Extract<WatchMessage, { data: { ticket: unknown } }>;

/** A connection of a client, as API Gateway has it. */
interface Socket {
  readonly client: Client;
  status: 'opening' | 'open' | 'closed';
}

/** A game client: it connects for as long as its ticket may change, and keeps what it was told. */
interface Client {
  readonly watcher: Watcher;
  /** Its newest connection; undefined while it has none. */
  connectionId: string | undefined;
  /** Every state that it was told, in order, but for those that are older than one before. */
  readonly told: StateMessage['data'][];
  /** When it said that it is there, and when its connections ended. */
  readonly presences: Presences;
}

/** As the template says. */
const RETRIES = 3;

/** The statuses of a ticket that has ended without a match. */
export const FINAL = ['CANCELLED', 'TIMED_OUT', 'FAILED'];
/** Changes in a batch of the stream, and the share of commands to sockets that API Gateway throttles or fails. */
const BATCH = 10;
const FAILED_SHARE = 0.05;

/**
 * Game clients that watch tickets of a run, connect, vanish and return at any moment, and the second reader of the streams, which
 * sends them changes. The sockets are API Gateway's: a connection opens after its function has ended, a message to one that is not
 * open finds no client, and some commands are throttled or fail after they took effect.
 */
export class ChaosWatchers {
  readonly #cloud: VirtualCloud;
  readonly #all: Interleaving;
  readonly #random: RandomSource;
  /** For what clients say when they connect: apart, so that what else a seed does stays. */
  readonly #saying: RandomSource;
  readonly #pickDeps: () => Deps;
  readonly #answers: ChaosAnswers;
  readonly #clients = new Map<string, Client>();
  readonly #sockets = new Map<string, Socket>();
  readonly #connections;
  readonly #newConnections: { readonly connection: Connection; readonly tries: number }[] = [];
  /** What its reader of the stream has not sent yet. */
  readonly #unsent: Change[] = [];
  #isSending = false;
  /** Tickets of which a change was given up, so that only a ping finds it. */
  readonly #missed = new Set<string>();
  /** For what API Gateway and the second reader do. */
  readonly #sending: RandomSource;
  #failedShare = FAILED_SHARE;
  #ids = 0;
  /** Messages that clients got, those of them about players who are ready, and connections that were made. */
  messages = 0;
  readyChecks = 0;
  connected = 0;

  /** @param seed of what clients do: a source of its own, so that what else a seed does stays */
  constructor(
    cloud: VirtualCloud,
    seed: number,
    all: Interleaving,
    connectionsTable: string,
    deps: () => Deps,
    answers: ChaosAnswers,
  ) {
    this.#answers = answers;
    this.#random = seededRandom(seed).fork('watchers');
    this.#saying = seededRandom(seed).fork('saying');
    this.#sending = seededRandom(seed).fork('sending');
    this.#cloud = cloud;
    this.#all = all;
    this.#pickDeps = deps;
    const stored = connectionStore(cloud.client, connectionsTable);
    this.#connections = {
      ...stored,
      // Its stream reports it.
      add: async (connection: Connection) => {
        await stored.add(connection);
        this.#newConnections.push({ connection, tries: 0 });
      },
    };
  }

  /** The stream has these changes. */
  changed(changes: readonly Change[]): void {
    this.#unsent.push(...changes);
  }

  /** Sends the changes of the stream in order, some again, until a batch succeeds. */
  send(): void {
    const answered = [...this.#cloud.answered];
    if (this.#isSending || this.#unsent.length + answered.length === 0) return;
    // A change that no try could send: Lambda moves it to the dead letters and continues.
    if (this.#unsent.length > 0 && this.#sending.uniform() < 0.02)
      this.#misses(ticketIdsOf(this.#unsent.shift()!));
    const batch = this.#unsent.slice(0, BATCH);
    const { changes } = this.#cloud;
    const repeated = this.#sending.uniform() < 0.2 ? [changes[this.#sending.integer(changes.length)]!] : [];
    this.#isSending = true;
    this.#all.begin(
      'push',
      async () => {
        await push(this.#pushDeps(), [...repeated, ...batch], answered);
        return true;
      },
      (isDone) => {
        this.#isSending = false;
        if (isDone === undefined) return;
        this.#unsent.splice(0, batch.length);
        this.#cloud.answered.splice(0, answered.length);
      },
    );
  }

  /** Sends what is left, without faults. */
  async sendAll(): Promise<void> {
    await push(this.#pushDeps(), this.#unsent.splice(0), this.#cloud.answered.splice(0));
  }

  #pushDeps(): PushDeps {
    const deps = this.#deps();
    // The time that other functions spend is not that of this one, which would not send all then.
    const nowMs = deps.clock.now();
    return { ...deps, clock: { ...deps.clock, now: () => nowMs } };
  }

  #misses(ticketIds: readonly string[]): void {
    for (const ticketId of ticketIds) this.#missed.add(ticketId);
  }

  #sendAgain(retry: PushRetry): void {
    this.#all.begin(
      `push again ${retry.ticketIds}`,
      () => pushAgain(this.#pushDeps(), retry),
      (result) => {
        if (result?.outcome === 'dropped') this.#misses(retry.ticketIds);
        if (result?.outcome === 'done' || result?.outcome === 'dropped') return;
        const { afterMs } = result ?? { afterMs: 1_000 };
        this.#cloud.pushRetries.push({ what: retry, dueMs: this.#cloud.nowMs + afterMs });
      },
    );
  }

  /** Some client does something. */
  async act(ticketIds: readonly string[]): Promise<void> {
    if (ticketIds.length === 0 || !this.#chance(0.15)) return;
    const latest = ticketIds.slice(-20);
    const ticketId = latest[this.#random.integer(latest.length)]!;
    const client = await this.#clientOf(ticketId);
    const { connectionId } = client;
    if (connectionId === undefined) this.#connect(client);
    else if (this.#chance(0.15)) this.#close(connectionId);
    else if (this.#isAsked(client)) this.#answer(client, connectionId);
    else if (this.#chance(0.2)) this.#frame(client, connectionId, { action: 'ping' });
    else if (this.#chance(0.05)) this.#frame(client, connectionId, { action: 'cancel' });
  }

  /** The stream delivers new connections, sometimes twice, and the queue what is tried again. */
  deliver(): void {
    for (const retry of this.#cloud.duePushRetries()) this.#sendAgain(retry);
    for (const { connection, tries } of this.#newConnections.splice(0)) {
      const times = this.#chance(0.1) ? 2 : 1;
      for (let i = 0; i < times; i++) this.#show(connection, tries);
    }
  }

  /** Lets every client connect that has no connection, and those ping whose change was given up. */
  settle(): void {
    this.#failedShare = 0;
    for (const { what } of this.#cloud.pushRetries.splice(0)) this.#sendAgain(what);
    for (const client of this.#clients.values()) {
      const { connectionId, watcher } = client;
      if (connectionId === undefined) this.#connect(client);
      else if (this.#missed.has(watcher.ticketId)) {
        const { ticket } = client.told.at(-1) ?? {};
        const { status, matchId } = ticket ?? {};
        const seen = status && { status, ...(matchId !== undefined && { matchId }) };
        this.#frame(client, connectionId, { action: 'ping', ...(seen && { seen }) });
      }
    }
    this.deliver();
  }

  /** Whether every client has a connection. */
  areConnected(): boolean {
    return [...this.#clients.values()].every(({ connectionId }) => connectionId !== undefined);
  }

  /** Clients whose last state is not that of their ticket, and what they were told in a wrong order. */
  async violations(): Promise<string[]> {
    const found: string[] = [];
    for (const { watcher, told } of this.#clients.values()) {
      const { ticketId } = watcher;
      const now = await stateOf(this.#cloud.deps, watcher);
      if (now === undefined) continue;
      const last = told.at(-1)?.ticket;
      if (last?.status !== now.ticket.status || last.matchId !== now.ticket.matchId)
        found.push(
          `who watches ${ticketId} was last told ${last?.status} ${last?.matchId}, and it is ${now.ticket.status} ${now.ticket.matchId}`,
        );
      found.push(...disorder(ticketId, told));
    }
    return found;
  }

  /** Matches that were made with players who had gone, and tickets that were cancelled although their player was there. */
  async absences(queue: string, changesMs: readonly number[]): Promise<string[]> {
    const { definition, presenceHeldUntilMs = 0 } = (await this.#cloud.deps.queues.get(queue))!;
    const { presence } = definition;
    if (presence === undefined) return [];
    const all = new Map([...this.#clients].map(([ticketId, { presences }]) => [ticketId, presences]));
    return presenceViolations(presence, all, this.#cloud.changes, changesMs, presenceHeldUntilMs);
  }

  /** Whether a client was told last that it has to accept a match. */
  #isAsked({ told }: Client): boolean {
    return told.at(-1)?.ticket.status === 'REQUIRES_ACCEPTANCE' && this.#chance(0.5);
  }

  #answer(client: Client, connectionId: string): void {
    const action = this.#chance(0.9) ? 'accept' : 'decline';
    this.#frame(client, connectionId, { action, matchId: client.told.at(-1)!.ticket.matchId });
  }

  #chance(share: number): boolean {
    return this.#random.uniform() < share;
  }

  #deps(): FrameDeps & PushDeps & DisconnectDeps {
    const deps = this.#pickDeps();
    return { ...deps, connections: this.#connections, sockets: this.#gateway() };
  }

  async #clientOf(ticketId: string): Promise<Client> {
    const known = this.#clients.get(ticketId);
    if (known !== undefined) return known;
    const watcher = await watcherOf(this.#cloud.deps, ticketId);
    const presences = { signs: [], ends: [] };
    const client: Client = { watcher, connectionId: undefined, told: [], presences };
    this.#clients.set(ticketId, client);
    return client;
  }

  #connect(client: Client): void {
    const connectionId = `connection-${this.#ids++}`;
    const socket: Socket = { client, status: 'opening' };
    this.#sockets.set(connectionId, socket);
    client.connectionId = connectionId;
    const fromMs = this.#cloud.nowMs;
    const said = this.#said(client);
    this.#all.begin(
      `connect ${connectionId} ${client.watcher.ticketId}`,
      async () => {
        await connect(this.#deps(), client.watcher, connectionId, this.#cloud.nowMs, said);
        return true;
      },
      (isDone) => {
        client.presences.signs.push({ fromMs, untilMs: this.#cloud.nowMs, isSure: isDone !== undefined });
        if (isDone === undefined || socket.status === 'closed') this.#close(connectionId);
        else {
          socket.status = 'open';
          this.connected++;
        }
      },
    );
  }

  /** Some clients say what they show: the ticket as it was posted, or as they were told, while it has no match. */
  #said({ told, watcher }: Client): ConnectQuery {
    if (this.#saying.uniform() < 0.5) return {};
    if (told.length === 0)
      told.push({
        ticket: { ticketId: watcher.ticketId, status: 'QUEUED' },
        revision: 0,
      } as StateMessage['data']);
    const { status, matchId } = told.at(-1)!.ticket;
    return matchId === undefined
      ? { seen: status, pingSeconds: this.#saying.uniform() < 0.5 ? 20 : 300 }
      : {};
  }

  #close(connectionId: string): void {
    const socket = this.#sockets.get(connectionId)!;
    const { client } = socket;
    socket.status = 'closed';
    if (client.connectionId === connectionId) client.connectionId = undefined;
    client.presences.ends.push(this.#cloud.nowMs);
    // API Gateway reports an end as well as it can.
    if (this.#chance(0.7))
      this.#all.begin(`disconnect ${connectionId}`, () =>
        disconnect(this.#deps(), client.watcher, connectionId, this.#cloud.nowMs),
      );
  }

  #show(connection: Connection, tries: number): void {
    this.#all.begin(
      `show ${connection.connectionId}`,
      async () => {
        await showTicket(this.#deps(), connection);
        return true;
      },
      (isDone) => {
        if (isDone !== undefined) return;
        // Lambda delivers it again. When it gives up, the client waits in vain for its first message, and connects again.
        if (tries < RETRIES) this.#newConnections.push({ connection, tries: tries + 1 });
        else this.#close(connection.connectionId);
      },
    );
  }

  #frame(client: Client, connectionId: string, frame: object): void {
    if (this.#sockets.get(connectionId)?.status !== 'open') return;
    const fromMs = this.#cloud.nowMs;
    this.#all.begin(
      `frame ${connectionId} ${JSON.stringify(frame)}`,
      () => answerFrame(this.#deps(), client.watcher, connectionId, JSON.stringify(frame), toProblem),
      // A frame may be answered with a problem, so it may have said nothing.
      () => client.presences.signs.push({ fromMs, untilMs: this.#cloud.nowMs, isSure: false }),
    );
  }

  /** The commands of API Gateway. Each passes the line, so other calls may come before it. */
  #gateway(): Sockets {
    /** Half of the commands that fail take effect. */
    const on = <T>(what: string, effect: () => T, failed: T) =>
      this.#cloud.pass(what, async () => {
        const fails = this.#sending.uniform() < this.#failedShare;
        if (fails && this.#sending.uniform() < 0.5) return failed;
        const result = effect();
        return fails ? failed : result;
      });
    return {
      send: (connectionId, message) => on<Sent>('send', () => this.#take(connectionId, message), 'failed'),
      find: (connectionId) =>
        on<Found>(
          'find',
          () => (this.#sockets.get(connectionId)?.status === 'open' ? 'open' : 'gone'),
          'failed',
        ),
      close: (connectionId) =>
        on(
          'close',
          () => {
            const socket = this.#sockets.get(connectionId);
            if (socket?.status === 'open') this.#close(connectionId);
            return true;
          },
          false,
        ),
    };
  }

  #take(connectionId: string, text: string): Sent {
    const socket = this.#sockets.get(connectionId);
    if (socket === undefined || socket.status !== 'open') return 'gone';
    const message: WatchMessage = JSON.parse(text);
    this.messages++;
    if (message.type === 'ReadyCheck') this.readyChecks++;
    if (message.type === 'Done' && message.data.matchId !== undefined) {
      const { matchId, action } = message.data;
      this.#answers.tell(matchId, [socket.client.watcher.playerId], action === 'accept');
    }
    if (!('ticket' in message.data)) return 'sent';
    const { told } = socket.client;
    const { data } = message as StateMessage;
    // What was sent before the last state says nothing more.
    if (data.revision >= (told.at(-1)?.revision ?? 0)) told.push(data);
    return 'sent';
  }
}

function ticketIdsOf({ after }: Change): readonly string[] {
  return 'ticketIds' in after ? after.ticketIds : [after.ticketId];
}

/** States that come back after others: a final one that is left, or a match that was left before. */
function disorder(ticketId: string, told: readonly StateMessage['data'][]): string[] {
  const found: string[] = [];
  const left = new Set<string>();
  let last = '';
  let over = '';
  for (const { ticket } of told) {
    const { status, matchId = '' } = ticket;
    if (over !== '' && status !== over)
      found.push(`who watches ${ticketId} was told ${over}, then ${status}`);
    if (FINAL.includes(status)) over = status;
    const state = `${matchId} ${status}`;
    if (state !== last && matchId !== '' && left.has(state))
      found.push(`who watches ${ticketId} was told "${state}" again after "${last}"`);
    left.add(state);
    last = state;
  }
  return found;
}
