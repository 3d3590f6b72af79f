import { setTimeout as sleep } from 'node:timers/promises';
import type { Match } from '../../client/index.ts';
import { provedGap } from '../../contract/proved-gap.ts';
import type { QueueDefinition } from '../../contract/queue-definition.ts';
import { partyMaxOf, seatsOf, teamKindsOf } from '../../contract/team-kinds.ts';
import { isFinal } from '../../contract/ticket.ts';
import type { Player } from '../../engine/types.ts';
import { drawParty, meanPartySize, type Population } from '../../simulation/population.ts';
import type { RandomSource } from '../../simulation/random.ts';
import type { Ask } from '../client.ts';
import { Failure } from '../failure.ts';
import { playerIdOf } from './player-names.ts';
import { drawnRanks } from './queues.ts';

/** A game backend's view of one queue. @param withServers whether it starts game servers for the matches of the queue */
export function nothingSeen(queue: string, { withServers = false } = {}) {
  return {
    queue,
    /** Tickets that are waiting as far as the backend knows, by `ticketId`. */
    waiting: new Map<string, WaitingTicket>(),
    playersPosted: 0,
    playersMatched: 0,
    /** The number of players in tickets that timed out, were cancelled or failed. */
    playersUnmatched: 0,
    /** The wait of every matched player, in milliseconds. */
    waitsMs: [] as number[],
    matches: [] as SeenMatch[],
    /** Matches that wait for acceptance or for a server, with those of their tickets that are the backend's, by `matchId`. */
    open: new Map<string, ReadonlyMap<string, WaitingTicket>>(),
    /** The matches whose game can start. */
    started: 0,
    /** The matches that failed. */
    failed: 0,
    /** The server of each placed match, by `matchId`. */
    servers: withServers ? new Map<string, Server>() : undefined,
    /** The parties of recent matches, which may come again. */
    played: [] as (readonly Player[])[],
  };
}

export type QueueSeen = ReturnType<typeof nothingSeen>;

export interface WaitingTicket {
  readonly players: readonly Player[];
  readonly enqueuedAtMs: number;
}

/** A match with what the backend knows about its players. */
export interface SeenMatch
  extends Pick<Match, 'matchId' | 'queue' | 'createdAt' | 'teams' | 'imbalance' | 'teamGap'> {
  /** Of the players of this backend. */
  readonly skills: ReadonlyMap<string, number>;
  /** The least and the greatest wait of its tickets, in milliseconds. */
  readonly waitsMs: readonly [number, number];
  /** Proved: no possible match was better by more than this, in points of imbalance. 0 means the match is optimal. */
  readonly certifiedGap: number;
}

export interface Server {
  readonly address: string;
  readonly port: number;
  /** From the match until its server was known, in milliseconds. */
  readonly tookMs: number;
}

/** How often the backend posts what has arrived and polls its tickets. */
const ROUND_MS = 400;
/** The maximum of tickets posted each time. On a machine that is too slow for the rate, fewer players arrive. */
const POSTS_MAX = 200;
/** The maximum of tickets polled each time, by one request. */
const LOOKS_MAX = 50;
/** The maximum of open matches polled each time. */
const OPEN_LOOKS_MAX = 10;

/** In a queue with a `recent` rule or a ladder, the chance that a party that has played comes again instead of a new one. */
const RETURN_CHANCE = 0.6;
/** Parties that may come again. */
const PLAYED_MAX = 50;

/** A game server needs this long to start, and on average as long again. */
const START_MS = 600;
/** An address for documentation (RFC 5737), which no machine has. */
const ADDRESS = '203.0.113.7';
const PORT_FIRST = 30_000;
const PORTS = 2_000;

