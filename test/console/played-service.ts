import { once } from 'node:events';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import type { DefinitionVersion } from '../../lib/contract/definition-versions.ts';
import type { ExperimentView } from '../../lib/contract/experiment-view.ts';
import type { LadderDefinition } from '../../lib/contract/ladder.ts';
import type { LadderOdds } from '../../lib/contract/ladder-views.ts';
import { gameJson, type MatchView } from '../../lib/contract/match.ts';
import { Problem } from '../../lib/contract/problem.ts';
import { parseQueueDefinition, type QueueDefinition } from '../../lib/contract/queue-definition.ts';
import type { QueueStats } from '../../lib/contract/queue-stats.ts';
import type { RatingView } from '../../lib/contract/rating.ts';
import type { TicketView } from '../../lib/contract/ticket.ts';
import type { WebhookTests } from '../../lib/contract/webhook-test.ts';
import type { Ticket } from '../../lib/engine/types.ts';
import { planTick, type TickMemory } from '../../lib/policies/plan.ts';
import { quantile } from '../../lib/service/queues/quantile.ts';
import { drawParty, type Population } from '../../lib/simulation/population.ts';
import { seededRandom } from '../../lib/simulation/random.ts';

/** How a queue of the stand-in is used. */
export interface PlayedQueue {
  readonly definition: QueueDefinition;
  readonly population: Population;
  /** Players who arrive at each tick. */
  readonly playersPerTick: number;
  /** Ticks to play before the start. */
  readonly ticks: number;
  /** Further tickets that wait from the start, for a queue that is not served. @default 0 */
  readonly stranded?: number;
}

export interface PlayedLadder {
  readonly odds: LadderOdds;
  readonly ratings: readonly RatingView[];
  readonly versions: DefinitionVersion<LadderDefinition>[];
}

/** A stand-in for the service that holds everything in memory: for pictures and measurements of the console. */
export interface PlayedService {
  readonly url: string;
  /** Plays one more tick of each queue that is served. */
  tick(): void;
  /** The messages that each consumer gave up. It may be changed. */
  readonly deadLetters: Record<string, number>;
  /** Statistics that a queue has instead of its own, by name. They may be changed. */
  readonly stats: Record<string, Partial<QueueStats>>;
  /** The experiments on queues, by name. They may be changed. */
  readonly experiments: Record<string, ExperimentView>;
  /** The odds of ladders, by name, the ratings of players, and the versions, newest first. They may be changed. */
  readonly ladders: Record<string, PlayedLadder>;
  /** The latest match of a queue. It may be changed. */
  latestMatch(queue: string): MatchView;
  /** The first match of a queue, which no list of latest ones has. It may be changed. */
  firstMatch(queue: string): MatchView;
  /** A ticket that waits in a queue. */
  waitingTicket(queue: string): Ticket;
  /** Any ticket. It may be changed. */
  ticket(ticketId: string): TicketView;
  stop(): Promise<void>;
}

/**
 * Serves the routes that the console reads, from queues played in memory by the engine and the policies. Their matches
 * are real ones. Unlike the local cloud it can hold 50 queues and 10,000 waiting tickets on a small machine.
 */
