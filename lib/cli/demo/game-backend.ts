import { setTimeout as sleep } from 'node:timers/promises';
import type { MatchView } from '../../contract/match.ts';
import { provedGap } from '../../contract/proved-gap.ts';
import type { QueueDefinition } from '../../contract/queue-definition.ts';
import { partyMaxOf, seatsOf, teamKindsOf } from '../../contract/team-kinds.ts';
import { isFinal, type TicketView } from '../../contract/ticket.ts';
import type { Player } from '../../engine/types.ts';
import { drawParty, meanPartySize, type Population } from '../../simulation/population.ts';
import type { RandomSource } from '../../simulation/random.ts';
import type { ServiceClient } from '../client.ts';
import { type Told, toldOf } from './estimates.ts';
import { type ServersSeen, startServer } from './game-servers.ts';
import {
  acceptAll,
  type GamesSeen,
  lookAtOpenMatches,
  noGames,
  noteGame,
  type WaitingTicket,
} from './open-matches.ts';
import { playerIdOf } from './player-names.ts';
import { ranksOf } from './rated-queue.ts';

/** A game backend's view of one queue. */
export interface QueueSeen {
  readonly queue: string;
  /** Tickets that are waiting as far as the backend knows, by `ticketId`. */
  readonly waiting: Map<string, WaitingTicket>;
  playersPosted: number;
  playersMatched: number;
  /** The number of players in tickets that timed out, were cancelled or failed. */
  playersUnmatched: number;
  /** The wait of every matched player, in milliseconds. */
  readonly waitsMs: number[];
  readonly matches: SeenMatch[];
  /** What has become of these matches. */
  readonly games: GamesSeen;
  /** The estimated waits of new tickets. */
  readonly told: Told[];
  /** Undefined in a queue whose matches get no servers from this backend. */
  readonly servers: ServersSeen | undefined;
  /** The parties of recent matches, which may come again. */
  readonly played: (readonly Player[])[];
}

/** A match with what the backend knows about its players. */
export interface SeenMatch {
  readonly matchId: string;
  readonly queue: string;
  readonly createdAtMs: number;
  readonly teams: readonly (readonly SeenPlayer[])[];
  /** The least and the greatest wait of its tickets, in milliseconds. */
  readonly waitsMs: readonly [number, number];
  readonly imbalance: number;
  /** d_p, in points of skill. */
  readonly teamGap: number;
  /** Proved: no possible match was better by more than this, in points of imbalance. 0 means the match is optimal. */
  readonly certifiedGap: number;
}

export interface SeenPlayer {
  readonly playerId: string;
  /** Undefined for a bot. */
  readonly ticketId: string | undefined;
  readonly role: string | undefined;
  /** Undefined for a bot, and for a player of another backend. */
  readonly skill: number | undefined;
}

/** How often the backend polls its tickets. */
const LOOK_MS = 400;
/** The maximum of tickets polled each time, by one request. */
const LOOKS_MAX = 50;
/** The maximum of posts that have no response yet. On a machine that is too slow for the rate, fewer players arrive. */
const POSTS_MAX = 4;

/** In a queue with a `recent` rule or a ladder, the chance that a party that has played comes again instead of a new one. */
const RETURN_CHANCE = 0.6;
/** Parties that may come again. */
const PLAYED_MAX = 50;

/** The options of a simulated game backend. */
export interface BackendOptions {
  readonly client: ServiceClient;
  readonly definition: QueueDefinition;
  /** Players per second. */
  readonly rate: number;
  readonly random: RandomSource;
  readonly nextName: () => string;
  readonly signal: AbortSignal;
  /** Updated while the backend runs. */
  readonly seen: QueueSeen;
}

/**
 * Simulates a game backend for one queue: posts parties and follows them to their matches until the signal aborts.
 * Some players arrive at the start, as when a game opens; the others arrive as a Poisson process.
 */
export async function playBackend(options: BackendOptions): Promise<void> {
  await Promise.all([postTickets(options), followTickets(options)]);
}

/** @param withServers whether the backend starts game servers for the matches of the queue */
export function nothingSeen(queue: string, { withServers = false } = {}): QueueSeen {
  return {
    queue,
    told: [],
    servers: withServers ? { starting: 0, placed: new Map() } : undefined,
    waiting: new Map(),
    playersPosted: 0,
    playersMatched: 0,
    playersUnmatched: 0,
    waitsMs: [],
    matches: [],
    games: noGames(),
    played: [],
  };
}

