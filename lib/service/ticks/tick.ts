import { type TickMemory, together } from '../../policies/memory.ts';
import { countTick, shareBelow, type WaitTable } from '../../policies/waits/wait-table.ts';
import { Commits } from '../commits/commits.ts';
import { settleTick } from '../commits/settle.ts';
import { BUCKET_LIMITS, type BucketLimits } from '../domain/bucket-limits.ts';
import { type BucketLoad, isOverloaded, loadOf } from '../domain/bucket-load.ts';
import {
  type BucketLayout,
  cellsWithin,
  layoutAt,
  rangeName,
  type TickRange,
  tickRanges,
} from '../domain/buckets.ts';
import { DEFINITION_AGE_MS } from '../domain/definition-age.ts';
import { type EndedTickets, mergedEnds } from '../domain/ended-tickets.ts';
import { addMatches } from '../domain/match-tally.ts';
import type { QueueRecord } from '../domain/queue-record.ts';
import {
  type FailedTicks,
  failuresInForce,
  oneMore,
  type SetAside,
  setAsideAt,
  whyOf,
} from '../domain/set-aside.ts';
import type { StoredMatch } from '../domain/stored-match.ts';
import type { TickMessage } from '../domain/tick-message.ts';
import type { BackfillReport, TickReport } from '../domain/tick-report.ts';
import { LEASE_MS, TICK_LATE_MS, TICK_STAGES } from '../domain/timing.ts';
import { UnreadableQueue, unlessUnreadable } from '../domain/unreadable.ts';
import type { Clock } from '../ports/clock.ts';
import type { MatchStore } from '../ports/match-store.ts';
import type { QueueStore } from '../ports/queue-store.ts';
import type { Crashed, Lease, RangeStore } from '../ports/range-store.ts';
import { StoreBusy } from '../ports/store-busy.ts';
import type { TickSender } from '../ports/tick-sender.ts';
import { choiceFreeNeeded } from '../queues/choice-advice.ts';
import { isOdd } from '../waking/schedule.ts';
import { choosesBuckets, mayChange, rebalance } from './rebalance.ts';
import {
  endOverdue,
  type RestResult,
  type SearchDeps,
  type SearchResult,
  type SearchTimes,
  searchRange,
} from './search-range.ts';
import type { TickMetrics } from './tick-metrics.ts';

/** Tries to take a lease that the previous tick still holds, before this tick is dropped. */
const LEASE_TRIES = 8;
/** Tickets past their time-out end before the search for at most this long. Then the others end beside it. */
const END_FIRST_MAX_MS = 1_000;
/**
 * The ends before a search and the search take no longer than the interval between two ticks, within these bounds. The next
 * tick finds the remaining games.
 */
const SEARCH_MIN_MS = 1_000;
const SEARCH_MAX_MS = 5_000;
/** Tickets that exceed what one tick reads are counted this often, for at most this long. */
const SURVEY_EVERY_MS = 10_000;
const SURVEY_MS = 2_500;
/** The interval at which the arrivals of the whole queue are added up. */
const ARRIVALS_EVERY_MS = 10_000;
/** The number of last matches, and of last backfills, kept for the statistics of a range. */
const RECENT_MATCHES = 20;

export interface TickDeps extends SearchDeps {
  readonly matches: MatchStore;
  readonly queues: QueueStore;
  readonly ranges: RangeStore;
  readonly ticks: TickSender;
  readonly clock: Clock;
  /** @default BUCKET_LIMITS */
  readonly limits?: BucketLimits;
}

export type TickOutcome =
  | {
      outcome: 'searched';
      matches: StoredMatch[];
      metrics: TickMetrics;
      /** Tickets cancelled because this version of Muster cannot read them. */
      unreadable: readonly string[];
      /** Tickets and backfills cancelled because their match is too large. */
      tooLarge: readonly string[];
    }
  | {
      outcome: 'set-aside';
      metrics: TickMetrics;
      unreadable: readonly string[];
      why: string;
    }
  | { outcome: 'dropped'; why: string };

