/**
 * The crowd of a soak, in a process of its own, so that its memory is not the service's: plays tickets against the API
 * until it is told to stop, receives webhooks until it is ended, and reports what it saw.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { MatchView } from '../../lib/contract/match.ts';
import type { TicketView } from '../../lib/contract/ticket.ts';
import { seededRandom } from '../../lib/simulation/random.ts';
import { type Behaviour, crowdPlan, type PlannedTicket, QUEUES } from './crowd-plan.ts';

/** What the crowd is told. */
export type CrowdOrder =
  | {
      readonly order: 'begin';
      readonly url: string;
      readonly playersPerSecond: number;
      readonly seed: number;
      /** The name of the secret that signs webhooks. */
      readonly secret: string;
    }
  /** Tells how many tickets were posted so far. */
  | { readonly order: 'count' }
  /** No more tickets arrive; answered when every client has ended. */
  | { readonly order: 'stop' }
  /** Tells of which matches a webhook told so far. */
  | { readonly order: 'tell' };

/** What it answers to each order. */
export type CrowdAnswer =
  | { readonly answer: 'begun' }
  | { readonly answer: 'counted'; readonly posted: number }
  | ({ readonly answer: 'stopped' } & CrowdReport)
  | { readonly answer: 'told'; readonly matches: readonly HeardMatch[] };

/** A match of which a webhook told that it was found. */
export interface HeardMatch {
  readonly matchId: string;
  readonly ticketIds: readonly string[];
}

export interface CrowdReport {
  /** Tickets that the API took: those of the plan up to this number, but for `refused`. */
  readonly planned: number;
  /** Numbers of tickets that the API did not take. */
  readonly refused: readonly number[];
  /** Requests by method and status. */
  readonly requests: Readonly<Record<string, number>>;
  /** Answers that none may get. */
  readonly failures: readonly string[];
}

/** Tries of a request that is answered 503. */
const TRIES = 10;
const FAILURES_MAX = 50;
const FINAL = ['COMPLETED', 'CANCELLED', 'TIMED_OUT', 'FAILED'];

let begun: ReturnType<typeof begin> | undefined;

process.on('message', async (order: CrowdOrder) => {
  if (order.order === 'begin') {
    begun = begin(order);
    await (await begun).ready;
    answer({ answer: 'begun' });
  } else if (order.order === 'count') {
    answer({ answer: 'counted', posted: (await begun)?.posted() ?? 0 });
  } else if (order.order === 'stop') {
    answer({ answer: 'stopped', ...(await (await begun!).stop()) });
  } else {
    answer({ answer: 'told', matches: [...(await begun!).heard.values()] });
  }
});

function answer(message: CrowdAnswer): void {
  process.send!(message);
}

async function begin({ url, playersPerSecond, seed, secret }: CrowdOrder & { order: 'begin' }) {
  const requests: Record<string, number> = {};
  const failures: string[] = [];
  const refused: number[] = [];
  const heard = new Map<string, HeardMatch>();
  const playing = new Set<Promise<void>>();
  let planned = 0;
  let stopped = false;

  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { type, data } = JSON.parse(Buffer.concat(chunks).toString());
      if (type === 'MatchFound') heard.set(data.match.matchId, heardMatch(data.match));
      response.writeHead(204).end();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const webhook = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;

  const fail = (what: string) => {
    if (failures.length < FAILURES_MAX) failures.push(what);
  };

  /** Sends a request, again when it is answered 503; anything but the expected statuses is a failure. */
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
      if (!expected.includes(status)) fail(`${method} ${path} was answered ${status} ${text.slice(0, 300)}`);
      return { status, body: status < 300 && text !== '' ? JSON.parse(text) : undefined };
    }
  };

  /** Asks for the ticket until it has one of the statuses, or has ended. */
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
      case 'dies': {
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
      case 'answers': {
        const found = await poll(ticketId, 1_000, ['REQUIRES_ACCEPTANCE']);
        if (found?.status !== 'REQUIRES_ACCEPTANCE' || behaviour.afterMs === undefined) return;
        await sleep(behaviour.afterMs);
        const body = { accepted: behaviour.accepted, matchId: found.matchId };
        await send('PUT', `/tickets/${ticketId}/acceptance`, [200, 409], { body });
      }
    }
  };

  const play = async ({ queue, ticketId, players, behaviour }: PlannedTicket, number: number) => {
    let taken = false;
    try {
      const body = { ticketId, players };
      const { status } = await send('POST', `/queues/${queue}/tickets`, [200, 201], { body });
      taken = status < 300;
      if (taken) await behave(ticketId, behaviour);
    } catch (error) {
      fail(`${ticketId}: ${error}`);
    }
    if (!taken) refused.push(number);
  };

  const arrive = async () => {
    let dueMs = performance.now();
    for (const ticket of crowdPlan(playersPerSecond, seededRandom(seed))) {
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
    heard,
    posted: () => planned,
    async stop(): Promise<CrowdReport> {
      stopped = true;
      await arriving;
      await Promise.all(playing);
      return { planned, refused, requests, failures };
    },
  };
}

function heardMatch({ matchId, teams }: MatchView): HeardMatch {
  const ticketIds = teams.flatMap(({ players }) => players.flatMap(({ ticketId }) => ticketId ?? []));
  return { matchId, ticketIds: [...new Set(ticketIds)] };
}
