import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { type Ticket, watchBySocket } from '../../lib/client/index.ts';
import type { QueueDefinition } from '../../lib/contract/queue-definition.ts';
import { inParallel } from '../../lib/service/concurrency/in-parallel.ts';
import type { Report } from './watchers-cloud.ts';
import type { Service } from './watchers-service.ts';

/** How the first player of each duel waits. */
export type Waiting = 'unwatched' | 'watched' | 'presence';

export interface WaitsOptions {
  readonly waiting: Waiting;
  readonly duels: number;
  /** How long the first player of a duel waits for the other. */
  readonly waitMs: number;
  /** The time between two duels. */
  readonly everyMs: number;
}

/** What some waits have used, and when their matches were told. */
export interface Waits {
  readonly used: Report;
  /** For each duel from the response to its last POST to the message on the socket, ascending. Empty when nobody watches. */
  readonly messageMs: readonly number[];
  /** The same to the webhook. */
  readonly webhookMs: readonly number[];
  /** How much later than the webhook each message arrived, ascending. */
  readonly laterMs: readonly number[];
}

const LOOK_MS = 20;
/** Watchers that connect at the same time. */
const AT_ONCE = 32;

/** A queue in which a ticket can only be matched with that of its own opponent. */
function queueOf(name: string, more: Partial<QueueDefinition>): QueueDefinition {
  return {
    name,
    teamSize: 1,
    imbalance: { alpha: 1, p: 1, q: 2 },
    release: { policy: 'greedy' },
    tickSeconds: 1,
    // One bucket: a busy machine must not split it, which adds searches.
    buckets: [],
    timeoutSeconds: 3_600,
    attributes: { pair: { type: 'string' } },
    rules: [{ name: 'own opponent', type: 'same', attribute: 'pair' }],
    ...more,
  } as QueueDefinition;
}

function ticketOf(pair: string, ticketId: string) {
  return { ticketId, players: [{ playerId: ticketId, skill: 1_500, attributes: { pair } }] };
}

/**
 * Plays duels whose first player waits for the other, and watches the ticket with the client of the project. One duel before them
 * is not measured.
 */
export async function waits(service: Service, options: WaitsOptions): Promise<Waits> {
  const { muster, webhookUrl } = service;
  const { waiting, duels, waitMs, everyMs } = options;
  await muster.queues.put(
    queueOf(waiting, {
      webhooks: [{ url: webhookUrl, secret: 'bench', events: ['MatchFound'] }],
      ...(waiting === 'presence' && { presence: { graceSeconds: 15 } }),
    }),
  );
  await duel('before', 0);
  const before = await service.settled();
  const played = await Promise.all(
    Array.from({ length: duels }, async (_, i) => {
      await sleep(i * everyMs);
      return duel(String(i), waitMs);
    }),
  );
  const used = difference(await service.settled(), before);
  // Its searches go on for a while, and the next run must not pay for them.
  await muster.queues.delete(waiting);
  const watched = played.filter((one) => one.messageMs !== undefined);
  return {
    used,
    messageMs: ascending(watched.map(({ messageMs }) => messageMs!)),
    webhookMs: ascending(played.map(({ webhookMs }) => webhookMs)),
    laterMs: ascending(watched.map(({ messageMs, webhookMs }) => messageMs! - webhookMs)),
  };

  async function duel(pair: string, ms: number) {
    const first = `${waiting}-${pair}-first`;
    const ticket = await muster.post(waiting, ticketOf(pair, first));
    const told = waiting === 'unwatched' ? undefined : toldOfMatch(ticket.watch!, first);
    await sleep(ms);
    await told?.connected;
    await muster.post(waiting, ticketOf(pair, `${waiting}-${pair}-last`));
    const postedMs = performance.now();
    const messageAtMs = await told?.matched;
    let heardMs = service.heardMs(first);
    for (; heardMs === undefined; heardMs = service.heardMs(first)) await sleep(LOOK_MS);
    return {
      webhookMs: heardMs - postedMs,
      messageMs: messageAtMs === undefined ? undefined : messageAtMs - postedMs,
    };
  }
}

/** Watches a ticket that its player knows to be QUEUED: when it is connected, and at what time the message with the match comes. */
function toldOfMatch({ url, tokens, pingSeconds }: NonNullable<Ticket['watch']>, playerId: string) {
  const connected = Promise.withResolvers<void>();
  class Socket extends globalThis.WebSocket {
    constructor(at: string | URL) {
      super(at);
      this.addEventListener('open', () => connected.resolve());
    }
  }
  const target = { url, token: tokens[playerId]!, pingSeconds, seen: 'QUEUED' } as const;
  const watched = async () => {
    for await (const { match } of watchBySocket(target, { WebSocket: Socket })) {
      if (match !== undefined) return performance.now();
    }
    throw new Error('The ticket ended without a match');
  };
  return { connected: connected.promise, matched: watched() };
}

/** The memory of the service with some watchers. */
export interface Memory {
  readonly watchers: string;
  readonly rssMb: number;
  readonly heapMb: number;
}

export interface Crowd {
  readonly memory: readonly Memory[];
  readonly connected: number;
  /** Watchers that were told of the change of their ticket. */
  readonly told: number;
  /** The first refusal of a connection, when there was one. */
  readonly refusal: unknown;
}

/**
 * Lets more and more players watch, measures the memory at each number, lets each cancel its ticket over the socket, and ends all
 * connections. When a connection is refused, no more are made.
 *
 * @param numbers ascending
 */
export async function crowd({ muster, settled }: Service, numbers: readonly number[]): Promise<Crowd> {
  // No search runs while they connect.
  await muster.queues.put(queueOf('crowd', { tickSeconds: 60 }));
  const sockets: WebSocket[] = [];
  let refusal: unknown;
  const connect = async (i: number) => {
    if (refusal !== undefined) return;
    try {
      const { watch } = await muster.post('crowd', ticketOf(`${i}`, `crowd-${i}`));
      const socket = new WebSocket(`${watch!.url}?token=${watch!.tokens[`crowd-${i}`]}`);
      await once(socket, 'message');
      sockets.push(socket);
    } catch (error) {
      refusal ??= error;
    }
  };
  const memory: Memory[] = [{ watchers: 'none', ...(await settled()) }];
  for (const [at, number] of numbers.entries()) {
    const from = numbers[at - 1] ?? 0;
    await inParallel(
      Array.from({ length: number - from }, (_, i) => from + i),
      AT_ONCE,
      connect,
    );
    memory.push({ watchers: String(sockets.length), ...(await settled()) });
    if (refusal !== undefined) break;
  }
  let told = 0;
  await inParallel(sockets, AT_ONCE, async (socket) => {
    socket.send('{"action":"cancel"}');
    for (let type = ''; type !== 'TicketCancelled'; ) {
      const [data] = await once(socket, 'message');
      ({ type } = JSON.parse(String(data)));
    }
    told++;
  });
  memory.push({ watchers: `${told}, told of a change`, ...(await settled()) });
  for (const socket of sockets) socket.close();
  memory.push({ watchers: 'all gone', ...(await settled()) });
  return { memory, connected: sockets.length, told, refusal };
}

function difference(after: Report, before: Report): Report {
  const entries = Object.entries(after) as [keyof Report, number][];
  return Object.fromEntries(entries.map(([key, value]) => [key, value - before[key]])) as unknown as Report;
}

function ascending(numbers: readonly number[]): number[] {
  return [...numbers].sort((a, b) => a - b);
}
