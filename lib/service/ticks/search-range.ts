import { gameJson } from '../../contract/match.ts';
import type { QueueDefinition } from '../../contract/queue-definition.ts';
import type { Game, Ticket } from '../../engine/types.ts';
import { planTick, type TickMemory, type TickPlan } from '../../policies/plan.ts';
import { firstStatus } from '../placement/match-status.ts';
import type { StoredMatch } from '../placement/stored-match.ts';
import type { MatchStore } from '../ports/match-store.ts';
import type { TicketStore } from '../ports/ticket-store.ts';
import { Unreadable } from '../ports/unreadable.ts';
import type { QueueRecord } from '../queues/queue-record.ts';
import { misfits } from '../tickets/misfits.ts';
import { type StoredTicket, toEngineTicket } from '../tickets/stored-ticket.ts';
import type { KeyRange } from './buckets.ts';
import { inParallel } from './in-parallel.ts';
import type { RecentMatch } from './tick-report.ts';

export interface SearchDeps {
  readonly tickets: TicketStore;
  readonly matches: MatchStore;
  readonly clock: { now(): number };
  readonly newId: () => string;
}

/** Moments at which a search has to stop, in milliseconds since the epoch. */
export interface SearchLimits {
  /** No further game is looked for; what is found by then is committed. */
  readonly planUntilMs: number;
  /** No further write starts. */
  readonly writeUntilMs: number;
}

/** What a search of a range found and did. */
export interface SearchResult {
  /** The matches committed. */
  readonly matches: StoredMatch[];
  readonly recent: RecentMatch[];
  /** Tickets that go on waiting, and the longest of their waits. */
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
}

/** Reads the waiting tickets of a range, ends those that cannot wait on, plans, and commits the plan's matches. */
export async function searchRange(
  deps: SearchDeps,
  { definition, plans }: QueueRecord,
  range: KeyRange,
  memory: TickMemory | undefined,
  limits: SearchLimits,
): Promise<SearchResult> {
  const { tickets: stored, unreadable } = await deps.tickets.waiting(definition.name, plans, range);
  const nowMs = deps.clock.now();
  const hasTime = () => deps.clock.now() < limits.writeUntilMs;
  const search: Search = { deps, definition, nowMs, hasTime };

  // Ends come first: they must happen even when there is more to search than one tick can do.
  await cancelUnreadable(search, unreadable);
  const { tickets, timedOut } = await endStale(search, stored);
  const outOfTime = () => deps.clock.now() >= limits.planUntilMs;
  const plan = planTick({ rules: definition, tickets, nowMs, memory, reasons: false, outOfTime });
  const commits = await commitMatches(search, plan.matches);
  const unfilled = await timeOut(search, plan.timedOut);
  return { ...summarise(nowMs, tickets, plan, commits), timedOut: timedOut + unfilled, unreadable };
}

/** What the steps of one search share. */
interface Search {
  readonly deps: SearchDeps;
  readonly definition: QueueDefinition;
  readonly nowMs: number;
  readonly hasTime: () => boolean;
}

/** They would wait for ever: this version can neither match them nor see their age. */
async function cancelUnreadable({ deps, nowMs, hasTime }: Search, ticketIds: readonly string[]) {
  await inParallel(ticketIds, hasTime, async (ticketId) => {
    try {
      await deps.tickets.end(ticketId, 'CANCELLED', 'the stored ticket cannot be read', nowMs);
    } catch (error) {
      // The ticket is ended then; the store could not return it.
      if (!(error instanceof Unreadable)) throw error;
    }
  });
}

/**
 * Ends tickets that the queue's definition no longer fits, and, unless bots fill their games, those past
 * their time-out.
 * @returns the tickets to search, and how many timed out
 */
async function endStale(
  search: Search,
  stored: readonly StoredTicket[],
): Promise<{ tickets: Ticket[]; timedOut: number }> {
  const { deps, definition, nowMs, hasTime } = search;
  const unfit = new Set(stored.filter(({ players }) => misfits(players, definition).length > 0));
  await inParallel([...unfit], hasTime, ({ ticketId }) =>
    deps.tickets.end(ticketId, 'CANCELLED', 'the queue was changed and the ticket no longer fits it', nowMs),
  );
  const fitting = stored.filter((ticket) => !unfit.has(ticket)).map(toEngineTicket);
  if (definition.fill === 'bots') return { tickets: fitting, timedOut: 0 };
  const isLate = ({ enqueuedAtMs }: Ticket) => nowMs - enqueuedAtMs >= definition.timeoutSeconds * 1_000;
  const late = fitting.filter(isLate).map(({ ticketId }) => ticketId);
  const timedOut = await timeOut(search, late);
  return { tickets: late.length === 0 ? fitting : fitting.filter((ticket) => !isLate(ticket)), timedOut };
}

/** @returns how many of the tickets were still QUEUED and are TIMED_OUT now */
async function timeOut({ deps, definition, nowMs, hasTime }: Search, ticketIds: readonly string[]) {
  const reason = `no match within ${definition.timeoutSeconds} s`;
  const ends = await inParallel(ticketIds, hasTime, (ticketId) =>
    deps.tickets.end(ticketId, 'TIMED_OUT', reason, nowMs),
  );
  return ends.filter((result) => result?.ended).length;
}

/** A game and what became of its commit. */
interface Commit {
  readonly game: Game;
  readonly match: StoredMatch;
  readonly outcome: 'committed' | 'lost-race' | 'busy';
}

/** Commits games as matches, each in a transaction of its own, while there is time. */
function commitMatches({ deps, definition, nowMs, hasTime }: Search, games: readonly Game[]) {
  return inParallel(games, hasTime, async (game): Promise<Commit> => {
    const match = toMatch(game, definition, deps.newId(), nowMs);
    return { game, match, outcome: await deps.matches.commit(match, nowMs) };
  });
}

/** The match a game becomes. */
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
): Omit<SearchResult, 'timedOut' | 'unreadable'> {
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
