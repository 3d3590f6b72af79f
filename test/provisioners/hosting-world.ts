import { isDeepStrictEqual } from 'node:util';
import { gameSessions, placementOfEvent } from '../../lib/aws/game-sessions.ts';
import type { Assignment } from '../../lib/contract/match.ts';
import type { ProvisionerOptions } from '../../lib/contract/queue-definition.ts';
import { attemptOf } from '../../lib/provisioners/placement-attempts.ts';
import { provisioners } from '../../lib/provisioners/provisioners.ts';
import type { StoredMatch } from '../../lib/service/domain/stored-match.ts';
import type { StoredTicket } from '../../lib/service/domain/stored-ticket.ts';
import { backoffSeconds } from '../../lib/service/events/backoff.ts';
import { type ProvisionDeps, provision } from '../../lib/service/placement/provision.ts';
import type { GameSessionPlacement } from '../../lib/service/ports/game-sessions.ts';
import type { OutboundResult } from '../../lib/service/ports/outbound.ts';
import { match, NOW_MS, ticket } from '../aws/samples.ts';
import { definition } from '../service/definitions.ts';
import { type Fault, faultsOf, Killed } from '../service/faults.ts';
import type { Line } from '../service/virtual-cloud.ts';
import type { AgonesStandIn } from './agones-stand-in.ts';
import { clientOf, GameLiftStandIn } from './game-lift-stand-in.ts';

export const MATCH_ID = '3f0c8a6e-5d41-4b7a-9c02-1e6b7d2f4a90';
const SECOND_MS = 1_000;
/** SQS delivers the message of a killed function again after this time. */
const VISIBILITY_MS = 36 * SECOND_MS;
/** No placement of these tests takes longer. */
const TOO_LONG_MS = 3 * 3_600 * SECOND_MS;

interface Message {
  readonly dueMs: number;
  readonly tries: number;
  readonly news?: GameSessionPlacement;
}

/**
 * One match that is PLACING, the message with which it is placed, its deadline, and the service that hosts it, in virtual
 * time. A fault kills the function at its nth call to a port, counted over all its runs; SQS then delivers the message
 * again.
 */
export class HostingWorld {
  nowMs = NOW_MS;
  match: StoredMatch;
  tickets: StoredTicket[] = ['a', 'b'].map((id) => ticket('q', id, 1));
  readonly gameLift = new GameLiftStandIn(() => this.nowMs);
  agones: AgonesStandIn | undefined;
  /** The response to a request over HTTP, instead of that of Agones. */
  answer: ((body: string) => OutboundResult | undefined) | undefined;
  readonly secret: string = JSON.stringify({ cert: 'CERT', key: 'KEY', ca: 'CA' });
  readonly calls: string[] = [];
  /** What happens at a time, besides messages. */
  readonly plan: { dueMs: number; act(): void }[] = [];
  readonly messages: Message[] = [{ dueMs: NOW_MS, tries: 0 }];
  readonly #options: ProvisionerOptions;
  /** The line of the run of the function. */
  #line: Line = (_, effect) => effect();
  readonly #gameLiftClient = clientOf(this.gameLift, (operation, call) => this.#line(operation, call));
  readonly #fault: Fault | undefined;

