import type { BlockTotals } from '../../experiments/block-totals.ts';
import { type TickMemory, together } from '../../policies/memory.ts';
import { codeInUse, missingFunctions } from '../../rules/custom/code.ts';
import { allOf } from '../concurrency/in-parallel.ts';
import { type BucketLoad, isOverloaded } from '../domain/bucket-load.ts';
import { rangeName } from '../domain/buckets.ts';
import { type SetAside, setAsideAt, setAsideBy, whyOf } from '../domain/set-aside.ts';
import type { TickMessage } from '../domain/tick-message.ts';
import { TICK_STAGES } from '../domain/timing.ts';
import { Unreadable } from '../domain/unreadable.ts';
import type { Clock } from '../ports/clock.ts';
import type { MatchStore } from '../ports/match-store.ts';
import type { OutcomeStore } from '../ports/outcome-store.ts';
import type { QueueStore } from '../ports/queue-store.ts';
import type { RangeStore } from '../ports/range-store.ts';
import { unlessBusy } from '../ports/store-busy.ts';
import type { TicketStore } from '../ports/ticket-store.ts';
import { choiceFreeNeeded } from '../queues/choice-advice.ts';
import { isOdd } from '../waking/schedule.ts';
import { type CountMatchedDeps, countMatched, matchedWaits } from './count-matched.ts';
import { type DueTick, type DueTickDeps, dueTick, isOneOfSeveral } from './due-tick.ts';
import { TicketEnds } from './end-tickets.ts';
import { measureLoad, nextReport, setAsideReport } from './next-report.ts';
import { type ReadDeps, readBefore, readRange, type TicksBefore } from './read-range.ts';
import { mayChange, rebalance } from './rebalance.ts';
import { type SearchDeps, searchRange } from './search-range.ts';
import { summarise } from './search-summary.ts';
import { closeOlderLayouts, type LeaseDeps, type LeasedTick, takeLease, underLease } from './tick-lease.ts';
import { type Dropped, dropped, type Searched, type SetAsideTick, type TickOutcome } from './tick-outcome.ts';
import { type PresenceCheckDeps, withoutVanished } from './without-vanished.ts';

/** The interval at which the arrivals of the whole queue are added up. */
const ARRIVALS_EVERY_MS = 10_000;

export interface TickDeps
  extends DueTickDeps,
    LeaseDeps,
    ReadDeps,
    PresenceCheckDeps,
    SearchDeps,
    CountMatchedDeps {
  readonly outcomes: Pick<OutcomeStore, 'add'>;
  readonly matches: MatchStore;
  readonly queues: QueueStore;
  readonly ranges: RangeStore;
  readonly tickets: TicketStore;
  readonly clock: Clock;
}

/**
 * One pass of the search over one range of a queue.
 *
 *     fan out    the message of a slot becomes one message for each range except the first, which is searched here.
 *                A crash after it: the messages are sent again; a range whose slot was searched ignores its message
 *     settle     until 2 s   the matches of a crashed tick in this range: see `commits/settle.ts`. If its journal is unreadable,
 *                            this tick takes no lease and only ends overdue tickets, each by a conditional write
 *     lease      until 2 s   conditional write. A crash after it: the range is not searched until the lease expires
 *     read       until 3 s   the report of the range's last tick, and as many waiting tickets as one tick can read
 *     check      for 1 s     whether the tickets fit the definition
 *     presence               the tickets of players who have left, in a queue with `presence`: see `without-vanished.ts`
 *     end        until 4 s   a conditional write for each ticket past its time-out, unless bots fill its game. A crash
 *                            after it: they have ended
 *     plan       until 7 s   pure: engine and release policy, one game after another. A crash: as after the lease
 *     commit     until 8 s   each match in steps, on the condition that every ticket is still QUEUED, while the plan
 *                            continues: see `commits/commit-match.ts`. A crash: committed matches stay, the others are
 *                            abandoned
 *     survey     until 8.5 s a count of the tickets, if they are more than one tick reads
 *     report     the state for the next tick and the statistics. A crash before it: they use the previous report
 *     end lease  even after an error, unless a match could not be settled. A crash before it: as after the lease
 *     count      the matched waits, in a queue with an experiment: see `count-matched.ts`. It also counts, for each other
 *                queue, the linked tickets that this tick took from it. A crash before it: they are not counted
 *     split      until 8.5 s a new bucket layout if this bucket is overloaded: see `rebalance.ts`. A crash before it: a
 *                            later tick repeats it
 *
 * Each step hands a value to the next: `due-tick.ts`, `tick-lease.ts`, `read-range.ts`, `search-range.ts` (with
 * `end-tickets.ts` and `commit-game.ts`), `next-report.ts`.
 *
 * The times are those of `TICK_STAGES`, since the tick began. Lambda stops the function, and the lease expires, after 10 s.
 * The lease counts consecutive ticks that failed or were stopped. After too many, the range is set aside: see `set-aside.ts`.
 *
 * A message may arrive twice or out of order, so the lease records the last slot searched. If two ticks search the same
 * tickets because one outlived its lease, the commit's condition gives each ticket to only one of them.
 */
