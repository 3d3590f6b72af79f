import { signal } from '@preact/signals';
import type { MatchResult, MatchView } from '../../../contract/match.ts';
import type { ProblemDocument } from '../../../contract/problem-document.ts';
import type { QueueDefinition } from '../../../contract/queue-definition.ts';
import type { QueueStats } from '../../../contract/queue-stats.ts';
import type { TicketView } from '../../../contract/ticket.ts';

/** The service rejected a request, or it did not respond. */
export class ServiceProblem extends Error {
  override readonly name = 'ServiceProblem';
  /** 0 when nothing responded, not even the console's own server. */
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
}

/** Why and since when the service does not respond; undefined while it does. */
export const outage = signal<{ readonly sinceMs: number; readonly detail: string } | undefined>(undefined);

/** The requests that the console sends. All throw {@link ServiceProblem}, or the reason of the signal. */
export const service = {
  async queues(abort?: AbortSignal): Promise<QueueDefinition[]> {
    return (await send<{ queues: QueueDefinition[] }>('GET', '/queues', { abort })).queues;
  },
  queue: (name: string, abort?: AbortSignal) => send<QueueDefinition>('GET', queuePath(name), { abort }),
  putQueue: (definition: { readonly name: string }) =>
    send<QueueDefinition>('PUT', queuePath(definition.name), { body: definition }),
  stats: (name: string, abort?: AbortSignal) =>
    send<QueueStats>('GET', `${queuePath(name)}/stats`, { abort }),
  async matches(name: string, limit: number, abort?: AbortSignal): Promise<MatchView[]> {
    const path = `${queuePath(name)}/matches?limit=${limit}`;
    return (await send<{ matches: MatchView[] }>('GET', path, { abort })).matches;
  },
  match: (matchId: string, abort?: AbortSignal) =>
    send<MatchView>('GET', `/matches/${encodeURIComponent(matchId)}`, { abort }),
  ticket: (ticketId: string, abort?: AbortSignal, explain = false) =>
    send<TicketView>('GET', `/tickets/${encodeURIComponent(ticketId)}${explain ? '?explain=true' : ''}`, {
      abort,
    }),
  /** Unknown tickets are left out. */
  async tickets(ticketIds: readonly string[], abort?: AbortSignal): Promise<TicketView[]> {
    const parts: TicketView[] = [];
    for (let from = 0; from < ticketIds.length; from += TICKETS_PER_REQUEST) {
      const ids = ticketIds.slice(from, from + TICKETS_PER_REQUEST).map(encodeURIComponent);
      const path = `/tickets?ticketIds=${ids.join(',')}`;
      parts.push(...(await send<{ tickets: TicketView[] }>('GET', path, { abort })).tickets);
    }
    return parts;
  },
  dryRun: (name: string, body: unknown, abort?: AbortSignal) =>
    send<MatchResult>('POST', `${queuePath(name)}/dry-run`, { body, abort }),
};

const TICKETS_PER_REQUEST = 50;

function queuePath(name: string): string {
  return `/queues/${encodeURIComponent(name)}`;
}

async function send<T>(
  method: string,
  path: string,
  { body, abort }: { readonly body?: unknown; readonly abort?: AbortSignal | undefined } = {},
): Promise<T> {
  let response: Response;
  let text: string;
  try {
    response = await fetch(`/api${path}`, {
      method,
      ...(body !== undefined && {
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json' },
      }),
      ...(abort && { signal: abort }),
    });
    text = await response.text();
  } catch (error) {
    abort?.throwIfAborted();
    throw noteOutage(new ServiceProblem(0, `The console does not respond (${(error as Error).message}).`));
  }
  if (!response.ok) throw noteOutage(problemOf(response.status, text));
  outage.value = undefined;
  return JSON.parse(text) as T;
}

function problemOf(status: number, text: string): ServiceProblem {
  try {
    const { detail, errors } = JSON.parse(text) as Partial<ProblemDocument> & { message?: string };
    if (detail !== undefined) return new ServiceProblem(status, detail, errors);
  } catch {
    // Not a problem document: a gateway's own error.
  }
  if (status === 401 || status === 403)
    return new ServiceProblem(status, 'The credentials of the console may not send this request.');
  return new ServiceProblem(status, `The service returned status ${status}.`);
}

function noteOutage(problem: ServiceProblem): ServiceProblem {
  if (problem.isOutage) {
    outage.value = { sinceMs: outage.value?.sinceMs ?? Date.now(), detail: problem.message };
  } else outage.value = undefined;
  return problem;
}
