import {
  type Match,
  type MatchResult,
  MusterProblem,
  musterClient,
  type QueueDefinition as PlainDefinition,
  type ReadDefinition,
} from '../../../client/index.ts';
import type { PlayerCooldown } from '../../../contract/cooldown.ts';
import type { DeadLetters } from '../../../contract/dead-letters.ts';
import type { ExperimentView } from '../../../contract/experiment-view.ts';
import type { LadderDefinition } from '../../../contract/ladder.ts';
import type { LadderOdds } from '../../../contract/ladder-views.ts';
import type { MatchView } from '../../../contract/match.ts';
import type { QueueDefinition } from '../../../contract/queue-definition.ts';
import type { QueueStats } from '../../../contract/queue-stats.ts';
import type { RatingView } from '../../../contract/rating.ts';
import type { TicketView } from '../../../contract/ticket.ts';
import type { WebhookTests } from '../../../contract/webhook-test.ts';
import type { WaitingSample } from './waiting.ts';

/** The service rejected a request, or it did not respond. */
export class ServiceProblem extends Error {
  override readonly name = 'ServiceProblem';
  /** 0 when nothing responded. */
  readonly status: number;
  /** The invalid fields, by JSON pointer. */
  readonly errors: readonly { readonly pointer: string; readonly detail: string }[];

  constructor(status: number, detail: string, errors: ServiceProblem['errors'] = []) {
    super(detail);
    this.status = status;
    this.errors = errors;
  }

  /** Whether the service is unreachable or failing, as opposed to a request that is wrong. */
  get isOutage(): boolean {
    return this.status === 0 || this.status === 429 || this.status >= 500;
  }

  /** Whether the credentials of the console do not suffice, or no longer. */
  get isRefusal(): boolean {
    return this.status === 401 || this.status === 403;
  }
}

/** A version of a definition, by default of a queue. */
export interface Version<Definition = QueueDefinition> {
  readonly version: number;
  readonly changedAt: string | null;
  readonly changedBy: string | null;
  /** The version whose definition it restored. */
  readonly restored?: number | undefined;
  /** Absent when the service is of an earlier version. */
  readonly etag?: string | undefined;
  readonly definition: Definition;
}

/** The page polls, so it shows a failure at once and asks again by itself. The console's server has its own time-out. */
const client = musterClient({ url: `${location.origin}/api`, tries: 1, timeoutMs: 40_000 });

/** The requests that the page sends. All throw {@link ServiceProblem}, or the reason of the signal. */
export const service = {
  queues: (signal?: AbortSignal) => ask<QueueDefinition[]>(client.queues.list({ signal }), signal),
  queuesAndUnreadable: (signal?: AbortSignal) =>
    ask<{ readonly queues: QueueDefinition[]; readonly unreadable: readonly string[] }>(
      client.queues.listWithUnreadable({ signal }),
      signal,
    ),
  queue: (name: string, signal?: AbortSignal) =>
    ask<QueueDefinition>(client.queues.get(name, { signal }), signal),
  putQueue: (definition: QueueDefinition, ifMatch: string | undefined) =>
    ask<ReadDefinition>(client.queues.put(definition as PlainDefinition, { ifMatch })),
  stats: (name: string, signal?: AbortSignal) =>
    ask<QueueStats>(client.queues.stats(name, { signal }), signal),
  matches: (name: string, limit: number, signal?: AbortSignal) =>
    ask<MatchView[]>(client.queues.matches(name, { limit, signal }), signal),
  waiting: (name: string, limit: number, signal?: AbortSignal) =>
    ask<WaitingSample>(client.queues.waiting(name, { limit, signal }), signal),
  cooldowns: (name: string, limit: number, signal?: AbortSignal) =>
    ask<PlayerCooldown[]>(client.queues.cooldowns(name, { limit, signal }), signal),
  experiment: (name: string, signal?: AbortSignal) =>
    ask<ExperimentView>(client.queues.experiment(name, { signal }), signal),
  ladderOdds: (name: string, signal?: AbortSignal) =>
    ask<LadderOdds>(client.request({ method: 'GET', path: `${ladderPath(name)}/odds`, signal }), signal),
  async rating(ladder: string, playerId: string, signal?: AbortSignal): Promise<RatingView> {
    const path = `${ladderPath(ladder)}/players/${encodeURIComponent(playerId)}`;
    return ask<RatingView>(client.request({ method: 'GET', path, signal }), signal);
  },
  async ladderVersions(name: string, signal?: AbortSignal): Promise<Version<LadderDefinition>[]> {
    const path = `${ladderPath(name)}/versions`;
    type Versions = { readonly versions: Version<LadderDefinition>[] };
    return (await ask<Versions>(client.request({ method: 'GET', path, signal }), signal)).versions;
  },
  restoreLadder(name: string, version: number): Promise<Version<LadderDefinition>> {
    const path = `${ladderPath(name)}/versions/${version}/restore`;
    return ask<Version<LadderDefinition>>(client.request({ method: 'POST', path }));
  },
  versions: (name: string, signal?: AbortSignal) =>
    ask<Version[]>(client.queues.versions(name, { signal }), signal),
  restore: (name: string, version: number) => ask<Version>(client.queues.restore(name, version)),
  /** None when the credentials may not count them. */
  async deadLetters(signal?: AbortSignal): Promise<DeadLetters['consumers']> {
    try {
      return await ask<DeadLetters['consumers']>(client.deadLetters({ signal }), signal);
    } catch (error) {
      if (error instanceof ServiceProblem && error.isRefusal) return [];
      throw error;
    }
  },
  match: (matchId: string, signal?: AbortSignal) =>
    ask<MatchView>(client.match(matchId, { signal }) as Promise<Match>, signal),
  ticket: (ticketId: string, signal?: AbortSignal, explain = false) =>
    ask<TicketView>(client.get(ticketId, { explain, signal }), signal),
  /** Unknown tickets are omitted. */
  tickets: (ticketIds: readonly string[], signal?: AbortSignal) =>
    ask<TicketView[]>(client.getMany(ticketIds, { signal }), signal),
  testWebhooks: (name: string) => ask<WebhookTests>(client.queues.testWebhooks(name)),
  dryRun: (name: string, tickets: Parameters<typeof client.queues.dryRun>[1], signal?: AbortSignal) =>
    ask<MatchResult>(client.queues.dryRun(name, tickets, { signal }), signal),
};

const ladderPath = (name: string) => `/ladders/${encodeURIComponent(name)}`;

/** The result of a request. The types of the client are those of the contract, seen through the OpenAPI document. */
async function ask<T>(response: Promise<unknown>, signal?: AbortSignal): Promise<T> {
  try {
    return (await response) as T;
  } catch (error) {
    signal?.throwIfAborted();
    throw problemOf(error as Error);
  }
}

function problemOf(error: Error): ServiceProblem {
  if (!(error instanceof MusterProblem)) return new ServiceProblem(0, error.message);
  const { status, problem } = error;
  // API Gateway sends no more than a word.
  if (status === 401 || (status === 403 && problem.detail === problem.title))
    return new ServiceProblem(status, 'The credentials of the console may not send this request.');
  return new ServiceProblem(
    status,
    problem.detail ?? problem.title,
    (problem as { errors?: ServiceProblem['errors'] }).errors,
  );
}