/**
 * One pass of the search over one range of a queue.
 *
 *     fan out    the message of a slot becomes one for each range but the first, which is searched here.
 *                A crash after it: the messages are repeated, and find their slot done
 *     settle     until 2 s   what a crashed tick has left in this range: see `commits/settle.ts`
 *     lease      until 2 s   conditional write. A crash after it: the range is not searched until the lease expires
 *     read       until 3 s   the report of the range's last tick, and the waiting tickets, as many as one tick can
 *     end        until 4 s   a conditional write for each ticket past its time-out, unless bots fill its game. A crash
 *                            after it: they have ended, however long the search would have taken
 *     plan       until 7 s   pure: engine and release policy, one game after another. A crash: as after the lease
 *     commit     until 8 s   each match in steps, on the condition that every ticket is still QUEUED, while the plan
 *                            continues: see `commits/commits.ts`. A crash: committed matches stay, the others are
 *                            abandoned
 *     survey     until 8.5 s a count of the tickets, if they are more than one tick reads
 *     report     the state for the next tick and the statistics. A crash before it: they use the previous report
 *     end lease  after an error too, unless a match could not be settled. A crash before it: as after the lease
 *     split      until 8.5 s a new bucket layout if this bucket is overloaded: see `rebalance.ts`. A crash before it: a
 *                            later tick repeats it
 *
 * The times are those of `TICK_STAGES`, since the tick began. Lambda stops the function, and the lease expires, after 10 s.
 * The lease counts the ticks that failed or were stopped in a row; a range in which too many did is set aside: see
 * `set-aside.ts`.
 *
 * A message may arrive twice or out of order, so the lease records the last slot searched. If two ticks search the same
 * tickets because one outlived its lease, the commit's condition gives each ticket to only one of them.
 */