/** A plausible population: half of the parties are solos, friends have similar skills, some roles are rare, attributes are drawn evenly. */
export function demoPopulation(definition: QueueDefinition): Population {
  const kinds = teamKindsOf(definition);
  const roles = kinds.find((kind) => kind.roles !== undefined)?.roles;
  const named = kinds.filter(({ name }) => name !== undefined);
  // Players choose teams in proportion to their seats, and every fifth ticket accepts any team.
  const seats = seatsOf(definition);
  const sides = [
    ...named.map(({ name, size, count }) => ({ name, partyMax: size, weight: (80 * size * count) / seats })),
    { name: undefined, partyMax: seats, weight: 20 },
  ];
  return {
    skills: { kind: 'normal', mean: 1500, standardDeviation: 300 },
    partyWeights: [55, 25, 10, 3, 7].slice(0, partyMaxOf(definition)),
    ...(roles && { roleWeights: { ...roles }, roleFlexibility: 0.35, seats: roles }),
    ...(named.length > 1 && { sides }),
    ...(definition.attributes && { attributes: definition.attributes }),
    ...(definition.rules?.some(({ type }) => type === 'latency') && { regionWeights: REGIONS }),
  };
}

/** The regions that the players of a queue with a `latency` rule live in, by weight. */
const REGIONS = { 'eu-west-1': 60, 'us-east-1': 40 };

/** The number of players at the start: enough for two matches, one of them good. */
const openingPlayersOf = (definition: QueueDefinition) => Math.max(12, 2 * seatsOf(definition));

