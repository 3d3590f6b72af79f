import { gameJson } from '../../contract/match.ts';
import type { QueueDefinition } from '../../contract/queue-definition.ts';
import type { Game, Ticket } from '../../engine/types.ts';
import { planGames, type TickMemory, type TickPlan } from '../../policies/plan.ts';
import { firstStatus } from '../placement/match-status.ts';
import type { StoredMatch } from '../placement/stored-match.ts';
import type { Clock } from '../ports/clock.ts';
import type { MatchStore } from '../ports/match-store.ts';
import type { TicketStore, WaitingTickets } from '../ports/ticket-store.ts';
import { Unreadable } from '../ports/unreadable.ts';
import type { QueueRecord } from '../queues/queue-record.ts';
import { misfits } from '../tickets/misfits.ts';
import { type StoredTicket, toEngineTicket } from '../tickets/stored-ticket.ts';
import type { BucketLimits } from './bucket-limits.ts';
import type { KeyRange } from './buckets.ts';
import { commitGames } from './commit-games.ts';
import { inParallel } from './in-parallel.ts';
import { Pace } from './pace.ts';
import type { RecentMatch } from './tick-report.ts';

/** Tickets that are being ended at once. */
const ENDS_AT_ONCE = 8;

export interface SearchDeps {
  readonly tickets: TicketStore;
  readonly matches: MatchStore;
  readonly clock: Clock;
  readonly newId: () => string;
}

/** How long a search may take. */
export interface SearchTimes {
  /** No further page is read; milliseconds since the epoch. */
  readonly readUntilMs: number;
  /** No further game is looked for so long after the tickets are read. */
  readonly searchMs: number;
  /** No write begins; milliseconds since the epoch. */
  readonly writeUntilMs: number;
}

/** What the search of a range before this one has left. */
export interface SearchBefore {
  readonly memory?: TickMemory | undefined;
  /** The sort key where this one begins to read. Left out: where the range begins. */
  readonly next?: string | undefined;
}

/** What a search of a range found and did. */
export interface SearchResult {
  /** The matches committed. */
  readonly matches: StoredMatch[];
  readonly recent: RecentMatch[];
  /** Tickets that were read and go on waiting, and the longest of their waits. */
  readonly waiting: number;
  readonly oldestWaitMs: number;
  readonly timedOut: number;
  /** Matches that were planned and not committed: a ticket was gone, or the store was busy. */
  readonly lostRaces: number;
  readonly busy: number;
  /** Tickets cancelled because this version of Muster cannot read them. */
  readonly unreadable: readonly string[];
  /** What the release policy has learned about the range. */
  readonly memory: TickMemory;
  /** The sort key where the next search goes on; left out when this one came to the end of the range. */
  readonly next?: string | undefined;
}

/**
 * Reads the waiting tickets of a range, plans, and makes the plan true.
 *
 * A range with more tickets than one tick can read is read a part at a time, in order of skill: the parts
 * come round, so nobody is left out. Ends and commits each have a pace of their own, so neither keeps
 * the other from happening; and commits begin with the first game that is found.
 */
export async function searchRange(
  deps: SearchDeps,
  { definition, layouts }: QueueRecord,
  range: KeyRange,
  before: SearchBefore,
  times: SearchTimes,
  limits: BucketLimits,
): Promise<SearchResult> {
  const hasTime = () => deps.clock.now() < times.readUntilMs;
  const read = (from: string | undefined) =>
    deps.tickets.waiting(
      definition.name,
      layouts,
      { ...range, ...(from !== undefined && { from }) },
      { limit: limits.readTickets, hasTime },
    );
  const { tickets: stored, unreadable, next } = await readInTurn(read, before.next);
  const nowMs = deps.clock.now();
  const untilMs = Math.min(nowMs + times.searchMs, times.writeUntilMs);
  const { unfit, late, tickets } = sortOut(stored, definition, nowMs);
  const search: Search = {
    deps,
    definition,
    nowMs,
    endsPace: new Pace(deps.clock, limits.endsPerSecond),
    writeUntilMs: times.writeUntilMs,
  };
  const planOf = (outOfTime: () => boolean) =>
    planGames({ rules: definition, tickets, nowMs, memory: before.memory, reasons: false, outOfTime });
  const commit = async (game: Game): Promise<Commit> => {
    const match = toMatch(game, definition, deps.newId(), nowMs);
    return { game, match, outcome: await deps.matches.commit(match, nowMs) };
  };
  const [ends, { plan, commits }] = await bothOf(
    endStale(search, unreadable, unfit, late, untilMs),
    commitGames(deps.clock, planOf, commit, new Pace(deps.clock, limits.commitsPerSecond), untilMs),
  );
  const unfilled = await timeOut(search, plan.timedOut, times.writeUntilMs);
  return { ...summarise(nowMs, tickets, plan, commits), timedOut: ends + unfilled, unreadable, next };
}

/** Reads on where the search before this one stopped, or from the beginning when nobody waits there. */
async function readInTurn(
  read: (from: string | undefined) => Promise<WaitingTickets>,
  from: string | undefined,
): Promise<WaitingTickets> {
  const part = await read(from);
  return from !== undefined && part.tickets.length + part.unreadable.length === 0 ? read(undefined) : part;
}

