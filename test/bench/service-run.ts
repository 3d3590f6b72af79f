import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type MusterClient, musterClient } from '../../lib/client/index.ts';
import type { MatchView } from '../../lib/contract/match.ts';
import type { Player } from '../../lib/engine/types.ts';
import { startMuster } from '../../lib/local/start-muster.ts';
import { matchOffline } from '../../lib/service/ticks/offline.ts';
import { drawParty, meanPartySize } from '../../lib/simulation/population.ts';
import { type RandomSource, seededRandom } from '../../lib/simulation/random.ts';
import { DEFINITION, type Variant } from './service-variants.ts';
import { Usage } from './usage.ts';

export interface RunOptions extends Variant {
  readonly playersPerSecond: number;
  readonly seconds: number;
  readonly seed: number;
  /** Seconds of warm-up traffic before the measurement. @default 8 */
  readonly warmUpSeconds?: number;
  /** Whether every step takes as long as on AWS. @default false */
  readonly awsDelays?: boolean;
  /** How long after the last POST the last match, and its result, may take. @default 30 s */
  readonly drainMs?: number;
}

export interface RunResult {
  readonly players: number;
  readonly tickets: number;
  readonly playersMatched: number;
  /** Players still waiting at the end, whose parties do not add up to a game. */
  readonly waiting: number;
  /** Players who were accepted and are neither in a match nor waiting. */
  readonly lost: number;
  readonly ticketsMatchedTwice: number;
  /** For every matched ticket: from sending the POST to the webhook's arrival, ascending. */
  readonly postToWebhookMs: readonly number[];
  /** For every match: from the response to the last of its POSTs to the webhook's arrival, ascending. */
  readonly lastPostToWebhookMs: readonly number[];
  readonly usage: Usage;
}

/**
 * Starts a local cloud, plays a game backend at a rate, and measures the webhooks that it receives.
 * Everything runs on this machine: backend, receiver, emulators and functions share its cores.
 */