export async function tick(deps: TickDeps, message: TickMessage): Promise<TickOutcome> {
  const due = await dueTick(deps, message);
  if ('outcome' in due) return due;
  const leased = await takeLease(deps, due);
  if ('outcome' in leased) return leased;
  if ('setAside' in leased) return endOverdue(deps, leased, await readBefore(deps, leased), leased.setAside);
  const done = await underLease(deps, leased, () => runLeased(deps, leased));
  return done.outcome === 'searched' ? afterSearch(deps, leased, done) : done;
}

/** The work of a tick while it holds the lease of its range. */
async function runLeased(deps: TickDeps, tick: LeasedTick): Promise<SearchedTick | SetAsideTick | Dropped> {
  const closed = await closeOlderLayouts(deps, tick);
  if (closed === 'held') return dropped('a tick of an older bucket layout is still running');
  const before = await readBefore(deps, tick);
  const { definition, failed, slotMs, range } = tick;
  const cause =
    closed instanceof Unreadable
      ? closed
      : missingFunctions(definition.rules ?? [], codeInUse()?.names)[0]?.detail;
  const setAside =
    cause === undefined ? setAsideAt(failed, slotMs, rangeName(range)) : setAsideBy(cause, failed, slotMs);
  return setAside === undefined ? search(deps, tick, before) : endOverdue(deps, tick, before, setAside);
}

/** A search, with the data for changes of the bucket layout and of the queue's arrivals. */
interface SearchedTick extends Searched {
  readonly load: BucketLoad;
  readonly memory: TickMemory;
  /** The matched waits, by the block of the queue's experiment. */
  readonly blocks: ReadonlyMap<number, BlockTotals>;
}

async function search(deps: TickDeps, tick: LeasedTick, before: TicksBefore): Promise<SearchedTick> {
  const { definition, range, ageMs, startMs } = tick;
  const queue = definition.name;
  const all = await readRange(deps, tick, before, definition.fill === 'bots');
  const { read, tick: checked, held, asked } = await withoutVanished(deps, tick, all);
  const found = await searchRange(deps, checked, before, read);
  const durationMs = deps.clock.now() - startMs;
  const summary = summarise(definition, read, found);
  const load = await measureLoad(deps, tick, before, read, { left: summary.waiting, durationMs });
  const report = nextReport(tick, before.report, { read, search: found, summary, load, durationMs });
  await deps.ranges.putReport(queue, rangeName(range), report, deps.clock.now());
  const { matches, recent, lostRaces, busy } = summary;
  const { timedOut, isCut, tooLarge, plan } = found;
  const { waiting } = report;
  const { missedLastChances, failures } = plan;
  const counts = { waiting, recent, timedOut, isCut, missedLastChances, failures, lostRaces, busy };
  const metrics = { queue, ...counts, durationMs, ageMs };
  const { unreadable } = read;
  const blocks = matchedWaits(tick, read, found);
  await asked;
  const result = { matches, metrics, unreadable, tooLarge, load, memory: plan.memory, blocks };
  return { outcome: 'searched', ...result, ...(held !== undefined && { held }) };
}

