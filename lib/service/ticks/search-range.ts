import { gameJson } from '../../contract/match.ts';
import type { QueueDefinition } from '../../contract/queue-definition.ts';
import type { Game, Ticket } from '../../engine/types.ts';
import {
  isFilling,
  type OutOfTime,
  planGames,
  type Released,
  type TickMemory,
  type TickPlan,
} from '../../policies/plan.ts';
import { relaxedRules } from '../../rules/relaxed-rules.ts';
import { backfilledMatch } from '../backfills/backfilled-match.ts';
import { type OpenBackfill, openBackfills } from '../backfills/open-backfills.ts';
import type { CommitOutcome, Commits } from '../commits/commits.ts';
import { meetingRecords, meetingsOfNewcomers, recentSeconds } from '../commits/meeting-records.ts';
import { allOf } from '../concurrency/all-of.ts';
import { inParallelWhile } from '../concurrency/in-parallel.ts';
import type { BucketLimits } from '../domain/bucket-limits.ts';
import { type KeyRange, layoutAt } from '../domain/buckets.ts';
import { firstStatus } from '../domain/match-status.ts';
import type { TalliedMatch } from '../domain/match-tally.ts';
import type { QueueRecord } from '../domain/queue-record.ts';
import { toPolicyBackfill } from '../domain/stored-backfill.ts';
import type { StoredMatch } from '../domain/stored-match.ts';
import type { StoredTicket } from '../domain/stored-ticket.ts';
import type { BackfillReport, RecentMatch } from '../domain/tick-report.ts';
import { Unreadable } from '../domain/unreadable.ts';
import type { BackfillStore } from '../ports/backfill-store.ts';
import type { Clock } from '../ports/clock.ts';
import type { SingleMatchStore } from '../ports/match-store.ts';
import type { TicketStore, WaitingTickets } from '../ports/ticket-store.ts';
import { CheckedTickets } from './checked-tickets.ts';
import { commitGames } from './commit-games.ts';
import { commitRate } from './commit-rate.ts';
import { Pace } from './pace.ts';
import type { WarmSearches } from './warm-searches.ts';

/** The maximum of tickets that are ended concurrently. */
const ENDS_AT_ONCE = 8;

export interface SearchDeps {
  readonly tickets: TicketStore;
  readonly matches: Pick<SingleMatchStore, 'getMany'>;
  readonly backfills: BackfillStore;
  readonly clock: Clock;
  readonly newId: () => string;
  /** What the function has checked at earlier ticks. @default every ticket is checked */
  readonly checked?: CheckedTickets | undefined;
  /** The searches that the function has kept from earlier ticks. @default every tick prepares its own */
  readonly searches?: WarmSearches | undefined;
}

/** The time limits of a search. */
export interface SearchTimes {
  /** No page is read after this time; milliseconds since the epoch. */
  readonly readUntilMs: number;
  /** Tickets past their time-out end before the search for this long, and no longer than until `endFirstUntilMs`. */
  readonly endFirstMs: number;
  readonly endFirstUntilMs: number;
  /** The search for games ends this long after the tickets are read, and at `searchUntilMs` at the latest. */
  readonly searchMs: number;
  readonly searchUntilMs: number;
  /** No write starts after this time; milliseconds since the epoch. */
  readonly writeUntilMs: number;
}

/** The state that the previous search of the range has left. */
export interface SearchBefore {
  readonly memory?: TickMemory | undefined;
  /** The sort key where this search starts to read. @default the start of the range */
  readonly next?: string | undefined;
  /** The number of tickets that were waiting in the range. */
  readonly waiting?: number | undefined;
}

/** The queue's other ranges, when it has several. */
export interface OtherRanges {
  /** The arrivals of the whole queue. */
  readonly arrivals: TickMemory | undefined;
  /** All ranges of the slot. */
  readonly ranges: readonly KeyRange[];
}

