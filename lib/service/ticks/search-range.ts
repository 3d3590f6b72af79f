import { type OutOfTime, planGames, type TickInput, type TickPlan } from '../../policies/plan.ts';
import { type OpenBackfill, type OpenPart, openBackfills } from '../backfills/open-backfills.ts';
import { allOf } from '../concurrency/in-parallel.ts';
import { layoutAt } from '../domain/buckets.ts';
import { hasLinked } from '../domain/linked-ticket.ts';
import { toPolicyBackfill } from '../domain/stored-backfill.ts';
import { TICK_STAGES } from '../domain/timing.ts';
import type { Clock } from '../ports/clock.ts';
import type { SingleMatchStore } from '../ports/match-store.ts';
import type { TicketStore } from '../ports/ticket-store.ts';
import { type GameCommit, type GameCommitDeps, GameCommits } from './commit-game.ts';
import { commitWhileSearching } from './commit-while-searching.ts';
import { isOneOfSeveral } from './due-tick.ts';
import { lateTicket, TicketEnds } from './end-tickets.ts';
import { commitRate, Pace } from './pace.ts';
import type { RangeRead, TicksBefore } from './read-range.ts';
import type { LeasedTick } from './tick-lease.ts';
import type { WarmSearches } from './warm-searches.ts';

/** Tickets past their time-out end before the search for at most this long. The remaining ones end during it. */
const END_FIRST_MAX_MS = 1_000;
/**
 * The ends before a search and the search together take at most the interval between two ticks, within these bounds. The next
 * tick finds the remaining games.
 */
const SEARCH_MIN_MS = 1_000;
const SEARCH_MAX_MS = 5_000;

export interface SearchDeps extends GameCommitDeps {
  readonly matches: Pick<SingleMatchStore, 'getMany'>;
  readonly tickets: GameCommitDeps['tickets'] & Pick<TicketStore, 'removeEntry' | 'waiting'>;
  readonly clock: Clock;
  /** Caches the searches of earlier ticks. @default every tick prepares its own */
  readonly searches?: WarmSearches | undefined;
}

/** The result of the search of a range. */
export interface RangeSearch {
  readonly plan: TickPlan;
  /** The games of the plan, each with the outcome of its commit. */
  readonly commits: readonly GameCommit[];
  /** The backfills that were open before the search, and where the next tick continues to read them. */
  readonly open: readonly OpenBackfill[];
  readonly nextBackfill: string | undefined;
  readonly timedOut: number;
  /** Whether the search was cut short because its time was up. The next tick continues. */
  readonly isCut: boolean;
  /** Tickets and backfills cancelled because no item of the store can hold their match. */
  readonly tooLarge: readonly string[];
}

/**
 * Ends the tickets that end without a search, plans matches, and commits the plan.
 *
 * Tickets past their time-out end first, so that none of them keeps waiting when a search takes long or the function is stopped.
 * If there are many, the remaining ones end during the search. Commits start with the first game found.
 */
export async function searchRange(
  deps: SearchDeps,
  tick: LeasedTick,
  before: TicksBefore,
  read: RangeRead,
): Promise<RangeSearch> {
  const { definition, startMs, limits } = tick;
  const { readAtMs } = read;
  const searchMs = Math.max(SEARCH_MIN_MS, Math.min(SEARCH_MAX_MS, definition.tickSeconds * 1_000));
  const endFirstMs = Math.min(END_FIRST_MAX_MS, searchMs / 2);
  const ends = new TicketEnds(deps, limits.endsPerSecond, read.entries, readAtMs);
  const first = await ends.end(
    read.ending,
    Math.min(readAtMs + endFirstMs, startMs + TICK_STAGES.endsFirstMs),
  );
  const untilMs = Math.min(readAtMs + searchMs, startMs + TICK_STAGES.planMs);
  const { open, next: nextBackfill }: OpenPart = definition.backfill
    ? await openBackfills(deps, definition, tick.range, readAtMs, before.report?.nextBackfill)
    : { open: [] };
  const warm = deps.searches?.take(definition, tick.range);
  const games = new GameCommits(deps, tick, read, open);
  const input = { ...planInput(tick, before, read, open), kept: warm?.searches };
  const pace = paceOf(deps, tick, read);
  const commitPlanOf = (planned: TickInput) =>
    commitWhileSearching(
      deps.clock,
      (outOfTime: OutOfTime) => planGames({ ...planned, outOfTime }),
      (game) => games.commit(game),
      pace,
      untilMs,
    );
  const [second, planned] = await allOf([ends.end(first.left, untilMs), commitPlanOf(input)]);
  const { plan, commits, isCut } = read.isPart
    ? planned
    : await planAgain(deps, tick, input, planned, commitPlanOf);
  if (warm) deps.searches?.return(warm, read.work);
  const tooLarge = await games.endTooLarge(commits);
  const overdue = plan.timedOut.map((ticketId) => lateTicket(ticketId, definition));
  const unfilled = await ends.end(overdue, startMs + TICK_STAGES.writeMs);
  const timedOut = first.timedOut + second.timedOut + unfilled.timedOut;
  return { plan, commits, open, nextBackfill, timedOut, isCut, tooLarge };
}

