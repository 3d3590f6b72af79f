/**
 * The clients of a soak. They run in their own process, so that their memory does not count as the service's. The process
 * posts tickets until it gets the command to stop, receives webhooks until it is killed, and reports the results.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { MatchView } from '../../lib/contract/match.ts';
import type { TicketView } from '../../lib/contract/ticket.ts';
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
const FAILURES_MAX = 50;
const FINAL = ['COMPLETED', 'CANCELLED', 'TIMED_OUT', 'FAILED'];

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

  /** Sends a request, and repeats it after status 503. Any status that is not expected is a failure. */
  const send = async (
    method: string,
    path: string,
    expected: readonly number[],
    { body, signal }: { body?: unknown; signal?: AbortSignal } = {},
  ): Promise<{ status: number; body: TicketView | undefined }> => {
    for (let tries = 1; ; tries++) {
      const response = await fetch(`${url}${path}`, {
        method,
        ...(body !== undefined && {
          body: JSON.stringify(body),
          headers: { 'content-type': 'application/json' },
        }),
        ...(signal && { signal }),
      });
      const { status } = response;
      const what = `${method} ${status}`;
      requests[what] = (requests[what] ?? 0) + 1;
      const text = await response.text();
      if (status === 503 && tries < TRIES) {
        await sleep(1_000);
        continue;
      }
      if (!expected.includes(status)) fail(`${method} ${path} got status ${status} ${text.slice(0, 300)}`);
      return { status, body: status < 300 && text !== '' ? JSON.parse(text) : undefined };
    }
  };

  /** Polls the ticket until it has one of the statuses, or has ended. */
  const poll = async (ticketId: string, everyMs: number, statuses: readonly string[]) => {
    for (;;) {
      const { body } = await send('GET', `/tickets/${ticketId}`, [200]);
      if (body === undefined || statuses.includes(body.status) || FINAL.includes(body.status)) return body;
      await sleep(everyMs);
    }
  };

  const behave = async (ticketId: string, behaviour: Behaviour): Promise<void> => {
    switch (behaviour.does) {
      case 'waits':
        return;
      case 'polls':
        await poll(ticketId, behaviour.everyMs, FINAL);
        return;
      case 'long-polls':
        for (let status = 'QUEUED'; !FINAL.includes(status); ) {
          const path = `/tickets/${ticketId}?waitSeconds=${behaviour.waitSeconds}`;
          const { body } = await send('GET', path, [200]);
          if (body === undefined) return;
          status = body.status;
        }
        return;
      case 'disconnects': {
        const signal = AbortSignal.timeout(Math.ceil(behaviour.afterMs));
        await send('GET', `/tickets/${ticketId}?waitSeconds=20`, [200], { signal }).catch((error) => {
          if (error.name !== 'TimeoutError') throw error;
        });
        return;
      }
      case 'cancels':
        await sleep(behaviour.afterMs);
        await send('DELETE', `/tickets/${ticketId}`, [200, 409]);
        return;
      case 'responds': {
        const found = await poll(ticketId, 1_000, ['REQUIRES_ACCEPTANCE']);
        if (found?.status !== 'REQUIRES_ACCEPTANCE' || behaviour.afterMs === undefined) return;
        await sleep(behaviour.afterMs);
        const body = { accepted: behaviour.accepted, matchId: found.matchId };
        await send('PUT', `/tickets/${ticketId}/acceptance`, [200, 409], { body });
      }
    }
  };

  const play = async ({ queue, ticketId, players, behaviour }: PlannedTicket, number: number) => {
    let accepted = false;
    try {
      const body = { ticketId, players };
      const { status } = await send('POST', `/queues/${queue}/tickets`, [200, 201], { body });
      accepted = status < 300;
      if (accepted) await behave(ticketId, behaviour);
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

  const webhooks = [{ url: webhook, secret, events: ['MatchFound'] }];
  const ready = Promise.all(
    QUEUES.map((queue) => send('PUT', `/queues/${queue.name}`, [201], { body: { ...queue, webhooks } })),
  );
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

function notifiedMatch({ matchId, teams }: MatchView): NotifiedMatch {
  const ticketIds = teams.flatMap(({ players }) => players.flatMap(({ ticketId }) => ticketId ?? []));
  return { matchId, ticketIds: [...new Set(ticketIds)] };
}