async function postTickets({
  client,
  definition,
  rate,
  random,
  nextName,
  signal,
  seen,
}: BackendOptions): Promise<void> {
  const population = demoPopulation(definition);
  const isRated = definition.ladder !== undefined;
  const returns = isRated || definition.rules?.some(({ type }) => type === 'recent') === true;
  const ticketsPerSecond = rate / meanPartySize(population);
  const openingPlayers = openingPlayersOf(definition);
  const run = `${definition.name}-${Date.now().toString(36)}`;
  const posts = new Set<Promise<void>>();
  let failure: unknown;
  let dueMs = performance.now();
  let drawn = 0;
  for (let number = 1; failure === undefined; number++) {
    if (drawn < openingPlayers) {
      // Sequential, because many concurrent requests would make the service start many workers.
      await Promise.all(posts);
      dueMs = performance.now();
    } else {
      if (posts.size >= POSTS_MAX) {
        await Promise.race(posts);
        dueMs = Math.max(dueMs, performance.now());
      }
      dueMs += 1_000 * random.exponential(ticketsPerSecond);
    }
    if (!(await pause(dueMs - performance.now(), signal))) break;
    const ticketId = `${run}-${number}`;
    const players =
      (returns && random.uniform() < RETURN_CHANCE ? seen.played.shift() : undefined) ??
      drawParty(population, ticketId, random).map((player) => ({
        ...player,
        playerId: playerIdOf(nextName(), ticketId),
        skill: Math.round(player.skill),
      }));
    drawn += players.length;
    const post = client
      .enqueue(definition.name, {
        ticketId,
        // The ladder knows their skills; these are what it is to find out.
        players: isRated ? players.map(({ skill: _, ...player }) => player) : players,
      })
      .then((ticket) => {
        const told = toldOf(ticket);
        if (told !== undefined) seen.told.push(told);
        seen.playersPosted += players.length;
        seen.waiting.set(ticketId, { players, enqueuedAtMs: Date.parse(ticket.enqueuedAt), told });
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

/** Polls the tickets in turn, the least recently polled first. */
async function followTickets(options: BackendOptions): Promise<void> {
  const { signal, seen } = options;
  const random = options.random.fork('servers');
  const results = options.random.fork('results');
  const starts = new Set<Promise<void>>();
  /** The matches whose server starts. */
  const placing = new Set<string>();
  let failure: unknown;
  const follower: Follower = {
    ...options,
    async played(match, skillOf) {
      await options.client.result(match.matchId, ranksOf(match, skillOf, results));
    },
    placing(match) {
      if (seen.servers === undefined || placing.has(match.matchId)) return;
      placing.add(match.matchId);
      const start = startServer(options.client, match, seen.servers, random, signal)
        .catch((error) => {
          failure = error;
        })
        .finally(() => {
          starts.delete(start);
          placing.delete(match.matchId);
        });
      starts.add(start);
    },
  };
  let turn: string[] = [];
  while (failure === undefined && (await pause(LOOK_MS, signal))) {
    turn = turn.filter((ticketId) => seen.waiting.has(ticketId));
    const known = new Set(turn);
    turn.push(...[...seen.waiting.keys()].filter((ticketId) => !known.has(ticketId)));
    const looks = turn.splice(0, LOOKS_MAX);
    await lookAtOpenMatches(options.client, seen, follower.placing);
    if (looks.length === 0) continue;
    // Sequential, because many concurrent requests would make the service start many workers.
    for (const ticket of await options.client.tickets(looks)) await follow(follower, ticket);
    turn.push(...looks);
  }
  await Promise.all(starts);
  if (failure !== undefined) throw failure;
}

interface Follower extends Pick<BackendOptions, 'client' | 'seen'> {
  /** Called for a match whose result the service takes. */
  played(match: MatchView, skillOf: (playerId: string) => number | undefined): Promise<void>;
  /** Called for a match that waits for its server. */
  placing(match: MatchView): void;
}

/** If a ticket has a match, records the match and all of its tickets. */
async function follow({ client, seen, played, placing }: Follower, ticket: TicketView): Promise<void> {
  const { ticketId, status, matchId } = ticket;
  const waiting = seen.waiting.get(ticketId);
  // A match that another ticket of this round has may have been recorded with this ticket.
  if (waiting === undefined) return;
  if (matchId === undefined) {
    if (!isFinal(status)) return;
    seen.waiting.delete(ticketId);
    seen.playersUnmatched += waiting.players.length;
    return;
  }
  const match = await client.match(matchId);
  if (!seen.waiting.has(ticketId)) return;
  const tickets = noteMatch(match, seen);
  noteGame(match, tickets, seen);
  if (match.status === 'REQUIRES_ACCEPTANCE') await acceptAll(client, matchId, tickets.keys());
  if (match.status === 'PLACING') placing(match);
  if (match.status === 'COMPLETED' && match.ladder !== undefined) {
    const skills = new Map(
      [...tickets.values()].flatMap(({ players }) =>
        players.map(({ playerId, skill }) => [playerId, skill] as const),
      ),
    );
    await played(match, (playerId) => skills.get(playerId));
  }
}

/** Returns those of its tickets that were waiting as far as the backend knew. */
function noteMatch(match: MatchView, seen: QueueSeen): ReadonlyMap<string, WaitingTicket> {
  const tickets = new Map<string, WaitingTicket>();
  const createdAtMs = Date.parse(match.createdAt);
  const ticketIds = new Set(match.teams.flatMap(({ players }) => players.map((seat) => seat.ticketId)));
  const skills = new Map<string, number>();
  const waitsMs: number[] = [];
  for (const ticketId of ticketIds) {
    const ticket = ticketId === undefined ? undefined : seen.waiting.get(ticketId);
    if (ticketId === undefined || ticket === undefined) continue;
    seen.waiting.delete(ticketId);
    tickets.set(ticketId, ticket);
    const waitMs = Math.max(0, createdAtMs - ticket.enqueuedAtMs);
    waitsMs.push(waitMs);
    if (ticket.told !== undefined) ticket.told.waitedMs = waitMs;
    seen.played.push(ticket.players);
    if (seen.played.length > PLAYED_MAX) seen.played.shift();
    for (const { playerId, skill } of ticket.players) {
      skills.set(playerId, skill);
      seen.waitsMs.push(waitMs);
      seen.playersMatched++;
    }
  }
  seen.matches.push({
    matchId: match.matchId,
    queue: match.queue,
    createdAtMs,
    teams: match.teams.map(({ players }) =>
      players.map(({ playerId, ticketId, role }) => ({
        playerId,
        ticketId,
        role,
        skill: skills.get(playerId),
      })),
    ),
    waitsMs: [Math.min(...waitsMs), Math.max(...waitsMs)],
    imbalance: match.imbalance,
    teamGap: match.teamGap,
    certifiedGap: provedGap(match),
  });
  return tickets;
}

/** Sleeps. Returns false when the signal has aborted. */
async function pause(ms: number, signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) return false;
  if (ms <= 0) return true;
  try {
    await sleep(ms, undefined, { signal });
    return true;
  } catch {
    return false;
  }
}