export async function run(options: RunOptions): Promise<RunResult> {
  const folder = mkdtempSync(join(tmpdir(), 'muster-bench-'));
  const usage = new Usage();
  const receiver = await listen();
  const webhooks = [{ url: receiver.url, secret: 'bench', events: ['MatchFound' as const] }];
  const { events, ladder, acceptance, also = 0, drainMs = 30_000 } = options;
  const definition = { ...DEFINITION, events, ladder, acceptance, webhooks };
  for (const name of ['bench', ...furtherQueues(also)])
    writeFileSync(join(folder, `${name}.json`), JSON.stringify({ ...definition, name, group: 'bench' }));
  const laddersDir = join(folder, 'ladders');
  mkdirSync(laddersDir);
  if (ladder !== undefined)
    writeFileSync(join(laddersDir, `${ladder}.json`), JSON.stringify({ name: ladder }));
  writeFileSync(
    join(folder, 'secrets'),
    JSON.stringify({ bench: `whsec_${Buffer.alloc(24, 7).toString('base64')}` }),
  );
  const cloud = await startMuster({
    port: 0,
    awsDelays: options.awsDelays,
    queuesDir: folder,
    laddersDir,
    secretsFile: join(folder, 'secrets'),
    intercept: (call, service, caller) => usage.request(call, caller, service),
    onInvocation: (invocation) => usage.countInvocation(invocation),
    log: ({ line }) => usage.countLog(line),
  });
  // A ticket that is sent again would hide a fault, so the client waits for no further try.
  const pause = () => Promise.reject(new Error('A ticket of a batch got status 503'));
  const client = musterClient({ url: cloud.url, tries: 1, pause });
  const results: Promise<unknown>[] = [];
  if (ladder !== undefined)
    receiver.onMatch = ({ matchId }) => results.push(client.result(matchId, { ranks: [1, 2] }));
  if (acceptance !== undefined)
    receiver.onMatch = (match) =>
      results.push(...ticketsOf(match).map((id) => client.accept(id, match.matchId)));
  try {
    await play(client, receiver, { ...options, drainMs, seconds: options.warmUpSeconds ?? 8 }, 'warm');
    await Promise.all(results);
    if (ladder !== undefined) await rated(client, ladder, results, drainMs);
    usage.reset();
    receiver.matches.length = 0;
    const played = await play(client, receiver, { ...options, drainMs }, 'run');
    await Promise.all(results);
    // Until the last event is published.
    if (acceptance !== undefined) await sleep(1_000);
    if (ladder !== undefined) await rated(client, ladder, results, drainMs);
    const result = summary(played, receiver.matches);
    const waiting = await playersQueued(client, played, result.unmatched);
    const lost = result.players - result.playersMatched - waiting;
    return { ...result, waiting, lost, usage };
  } finally {
    await cloud.stop();
    receiver.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

const furtherQueues = (count: number) => Array.from({ length: count }, (_, at) => `bench-${at + 2}`);

interface Posted {
  readonly party: readonly Player[];
  readonly sentMs: number;
  readonly answeredMs: number;
}
interface Received {
  readonly match: MatchView;
  readonly atMs: number;
}
interface Receiver {
  readonly url: string;
  readonly matches: Received[];
  /** Called with each match. */
  onMatch: (match: MatchView) => void;
  close(): void;
}

async function listen(): Promise<Receiver> {
  const matches: Received[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const atMs = performance.now();
      const { match } = JSON.parse(Buffer.concat(chunks).toString()).data;
      matches.push({ match, atMs });
      response.writeHead(204).end();
      receiver.onMatch(match);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const receiver: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    matches,
    onMatch: () => {},
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
  return receiver;
}

/** Waits until the results of all matches have changed the ratings. */
async function rated(
  client: MusterClient,
  ladder: string,
  results: readonly Promise<unknown>[],
  drainMs: number,
): Promise<void> {
  const untilMs = performance.now() + drainMs;
  while (performance.now() < untilMs) {
    const path = `/ladders/${ladder}/odds`;
    if ((await client.request<{ results: number }>({ method: 'GET', path })).results >= results.length)
      return;
    await sleep(500);
  }
}

async function play(
  client: MusterClient,
  receiver: Receiver,
  options: RunOptions & { readonly drainMs: number },
  run: string,
): Promise<Map<string, Posted>> {
  const random = seededRandom(options.seed).fork(run);
  const rate = options.playersPerSecond / meanPartySize(options.population);
  const wanted = options.playersPerSecond * options.seconds;
  const posted = new Map<string, Posted>();
  const posts: Promise<void>[] = [];
  const batch: NewTicket[] = [];
  let dueMs = performance.now();
  for (let number = 1, players = 0; players < wanted; number++) {
    dueMs += 1_000 * random.exponential(rate);
    await sleep(Math.max(0, dueMs - performance.now()));
    const ticketId = uuid(random);
    const party = drawParty(options.population, String(number), random).map((player) => ({
      ...player,
      playerId: uuid(random),
    }));
    players += party.length;
    batch.push({ ticketId, party });
    if (batch.length < (options.batch ?? 1) && players < wanted) continue;
    posts.push(post(client, batch.splice(0), options, posted));
  }
  await Promise.all(posts);
  await drained(receiver, posted, options.drainMs);
  return posted;
}

interface NewTicket {
  readonly ticketId: string;
  readonly party: readonly Player[];
}

async function post(
  client: MusterClient,
  tickets: readonly NewTicket[],
  { batch, ladder, also = 0 }: Variant,
  posted: Map<string, Posted>,
): Promise<void> {
  const bodies = tickets.map(({ ticketId, party }) => ({
    ticketId,
    players: ladder === undefined ? party : party.map(({ skill: _, ...player }) => player),
    ...(also > 0 && { also: furtherQueues(also).map((queue) => ({ queue })) }),
  }));
  const sentMs = performance.now();
  if (batch !== undefined) {
    const results = await client.postBatch('bench', bodies);
    const failed = results.find(({ status }) => status !== 200 && status !== 201);
    if (failed !== undefined) throw new Error(`A ticket of a batch got ${JSON.stringify(failed)}`);
  } else await client.post('bench', bodies[0]!);
  const answeredMs = performance.now();
  for (const { ticketId, party } of tickets) posted.set(ticketId, { party, sentMs, answeredMs });
}

/** A random UUID of version 4, as studios use for ids. */
function uuid(random: RandomSource): string {
  const hex = Array.from({ length: 32 }, () => random.integer(16).toString(16)).join('');
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${hex.slice(13, 16)}`,
    `a${hex.slice(17, 20)}`,
    hex.slice(20),
  ].join('-');
}

/** Waits until no game can be formed of the remaining players, or no more webhooks arrive. */
async function drained(
  receiver: Receiver,
  posted: ReadonlyMap<string, Posted>,
  drainMs: number,
): Promise<void> {
  const untilMs = performance.now() + drainMs;
  while (performance.now() < untilMs) {
    const matched = new Set(receiver.matches.flatMap(({ match }) => ticketsOf(match)));
    const left = [...posted].filter(([ticketId]) => !matched.has(ticketId));
    if (left.length < LEFT_MAX && gamesOf(left) === 0) return;
    await sleep(100);
  }
}

/** More than this many tickets always contain a game, so no search is needed. */
const LEFT_MAX = 30;

function gamesOf(left: readonly [string, Posted][]): number {
  const tickets = left.map(([ticketId, { party }]) => ({ ticketId, enqueuedAtMs: 0, players: party }));
  return matchOffline(DEFINITION, tickets).matches.length;
}

async function playersQueued(
  client: MusterClient,
  posted: ReadonlyMap<string, Posted>,
  ticketIds: readonly string[],
): Promise<number> {
  let players = 0;
  for (const ticketId of ticketIds) {
    const { status } = await client.get(ticketId);
    if (status === 'QUEUED') players += posted.get(ticketId)!.party.length;
  }
  return players;
}

function summary(
  posted: ReadonlyMap<string, Posted>,
  received: readonly Received[],
): Omit<RunResult, 'usage' | 'waiting' | 'lost'> & { unmatched: string[] } {
  const matchesOf = new Map<string, Set<string>>();
  const arrivalOf = new Map<string, number>();
  const lastPostToWebhookMs: number[] = [];
  for (const { match, atMs } of received) {
    const ticketIds = ticketsOf(match).filter((ticketId) => posted.has(ticketId));
    if (ticketIds.length === 0 || arrivalOf.has(match.matchId)) continue;
    arrivalOf.set(match.matchId, atMs);
    lastPostToWebhookMs.push(
      atMs - Math.max(...ticketIds.map((ticketId) => posted.get(ticketId)!.answeredMs)),
    );
    for (const ticketId of ticketIds)
      matchesOf.set(ticketId, (matchesOf.get(ticketId) ?? new Set()).add(match.matchId));
  }
  const players = playersOf(posted, () => true);
  const playersMatched = playersOf(posted, (ticketId) => matchesOf.has(ticketId));
  const postToWebhookMs = [...matchesOf].map(
    ([ticketId, [matchId]]) => arrivalOf.get(matchId!)! - posted.get(ticketId)!.sentMs,
  );
  return {
    players,
    tickets: posted.size,
    playersMatched,
    unmatched: [...posted.keys()].filter((ticketId) => !matchesOf.has(ticketId)),
    ticketsMatchedTwice: [...matchesOf.values()].filter((ids) => ids.size > 1).length,
    postToWebhookMs: postToWebhookMs.sort((a, b) => a - b),
    lastPostToWebhookMs: lastPostToWebhookMs.sort((a, b) => a - b),
  };
}

function ticketsOf(match: MatchView): string[] {
  return [
    ...new Set(match.teams.flatMap(({ players }) => players.flatMap(({ ticketId }) => ticketId ?? []))),
  ];
}

function playersOf(posted: ReadonlyMap<string, Posted>, which: (ticketId: string) => boolean): number {
  let players = 0;
  for (const [ticketId, ticket] of posted) if (which(ticketId)) players += ticket.party.length;
  return players;
}