export async function startPlayedService(
  queues: readonly PlayedQueue[],
  nowMs: () => number,
): Promise<PlayedService> {
  const played = new Map(queues.map((queue) => [queue.definition.name, new QueueInMemory(queue, nowMs())]));
  const find = <T>(look: (queue: QueueInMemory) => T | undefined): T | undefined => {
    for (const queue of played.values()) {
      const found = look(queue);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  const deadLetters: Record<string, number> = { Tick: 0, Notify: 0 };
  const stats: Record<string, Partial<QueueStats>> = {};
  const experiments: Record<string, ExperimentView> = {};
  const ladders: PlayedService['ladders'] = {};
  const answer = (path: string, query: URLSearchParams): unknown => {
    const [, kind, name, what] = path.split('/').map(decodeURIComponent);
    if (kind === 'dead-letters') {
      const consumers = Object.entries(deadLetters).map(([consumer, messages]) => ({ consumer, messages }));
      return { consumers };
    }
    if (kind === 'queues' && name === undefined)
      return { queues: [...played.values()].map(({ definition }) => definition) };
    if (kind === 'queues') {
      const queue = played.get(name!);
      const limit = Number(query.get('limit') ?? 20);
      if (what === undefined) return queue?.definition;
      if (what === 'stats') return queue && { ...queue.stats(nowMs()), ...stats[name!] };
      if (what === 'matches') return queue && { matches: queue.matches.slice(-limit).reverse() };
      if (what === 'waiting') return queue?.sample(limit, nowMs());
      if (what === 'experiment') return queue && experiments[name!];
      if (what === 'versions') return queue && { versions: queue.versions };
    }
    if (kind === 'ladders' && what === 'odds') return ladders[name!]?.odds;
    if (kind === 'ladders' && what === 'versions')
      return ladders[name!] && { versions: ladders[name!]!.versions };
    if (kind === 'ladders') {
      const playerId = path.split('/').map(decodeURIComponent)[4];
      return ladders[name!]?.ratings.find((rating) => rating.playerId === playerId);
    }
    if (kind === 'matches') return find((queue) => queue.matches.find(({ matchId }) => matchId === name));
    if (kind === 'tickets' && name !== undefined) {
      const ticket = find((queue) => queue.tickets.get(name));
      const isExplained = query.get('explain') === 'true' && ticket?.status === 'QUEUED';
      return isExplained ? { ...ticket, reason: 'the stand-in does not search' } : ticket;
    }
    if (kind === 'tickets') {
      const ids = query.get('ticketIds')?.split(',') ?? [];
      return { tickets: ids.flatMap((id) => find((queue) => queue.tickets.get(id)) ?? []) };
    }
    return undefined;
  };
  const change = (path: string, text: string, ifMatch: string | undefined): unknown => {
    const [, kind, name, what, version] = path.split('/').map(decodeURIComponent);
    if (kind === 'ladders') return restored(ladders[name!]!.versions, Number(version));
    const queue = played.get(name!)!;
    if (what === 'webhooks') return { eventId: 'test-1', webhooks: TESTED };
    if (version !== undefined) return queue.restore(Number(version));
    if (ifMatch !== undefined && ifMatch !== queue.versions[0]!.etag)
      throw new Problem(412, 'Another version is in force.');
    return queue.put(parseQueueDefinition(text, 'the body'));
  };
  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url!, 'http://service');
    if (request.method !== 'GET') {
      try {
        const body = change(pathname, await text(request), request.headers['if-match']);
        const etag = request.method === 'PUT' && played.get(pathname.split('/')[2]!)!.versions[0]!.etag;
        response.writeHead(200, { 'content-type': 'application/json', ...(etag && { etag }) });
        response.end(JSON.stringify(body));
      } catch (error) {
        const problem = error as Problem;
        response.writeHead(problem.status, { 'content-type': 'application/problem+json' });
        response.end(JSON.stringify(problem.toDocument()));
      }
      return;
    }
    const body = answer(pathname, searchParams);
    response.writeHead(body === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(
      JSON.stringify(body ?? { title: 'Not found', status: 404, detail: `nothing at ${pathname}` }),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as { port: number }).port}`,
    tick() {
      for (const queue of played.values()) if (queue.isServed) queue.tick(nowMs());
    },
    experiments,
    ladders,
    deadLetters,
    stats,
    latestMatch: (queue) => played.get(queue)!.matches.at(-1)!,
    firstMatch: (queue) => played.get(queue)!.matches[0]!,
    waitingTicket: (queue) => played.get(queue)!.waitingTicket(),
    ticket: (ticketId) => find((queue) => queue.tickets.get(ticketId))!,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** How webhooks respond to a test. */
const TESTED: WebhookTests['webhooks'] = [
  { url: 'https://game.example/hook', isDelivered: true, status: 204, body: '', milliseconds: 12 },
  { url: 'https://old.example/hook', isDelivered: false, error: 'ENOTFOUND', milliseconds: 3 },
];

class QueueInMemory {
  definition: QueueDefinition;
  /** The newest first. */
  readonly versions: {
    version: number;
    definition: QueueDefinition;
    changedAt: string | null;
    changedBy: string | null;
    restored?: number;
    etag: string;
  }[] = [];
  readonly matches: MatchView[] = [];
  readonly tickets = new Map<string, TicketView>();
  readonly isServed: boolean;
  readonly #population: Population;
  readonly #playersPerTick: number;
  readonly #random;
  #waiting = new Map<string, Ticket>();
  #memory: TickMemory | undefined;
  #waits: number[] = [];
  #timedOut = 0;
  #tickAtMs = 0;
  #tickMilliseconds = 0;
  #number = 0;

  constructor({ definition, population, playersPerTick, ticks, stranded = 0 }: PlayedQueue, nowMs: number) {
    this.definition = definition;
    this.put(definition);
    this.isServed = stranded === 0;
    this.#population = population;
    this.#playersPerTick = playersPerTick;
    this.#random = seededRandom(1).fork(definition.name);
    const tickMs = 1_000 * definition.tickSeconds;
    for (let left = ticks; left > 0; left--) this.tick(nowMs - left * tickMs);
    for (let at = 0; at < stranded; at++) this.#enqueue(nowMs - 1_000 * this.#random.uniform() * 60);
  }

  tick(nowMs: number): void {
    const { tickSeconds } = this.definition;
    for (let came = 0; came < this.#playersPerTick; ) {
      came += this.#enqueue(nowMs - 1_000 * tickSeconds * this.#random.uniform());
    }
    const startMs = performance.now();
    const { matches, memory, timedOut } = planTick({
      rules: this.definition,
      tickets: [...this.#waiting.values()],
      nowMs,
      memory: this.#memory,
      reasons: false,
    });
    this.#tickMilliseconds = performance.now() - startMs;
    this.#memory = memory;
    this.#tickAtMs = nowMs;
    this.#timedOut += timedOut.length;
    for (const ticketId of timedOut) this.#waiting.delete(ticketId);
    for (const game of matches) {
      const matchId = `${this.definition.name}-match-${this.matches.length + 1}`;
      this.matches.push({
        matchId,
        queue: this.definition.name,
        status: 'COMPLETED',
        createdAt: new Date(nowMs).toISOString(),
        ...gameJson(game),
      } as MatchView);
      for (const ticketId of game.ticketIds) {
        const ticket = this.#waiting.get(ticketId)!;
        this.#waiting.delete(ticketId);
        this.#waits.push((nowMs - ticket.enqueuedAtMs) / 1_000);
        this.tickets.set(ticketId, { ...this.tickets.get(ticketId)!, status: 'COMPLETED', matchId });
      }
    }
  }

  #enqueue(atMs: number): number {
    this.#number += 1;
    const ticketId = `${this.definition.name}-${this.#number}`;
    const players = drawParty(this.#population, ticketId, this.#random).map((player) => ({
      ...player,
      skill: Math.round(player.skill),
    }));
    this.#waiting.set(ticketId, { ticketId, players, enqueuedAtMs: atMs });
    this.tickets.set(ticketId, {
      ticketId,
      queue: this.definition.name,
      status: 'QUEUED',
      enqueuedAt: new Date(atMs).toISOString(),
      players,
    } as TicketView);
    return players.length;
  }

  waitingTicket(): Ticket {
    const [ticket] = this.#waiting.values();
    return ticket!;
  }

  put(definition: QueueDefinition, more: { restored?: number } = {}): QueueDefinition {
    this.definition = definition;
    const version = this.versions.length + 1;
    const etag = `"${version}"`;
    this.versions.unshift({ version, definition, changedAt: null, changedBy: 'tester', ...more, etag });
    return definition;
  }

  restore(version: number) {
    const { definition } = this.versions.find((one) => one.version === version)!;
    this.put(definition, { restored: version });
    return this.versions[0]!;
  }

  stats(nowMs: number): QueueStats {
    const recent = this.matches.slice(-20);
    const waits = this.#waits.slice(-200).sort((a, b) => a - b);
    const oldest = Math.min(...[...this.#waiting.values()].map(({ enqueuedAtMs }) => enqueuedAtMs));
    const tickAt = this.#tickAtMs === 0 ? null : new Date(this.#tickAtMs).toISOString();
    return {
      queue: this.definition.name,
      at: new Date(nowMs).toISOString(),
      arrivals: null,
      waiting: this.#waiting.size,
      waitingAt: tickAt,
      oldestWaitSeconds: Number.isFinite(oldest) ? (this.#tickAtMs - oldest) / 1_000 : null,
      lastTickAt: tickAt,
      tickOverdueSeconds: 0,
      tickMilliseconds: this.#tickMilliseconds,
      recentMatches: {
        count: recent.length,
        imbalanceMean:
          recent.length === 0 ? null : recent.reduce((sum, one) => sum + one.imbalance, 0) / recent.length,
        waitSecondsP50: quantile(waits, 0.5) ?? null,
        waitSecondsP99: quantile(waits, 0.99) ?? null,
      },
      recentEnds: {
        tickets: this.#waits.length + this.#timedOut,
        timedOutShare: this.#timedOut / (this.#waits.length + this.#timedOut),
      },
      outcomes: {
        since: new Date(Math.max(0, this.#tickAtMs - 300_000)).toISOString(),
        tickets: { matched: this.#waits.length, timedOut: this.#timedOut, cancelled: 0, returned: 0 },
        matches: { found: this.matches.length, requeued: 0, ended: 0 },
      },
      searchesCut: 0,
    };
  }

  sample(limit: number, nowMs: number) {
    const inOrder = [...this.#waiting.values()]
      .map(({ players, enqueuedAtMs }) => ({
        skill: players.reduce((sum, { skill }) => sum + skill, 0) / players.length,
        size: players.length,
        ...(players[0]!.roles && { roles: [...new Set(players.flatMap(({ roles }) => roles ?? []))] }),
        ageSeconds: Math.max(0, (nowMs - enqueuedAtMs) / 1_000),
      }))
      .sort((a, b) => a.skill - b.skill);
    const step = Math.max(1, inOrder.length / limit);
    const waiting = Array.from(
      { length: Math.min(limit, inOrder.length) },
      (_, at) => inOrder[Math.floor(at * step)]!,
    );
    return { waiting, isComplete: waiting.length === inOrder.length };
  }
}

/** Puts a version of a ladder in force again. */
function restored(versions: PlayedLadder['versions'], version: number) {
  const wanted = versions.find((one) => one.version === version)!;
  const inForce = { ...wanted, version: versions[0]!.version + 1, restored: version };
  versions.unshift(inForce);
  return inForce;
}
