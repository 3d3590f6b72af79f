/**
 * The clients of a soak. They run in their own process, so that their memory does not count as the service's. The process
 * posts tickets until it gets the command to stop, receives webhooks until it is killed, and reports the results.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { isFinal, MusterProblem, musterClient, type Ticket } from '../../lib/client/index.ts';
import type { MatchView } from '../../lib/contract/match.ts';
import { seededRandom } from '../../lib/simulation/random.ts';
import { type Behaviour, type PlannedTicket, plannedTickets, QUEUES } from './client-plan.ts';

/** A message to the clients' process. */
export type ClientsCommand =
  | {
      readonly command: 'begin';
      readonly url: string;
      readonly playersPerSecond: number;
      readonly seed: number;
      /** The name of the secret that signs webhooks. */
      readonly secret: string;
    }
  /** Requests the number of tickets posted so far. */
  | { readonly command: 'count' }
  /** Stops new tickets. The reply is sent when every client has ended. */
  | { readonly command: 'stop' }
  /** Requests the matches that arrived by webhook so far. */
  | { readonly command: 'matches' };

/** The reply to each message. */
export type ClientsReply =
  | { readonly reply: 'begun' }
  | { readonly reply: 'counted'; readonly posted: number }
  | ({ readonly reply: 'stopped' } & ClientsReport)
  | { readonly reply: 'matches'; readonly matches: readonly NotifiedMatch[] };

/** A match that arrived by webhook. */
export interface NotifiedMatch {
  readonly matchId: string;
  readonly ticketIds: readonly string[];
}

export interface ClientsReport {
  /** The number of tickets posted. The API accepted all of them except `rejected`. */
  readonly planned: number;
  /** The numbers of tickets that the API rejected. */
  readonly rejected: readonly number[];
  /** Requests by method and status. */
  readonly requests: Readonly<Record<string, number>>;
  /** Responses that are not allowed. */
  readonly failures: readonly string[];
}

/** The maximum of attempts for a request that gets status 503. */
const TRIES = 10;
const BACKOFF = { firstMs: 1_000, maxMs: 1_000 };
const FAILURES_MAX = 50;
/** Statuses that are no fault: a success, a change that came too late, and a store that was busy, after which the client retries. */
const ALLOWED = [200, 201, 409, 503];

let begun: ReturnType<typeof begin> | undefined;

process.on('message', async (message: ClientsCommand) => {
  if (message.command === 'begin') {
    begun = begin(message);
    await (await begun).ready;
    reply({ reply: 'begun' });
  } else if (message.command === 'count') {
    reply({ reply: 'counted', posted: (await begun)?.posted() ?? 0 });
  } else if (message.command === 'stop') {
    reply({ reply: 'stopped', ...(await (await begun!).stop()) });
  } else {
    reply({ reply: 'matches', matches: [...(await begun!).notified.values()] });
  }
});

function reply(reply: ClientsReply): void {
  process.send!(reply);
}

