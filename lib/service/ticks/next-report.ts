import type { QueueDefinition } from '../../contract/queue-definition.ts';
import { measuredRate, type TickMemory } from '../../policies/memory.ts';
import { countTick, shareBelow, type WaitTable } from '../../policies/waits/wait-table.ts';
import { type BucketLoad, loadOf } from '../domain/bucket-load.ts';
import { layoutAt } from '../domain/buckets.ts';
import { hasLinked } from '../domain/linked-ticket.ts';
import { addMatches } from '../domain/match-tally.ts';
import { type Counts, withCounts } from '../domain/minute-counts.ts';
import type { SetAside } from '../domain/set-aside.ts';
import type { StoredTicket } from '../domain/stored-ticket.ts';
import type { BackfillReport, TickCount, TickReport } from '../domain/tick-report.ts';
import { TICK_STAGES } from '../domain/timing.ts';
import type { Clock } from '../ports/clock.ts';
import type { TicketStore } from '../ports/ticket-store.ts';
import type { DueTick } from './due-tick.ts';
import type { RangeRead, TicksBefore } from './read-range.ts';
import { choosesBuckets } from './rebalance.ts';
import type { RangeSearch } from './search-range.ts';
import type { SearchSummary } from './search-summary.ts';
import type { LeasedTick } from './tick-lease.ts';

/** The number of last matches, and of last backfills, kept for the statistics of a range. */
const RECENT_MATCHES = 20;

/** The results of a tick that has searched. */
export interface Results {
  readonly read: RangeRead;
  readonly search: RangeSearch;
  readonly summary: SearchSummary;
  readonly load: BucketLoad;
  readonly durationMs: number;
}

/** The report that a tick leaves for the next one. */
export function nextReport(
  { definition, slotMs, startMs, commits: { lost } }: LeasedTick,
  before: TickReport | undefined,
  { read, search, summary, load, durationMs }: Results,
): TickReport {
  const { matches, matchedIds, recent, oldestWaitMs, backfills, tallied } = summary;
  const { timedOut, isCut, plan } = search;
  return {
    slotMs,
    durationMs,
    waiting: summary.waiting + Math.max(0, load.waiting - read.stored.length),
    oldestWaitMs,
    matches: matches.length,
    recent: [...(before?.recent ?? []), ...recent].slice(-RECENT_MATCHES),
    counted: countedAfter(
      before,
      {
        found: matches.length,
        matched: matchedIds.size,
        timedOut,
        cut: isCut ? 1 : 0,
        missed: plan.missedLastChances,
      },
      startMs,
    ),
    memory: plan.memory,
    arrivalRate: arrivalRateAfter(before, plan.memory),
    next: read.next,
    nextBackfill: search.nextBackfill,
    load,
    ...skippedAfter(before, lost, startMs),
    ...linkedOf(read),
    ...(backfills && { backfills: withEarlier(before, backfills) }),
    waits: waitsAfter(definition, before, { read, search, summary }),
    ...(definition.rules && { tally: addMatches(before?.tally, tallied, startMs) }),
    failing: plan.failures.length > 0 ? { slotMs, failures: plan.failures } : before?.failing,
  };
}

/** The report of a tick whose range is set aside. It keeps the data that the next search needs. */
export function setAsideReport(
  { slotMs, startMs }: DueTick,
  before: TickReport | undefined,
  { tickets, readAtMs, next }: RangeRead,
  { setAside, timedOut, left, durationMs }: SetAsideResults,
): TickReport {
  const oldestMs = tickets.reduce((oldest, { enqueuedAtMs }) => Math.min(oldest, enqueuedAtMs), readAtMs);
  const { recent = [], ...kept } = before ?? {};
  return {
    ...kept,
    slotMs,
    durationMs,
    waiting: tickets.length + left,
    oldestWaitMs: readAtMs - oldestMs,
    matches: 0,
    recent,
    counted: countedAfter(before, { timedOut }, startMs),
    next,
    setAside,
  };
}

/** The results of a tick whose range is set aside. */
export interface SetAsideResults {
  readonly setAside: SetAside;
  readonly timedOut: number;
  /** The number of overdue tickets that did not end, because the time was up. */
  readonly left: number;
  readonly durationMs: number;
}