  constructor(options: Exclude<ProvisionerOptions, { type: 'none' }>, fault?: Fault) {
    this.#options = options;
    this.#fault = fault;
    const deadlineMs = NOW_MS + (options.timeoutSeconds ?? 300) * SECOND_MS;
    const deadline = new Date(deadlineMs).toISOString();
    this.match = match('q', MATCH_ID, ['a', 'b'], { status: 'PLACING', deadline });
    this.plan.push({ dueMs: deadlineMs, act: () => this.#end('no assignment arrived') });
  }

  get isPlacing(): boolean {
    return this.match.status === 'PLACING';
  }

  /** Does something after this many seconds. */
  after(seconds: number, act: () => void): void {
    this.plan.push({ dueMs: NOW_MS + seconds * SECOND_MS, act });
  }

  /** Delivers the event of a placement. */
  hear(
    placementId: string,
    change: (event: ReturnType<GameLiftStandIn['eventOf']>) => object = (e) => e,
  ): void {
    const news = placementOfEvent(change(this.gameLift.eventOf(placementId)));
    if (attemptOf(news.placementId).matchId !== MATCH_ID)
      throw new Error(`not of this match: ${placementId}`);
    this.messages.push({ dueMs: this.nowMs, tries: 0, news });
  }

  /** Assigns the match from elsewhere, as a studio's PUT does. */
  assign(assignment: Assignment): void {
    const { deadline: _, ...rest } = this.match;
    this.match = { ...rest, status: 'COMPLETED', assignment };
  }

  /** Runs until no message is left. */
  async run(): Promise<void> {
    while (this.messages.length > 0) {
      this.nowMs = Math.max(
        this.nowMs,
        Math.min(...[...this.messages, ...this.plan].map(({ dueMs }) => dueMs)),
      );
      if (this.nowMs > NOW_MS + TOO_LONG_MS) throw new Error('Expected every message to be deleted.');
      for (const one of this.plan.filter(({ dueMs }) => dueMs <= this.nowMs)) {
        this.plan.splice(this.plan.indexOf(one), 1);
        one.act();
      }
      const next = this.messages.findIndex(({ dueMs }) => dueMs <= this.nowMs);
      if (next >= 0) await this.#receive(this.messages.splice(next, 1)[0]!);
    }
  }

  async #receive(message: Message): Promise<void> {
    const tries = message.tries + 1;
    const again = (ms: number) =>
      this.messages.push({ ...message, tries, dueMs: this.nowMs + Math.max(SECOND_MS, ms) });
    try {
      const result = await provision(this.#deps(), MATCH_ID, this.nowMs, message.news);
      if (result.outcome === 'waiting') again(result.afterMs);
      if (result.outcome === 'retry')
        again(SECOND_MS * backoffSeconds(tries, 0, { secondsMax: 60, withinMs: result.withinMs }));
    } catch (error) {
      if (!(error instanceof Killed)) throw error;
      again(VISIBILITY_MS);
    }
  }

  /** The ports of one run of the function. */
  #deps(): ProvisionDeps {
    const line = this.#newLine();
    this.#line = line;
    const reachable = this.agones !== undefined || this.answer !== undefined;
    return {
      outcomes: { add: async () => true, recent: async () => [] },
      failedShareMax: 1,
      presence: { of: async () => new Map() },
      queues: {
        get: () =>
          line('get queue', async () => ({
            definition: definition({ name: 'q', provisioner: this.#options }),
          })),
      } as never,
      matches: {
        get: () => line('get match', async () => this.match),
        assign: (_: string, assignment: Assignment) =>
          line('assign', async () => {
            if (this.isPlacing) this.assign(assignment);
            const isSame = isDeepStrictEqual(this.match.assignment, assignment);
            return { outcome: isSame ? 'assigned' : 'conflict', match: this.match };
          }),
        advance: (_: string, _from: string, _to: string, { reason }: { reason?: string }) =>
          line('advance', async () => this.#end(reason ?? 'none')),
      } as never,
      provisioners: provisioners({
        gameLift: {
          clock: { now: () => this.nowMs },
          tickets: {
            getMany: (ticketIds) =>
              line('get tickets', async () => {
                const asked = this.tickets.filter(({ ticketId }) => ticketIds.includes(ticketId));
                return new Map(asked.map((one) => [one.ticketId, one]));
              }),
          },
          sessions: gameSessions(() => this.#gameLiftClient),
        },
        ...(reachable && {
          overHttp: {
            clock: { now: () => this.nowMs },
            secrets: {
              get: () => line('get secret', async () => ({ outcome: 'found' as const, value: this.secret })),
            },
            outbound: { post: (_, body) => line('post', async () => this.#respond(body)) },
          },
        }),
      }),
    };
  }

  #respond(body: string): OutboundResult {
    const own = this.answer?.(body);
    if (own !== undefined) return own;
    const { status, body: answer } = this.agones!.allocate(JSON.parse(body));
    return { outcome: 'responded', status, body: JSON.stringify(answer) };
  }

  #newLine(): Line {
    let dead = false;
    return async (what, effect) => {
      if (dead) throw new Killed(`${what}, after it was killed`);
      this.calls.push(what);
      if (this.calls.length !== this.#fault?.call) return effect();
      dead = true;
      if (this.#fault.when === 'after') await effect();
      throw new Killed(`${this.#fault.when} ${what}`);
    };
  }

  #end(reason: string): boolean {
    if (!this.isPlacing) return false;
    const { deadline: _, ...rest } = this.match;
    this.match = { ...rest, status: 'FAILED', reason };
    return true;
  }
}

/**
 * Runs a scenario without a fault, and then with faults at its calls.
 * @param from which of the first faults is the first one: several scenarios share the faults in `npm test`
 * @param scenario runs a world to its end and checks it
 */
export async function withFaultsFrom(
  from: number,
  scenario: (fault: Fault | undefined) => Promise<HostingWorld>,
): Promise<number> {
  const { calls } = await scenario(undefined);
  for (const fault of faultsOf(calls, undefined, from)) await scenario(fault);
  return calls.length;
}
