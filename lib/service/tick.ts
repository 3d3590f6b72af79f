import type { Game } from '../engine/types.ts';
import { planTick, type TickMemory } from '../policies/plan.ts';
import { planAt, type TickRange, tickRanges } from './buckets.ts';
import type { MatchStatus, StoredMatch } from './match.ts';
import { gameJson } from './offline.ts';
import type {
  Lease,
  MatchStore,
  QueueRecord,
  QueueStore,
  RangeReport,
  TicketStore,
  TickMessage,
  TickMetrics,
} from './ports.ts';
import { placementTimeoutSeconds, type QueueDefinition } from './queue-definition.ts';
import { LATE_MS, LEASE_MS } from './queues.ts';
import { isOdd } from './schedule.ts';
import { misfits, toEngineTicket } from './ticket.ts';

/** How early a message may come: SQS counts delays in whole seconds. */
const EARLY_MS = 1_000;
/** Looks for a lease that the tick before still holds, before this tick gives up its turn. */
const LEASE_TRIES = 8;
/** Transactions on their way at once. */
const COMMITS_AT_ONCE = 8;
/** Matches remembered for the statistics of a range. */
const RECENT_MATCHES = 20;

export interface TickDeps {
  readonly queues: QueueStore;
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
 *     read       the waiting tickets of the range
 *     plan       pure: engine and release policy
 *     commit     one transaction a match, on the condition that every ticket is still QUEUED.
 *                A crash between two: what is committed stays, the rest waits for the next tick
 *     end        a conditional write for each ticket past its time-out
 *     release    gives the lease back with the report; after an error without one. A crash before it:
 *                as after the lease
 *
 * A message may come twice or out of order: the lease remembers the last slot searched. Even if two ticks
 * search the same tickets, because one outlived its lease, the commit's condition lets only one have each.
 */
export async function tick(deps: TickDeps, message: TickMessage): Promise<TickOutcome> {
  const startMs = deps.clock.now();
  const record = await deps.queues.get(message.queue);
  if (record === undefined) return { outcome: 'dropped', why: 'its queue is gone' };
  const ageMs = startMs - message.slotMs;
  // Its successors are due already.
  if (ageMs > record.definition.tickSeconds * 1_000 + LATE_MS)
    return { outcome: 'dropped', why: 'it is stale' };
  const range = rangeOf(record, message, startMs);
  if (range === undefined) return { outcome: 'dropped', why: 'its bucket plan is gone' };

  const lease: Lease = {
    owner: deps.newId(),
    slotMs: message.slotMs,
    nowMs: startMs,
    untilMs: startMs + LEASE_MS,
  };
  const leased = await takeLease(deps, message.queue, range.cells, lease);
  if (leased.outcome === 'done') return { outcome: 'dropped', why: 'it has been done' };
  if (leased.outcome === 'held') return { outcome: 'dropped', why: 'the tick before it still runs' };

  // Even and odd slots of a queue with one bucket search the same range, and share what they learn of it.
  const rangeName = range.cells.join('+');
  let report: RangeReport | undefined;
  try {
    const before = leased.reports.get(rangeName);
    const done = await search(deps, record, range, before?.memory);
    const durationMs = deps.clock.now() - startMs;
    const recent = [...(before?.recent ?? []), ...done.recent].slice(-RECENT_MATCHES);
    const { waiting, oldestWaitMs, memory, matches } = done;
    report = {
      range: rangeName,
      report: {
        slotMs: message.slotMs,
        durationMs,
        waiting,
        oldestWaitMs,
        matches: matches.length,
        recent,
        memory,
      },
    };
    const { games, timedOut } = done;
    const waitsMs = done.recent.flatMap((match) => match.waitsMs);
    const metrics = {
      queue: message.queue,
      waiting,
      games,
      waitsMs,
      timedOut,
      durationMs,
      ageMs: Math.max(0, ageMs),
    };
    return { outcome: 'searched', matches, metrics };
  } finally {
    await deps.queues.release(message.queue, range.cells, lease, report);
  }
}

/** Reads the waiting tickets of a range, plans, and makes the plan true. */
async function search(deps: TickDeps, record: QueueRecord, range: TickRange, memory: TickMemory | undefined) {
  const { definition } = record;
  const stored = await deps.tickets.waiting(definition.name, record.plans, range);
  const nowMs = deps.clock.now();
  const unfit = stored.filter(({ players }) => misfits(players, definition).length > 0);
  const tickets = stored.filter((ticket) => !unfit.includes(ticket)).map(toEngineTicket);
  const plan = planTick({ rules: definition, tickets, nowMs, memory, reasons: false });

  const planned = plan.matches.map((game) => ({
    game,
    match: toMatch(game, definition, deps.newId(), nowMs),
  }));
  const outcomes = await inParallel(planned, ({ match }) => deps.matches.commit(match, nowMs));
  const committed = planned.filter((_, i) => outcomes[i] === 'committed');
  const end = (ticketId: string, status: 'TIMED_OUT' | 'CANCELLED', reason: string) =>
    deps.tickets.end(ticketId, status, reason, nowMs);
  await inParallel(plan.timedOut, (ticketId) =>
    end(ticketId, 'TIMED_OUT', `no match within ${definition.timeoutSeconds} s`),
  );
  await inParallel(unfit, ({ ticketId }) =>
    end(ticketId, 'CANCELLED', 'the queue was changed and the ticket no longer fits it'),
  );

  const enqueuedAtMs = new Map(tickets.map((ticket) => [ticket.ticketId, ticket.enqueuedAtMs]));
  const waitMs = (ticketId: string) => Math.max(0, nowMs - (enqueuedAtMs.get(ticketId) ?? nowMs));
  return {
    matches: committed.map(({ match }) => match),
    games: committed.map(({ game }) => game),
    recent: committed.map(({ game }) => ({ imbalance: game.imbalance, waitsMs: game.ticketIds.map(waitMs) })),
    waiting: plan.waiting.length,
    oldestWaitMs: plan.waiting.reduce((oldest, { ticketId }) => Math.max(oldest, waitMs(ticketId)), 0),
    timedOut: plan.timedOut.length,
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
    const leased = await deps.queues.lease(queue, cells, { ...lease, nowMs });
    if (leased.outcome !== 'held' || attempt === LEASE_TRIES) return leased;
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

function firstStatus(definition: QueueDefinition, nowMs: number): { status: MatchStatus; deadline?: string } {
  if (definition.acceptance === undefined) return statusAfterAcceptance(definition, nowMs);
  return { status: 'REQUIRES_ACCEPTANCE', deadline: isoAfter(nowMs, definition.acceptance.timeoutSeconds) };
}

/** Where a match goes once everybody plays: to its provisioner, or straight to its end. */
export function statusAfterAcceptance(
  definition: QueueDefinition,
  nowMs: number,
): { status: 'PLACING' | 'COMPLETED'; deadline?: string } {
  const seconds = placementTimeoutSeconds(definition.provisioner);
  if (seconds === undefined) return { status: 'COMPLETED' };
  return { status: 'PLACING', deadline: isoAfter(nowMs, seconds) };
}

function isoAfter(nowMs: number, seconds: number): string {
  return new Date(nowMs + seconds * 1_000).toISOString();
}

/**
 * Runs a task for every item, few at a time; answers in the order of the items. After a failure nothing new
 * begins, and what is on its way is waited for: when this has ended, nothing of it goes on.
 */
async function inParallel<T, R>(items: readonly T[], task: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = new Array(items.length);
  let next = 0;
  let failed = false;
  const worker = async () => {
    while (next < items.length && !failed) {
      const i = next++;
      try {
        results[i] = await task(items[i]!);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  const workers = Array.from({ length: Math.min(COMMITS_AT_ONCE, items.length) }, worker);
  const broken = (await Promise.allSettled(workers)).find((end) => end.status === 'rejected');
  if (broken !== undefined) throw broken.reason;
  return results;
}