/** Ends the tickets that a search would end, including those whose games bots would fill. It needs no lease. */
async function endOverdue(
  deps: TickDeps,
  tick: DueTick,
  before: TicksBefore,
  setAside: SetAside,
): Promise<SetAsideTick> {
  const { record, range, ageMs, startMs, limits } = tick;
  const queue = record.definition.name;
  const read = await readRange(deps, tick, before, false);
  const ends = new TicketEnds(deps, limits.endsPerSecond, read.entries, read.readAtMs);
  const { timedOut, left } = await ends.end(read.ending, startMs + TICK_STAGES.writeMs);
  const durationMs = deps.clock.now() - startMs;
  const report = setAsideReport(tick, before.report, read, {
    setAside,
    timedOut,
    left: left.length,
    durationMs,
  });
  await deps.ranges.putReport(queue, rangeName(range), report, deps.clock.now());
  const none = { recent: [], lostRaces: 0, busy: 0, isCut: false, missedLastChances: 0, failures: [] };
  const metrics = { queue, waiting: report.waiting, timedOut, durationMs, ageMs, ...none };
  return { outcome: 'set-aside', metrics, unreadable: read.unreadable, why: whyOf(setAside) };
}

/**
 * Updates what concerns the whole queue: the experiment, the bucket layout and the arrivals. A crash in it: a later tick does it.
 */
async function afterSearch(
  deps: TickDeps,
  tick: LeasedTick,
  { load, memory, blocks, ...outcome }: SearchedTick,
): Promise<Searched> {
  const { definition, range, startMs } = tick;
  await countMatched(deps, tick, blocks, deps.clock.now());
  await allOf(
    [...tick.commits.elsewhere].map(([queue, elsewhere]) =>
      deps.outcomes.add(queue, { elsewhere }, deps.clock.now()),
    ),
  );
  if (deps.clock.now() >= startMs + TICK_STAGES.surveyMs) return outcome;
  const isSplit = await splitIfOverloaded(deps, tick, load);
  const isArrivalsTick = range.index === 0 && isArrivalsSlot(tick);
  const isSummed = isSplit || (isOneOfSeveral(tick) && isArrivalsTick);
  const arrivals = isSummed ? await unlessBusy(sumArrivals(deps, tick)) : memory;
  if (!isArrivalsTick) return outcome;
  const needed = choiceFreeNeeded(definition, arrivals);
  return { ...outcome, metrics: { ...outcome.metrics, choiceFreeNeeded: needed } };
}

/** Splits overloaded buckets. After a failure, a later tick or dispatch repeats it. */
async function splitIfOverloaded(
  deps: TickDeps,
  { record, layout, slotMs }: DueTick,
  load: BucketLoad,
): Promise<boolean> {
  // Only the reports of even slots count: their ranges are the buckets.
  const isBucket = layout.boundaries.length === 0 || !isOdd(record, slotMs);
  const nowMs = deps.clock.now();
  if (!isBucket || !isOverloaded(load, nowMs) || !mayChange(record, nowMs)) return false;
  return (await unlessBusy(rebalance(deps, record.definition.name, nowMs))) ?? false;
}

/** Whether the arrivals of the whole queue are updated at this slot: the first slot in each ten seconds. */
function isArrivalsSlot({ record: { definition }, slotMs }: DueTick): boolean {
  return slotMs % ARRIVALS_EVERY_MS < definition.tickSeconds * 1_000;
}

/** Adds up the arrivals of the slot's ranges, for the next ticks of all ranges. */
async function sumArrivals(deps: TickDeps, { record, ranges }: DueTick): Promise<TickMemory | undefined> {
  const queue = record.definition.name;
  const reports = await deps.ranges.reports(queue, ranges.map(rangeName));
  const arrivals = together([...reports.values()].flatMap(({ memory }) => memory ?? []));
  if (arrivals !== undefined) await deps.ranges.putArrivals(queue, arrivals, deps.clock.now());
  return arrivals;
}