async function begin({ url, playersPerSecond, seed, secret }: ClientsCommand & { command: 'begin' }) {
  const requests: Record<string, number> = {};
  const failures: string[] = [];
  const rejected: number[] = [];
  const notified = new Map<string, NotifiedMatch>();
  const playing = new Set<Promise<void>>();
  let planned = 0;
  let stopped = false;

  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { type, data } = JSON.parse(Buffer.concat(chunks).toString());
      if (type === 'MatchFound') notified.set(data.match.matchId, notifiedMatch(data.match));
      response.writeHead(204).end();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const webhook = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;

  const fail = (what: string) => {
    if (failures.length < FAILURES_MAX) failures.push(what);
  };

  /** Counts the responses. One that is not allowed is a failure, although the client may send the request again. */
  const countedFetch: typeof fetch = async (input, init) => {
    const response = await fetch(input, init);
    const { status } = response;
    const what = `${init?.method} ${status}`;
    requests[what] = (requests[what] ?? 0) + 1;
    if (!ALLOWED.includes(status)) {
      const text = await response.clone().text();
      fail(`${init?.method} ${input} got status ${status} ${text.slice(0, 300)}`);
    }
    return response;
  };
  const client = musterClient({ url, fetch: countedFetch, tries: TRIES, backoff: BACKOFF });

  /** Polls the ticket until it has one of the statuses, or has ended. */
  const poll = async (ticketId: string, everyMs: number, statuses: readonly string[] = []) => {
    for (;;) {
      const ticket = await client.get(ticketId);
      if (statuses.includes(ticket.status) || isFinal(ticket.status)) return ticket;
      await sleep(everyMs);
    }
  };

  const longPoll = (ticketId: string, waitSeconds: number, signal?: AbortSignal) =>
    client.request<Ticket>({
      method: 'GET',
      path: `/tickets/${ticketId}?waitSeconds=${waitSeconds}`,
      signal,
      extraMs: 1_000 * waitSeconds,
    });

  const behave = async (ticketId: string, behaviour: Behaviour): Promise<void> => {
    switch (behaviour.does) {
      case 'waits':
        return;
      case 'polls':
        await poll(ticketId, behaviour.everyMs);
        return;
      case 'long-polls':
        while (!isFinal((await longPoll(ticketId, behaviour.waitSeconds)).status));
        return;
      case 'disconnects':
        await longPoll(ticketId, 20, AbortSignal.timeout(Math.ceil(behaviour.afterMs))).catch((error) => {
          if (error.name !== 'TimeoutError') throw error;
        });
        return;
      case 'cancels':
        await sleep(behaviour.afterMs);
        await unlessTooLate(client.cancel(ticketId));
        return;
      case 'responds': {
        const { status, matchId } = await poll(ticketId, 1_000, ['REQUIRES_ACCEPTANCE']);
        const { afterMs, accepted } = behaviour;
        if (status !== 'REQUIRES_ACCEPTANCE' || afterMs === undefined) return;
        await sleep(afterMs);
        await unlessTooLate(client.accept(ticketId, matchId!, { accepted }));
      }
    }
  };

  const play = async ({ queue, ticketId, players, behaviour }: PlannedTicket, number: number) => {
    let accepted = false;
    try {
      await client.post(queue, { ticketId, players });
      accepted = true;
      await behave(ticketId, behaviour);
    } catch (error) {
      fail(`${ticketId}: ${error}`);
    }
    if (!accepted) rejected.push(number);
  };

  const arrive = async () => {
    let dueMs = performance.now();
    for (const ticket of plannedTickets(playersPerSecond, seededRandom(seed))) {
      dueMs += ticket.afterMs;
      await sleep(Math.max(0, dueMs - performance.now()));
      if (stopped) return;
      planned += 1;
      const played = play(ticket, planned).finally(() => playing.delete(played));
      playing.add(played);
    }
  };

  const webhooks = [{ url: webhook, secret, events: ['MatchFound' as const] }];
  const ready = Promise.all(QUEUES.map((queue) => client.queues.put({ ...queue, webhooks })));
  const arriving = ready.then(arrive);

  return {
    ready,
    notified,
    posted: () => planned,
    async stop(): Promise<ClientsReport> {
      stopped = true;
      await arriving;
      await Promise.all(playing);
      return { planned, rejected, requests, failures };
    },
  };
}

/** Waits for a change that is rejected when the ticket has moved on. */
async function unlessTooLate(change: Promise<unknown>): Promise<void> {
  try {
    await change;
  } catch (error) {
    if (!(error instanceof MusterProblem && error.status === 409)) throw error;
  }
}

function notifiedMatch({ matchId, teams }: MatchView): NotifiedMatch {
  const ticketIds = teams.flatMap(({ players }) => players.flatMap(({ ticketId }) => ticketId ?? []));
  return { matchId, ticketIds: [...new Set(ticketIds)] };
}
