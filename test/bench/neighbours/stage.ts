import { setTimeout as sleep } from 'node:timers/promises';
import type { QueueDefinition } from '../../../lib/contract/queue-definition.ts';
import type { AwsCall, AwsReply } from '../../../lib/local/aws-json.ts';
import type { InvocationReport } from '../../../lib/local/lambda.ts';
import type { LocalCloud } from '../../../lib/local/local-cloud.ts';
import type { RandomSource } from '../../../lib/simulation/random.ts';

/** A player as the hostile tenant posts it: alone, and named by the stage. */
export interface NewPlayer {
  readonly skill: number;
  readonly attributes?: Readonly<Record<string, string | string[] | number>>;
}

type Intercept = (call: AwsCall) => AwsReply | undefined;

/** What a hostile tenant has to act with, and what of the service it may see. It ends with {@link end}. */
export class Stage {
  /** The name of a secret that signs webhooks. */
  readonly secret = 'neighbours';
  readonly cloud: LocalCloud;
  readonly random: RandomSource;
  readonly #queue: string;
  readonly #ended = new AbortController();
  readonly #invocations: InvocationReport[] = [];
  readonly #owned: { stop(): unknown }[] = [];
  readonly #loops: Promise<void>[] = [];
  #intercept: Intercept | undefined;
  #tickets = 0;

  constructor(cloud: LocalCloud, queue: string, random: RandomSource) {
    this.cloud = cloud;
    this.random = random;
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
    const tickets = players.map((player) => {
      const ticketId = `${this.#queue}-${this.#tickets++}`;
      return { ticketId, players: [{ playerId: this.playerOf(ticketId), ...player }] };
    });
    const batches = Array.from({ length: Math.ceil(tickets.length / perBatch) }, (_, n) =>
      tickets.slice(n * perBatch, (n + 1) * perBatch),
    );
    const path = `/queues/${this.#queue}/ticket-batches`;
    const accepted = await Promise.all(
      batches.map(async (batch) => {
        const { body } = await this.send('POST', path, { tickets: batch });
        const results: { status: number }[] = body?.results ?? [];
        return batch.filter((_, n) => results[n]?.status === 201);
      }),
    );
    return accepted.flat().map(({ ticketId }) => ticketId);
  }

  playerOf(ticketId: string): string {
    return `of-${ticketId}`;
  }

  /** The matches of the tickets, when each has one. */
  async matchesOf(ticketIds: readonly string[]): Promise<string[]> {
    while (!this.#ended.signal.aborted) {
      const { body } = await this.send('GET', `/tickets?ticketIds=${ticketIds.join()}`);
      const tickets: { matchId?: string }[] = body?.tickets ?? [];
      const matches = tickets.flatMap(({ matchId }) => matchId ?? []);
      if (matches.length === ticketIds.length) return matches;
      await this.sleep(200);
    }
    return [];
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