export async function tick(deps: TickDeps, message: TickMessage): Promise<TickOutcome> {
  const startMs = deps.clock.now();
  const record = await unlessUnreadable(() => deps.queues.get(message.queue, DEFINITION_AGE_MS));
  if (record === undefined) return { outcome: 'dropped', why: 'its queue does not exist' };
  // It is searched again when it can be read. Until then `dispatch` reports it every minute.
  if (record instanceof UnreadableQueue)
    return { outcome: 'dropped', why: 'this version cannot read its queue' };
  const ageMs = Math.max(0, startMs - message.slotMs);
  // Later ticks are already due.
  if (ageMs > record.definition.tickSeconds * 1_000 + TICK_LATE_MS)
    return { outcome: 'dropped', why: 'it is stale' };
  const { queue, slotMs } = message;
  const layout = layoutAt(record.layouts, slotMs);
  if ((message.layout ?? layout.version) !== layout.version)
    return { outcome: 'dropped', why: 'its bucket layout is not in force' };
  const ranges = tickRanges(layout, isOdd(record, slotMs));
  if (message.range === undefined)
    await fanOut(deps, { queue, slotMs, layout: layout.version }, ranges.length);
  const range = ranges[message.range ?? 0];
  // The interval between ticks has changed, so an even slot has become an odd one.
  if (range === undefined) return { outcome: 'dropped', why: 'its slot no longer has this range' };

  const lease: Lease = { owner: deps.newId(), slotMs, nowMs: startMs, untilMs: startMs + LEASE_MS };
  const leased = await waitForLease(deps, record, range.cells, lease);
  if (leased.outcome === 'done') return { outcome: 'dropped', why: 'its slot is already searched' };
  if (leased.outcome === 'held') return { outcome: 'dropped', why: 'the previous tick is still running' };
  const commits = new Commits(deps, record, lease.owner);
  const failedBefore = failuresInForce(leased.failed, record);
  let failed = failedBefore;
  let load: BucketLoad;
  let outcome: TickOutcome & { outcome: 'searched' };
  let arrivals: TickMemory | undefined;
  try {
    if (!(await closeOlderLayouts(deps, record, layout, range, startMs)))
      return { outcome: 'dropped', why: 'a tick of an older bucket layout is still running' };
    const name = rangeName(range);
    const isOneOfSeveral = ranges.length > 1;
    const [reports, ofQueue] = await Promise.all([
      deps.ranges.reports(queue, [name]),
      layout.version > 1 || isOneOfSeveral ? deps.ranges.arrivals(queue) : undefined,
    ]);
    const before = reports.get(name);
    const limits = deps.limits ?? BUCKET_LIMITS;
    const times = timesOf(record, startMs);
    const setAside = setAsideAt(failedBefore, slotMs);
    if (setAside !== undefined) {
      const rest = await endOverdue(deps, record, range, before ?? {}, times, limits);
      const durationMs = deps.clock.now() - startMs;
      const report = reportAtRest(before, rest, setAside, { slotMs, durationMs, startMs });
      await deps.ranges.putReport(queue, name, report, deps.clock.now());
      return { outcome: 'set-aside', ...atRest(queue, rest, durationMs, ageMs), why: whyOf(setAside) };
    }
    const result = await searchRange(
      deps,
      commits,
      record,
      range,
      // After the buckets are merged, the range continues with their merged memory.
      before ?? (isOneOfSeveral ? {} : { memory: ofQueue }),
      isOneOfSeveral ? { arrivals: ofQueue, ranges } : undefined,
      times,
      limits,
    );
    const durationMs = deps.clock.now() - startMs;
    const { oldestWaitMs, memory, matches, recent, timedOut, isCut, lostRaces, busy, next } = result;
    load = await measure(deps, record, range, before, result, durationMs, startMs + TICK_STAGES.surveyMs);
    const waiting = result.waiting + Math.max(0, load.waiting - result.read.length);
    const report: TickReport = {
      slotMs,
      durationMs,
      waiting,
      oldestWaitMs,
      matches: matches.length,
      recent: [...(before?.recent ?? []), ...recent].slice(-RECENT_MATCHES),
      ended: endedAfter(before, { matched: result.matchedIds.size, timedOut, cut: isCut ? 1 : 0 }, startMs),
      memory,
      next,
      load,
      ...(result.backfills && { backfills: withEarlier(before, result.backfills) }),
      waits: waitsAfter(before, record, result, isPartOf(before, result)),
      ...(record.definition.rules && { tally: addMatches(before?.tally, result.tallied, startMs) }),
    };
    await deps.ranges.putReport(queue, name, report, deps.clock.now());
    arrivals = memory;
    failed = undefined;
    const metrics = { queue, waiting, recent, timedOut, isCut, lostRaces, busy, durationMs, ageMs };
    const { unreadable, tooLarge } = result;
    outcome = { outcome: 'searched', matches, metrics, unreadable, tooLarge };
  } catch (error) {
    // A store that is throttled says nothing about the queue.
    if (!(error instanceof StoreBusy)) failed = oneMore(failedBefore, slotMs);
    throw error;
  } finally {
    if (commits.areSettled) await deps.ranges.endLease(queue, range.cells, lease, failed);
  }
  if (deps.clock.now() >= startMs + TICK_STAGES.surveyMs) return outcome;
  // Only the reports of even slots count: their ranges are the buckets.
  const isBucket = layout.boundaries.length === 0 || !isOdd(record, slotMs);
  const isSplit = isBucket && isOverloaded(load, deps.clock.now()) && (await split(deps, record));
  const isArrivalsTick = range.index === 0 && isArrivalsSlot(record, slotMs);
  if (isSplit || (ranges.length > 1 && isArrivalsTick)) arrivals = await updateArrivals(deps, queue, ranges);
  if (!isArrivalsTick) return outcome;
  const metrics = {
    ...outcome.metrics,
    choiceFreeNeeded: choiceFreeNeeded(record.definition, arrivals),
  };
  return { ...outcome, metrics };
}

/** What is known about the waits of a range after its search. A range that is read in parts is not counted. */
function waitsAfter(
  before: TickReport | undefined,
  { definition }: QueueRecord,
  { searched, readAtMs, matchedIds, memory }: SearchResult,
  isPart: boolean,
): WaitTable | undefined {
  if (isPart) return before?.waits;
  const lateBeforeMs = readAtMs - 1_000 * definition.timeoutSeconds;
  const inTime = searched.filter(({ enqueuedAtMs }) => enqueuedAtMs > lateBeforeMs);
  return countTick(before?.waits, inTime, matchedIds, {
    tickMs: 1_000 * definition.tickSeconds,
    nowMs: readAtMs,
    part: shareBelow(memory.skills),
  });
}

