import { setTimeout as sleep } from 'node:timers/promises';
import { LIMITS, type QueueDefinition } from '../../../lib/contract/queue-definition.ts';
import type { TicketView } from '../../../lib/contract/ticket.ts';
import type { AwsCall, AwsReply } from '../../../lib/local/aws-json.ts';
import type { InvocationReport } from '../../../lib/local/lambda.ts';
import type { LocalCloud } from '../../../lib/local/local-cloud.ts';
import type { CommandInterceptor } from '../../../lib/local/socket-api.ts';
import { inParallel } from '../../../lib/service/concurrency/in-parallel.ts';
import type { RandomSource } from '../../../lib/simulation/random.ts';

/** A player as the hostile tenant posts it: alone, and named by the stage. */
export interface NewPlayer {
  readonly skill: number;
  readonly attributes?: Readonly<Record<string, string | string[] | number>>;
}

/** Fewer than the throttle of the API lets pass at once. */
const POSTS_AT_ONCE = 16;

type Intercept = (call: AwsCall) => AwsReply | undefined;

export interface StageOptions {
  readonly cloud: LocalCloud;
  /** The hostile tenant's queue. */
  readonly queue: string;
  readonly random: RandomSource;
  /** How long the traffic of both is not measured. */
  readonly settleMs: number;
  /** The players who watch at once, where the harm is their number. */
  readonly watchers: number;
}

/** What a hostile tenant has to act with, and what of the service it may see. It ends with {@link end}. */
export class Stage {
  /** The name of a secret that signs webhooks. */
  readonly secret = 'neighbours';
  readonly cloud: LocalCloud;
  readonly random: RandomSource;
  readonly settleMs: number;
  readonly watchers: number;
  readonly #queue: string;
  readonly #ended = new AbortController();
  readonly #invocations: InvocationReport[] = [];
  readonly #owned: { stop(): unknown }[] = [];
  readonly #loops: Promise<void>[] = [];
  #intercept: Intercept | undefined;
  #interceptCommand: CommandInterceptor | undefined;
  #tickets = 0;

  constructor({ cloud, queue, random, settleMs, watchers }: StageOptions) {
    this.cloud = cloud;
    this.random = random;
    this.settleMs = settleMs;
    this.watchers = watchers;
    this.#queue = queue;
  }

  /** Observes the service: called with each invocation that ends. */
  invoked(invocation: InvocationReport): void {
    this.#invocations.push(invocation);
  }

  /** The invocations of a function that have ended on this stage. */
  invocations(service: string): readonly InvocationReport[] {
    return this.#invocations.filter((invocation) => invocation.service === service);
  }

  /** Answers calls of functions to AWS in place of the service; undefined passes a call on. */
  intercept(intercept: Intercept): void {
    this.#intercept = intercept;
  }

  intercepted(call: AwsCall): AwsReply | undefined {
    return this.#intercept?.(call);
  }

  /** Answers commands of functions to sockets in place of the service. */
  interceptCommand(intercept: CommandInterceptor): void {
    this.#interceptCommand = intercept;
  }

  interceptedCommand: CommandInterceptor = (method, connectionId) =>
    this.#interceptCommand?.(method, connectionId);

  /** Stops this with the stage. */
  owns<Part extends { stop(): unknown }>(part: Part): Part {
    this.#owned.push(part);
    return part;
  }

  /** Runs the work at this interval, also while the last one still runs. */
  every(ms: number, work: () => unknown): void {
    const timer = setInterval(() => void this.#unlessEnded(work), ms);
    this.owns({ stop: () => clearInterval(timer) });
  }

  /** Runs the work again and again, this many at a time. */
  loop(count: number, work: () => Promise<unknown>): void {
    const repeat = async () => {
      while (!this.#ended.signal.aborted) await this.#unlessEnded(work);
    };
    for (let i = 0; i < count; i++) this.#loops.push(repeat());
  }

  /** Resolves at the end of the stage at the latest. */
  async sleep(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.#ended.signal }).catch(() => {});
  }

  /** Sends a request; status 0 is one without a response. @param caller `backend`, `admin` or `player ID` */
  async send(
    method: string,
    path: string,
    body?: unknown,
    caller = 'backend',
    // biome-ignore lint/suspicious/noExplicitAny: each route has its own response
  ): Promise<{ readonly status: number; readonly body: any }> {
    try {
      const response = await fetch(this.cloud.url + path, {
        method,
        headers: {
          authorization: `Bearer ${caller}`,
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        signal: this.#ended.signal,
      });
      const text = await response.text();
      return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
    } catch (error) {
      return { status: 0, body: String(error) };
    }
  }

  /** Whether the service accepts the definition. */
  async puts(definition: QueueDefinition): Promise<boolean> {
    const { status } = await this.send('PUT', `/queues/${this.#queue}`, definition, 'admin');
    return status === 200 || status === 201;
  }

  async put(definition: QueueDefinition): Promise<void> {
    const { status, body } = await this.send('PUT', `/queues/${this.#queue}`, definition, 'admin');
    if (status !== 200 && status !== 201)
      throw new Error(`Expected the definition to be accepted, got ${status} ${JSON.stringify(body)}`);
  }

  /** Posts each player in a ticket of its own. Returns the ids of those that were accepted. */
  async post(players: readonly NewPlayer[], perBatch = 50): Promise<string[]> {
    return (await this.postTickets(players, perBatch)).map(({ ticketId }) => ticketId);
  }

  /** Posts each player in a ticket of its own. Returns the tickets that were accepted. */
  async postTickets(players: readonly NewPlayer[], perBatch = 50): Promise<TicketView[]> {
    const tickets = players.map((player) => {
      const ticketId = `${this.#queue}-${this.#tickets++}`;
      return { ticketId, players: [{ playerId: this.playerOf(ticketId), ...player }] };
    });
    const batches = Array.from({ length: Math.ceil(tickets.length / perBatch) }, (_, n) =>
      tickets.slice(n * perBatch, (n + 1) * perBatch),
    );
    const path = `/queues/${this.#queue}/ticket-batches`;
    const accepted = await inParallel(batches, POSTS_AT_ONCE, async (batch) => {
      const { body } = await this.send('POST', path, { tickets: batch });
      const results: { status: number; ticket: TicketView }[] = body?.results ?? [];
      return results.flatMap(({ status, ticket }) => (status === 201 ? [ticket] : []));
    });
    return accepted.flat();
  }

  playerOf(ticketId: string): string {
    return `of-${ticketId}`;
  }

  /** The matches of the tickets, when each has one. */
  async matchesOf(ticketIds: readonly string[]): Promise<string[]> {
    const found: string[] = [];
    for (let at = 0; at < ticketIds.length; at += LIMITS.ticketsPerBatchMax) {
      const some = ticketIds.slice(at, at + LIMITS.ticketsPerBatchMax);
      for (let matches: string[] = []; matches.length < some.length && !this.#ended.signal.aborted; ) {
        const { body } = await this.send('GET', `/tickets?ticketIds=${some.join()}`);
        const tickets: { matchId?: string }[] = body?.tickets ?? [];
        matches = tickets.flatMap(({ matchId }) => matchId ?? []);
        if (matches.length === some.length) found.push(...matches);
        else await this.sleep(200);
      }
    }
    return found;
  }

  /** Stops the hostile tenant: its requests end without a response, its receivers close. */
  async end(): Promise<void> {
    this.#ended.abort();
    await Promise.all(this.#owned.map((part) => part.stop()));
    await Promise.all(this.#loops);
  }

  async #unlessEnded(work: () => unknown): Promise<void> {
    if (!this.#ended.signal.aborted) await work();
  }
}