/** The results of the search of a range. */
export interface SearchResult {
  /** The matches committed. */
  readonly matches: StoredMatch[];
  /** The tickets of the range that were committed, also to running matches. */
  readonly matchedIds: ReadonlySet<string>;
  /** The backfills that were filled, and those that were read and are still open; absent in a queue without backfills. */
  readonly backfills?: BackfillReport | undefined;
  readonly recent: RecentMatch[];
  /** The matches committed by region and rule; empty in a queue without rules. */
  readonly tallied: TalliedMatch[];
  /** The number of tickets that were read and are still waiting, and the longest of their waits. */
  readonly waiting: number;
  readonly oldestWaitMs: number;
  readonly timedOut: number;
  /** Whether the search was cut short because its time was up. The next tick continues. */
  readonly isCut: boolean;
  /** Matches that were planned but not committed, because a ticket was taken or the store was busy. */
  readonly lostRaces: number;
  readonly busy: number;
  /** Tickets cancelled because this version of Muster cannot parse them. */
  readonly unreadable: readonly string[];
  /** Tickets and backfills cancelled because no item of the store can hold their match. */
  readonly tooLarge: readonly string[];
  /** What the release policy has learned about the range. */
  readonly memory: TickMemory;
  /** The tickets that were read, in order, and when. */
  readonly read: readonly StoredTicket[];
  readonly readAtMs: number;
  /** Those of them that the plan was made with. */
  readonly searched: readonly Ticket[];
  /** The sort key where the next search continues; absent when this one reached the end of the range. */
  readonly next?: string | undefined;
}

/**
 * Reads the waiting tickets of a range, plans matches, and commits the plan.
 *
 * A range with more tickets than one tick can read is read in parts, in order of skill. Successive ticks read all parts
 * in turn, so no ticket is skipped. Ends and commits have separate rate limits, so neither delays the other. Tickets past
 * their time-out end first, so a search that takes long, or in which the function is stopped, leaves none of them waiting;
 * when they are many, the others end beside the search. Commits start with the first game found.
 */
export async function searchRange(
  deps: SearchDeps,
  commits: Commits,
  { definition, layouts }: QueueRecord,
  range: KeyRange,
  before: SearchBefore,
  others: OtherRanges | undefined,
  times: SearchTimes,
  limits: BucketLimits,
): Promise<SearchResult> {
  const { stored, unreadable, pools, next, nowMs, tickets, endsPace, ended } = await readRange(
    deps,
    { definition, layouts },
    range,
    before,
    times,
    limits,
    definition.fill === 'bots',
  );
  const untilMs = Math.min(nowMs + times.searchMs, times.searchUntilMs);
  const open =
    definition.backfill === undefined ? [] : await openBackfills(deps, definition.name, range, nowMs);
  const openById = new Map(open.map((one) => [one.backfill.backfillId, one]));
  const isPart = before.next !== undefined || next !== undefined;
  const warm = deps.searches?.take(definition, range);
  const planOf = (outOfTime: OutOfTime) =>
    planGames({
      rules: definition,
      tickets,
      backfills: open.map(({ backfill }) => toPolicyBackfill(backfill)),
      nowMs,
      memory: before.memory,
      ...((isPart || others !== undefined) && {
        sight: {
          // A tick of the previous slot has searched these skills in other ranges, or another part of the range.
          sinceMs: nowMs - definition.tickSeconds * 1_000,
          share: isPart ? stored.length / Math.max(1, stored.length, before.waiting ?? 0) || 1 : 1,
        },
      }),
      queueMemory: others?.arrivals,
      reasons: false,
      outOfTime,
      kept: warm?.searches,
    });
  const seconds = recentSeconds(definition);
  const byId = new Map(tickets.map((ticket) => [ticket.ticketId, ticket]));
  let storedById: Map<string, StoredTicket> | undefined;
  const commit = async (game: Released): Promise<Commit> => {
    if (isFilling(game)) {
      const asked = openById.get(game.backfillId)!;
      const { backfill } = asked;
      const filled = backfilledMatch(asked, game);
      const met = seconds > 0 ? meetingsOfNewcomers(game, backfill.players, byId, seconds, nowMs) : [];
      return { game, match: filled.match, outcome: await deps.backfills.fill(backfill, filled, nowMs, met) };
    }
    const match = toMatch(game, definition, deps.newId(), nowMs);
    const met = seconds > 0 ? meetingRecords(game, byId, seconds, nowMs) : [];
    storedById ??= new Map(stored.map((ticket) => [ticket.ticketId, ticket]));
    const theirs = game.ticketIds.map((ticketId) => storedById!.get(ticketId)!);
    return { game, match, outcome: await commits.commit(match, theirs, nowMs, met) };
  };
  const ranges = others?.ranges ?? [range];
  const inForce = layoutAt(layouts, nowMs);
  const perSecond = commitRate(definition.name, layouts, inForce, range, ranges, pools, limits);
  const [second, { plan, commits: all, isCut }] = await allOf([
    end(deps, endsPace, ended.left, nowMs, untilMs),
    commitGames(deps.clock, planOf, commit, new Pace(deps.clock, perSecond), untilMs),
  ]);
  if (warm) deps.searches?.return(warm);
  const tooLarge = await endTooLarge(deps, all, storedById, nowMs);
  const overdue = plan.timedOut.map((ticketId) => lateTicket(ticketId, definition));
  const unfilled = await end(deps, endsPace, overdue, nowMs, times.writeUntilMs);
  return {
    ...summarise(definition, nowMs, byId, plan, all),
    ...(definition.backfill && { backfills: backfillReport(open, all, nowMs) }),
    timedOut: ended.timedOut + second.timedOut + unfilled.timedOut,
    isCut,
    unreadable,
    tooLarge,
    read: stored,
    readAtMs: nowMs,
    searched: tickets,
    next,
  };
}