/** How the tickets of the last minutes left a range, after a tick. */
function endedAfter(
  before: TickReport | undefined,
  ends: Omit<EndedTickets, 'atMs'>,
  atMs: number,
): EndedTickets {
  return mergedEnds([...(before?.ended ? [before.ended] : []), { atMs, ...ends }]);
}

/** The time limits of a search in a tick that began at this time. */
function timesOf({ definition }: QueueRecord, startMs: number): SearchTimes {
  const searchMs = Math.max(SEARCH_MIN_MS, Math.min(SEARCH_MAX_MS, definition.tickSeconds * 1_000));
  return {
    readUntilMs: startMs + TICK_STAGES.readMs,
    endFirstMs: Math.min(END_FIRST_MAX_MS, searchMs / 2),
    endFirstUntilMs: startMs + TICK_STAGES.endsFirstMs,
    searchMs,
    searchUntilMs: startMs + TICK_STAGES.planMs,
    writeUntilMs: startMs + TICK_STAGES.writeMs,
  };
}

/** The rest of the outcome of a tick that did not search. */
function atRest(
  queue: string,
  { waiting, timedOut, unreadable }: RestResult,
  durationMs: number,
  ageMs: number,
): { metrics: TickMetrics; unreadable: readonly string[] } {
  const none = { recent: [], lostRaces: 0, busy: 0, isCut: false };
  return { metrics: { queue, waiting, timedOut, durationMs, ageMs, ...none }, unreadable };
}

/** The report of a tick that did not search. It keeps what the next search needs. */
function reportAtRest(
  before: TickReport | undefined,
  { waiting, oldestWaitMs, timedOut, next }: RestResult,
  setAside: SetAside,
  { startMs, ...times }: { readonly slotMs: number; readonly durationMs: number; readonly startMs: number },
): TickReport {
  const ended = endedAfter(before, { matched: 0, timedOut, cut: 0 }, startMs);
  const { recent = [], ...kept } = before ?? {};
  return { ...kept, ...times, waiting, oldestWaitMs, matches: 0, recent, ended, next, setAside };
}

/** Whether a range is read in parts. */
function isPartOf(before: TickReport | undefined, { next }: SearchResult): boolean {
  return next !== undefined || before?.next !== undefined;
}

/** The backfills of a range, with those that were filled last before this tick. */
function withEarlier(before: TickReport | undefined, { filled, ...rest }: BackfillReport): BackfillReport {
  return { ...rest, filled: [...(before?.backfills?.filled ?? []), ...filled].slice(-RECENT_MATCHES) };
}

/** Whether the arrivals of the whole queue are updated at this slot: the first in each ten seconds. */
function isArrivalsSlot({ definition }: QueueRecord, slotMs: number): boolean {
  return slotMs % ARRIVALS_EVERY_MS < definition.tickSeconds * 1_000;
}

/** Adds up the arrivals that the ranges of a slot have counted, for the ticks of all ranges. */
async function updateArrivals(
  deps: TickDeps,
  queue: string,
  ranges: readonly TickRange[],
): Promise<TickMemory | undefined> {
  try {
    const reports = await deps.ranges.reports(queue, ranges.map(rangeName));
    const arrivals = together([...reports.values()].flatMap(({ memory }) => memory ?? []));
    if (arrivals !== undefined) await deps.ranges.putArrivals(queue, arrivals, deps.clock.now());
    return arrivals;
  } catch (error) {
    if (!(error instanceof StoreBusy)) throw error;
    return undefined;
  }
}

/** The load of a range. Counts the tickets at intervals when they are more than a tick can read. */
async function measure(
  deps: TickDeps,
  { definition, layouts }: QueueRecord,
  range: TickRange,
  before: TickReport | undefined,
  { read, readAtMs, waiting, next }: SearchResult,
  durationMs: number,
  untilMs: number,
): Promise<BucketLoad> {
  const isPart = next !== undefined || before?.next !== undefined;
  const nowMs = deps.clock.now();
  const isDue =
    isPart &&
    nowMs < untilMs &&
    choosesBuckets(definition) &&
    nowMs - (before?.load?.surveyedMs ?? 0) >= SURVEY_EVERY_MS;
  const hasTime = () => deps.clock.now() < Math.min(nowMs + SURVEY_MS, untilMs);
  const survey = isDue ? await deps.tickets.survey(definition.name, layouts, range, hasTime) : undefined;
  const tickMs = definition.tickSeconds * 1_000;
  const shards = layoutAt(layouts, readAtMs).shards?.count ?? 1;
  const sight = { nowMs: readAtMs, tickMs, durationMs, read, left: waiting, survey, isPart, shards };
  return loadOf(sight, before?.load, deps.limits ?? BUCKET_LIMITS);
}

