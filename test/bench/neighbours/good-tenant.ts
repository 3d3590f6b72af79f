/**
 * The good tenant of the benchmark of neighbours. It runs in a process of its own, so that no work of the service or of the
 * hostile tenant delays its clock: it posts players as they arrive by chance, whatever the service does, polls their tickets, serves the
 * provisioner of its queue, receives its webhooks, and measures all of it.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { isFinal, type Ticket } from '../../../lib/client/index.ts';
import type { MatchView } from '../../../lib/contract/match.ts';
import { seededRandom } from '../../../lib/simulation/random.ts';

/** A message to the process. */
export type GoodCommand =
  | { readonly command: 'listen' }
  | ({ readonly command: 'play' } & GoodTraffic)
  | { readonly command: 'end' };

export interface GoodTraffic {
  readonly url: string;
  readonly authorization: string;
  readonly queue: string;
  readonly playersPerSecond: number;
  readonly seconds: number;
  /** How long after the last POST the process waits for the last webhook. */
  readonly drainSeconds: number;
  readonly seed: number;
  /** Begins the ids of the tickets. */
  readonly name: string;
}

/** The reply to `listen`, and to `play`. */
export type GoodReply =
  | { readonly reply: 'listening'; readonly url: string }
  | ({ readonly reply: 'played' } & Measured);

/** What the good tenant has measured, in milliseconds. What has not ended counts with the time that it has taken so far. */
export interface Measured {
  /** For each ticket: from the moment at which its POST was due to the creation of its match. */
  readonly waitMs: readonly number[];
  /** For each match: from its creation to the webhook about its game server. */
  readonly webhookMs: readonly number[];
  /** For each GET of a ticket: until its response. */
  readonly pollMs: readonly number[];
  /** Tickets without a match at the end. */
  readonly unmatched: number;
  /** Matches without a webhook at the end. */
  readonly unnotified: number;
  /** Responses with a status that is none of 200 and 201, by status. */
  readonly refused: Readonly<Record<string, number>>;
}

const POLL_EVERY_MS = 1_000;
const AGAIN_MS = 500;
/** A match without a webhook after this time is read, for the time of its creation. */
const WEBHOOK_MS = 1_000;
/** A client gives up on a response after this time and sends the request again. */
const RESPONSE_MS = 30_000;

/** Webhooks by match: when the match was created, and when the first of its webhooks arrived. */
const arrivals = new Map<string, { readonly createdMs: number; readonly atMs: number }>();

process.on('message', async (message: GoodCommand) => {
  if (message.command === 'listen') reply({ reply: 'listening', url: await listen() });
  else if (message.command === 'play') reply({ reply: 'played', ...(await play(message)) });
  else process.exit();
});

function reply(reply: GoodReply): void {
  process.send!(reply);
}

/** Serves the provisioner at /servers and receives webhooks at every other path. */
async function listen(): Promise<string> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      if (request.url === '/servers') {
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify({ address: '203.0.113.1', port: 7777 }));
        return;
      }
      const { data } = JSON.parse(Buffer.concat(chunks).toString());
      const { matchId, createdAt } = data.match as MatchView;
      if (!arrivals.has(matchId))
        arrivals.set(matchId, { createdMs: Date.parse(createdAt), atMs: Date.now() });
      response.writeHead(204).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

interface Posted {
  readonly ticketId: string;
  readonly dueMs: number;
  match?: { readonly matchId: string; readonly createdMs: number };
}

async function play(traffic: GoodTraffic): Promise<Measured> {
  const { playersPerSecond, seconds, drainSeconds, seed, name } = traffic;
  const random = seededRandom(seed).fork(name);
  const api = apiOf(traffic);
  const tickets: Posted[] = [];
  const running: Promise<void>[] = [];
  const startMs = Date.now();
  const endMs = startMs + (seconds + drainSeconds) * 1_000;
  // An even number, so that no player is left without an opponent.
  const players = 2 * Math.round((playersPerSecond * seconds) / 2);
  // The arrivals of a Poisson process, given their number. Evenly spaced ones would come in even numbers to each tick of the
  // tenant alone, and in odd ones to a tick that is some milliseconds late.
  const arrivalMs = Array.from({ length: players }, () => 1_000 * seconds * random.uniform());
  arrivalMs.sort((a, b) => a - b);
  for (const [number, afterMs] of arrivalMs.entries()) {
    const dueMs = startMs + afterMs;
    await sleep(Math.max(0, dueMs - Date.now()));
    const ticket: Posted = { ticketId: `${name}-${number}`, dueMs };
    tickets.push(ticket);
    const skill = Math.max(0, random.normal(1500, 300));
    running.push(follow(api, ticket, skill, random.uniform() * POLL_EVERY_MS, endMs));
  }
  await Promise.race([Promise.all(running), sleep(endMs - Date.now())]);
  return measured(api, tickets);
}