/** What a range has while it is set aside and not searched. */
export interface RestResult {
  /** The number of tickets that were read and are still waiting, and the longest of their waits. */
  readonly waiting: number;
  readonly oldestWaitMs: number;
  readonly timedOut: number;
  readonly unreadable: readonly string[];
  readonly next?: string | undefined;
}

/** Ends the tickets of a range that a search would end, without a search: also those whose games bots would fill. */
export async function endOverdue(
  deps: SearchDeps,
  record: QueueRecord,
  range: KeyRange,
  before: SearchBefore,
  times: SearchTimes,
  limits: BucketLimits,
): Promise<RestResult> {
  const rest = { ...times, endFirstMs: Number.POSITIVE_INFINITY, endFirstUntilMs: times.writeUntilMs };
  const read = await readRange(deps, record, range, before, rest, limits, false);
  const { tickets, nowMs, ended, unreadable, next } = read;
  const oldestMs = tickets.reduce((oldest, { enqueuedAtMs }) => Math.min(oldest, enqueuedAtMs), nowMs);
  const waiting = tickets.length + ended.left.length;
  return { waiting, oldestWaitMs: nowMs - oldestMs, timedOut: ended.timedOut, unreadable, next };
}

/** Reads the waiting tickets of a range, and ends those that end without a search. */
async function readRange(
  deps: SearchDeps,
  { definition, layouts }: Pick<QueueRecord, 'definition' | 'layouts'>,
  range: KeyRange,
  before: SearchBefore,
  times: SearchTimes,
  limits: BucketLimits,
  keepsLate: boolean,
) {
  const hasTime = () => deps.clock.now() < times.readUntilMs;
  const read = (from: string | undefined) =>
    deps.tickets.waiting(
      definition.name,
      layouts,
      { ...range, ...(from !== undefined && { from }) },
      { limit: limits.readTickets, hasTime },
    );
  const { tickets: stored, unreadable, pools, next } = await readInTurn(read, before.next);
  const nowMs = deps.clock.now();
  const { stale, tickets } = sortOut(stored, definition, nowMs, keepsLate, deps.checked);
  const endsPace = new Pace(deps.clock, limits.endsPerSecond);
  const untilMs = Math.min(nowMs + times.endFirstMs, times.endFirstUntilMs);
  const ended = await end(deps, endsPace, [...unreadable.map(unreadableTicket), ...stale], nowMs, untilMs);
  return { stored, unreadable, pools, next, nowMs, tickets, endsPace, ended };
}