/** Splits overloaded buckets. After a failure, a later tick or dispatch repeats it. */
async function split(deps: TickDeps, record: QueueRecord): Promise<boolean> {
  const nowMs = deps.clock.now();
  if (!mayChange(record, nowMs)) return false;
  try {
    return await rebalance(deps, record.definition.name, nowMs);
  } catch (error) {
    if (!(error instanceof StoreBusy)) throw error;
    return false;
  }
}

/** Sends a tick for each range except the first. They run in parallel a moment later. */
async function fanOut(
  deps: TickDeps,
  tick: { queue: string; slotMs: number; layout: number },
  ranges: number,
): Promise<void> {
  if (ranges === 1) return;
  const messages = Array.from({ length: ranges - 1 }, (_, i) => ({ ...tick, range: i + 1 }));
  await deps.ticks.send(messages, deps.clock.now());
}

/** A tick of an older layout may still be in flight this long after a layout begins. */
const CLOSING_MS = 60_000;

/** Ensures that no tick of an older layout searches this range now or later. Returns false if one is still running. */
async function closeOlderLayouts(
  deps: TickDeps,
  record: QueueRecord,
  layout: BucketLayout,
  range: TickRange,
  startMs: number,
): Promise<boolean> {
  const { definition, layouts } = record;
  const sinceMs = deps.clock.now() - CLOSING_MS;
  const older = layouts.filter(
    ({ version }, i) => version < layout.version && layouts[i + 1]!.fromMs > sinceMs,
  );
  const cells = older.flatMap((one) => cellsWithin(one, range));
  if (cells.length === 0) return true;
  const { outcome } = await unlessCrashed(deps, record, startMs, (settled) =>
    deps.ranges.close(definition.name, cells, deps.clock.now(), settled),
  );
  return outcome === 'closed';
}

/** Waits a short time for a slow previous tick. Returns the failures of the ticks before with the lease. */
function waitForLease(deps: TickDeps, record: QueueRecord, cells: readonly string[], lease: Lease) {
  return unlessCrashed(deps, record, lease.nowMs, (settled, failed) =>
    deps.ranges.takeLease(
      record.definition.name,
      cells,
      { ...lease, nowMs: deps.clock.now(), failed },
      settled,
    ),
  );
}

/** Tries a request for cells again while another tick holds them, and after what crashed ticks have left is settled. */
async function unlessCrashed<T extends string>(
  deps: TickDeps,
  record: QueueRecord,
  startMs: number,
  request: (settled: readonly string[], failed?: FailedTicks) => Promise<T | 'held' | Crashed>,
): Promise<{ outcome: T | 'held'; failed?: FailedTicks | undefined }> {
  const settled: string[] = [];
  let failed: FailedTicks | undefined;
  for (let attempt = 1; ; attempt++) {
    const outcome = await request(settled, failed);
    if (typeof outcome === 'string' && outcome !== 'held') return { outcome, failed };
    // A cell of a crashed tick beside one that is held is still reported after its tick is settled.
    const { crashed, ...news }: Crashed = outcome === 'held' ? { crashed: [] } : (outcome as Crashed);
    const owners = crashed.filter((owner) => !settled.includes(owner));
    const isNews = owners.length > 0 || (failed === undefined && news.failed !== undefined);
    failed = news.failed ?? failed;
    // What has taken long to settle is not settled in vain: after it there is one more try.
    const isLate = deps.clock.now() >= startMs + TICK_STAGES.leaseMs && !isNews;
    if (attempt === LEASE_TRIES || isLate) return { outcome: 'held' };
    if (!isNews) await deps.clock.sleep(100);
    for (const owner of owners) {
      await settleTick(deps, record, owner, deps.clock.now());
      settled.push(owner);
    }
  }
}
