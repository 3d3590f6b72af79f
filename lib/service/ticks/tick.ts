import { gameJson } from '../../contract/match.ts';
import type { QueueDefinition } from '../../contract/queue-definition.ts';
import type { Game, Ticket } from '../../engine/types.ts';
import { planTick, type TickMemory } from '../../policies/plan.ts';
import { firstStatus } from '../placement/match-status.ts';
import type { StoredMatch } from '../placement/stored-match.ts';
import type { MatchStore } from '../ports/match-store.ts';
import type { QueueStore } from '../ports/queue-store.ts';
import type { Lease, RangeStore } from '../ports/range-store.ts';
import type { TicketStore } from '../ports/ticket-store.ts';
import type { QueueRecord } from '../queues/queue-record.ts';
import { LATE_MS, LEASE_MS } from '../queues/queues.ts';
import { misfits } from '../tickets/misfits.ts';
import { type StoredTicket, toEngineTicket } from '../tickets/stored-ticket.ts';
import { planAt, rangeName, type TickRange, tickRanges } from './buckets.ts';
import { isOdd } from './schedule.ts';
import type { TickMessage } from './tick-message.ts';
import type { TickMetrics } from './tick-metrics.ts';

/** How early a message may come: SQS counts delays in whole seconds. */
const EARLY_MS = 1_000;
/** Looks for a lease that the tick before still holds, before this tick gives up its turn. */
const LEASE_TRIES = 8;
/** Of the lease, the search may take this much; what it has found by then is committed. */
const SEARCH_MS = 5_000;
/** Nothing new is begun when so little of the lease is left. */
const FINISH_MS = 2_000;
/** Writes on their way at once. */
const WRITES_AT_ONCE = 8;
/** Matches remembered for the statistics of a range. */
const RECENT_MATCHES = 20;

export interface TickDeps {
  readonly queues: QueueStore;
  readonly ranges: RangeStore;
  readonly tickets: TicketStore;
  readonly matches: MatchStore;
  readonly clock: { now(): number; sleep(ms: number): Promise<void> };
  readonly newId: () => string;
}

export type TickOutcome =
  | { outcome: 'searched'; matches: StoredMatch[]; metrics: TickMetrics }
  | { outcome: 'dropped'; why: string };

/**
 * One pass of the search over one range of a queue.
 *
 *     lease      conditional write. A crash after it: the range rests until the lease ends
 *     read       the waiting tickets of the range, and the report of its last tick
 *     end        a conditional write for each ticket past its time-out, unless bots fill its game
 *     plan       pure: engine and release policy
 *     commit     one transaction a match, on the condition that every ticket is still QUEUED.
 *                A crash between two: what is committed stays, the rest waits for the next tick
 *     report     what the next tick and the statistics should know. A crash before it: they know less
 *     release    gives the lease back, after an error too. A crash before it: as after the lease
 *
 * A message may come twice or out of order: the lease remembers the last slot searched. Even if two ticks
 * search the same tickets, because one outlived its lease, the commit's condition lets only one have each.
 */
export async function tick(deps: TickDeps, message: TickMessage): Promise<TickOutcome> {
  const startMs = deps.clock.now();
  const record = await deps.queues.get(message.queue);
  if (record === undefined) return { outcome: 'dropped', why: 'its queue is gone' };
  const ageMs = Math.max(0, startMs - message.slotMs);
  // Its successors are due already.
  if (ageMs > record.definition.tickSeconds * 1_000 + LATE_MS)
    return { outcome: 'dropped', why: 'it is stale' };
  const range = rangeOf(record, message, startMs);
  if (range === undefined) return { outcome: 'dropped', why: 'its bucket plan is gone' };

  const { queue, slotMs } = message;
  const lease: Lease = { owner: deps.newId(), slotMs, nowMs: startMs, untilMs: startMs + LEASE_MS };
  const leased = await takeLease(deps, queue, range.cells, lease);
  if (leased === 'done') return { outcome: 'dropped', why: 'it has been done' };
  if (leased === 'held') return { outcome: 'dropped', why: 'the tick before it still runs' };
  try {
    const name = rangeName(range);
    const before = (await deps.ranges.reports(queue, [name])).get(name);
    const found = await search(deps, record, range, before?.memory, startMs);
    const durationMs = deps.clock.now() - startMs;
    const { waiting, oldestWaitMs, memory, matches, timedOut, lostRaces, busy } = found;
    const recent = [...(before?.recent ?? []), ...found.recent].slice(-RECENT_MATCHES);
    const report = { slotMs, durationMs, waiting, oldestWaitMs, matches: matches.length, recent, memory };
    await deps.ranges.putReport(queue, name, report, deps.clock.now());
    const metrics = { queue, waiting, recent: found.recent, timedOut, lostRaces, busy, durationMs, ageMs };
    return { outcome: 'searched', matches, metrics };
  } finally {
    await deps.ranges.release(queue, range.cells, lease);
  }
}