type Api = ReturnType<typeof apiOf>;

/** Sends requests, counts those that are rejected, and times the polls. */
function apiOf({ url, authorization, queue }: GoodTraffic) {
  const refused: Record<string, number> = {};
  const pollMs: number[] = [];
  /** When the polls without a response so far were sent. */
  const polling = new Set<number>();
  const send = async <T>(method: string, path: string, body?: unknown): Promise<T | undefined> => {
    const response = await fetch(url + path, {
      method,
      headers: { authorization, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(RESPONSE_MS),
    }).catch((error: Error) => error.name);
    if (typeof response !== 'string' && response.ok) return (await response.json()) as T;
    const status = typeof response === 'string' ? response : response.status;
    refused[status] = (refused[status] ?? 0) + 1;
    if (typeof response !== 'string') await response.arrayBuffer();
    return undefined;
  };
  return {
    refused,
    pollMs,
    polling,
    post: (ticketId: string, skill: number) =>
      send<Ticket>('POST', `/queues/${queue}/tickets`, {
        ticketId,
        players: [{ playerId: ticketId, skill }],
      }),
    async poll(ticketId: string) {
      const sentMs = performance.now();
      polling.add(sentMs);
      const ticket = await send<Ticket>('GET', `/tickets/${ticketId}`);
      polling.delete(sentMs);
      pollMs.push(performance.now() - sentMs);
      return ticket;
    },
    match: (matchId: string) => send<MatchView>('GET', `/matches/${matchId}`),
  };
}

/** Posts one ticket, as often as it takes, and polls it until its players can play. */
async function follow(
  api: Api,
  ticket: Posted,
  skill: number,
  firstPollMs: number,
  endMs: number,
): Promise<void> {
  while ((await api.post(ticket.ticketId, skill)) === undefined && Date.now() < endMs) await sleep(AGAIN_MS);
  await sleep(firstPollMs);
  let seen: Ticket | undefined;
  for (; Date.now() < endMs; await sleep(POLL_EVERY_MS)) {
    seen = await api.poll(ticket.ticketId);
    if (seen !== undefined && isFinal(seen.status)) break;
  }
  const matchId = seen?.matchId;
  if (matchId === undefined) return;
  const webhookComes = async () => {
    const untilMs = Math.min(endMs, Date.now() + WEBHOOK_MS);
    while (!arrivals.has(matchId) && Date.now() < untilMs) await sleep(20);
    return arrivals.has(matchId);
  };
  const match = (await webhookComes()) ? undefined : await api.match(matchId);
  const createdMs = arrivals.get(matchId)?.createdMs ?? Date.parse(match?.createdAt ?? '');
  if (Number.isFinite(createdMs)) ticket.match = { matchId, createdMs };
  while (!arrivals.has(matchId) && Date.now() < endMs) await sleep(20);
}

function measured({ refused, pollMs, polling }: Api, tickets: readonly Posted[]): Measured {
  const nowMs = Date.now();
  const matches = new Map(tickets.flatMap(({ match }) => (match ? [[match.matchId, match.createdMs]] : [])));
  return {
    refused: { ...refused },
    pollMs: [...pollMs, ...[...polling].map((sentMs) => performance.now() - sentMs)],
    waitMs: tickets.map(({ match, dueMs }) => (match?.createdMs ?? nowMs) - dueMs),
    webhookMs: [...matches].map(([matchId, createdMs]) => (arrivals.get(matchId)?.atMs ?? nowMs) - createdMs),
    unmatched: tickets.filter(({ match }) => match === undefined).length,
    unnotified: [...matches.keys()].filter((matchId) => !arrivals.has(matchId)).length,
  };
}