/** The wait statistics of a range after its search. A range that is read in parts is not counted. */
function waitsAfter(
  definition: QueueDefinition,
  before: TickReport | undefined,
  { read, search, summary }: Pick<Results, 'read' | 'search' | 'summary'>,
): WaitTable | undefined {
  if (read.isPart) return before?.waits;
  const lateBeforeMs = read.readAtMs - 1_000 * definition.timeoutSeconds;
  const inTime = read.tickets.filter(({ enqueuedAtMs }) => enqueuedAtMs > lateBeforeMs);
  return countTick(before?.waits, inTime, summary.matchedIds, {
    tickMs: 1_000 * definition.tickSeconds,
    nowMs: read.readAtMs,
    part: shareBelow(search.plan.memory.skills),
  });
}

/** A range skips an entry for this long after another tick has claimed its ticket. Milliseconds. */
const SKIP_MS = 10_000;
/** The maximum of skipped tickets. Further ones may cost a game at the next tick. */
const SKIPPED_MAX = 1_000;

function skippedAfter(
  before: TickReport | undefined,
  lost: ReadonlyMap<string, StoredTicket>,
  nowMs: number,
): Pick<TickReport, 'skipped'> {
  const still = (before?.skipped ?? []).filter(([id, untilMs]) => untilMs > nowMs && !lost.has(id));
  const ids = [...lost].flatMap(([id, { entry }]) => (entry === undefined ? [] : id));
  const skipped = [...still, ...ids.map((id): [string, number] => [id, nowMs + SKIP_MS])];
  return skipped.length > 0 ? { skipped: skipped.slice(-SKIPPED_MAX) } : {};
}

function linkedOf({ stored }: RangeRead): Pick<TickReport, 'linked'> {
  const { length: linked } = stored.filter((ticket) => ticket.linked !== undefined);
  return linked > 0 ? { linked } : {};
}

function arrivalRateAfter(before: TickReport | undefined, memory: TickMemory): number {
  const isSilent = memory.newestSeenMs === before?.memory?.newestSeenMs;
  return (isSilent ? before?.arrivalRate : undefined) ?? measuredRate(memory);
}

/** The counts of the last minutes, after those of this tick. */
function countedAfter(before: TickReport | undefined, counts: Counts<TickCount>, nowMs: number) {
  return withCounts(before?.counted ?? [], counts, nowMs);
}

/** The backfills of a range, with the last filled ones of earlier ticks. */
function withEarlier(before: TickReport | undefined, { filled, ...rest }: BackfillReport): BackfillReport {
  return { ...rest, filled: [...(before?.backfills?.filled ?? []), ...filled].slice(-RECENT_MATCHES) };
}

/** When a range has more tickets than one tick reads, they are counted at this interval, for at most this long. */
const SURVEY_EVERY_MS = 10_000;
const SURVEY_MS = 2_500;

/**
 * The load of a range. Counts the tickets at intervals when they are more than a tick can read.
 * @param left the number of tickets that were read and are still waiting
 */
export async function measureLoad(
  deps: { readonly tickets: Pick<TicketStore, 'survey'>; readonly clock: Pick<Clock, 'now'> },
  { record, range, startMs, limits }: DueTick,
  { report: before }: TicksBefore,
  { stored: read, readAtMs, isPart }: RangeRead,
  { left, durationMs }: { readonly left: number; readonly durationMs: number },
): Promise<BucketLoad> {
  const { definition, layouts } = record;
  const nowMs = deps.clock.now();
  const untilMs = startMs + TICK_STAGES.surveyMs;
  const isDue =
    isPart &&
    nowMs < untilMs &&
    choosesBuckets(definition) &&
    nowMs - (before?.load?.surveyedMs ?? 0) >= SURVEY_EVERY_MS;
  const hasTime = () => deps.clock.now() < Math.min(nowMs + SURVEY_MS, untilMs);
  const survey = isDue
    ? await deps.tickets.survey(definition.name, layouts, range, hasTime, hasLinked(record, nowMs))
    : undefined;
  const tickMs = definition.tickSeconds * 1_000;
  const shards = layoutAt(layouts, readAtMs).shards?.count ?? 1;
  return loadOf(
    { nowMs: readAtMs, tickMs, durationMs, read, left, survey, isPart, shards },
    before?.load,
    limits,
  );
}