/** The options of a simulated game backend. */
export interface BackendOptions {
  readonly ask: Ask;
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
  const arrived = arrivalsOf(options);
  const follow = ticketFollower(options);
  try {
    do {
      await postTickets(arrived(), options);
      await follow();
    } while (await pause(ROUND_MS, options.signal));
  } catch (error) {
    if (!options.signal.aborted) throw error;
  }
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

interface Party {
  readonly ticketId: string;
  readonly players: readonly Player[];
}

/** Returns the parties that have arrived since the last call. */
function arrivalsOf({ definition, rate, random, nextName, seen }: BackendOptions): () => Party[] {
  const population = demoPopulation(definition);
  const returns =
    definition.ladder !== undefined || definition.rules?.some(({ type }) => type === 'recent') === true;
  const ticketsPerSecond = rate / meanPartySize(population);
  const run = `${definition.name}-${Date.now().toString(36)}`;
  // Enough players at the start for two matches, one of them good.
  let opening = Math.max(12, 2 * seatsOf(definition));
  let number = 0;
  let dueMs = performance.now();
  return () => {
    const parties: Party[] = [];
    const nowMs = performance.now();
    while (dueMs <= nowMs && parties.length < POSTS_MAX) {
      const ticketId = `${run}-${++number}`;
      const players =
        (returns && random.uniform() < RETURN_CHANCE ? seen.played.shift() : undefined) ??
        drawParty(population, ticketId, random).map((player) => ({
          ...player,
          playerId: playerIdOf(nextName(), ticketId),
          skill: Math.round(player.skill),
        }));
      parties.push({ ticketId, players });
      opening -= players.length;
      if (opening <= 0) dueMs += 1_000 * random.exponential(ticketsPerSecond);
    }
    dueMs = Math.max(dueMs, nowMs);
    return parties;
  };
}

/** @throws Failure when the service rejects a ticket */
async function postTickets(
  parties: readonly Party[],
  { ask, definition: { name, ladder }, seen }: BackendOptions,
): Promise<void> {
  // A ladder knows their skills; these are what it is to find out.
  const tickets = parties.map(({ ticketId, players }) => ({
    ticketId,
    players: ladder === undefined ? players : players.map(({ skill: _, ...player }) => player),
  }));
  const results = parties.length === 0 ? [] : await ask((client) => client.postBatch(name, tickets));
  for (const [at, { ticket, problem }] of results.entries()) {
    const { ticketId, players } = parties[at]!;
    if (ticket === undefined)
      throw new Failure(`The service rejected ticket ${ticketId}: ${problem?.detail ?? problem?.title}`);
    seen.playersPosted += players.length;
    seen.waiting.set(ticketId, { players, enqueuedAtMs: Date.parse(ticket.enqueuedAt) });
  }
}

/** Returns what polls open matches, and the tickets in turn, the least recently polled first. */
function ticketFollower(options: BackendOptions): () => Promise<void> {
  const { ask, seen } = options;
  const look = matchFollower(options);
  let turn: string[] = [];
  return async () => {
    for (const matchId of [...seen.open.keys()].slice(0, OPEN_LOOKS_MAX)) await look(matchId);
    turn = turn.filter((ticketId) => seen.waiting.has(ticketId));
    const known = new Set(turn);
    turn.push(...[...seen.waiting.keys()].filter((ticketId) => !known.has(ticketId)));
    const looks = turn.splice(0, LOOKS_MAX);
    if (looks.length === 0) return;
    // Sequential, because many concurrent requests would make the service start many workers.
    for (const { ticketId, status, matchId } of await ask((client) => client.getMany(looks))) {
      const waiting = seen.waiting.get(ticketId);
      // A match that another ticket of this round has may have been recorded with this ticket.
      if (waiting === undefined) continue;
      if (isFinal(status) && status !== 'COMPLETED') {
        seen.waiting.delete(ticketId);
        seen.playersUnmatched += waiting.players.length;
      } else if (matchId !== undefined) await look(matchId);
    }
    turn.push(...looks);
  };
}

/** Returns what follows a match to its game: accepts it, starts its server, and says how it ended where players are rated. */
function matchFollower({ ask, seen, random }: BackendOptions): (matchId: string) => Promise<void> {
  const results = random.fork('results');
  const ports = random.fork('servers');
  /** When the server of a match has started, by `matchId`. */
  const startedMs = new Map<string, number>();

  const place = async ({ matchId, createdAt }: Match) => {
    const readyMs = startedMs.get(matchId) ?? Date.now() + START_MS * (1 + ports.exponential(1));
    startedMs.set(matchId, readyMs);
    if (Date.now() < readyMs || seen.servers?.has(matchId)) return;
    const server = { address: ADDRESS, port: PORT_FIRST + Math.floor(PORTS * ports.uniform()) };
    await ask((client) => client.assign(matchId, server));
    seen.servers?.set(matchId, { ...server, tookMs: Math.max(0, Date.now() - Date.parse(createdAt)) });
  };
  return async (matchId) => {
    const match = await ask((client) => client.match(matchId));
    const wasOpen = seen.open.get(matchId);
    const tickets = wasOpen ?? noteMatch(match, seen);
    seen.open.delete(matchId);
    if (match.status === 'FAILED') {
      seen.failed++;
      // They are waiting again, until the service says otherwise.
      for (const [ticketId, ticket] of tickets) {
        seen.waiting.set(ticketId, ticket);
        seen.playersMatched -= ticket.players.length;
      }
    } else if (match.status === 'COMPLETED') {
      seen.started++;
      const skills = new Map(
        [...tickets.values()].flatMap(({ players }) => players.map((one) => [one.playerId, one.skill])),
      );
      const ranks = match.ladder === undefined ? undefined : drawnRanks(match, skills, results);
      if (ranks) await ask((client) => client.result(matchId, { ranks }));
    } else {
      seen.open.set(matchId, tickets);
      if (wasOpen === undefined && match.status === 'REQUIRES_ACCEPTANCE')
        await acceptAll(ask, matchId, tickets.keys());
      if (match.status === 'PLACING' && seen.servers !== undefined) await place(match);
    }
  };
}

/** Accepts a match for the players of these tickets, who all want to play. Another player may have declined meanwhile. */
async function acceptAll(ask: Ask, matchId: string, ticketIds: Iterable<string>): Promise<void> {
  try {
    for (const ticketId of ticketIds) await ask((client) => client.accept(ticketId, matchId));
  } catch (error) {
    if (!(error instanceof Failure && error.status === 409)) throw error;
  }
}

/** Returns those of its tickets that were waiting as far as the backend knew. */
function noteMatch(match: Match, seen: QueueSeen): ReadonlyMap<string, WaitingTicket> {
  const tickets = new Map<string, WaitingTicket>();
  const createdAtMs = Date.parse(match.createdAt);
  const skills = new Map<string, number>();
  const waitsMs: number[] = [];
  for (const { ticketId } of match.teams.flatMap(({ players }) => players)) {
    const ticket = ticketId === undefined ? undefined : seen.waiting.get(ticketId);
    if (ticketId === undefined || ticket === undefined) continue;
    seen.waiting.delete(ticketId);
    tickets.set(ticketId, ticket);
    const waitMs = Math.max(0, createdAtMs - ticket.enqueuedAtMs);
    waitsMs.push(waitMs);
    seen.played.push(ticket.players);
    if (seen.played.length > PLAYED_MAX) seen.played.shift();
    for (const { playerId, skill } of ticket.players) {
      skills.set(playerId, skill);
      seen.waitsMs.push(waitMs);
      seen.playersMatched++;
    }
  }
  const ofTickets = [Math.min(...waitsMs), Math.max(...waitsMs)] as const;
  seen.matches.push({ ...match, skills, waitsMs: ofTickets, certifiedGap: provedGap(match) });
  return tickets;
}

/** Sleeps. Returns false when the signal has aborted. */
export async function pause(ms: number, signal: AbortSignal): Promise<boolean> {
  await sleep(ms, undefined, { signal }).catch(() => {});
  return !signal.aborted;
}