/** Continues where the previous search stopped, or at the start of the range when no ticket is left there. */
async function readInTurn(
  read: (from: string | undefined) => Promise<WaitingTickets>,
  from: string | undefined,
): Promise<WaitingTickets> {
  const part = await read(from);
  return from !== undefined && part.tickets.length + part.unreadable.length === 0 ? read(undefined) : part;
}

/**
 * Separates the tickets to search from those that end now: those that no longer fit the queue's definition, and those past
 * their time-out.
 * @param keepsLate the search decides about tickets past their time-out: bots fill their games
 */
function sortOut(
  stored: readonly StoredTicket[],
  definition: QueueDefinition,
  nowMs: number,
  keepsLate: boolean,
  checked: CheckedTickets = new CheckedTickets(),
): { stale: Stale[]; tickets: Ticket[] } {
  const unfit: Stale[] = [];
  const late: Stale[] = [];
  const tickets: Ticket[] = [];
  const lateBeforeMs = nowMs - definition.timeoutSeconds * 1_000;
  const check = checked.of(definition);
  for (const one of stored) {
    const { ticket, misfit } = check(one);
    const { ticketId } = one;
    if (misfit !== undefined) unfit.push({ ticketId, status: 'CANCELLED', reason: misfitReason(misfit) });
    else if (!keepsLate && ticket.enqueuedAtMs <= lateBeforeMs) late.push(lateTicket(ticketId, definition));
    else tickets.push(ticket);
  }
  return { stale: [...unfit, ...late], tickets };
}

const misfitReason = (misfit: string) => `the queue was changed and the ticket no longer fits it (${misfit})`;

/** A ticket that this version can neither match nor read the age of. It would wait forever. */
const unreadableTicket = (ticketId: string): Stale => ({
  ticketId,
  status: 'CANCELLED',
  reason: 'the stored ticket cannot be parsed',
});

const lateTicket = (ticketId: string, { timeoutSeconds }: QueueDefinition): Stale => ({
  ticketId,
  status: 'TIMED_OUT',
  reason: `no match within ${timeoutSeconds} s`,
});

/** A ticket that ends without a match. */
interface Stale {
  readonly ticketId: string;
  readonly status: 'CANCELLED' | 'TIMED_OUT';
  readonly reason: string;
}

/** Ends tickets that are still QUEUED. Returns how many timed out, and those that there was no time for. */
async function end(
  deps: SearchDeps,
  pace: Pace,
  stale: readonly Stale[],
  nowMs: number,
  untilMs: number,
): Promise<{ timedOut: number; left: readonly Stale[] }> {
  const ends = await inParallelWhile(
    stale,
    ENDS_AT_ONCE,
    () => pace.admits(1, untilMs),
    async ({ ticketId, status, reason }) => {
      try {
        const result = await deps.tickets.end(ticketId, status, reason, nowMs);
        return result?.ended === true && status === 'TIMED_OUT';
      } catch (error) {
        // The ticket has ended, but the store could not return it.
        if (!(error instanceof Unreadable)) throw error;
        return false;
      }
    },
  );
  return { timedOut: ends.filter(Boolean).length, left: stale.slice(ends.length) };
}

/** A game and the outcome of its commit. */
interface Commit {
  readonly game: Released;
  readonly match: StoredMatch;
  readonly outcome: CommitOutcome;
}

const TOO_LARGE = 'its match has more data than can be stored: send fewer or shorter attributes';

/**
 * Cancels what would make the same match again at the next tick, although no item can hold it: the largest ticket of a new
 * match, so that the others go on without it, or the backfill of a running one. The attributes of a ticket are limited when it
 * is posted, so this is for tickets and players from before a limit.
 * @returns their ids
 */