/** Reads the waiting tickets of a range, plans, and makes the plan true. */
async function search(
  deps: TickDeps,
  record: QueueRecord,
  range: TickRange,
  memory: TickMemory | undefined,
  startMs: number,
) {
  const { definition } = record;
  const stored = await deps.tickets.waiting(definition.name, record.plans, range);
  const nowMs = deps.clock.now();
  const hasTime = () => deps.clock.now() < startMs + LEASE_MS - FINISH_MS;
  const end = (tickets: readonly { ticketId: string }[], status: 'TIMED_OUT' | 'CANCELLED', reason: string) =>
    inParallel(tickets, hasTime, ({ ticketId }) => deps.tickets.end(ticketId, status, reason, nowMs));

  // Ends come first: they must happen even when there is more to search than one tick can do.
  const isLate = ({ enqueuedAtMs }: Ticket) => nowMs - enqueuedAtMs >= definition.timeoutSeconds * 1_000;
  const isUnfit = ({ players }: StoredTicket) => misfits(players, definition).length > 0;
  const unfit = stored.filter(isUnfit);
  const fitting = unfit.length === 0 ? stored : stored.filter((ticket) => !isUnfit(ticket));
  const tickets = fitting.map(toEngineTicket);
  const late = definition.fill === 'bots' ? [] : tickets.filter(isLate);
  await end(unfit, 'CANCELLED', 'the queue was changed and the ticket no longer fits it');
  const why = `no match within ${definition.timeoutSeconds} s`;
  const endedLate = await end(late, 'TIMED_OUT', why);

  const outOfTime = () => deps.clock.now() >= startMs + SEARCH_MS;
  const searched = late.length === 0 ? tickets : tickets.filter((ticket) => !isLate(ticket));
  const plan = planTick({ rules: definition, tickets: searched, nowMs, memory, reasons: false, outOfTime });
  const outcomes = await inParallel(plan.matches, hasTime, async (game) => {
    const match = toMatch(game, definition, deps.newId(), nowMs);
    return { game, match, outcome: await deps.matches.commit(match, nowMs) };
  });
  const endedUnfilled = await end(
    plan.timedOut.map((ticketId) => ({ ticketId })),
    'TIMED_OUT',
    why,
  );

  const enqueuedAtMs = new Map(searched.map((ticket) => [ticket.ticketId, ticket.enqueuedAtMs]));
  const waitMs = (ticketId: string) => Math.max(0, nowMs - (enqueuedAtMs.get(ticketId) ?? nowMs));
  const committed = outcomes.filter(({ outcome }) => outcome === 'committed');
  return {
    matches: committed.map(({ match }) => match),
    recent: committed.map(({ game }) => ({ imbalance: game.imbalance, waitsMs: game.ticketIds.map(waitMs) })),
    waiting: plan.waiting.length,
    oldestWaitMs: plan.waiting.reduce((oldest, { ticketId }) => Math.max(oldest, waitMs(ticketId)), 0),
    timedOut: [...endedLate, ...endedUnfilled].filter((result) => result?.ended).length,
    lostRaces: outcomes.filter(({ outcome }) => outcome === 'lost-race').length,
    busy: outcomes.filter(({ outcome }) => outcome === 'busy').length,
    memory: plan.memory,
  };
}

/** What to search, if the message's plan is in force and stays so until the lease ends. */
function rangeOf(record: QueueRecord, message: TickMessage, startMs: number): TickRange | undefined {
  const plan = planAt(record.plans, message.slotMs);
  if (plan.version !== message.plan) return undefined;
  const next = record.plans.find(({ fromMs }) => fromMs > message.slotMs);
  if (next !== undefined && startMs + LEASE_MS + EARLY_MS > next.fromMs) return undefined;
  return tickRanges(plan, isOdd(record, message.slotMs))[message.range];
}

/** A slow tick before this one is waited for, but not for long. */
async function takeLease(deps: TickDeps, queue: string, cells: readonly string[], lease: Lease) {
  for (let attempt = 1; ; attempt++) {
    const nowMs = deps.clock.now();
    const leased = await deps.ranges.lease(queue, cells, { ...lease, nowMs });
    if (leased !== 'held' || attempt === LEASE_TRIES) return leased;
    await deps.clock.sleep(100);
  }
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

/**
 * Runs a task for every item while there is time, few at once; answers what was run, in the order of the items.
 * After a failure nothing new begins, and what is on its way is waited for: when this has ended, nothing of it
 * goes on.
 */
async function inParallel<T, R>(
  items: readonly T[],
  hasTime: () => boolean,
  task: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: Promise<R>[] = [];
  let failed = false;
  const worker = async () => {
    while (results.length < items.length && !failed && hasTime()) {
      const result = task(items[results.length]!);
      results.push(result);
      await result.catch(() => {
        failed = true;
      });
    }
  };
  await Promise.all(Array.from({ length: WRITES_AT_ONCE }, worker));
  return Promise.all(results);
}