/** What the steps of one search share. */
interface Search {
  readonly deps: SearchDeps;
  readonly definition: QueueDefinition;
  readonly nowMs: number;
  readonly endsPace: Pace;
  readonly writeUntilMs: number;
}

/**
 * Tells tickets that the queue's definition no longer fits, and those past their time-out unless bots fill
 * their games, from those to search.
 */
function sortOut(
  stored: readonly StoredTicket[],
  definition: QueueDefinition,
  nowMs: number,
): { unfit: string[]; late: string[]; tickets: Ticket[] } {
  const unfit: string[] = [];
  const late: string[] = [];
  const tickets: Ticket[] = [];
  const lateBeforeMs = nowMs - definition.timeoutSeconds * 1_000;
  for (const one of stored) {
    const ticket = toEngineTicket(one);
    if (misfits(one.players, definition).length > 0) unfit.push(one.ticketId);
    else if (definition.fill !== 'bots' && ticket.enqueuedAtMs <= lateBeforeMs) late.push(one.ticketId);
    else tickets.push(ticket);
  }
  return { unfit, late, tickets };
}

/** @returns how many timed out */
async function endStale(
  search: Search,
  unreadable: readonly string[],
  unfit: readonly string[],
  late: readonly string[],
  untilMs: number,
): Promise<number> {
  const { deps, nowMs, endsPace } = search;
  await cancelUnreadable(search, unreadable, untilMs);
  await inParallel(
    unfit,
    ENDS_AT_ONCE,
    () => endsPace.admits(1, untilMs),
    (ticketId) =>
      deps.tickets.end(
        ticketId,
        'CANCELLED',
        'the queue was changed and the ticket no longer fits it',
        nowMs,
      ),
  );
  return timeOut(search, late, untilMs);
}

/** They would wait for ever: this version can neither match them nor see their age. */
async function cancelUnreadable(
  { deps, nowMs, endsPace }: Search,
  ticketIds: readonly string[],
  untilMs: number,
): Promise<void> {
  await inParallel(
    ticketIds,
    ENDS_AT_ONCE,
    () => endsPace.admits(1, untilMs),
    async (ticketId) => {
      try {
        await deps.tickets.end(ticketId, 'CANCELLED', 'the stored ticket cannot be read', nowMs);
      } catch (error) {
        // The ticket is ended then; the store could not return it.
        if (!(error instanceof Unreadable)) throw error;
      }
    },
  );
}

/** @returns how many of the tickets were still QUEUED and are TIMED_OUT now */
async function timeOut(
  { deps, definition, nowMs, endsPace }: Search,
  ticketIds: readonly string[],
  untilMs: number,
): Promise<number> {
  const reason = `no match within ${definition.timeoutSeconds} s`;
  const ends = await inParallel(
    ticketIds,
    ENDS_AT_ONCE,
    () => endsPace.admits(1, untilMs),
    (ticketId) => deps.tickets.end(ticketId, 'TIMED_OUT', reason, nowMs),
  );
  return ends.filter((result) => result?.ended).length;
}

/** Both results; when one fails, the other is waited for first. */
async function bothOf<A, B>(a: Promise<A>, b: Promise<B>): Promise<[A, B]> {
  await Promise.allSettled([a, b]);
  return Promise.all([a, b]);
}

/** A game and what became of its commit. */
interface Commit {
  readonly game: Game;
  readonly match: StoredMatch;
  readonly outcome: 'committed' | 'lost-race' | 'busy';
}

/** The match a game becomes: its status is the first that something still has to happen in. */
function toMatch(game: Game, definition: QueueDefinition, matchId: string, nowMs: number): StoredMatch {
  const { status, deadline } = firstStatus(definition, nowMs);
  return {
    matchId,
    queue: definition.name,
    status,
    createdAt: new Date(nowMs).toISOString(),
    ...gameJson(game),
    ticketIds: game.ticketIds,
    ...(deadline && { deadline }),
  };
}

/** Counts what was committed and what goes on waiting. */
function summarise(
  nowMs: number,
  tickets: readonly Ticket[],
  plan: TickPlan,
  commits: readonly Commit[],
): Omit<SearchResult, 'timedOut' | 'unreadable' | 'next'> {
  const enqueuedAtMs = new Map(tickets.map((ticket) => [ticket.ticketId, ticket.enqueuedAtMs]));
  const waitMs = (ticketId: string) => Math.max(0, nowMs - (enqueuedAtMs.get(ticketId) ?? nowMs));
  const committed = commits.filter(({ outcome }) => outcome === 'committed');
  return {
    matches: committed.map(({ match }) => match),
    recent: committed.map(({ game }) => ({ imbalance: game.imbalance, waitsMs: game.ticketIds.map(waitMs) })),
    waiting: plan.waiting.length,
    oldestWaitMs: plan.waiting.reduce((oldest, { ticketId }) => Math.max(oldest, waitMs(ticketId)), 0),
    lostRaces: commits.filter(({ outcome }) => outcome === 'lost-race').length,
    busy: commits.filter(({ outcome }) => outcome === 'busy').length,
    memory: plan.memory,
  };
}
