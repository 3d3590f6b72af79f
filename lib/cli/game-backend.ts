import { setTimeout as sleep } from 'node:timers/promises';
import type { QueueDefinition } from '../contract/queue-definition.ts';
import { isFinal } from '../contract/ticket.ts';
import { drawParty, meanPartySize, type Population } from '../simulation/population.ts';
import type { RandomSource } from '../simulation/random.ts';
import type { MusterClient } from './client.ts';

/** What a game backend has seen of one queue. */
export interface QueueSeen {
  readonly queue: string;
  /** Tickets that wait, with their number of players and when they were enqueued. */
  readonly waiting: Map<string, { players: number; enqueuedAtMs: number }>;
  playersPosted: number;
  playersMatched: number;
  playersUnmatched: number;
  matches: number;
  /** Of every player matched, in milliseconds. */
  readonly waitsMs: number[];
  readonly imbalances: number[];
  /** Matches whose lower bound proves that no game of the pool was better. */
  provenBest: number;
}

/** How often the backend looks after its tickets. */
const LOOK_MS = 500;
/** Of the tickets that wait, one in so many is looked at each time; a match tells of its other tickets. */
const LOOK_SHARE = 8;
const LOOK_MIN = 6;
/** Bounds and priorities are sums of square roots; beyond this share they differ by more than rounding. */
const ROUNDING = 1e-9;

/** What a game backend plays with. */
export interface BackendOptions {
  readonly client: MusterClient;
  readonly definition: QueueDefinition;
  /** Players per second. */
  readonly rate: number;
  readonly random: RandomSource;
  readonly signal: AbortSignal;
  /** Is kept up to date. */
  readonly seen: QueueSeen;
}

/**
 * Plays a game backend for one queue: posts parties as a Poisson process and follows them to their
 * matches, until the signal.
 */
export async function playBackend(options: BackendOptions): Promise<void> {
  await Promise.all([postTickets(options), followTickets(options)]);
}

export function nothingSeen(queue: string): QueueSeen {
  return {
    queue,
    waiting: new Map(),
    playersPosted: 0,
    playersMatched: 0,
    playersUnmatched: 0,
    matches: 0,
    waitsMs: [],
    imbalances: [],
    provenBest: 0,
  };
}

/** People as a game has them: half of the parties are solos, friends are alike, some roles are dear. */
function populationOf({ teamSize, roles }: QueueDefinition): Population {
  return {
    skills: { kind: 'normal', mean: 1500, standardDeviation: 300 },
    partyWeights: [55, 25, 10, 3, 7].slice(0, teamSize),
    ...(roles && { roleWeights: { ...roles }, roleFlexibility: 0.35, seats: roles }),
  };
}

async function postTickets(options: BackendOptions): Promise<void> {
  const { client, definition, rate, random, signal, seen } = options;
  const population = populationOf(definition);
  const ticketsPerSecond = rate / meanPartySize(population);
  const run = `${definition.name}-${Date.now().toString(36)}`;
  const posts = new Set<Promise<void>>();
  let failure: unknown;
  let dueMs = performance.now();
  for (let number = 1; failure === undefined; number++) {
    dueMs += 1_000 * random.exponential(ticketsPerSecond);
    if (!(await pause(dueMs - performance.now(), signal))) break;
    const players = drawParty(population, `${run}-${number}`, random).map((player) => ({
      ...player,
      skill: Math.round(player.skill),
    }));
    const post = client
      .enqueue(definition.name, { ticketId: `${run}-${number}`, players })
      .then(({ ticketId, enqueuedAt }) => {
        seen.playersPosted += players.length;
        seen.waiting.set(ticketId, { players: players.length, enqueuedAtMs: Date.parse(enqueuedAt) });
      })
      .catch((error) => {
        failure = error;
      })
      .finally(() => posts.delete(post));
    posts.add(post);
  }
  await Promise.all(posts);
  if (failure !== undefined && !signal.aborted) throw failure;
}

async function followTickets({ client, random, signal, seen }: BackendOptions): Promise<void> {
  const looked = random.fork('looks');
  while (await pause(LOOK_MS, signal)) {
    const ids = [...seen.waiting.keys()];
    const looks = Math.min(ids.length, Math.max(LOOK_MIN, Math.ceil(ids.length / LOOK_SHARE)));
    const picked = new Set(Array.from({ length: looks }, () => ids[looked.integer(ids.length)]!));
    await Promise.all([...picked].map((ticketId) => follow(client, ticketId, seen)));
  }
}

/** Looks at one ticket; if it has a match, notes the match and all of its tickets. */
async function follow(client: MusterClient, ticketId: string, seen: QueueSeen): Promise<void> {
  const { status, matchId } = await client.ticket(ticketId);
  const waiting = seen.waiting.get(ticketId);
  if (waiting === undefined) return;
  if (matchId === undefined) {
    if (!isFinal(status)) return;
    seen.waiting.delete(ticketId);
    seen.playersUnmatched += waiting.players;
    return;
  }
  const match = await client.match(matchId);
  if (!seen.waiting.has(ticketId)) return;
  const ids = new Set(match.teams.flatMap(({ players }) => players.map((seat) => seat.ticketId)));
  for (const id of ids) {
    const matched = id === undefined ? undefined : seen.waiting.get(id);
    if (id === undefined || matched === undefined) continue;
    seen.waiting.delete(id);
    seen.playersMatched += matched.players;
    const waitMs = Math.max(0, Date.parse(match.createdAt) - matched.enqueuedAtMs);
    for (let i = 0; i < matched.players; i++) seen.waitsMs.push(waitMs);
  }
  seen.matches++;
  seen.imbalances.push(match.imbalance);
  const gap = match.priority - match.lowerBound;
  if (gap <= ROUNDING * Math.max(1, Math.abs(match.priority))) seen.provenBest++;
}

/** Sleeps; false when the signal came. */
async function pause(ms: number, signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) return false;
  try {
    await sleep(Math.max(0, ms), undefined, { signal });
    return true;
  } catch {
    return false;
  }
}