/** The maximum of further plans of a tick that has lost games to other queues. */
const AGAIN_MAX = 2;

type Planned = Awaited<ReturnType<typeof commitWhileSearching<GameCommit>>>;

/**
 * Plans again while games are lost because other queues have claimed their tickets, with the tickets that are still waiting.
 * Backfills are left to the next tick.
 * @returns all commits, and the first plan with the tickets that are waiting after the last one
 */
async function planAgain(
  { tickets }: SearchDeps,
  { commits: { lost }, record, range, limits, startMs }: LeasedTick,
  input: TickInput,
  first: Planned,
  commitPlanOf: (input: TickInput) => Promise<Planned>,
): Promise<Planned> {
  let all = first;
  let lostBefore = 0;
  for (let again = 0; again < AGAIN_MAX && lost.size > lostBefore && !all.isCut; again++) {
    lostBefore = lost.size;
    const { definition, layouts } = record;
    const bound = { limit: limits.readTickets, hasTime: () => true };
    const read = await tickets.waiting(definition.name, layouts, range, bound, hasLinked(record, startMs));
    const there = new Set(read.tickets.map(({ ticketId }) => ticketId));
    const gone = new Set(
      all.commits.flatMap(({ game, outcome }) => (outcome === 'committed' ? game.ticketIds : [])),
    );
    const left = input.tickets.filter(
      ({ ticketId }) => there.has(ticketId) && !gone.has(ticketId) && !lost.has(ticketId),
    );
    const next = await commitPlanOf({ ...input, tickets: left, backfills: [], timeouts: false });
    all = {
      plan: { ...first.plan, waiting: next.plan.waiting },
      commits: [...all.commits, ...next.commits],
      isCut: next.isCut,
    };
  }
  return all;
}

/** The input of the policies for a range. */
function planInput(
  tick: LeasedTick,
  { report, memory, arrivals }: TicksBefore,
  { tickets, stored, readAtMs, isPart }: RangeRead,
  open: readonly OpenBackfill[],
): TickInput {
  const { definition } = tick;
  const share = isPart ? stored.length / Math.max(1, stored.length, report?.waiting ?? 0) || 1 : 1;
  // The tick of the previous slot has searched these skills in other ranges, or another part of the range.
  const coverage = { sinceMs: readAtMs - definition.tickSeconds * 1_000, share };
  return {
    rules: definition,
    tickets,
    backfills: open.map(({ backfill }) => toPolicyBackfill(backfill)),
    nowMs: readAtMs,
    memory,
    ...((isPart || isOneOfSeveral(tick)) && { coverage }),
    queueMemory: arrivals,
    reasons: false,
  };
}

/** The rate of commits that the pool keys of a range allow. */
function paceOf(deps: SearchDeps, { record, range, ranges, limits }: LeasedTick, read: RangeRead): Pace {
  const { definition, layouts } = record;
  const inForce = layoutAt(layouts, read.readAtMs);
  return new Pace(
    deps.clock,
    commitRate(definition.name, layouts, inForce, range, ranges, read.pools, limits),
  );
}