async function endTooLarge(
  deps: SearchDeps,
  commits: readonly Commit[],
  byId: ReadonlyMap<string, StoredTicket> | undefined,
  nowMs: number,
): Promise<string[]> {
  const ended: string[] = [];
  for (const { game, outcome } of commits) {
    if (outcome !== 'too-large') continue;
    if (isFilling(game)) {
      await deps.backfills.end(game.backfillId, 'CANCELLED', TOO_LARGE, nowMs);
      ended.push(game.backfillId);
      continue;
    }
    const sizes = game.ticketIds.map((ticketId) => {
      return { ticketId, letters: JSON.stringify(byId?.get(ticketId)?.players ?? []).length };
    });
    const { ticketId } = sizes.reduce((most, one) => (one.letters > most.letters ? one : most));
    await deps.tickets.end(ticketId, 'CANCELLED', TOO_LARGE, nowMs);
    ended.push(ticketId);
  }
  return ended;
}

/** The match of a game, in its first status. */
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

/** Counts committed matches and tickets that are still waiting. */
function summarise(
  definition: QueueDefinition,
  nowMs: number,
  byId: ReadonlyMap<string, Ticket>,
  plan: TickPlan,
  commits: readonly Commit[],
): Omit<
  SearchResult,
  'backfills' | 'timedOut' | 'isCut' | 'unreadable' | 'tooLarge' | 'read' | 'readAtMs' | 'searched' | 'next'
> {
  const waitMs = (ticketId: string) => Math.max(0, nowMs - (byId.get(ticketId)?.enqueuedAtMs ?? nowMs));
  const tallied = (game: Game): TalliedMatch => ({
    waitsMs: game.ticketIds.map(waitMs),
    region: game.ruling?.region,
    costs: costsOf(game),
    relaxed: relaxedRules(
      definition,
      game,
      game.ticketIds.flatMap((ticketId) => byId.get(ticketId) ?? []),
      nowMs,
    ),
  });
  const committed = commits.filter(({ outcome }) => outcome === 'committed');
  const games = committed.flatMap(({ game, match }) => (isFilling(game) ? [] : [{ game, match }]));
  return {
    matches: games.map(({ match }) => match),
    matchedIds: new Set(committed.flatMap(({ game }) => game.ticketIds)),
    recent: games.map(({ game }) => ({ imbalance: game.imbalance, waitsMs: game.ticketIds.map(waitMs) })),
    tallied: definition.rules === undefined ? [] : games.map(({ game }) => tallied(game)),
    waiting: plan.waiting.length,
    // The plan lists the longest wait first.
    oldestWaitMs: plan.waiting.length > 0 ? waitMs(plan.waiting[0]!.ticketId) : 0,
    lostRaces: commits.filter(({ outcome }) => outcome === 'lost-race').length,
    busy: commits.filter(({ outcome }) => outcome === 'busy').length,
    memory: plan.memory,
  };
}

/** The backfills of a range: those that were filled, and those of which nobody took the seats. */
function backfillReport(
  open: readonly OpenBackfill[],
  commits: readonly Commit[],
  nowMs: number,
): BackfillReport {
  const newcomers = new Map(
    commits.flatMap(({ game, match, outcome }): [string, number][] => {
      if (outcome !== 'committed' || !isFilling(game)) return [];
      const { teams, newTicketIds = [] } = match;
      const seats = teams.flatMap(({ players }) => players);
      const joined = seats.filter(({ ticketId = '' }) => newTicketIds.includes(ticketId));
      return [[game.backfillId, joined.length]];
    }),
  );
  const waitMs = ({ backfill }: OpenBackfill) => Math.max(0, nowMs - Date.parse(backfill.enqueuedAt));
  const left = open.filter(({ backfill }) => !newcomers.has(backfill.backfillId));
  return {
    open: left.length,
    oldestWaitMs: Math.max(0, ...left.map(waitMs)),
    filled: open.flatMap((one) => {
      const players = newcomers.get(one.backfill.backfillId);
      return players === undefined ? [] : [{ waitMs: waitMs(one), players }];
    }),
  };
}

/** What the rules of a queue cost a game, by name. */
function costsOf({ ruling }: Game): Record<string, number> {
  const entries = Object.entries(ruling?.rules ?? {});
  return Object.fromEntries(
    entries.flatMap(([name, { cost }]) => (cost === undefined ? [] : [[name, cost]])),
  );
}
