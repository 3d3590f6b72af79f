import type { QueueDefinition } from '../../contract/queue-definition.ts';
import { seatsOf } from '../../contract/team-kinds.ts';
import type { Ticket } from '../../engine/types.ts';
import type { TickMemory } from '../../policies/plan.ts';
import { Preparation } from '../../rules/preparation.ts';
import type { RuledPlayer } from '../../rules/types.ts';
import { removeStale } from '../commits/stale-entries.ts';
import { poolOrder, rangeName, shareOf, tieKey } from '../domain/buckets.ts';
import { hasLinked } from '../domain/linked-ticket.ts';
import { runningVariants } from '../domain/running-experiment.ts';
import type { StoredTicket } from '../domain/stored-ticket.ts';
import type { TickReport } from '../domain/tick-report.ts';
import { TICK_STAGES } from '../domain/timing.ts';
import type { Clock } from '../ports/clock.ts';
import type { SingleMatchStore } from '../ports/match-store.ts';
import type { RangeStore } from '../ports/range-store.ts';
import type { TicketStore, WaitingTickets } from '../ports/ticket-store.ts';
import { type CheckedTicket, CheckedTickets } from './checked-tickets.ts';
import { type DueTick, isOneOfSeveral } from './due-tick.ts';
import { type EndingTicket, lateTicket, misfitTicket, unreadableTicket } from './end-tickets.ts';

export interface ReadDeps {
  readonly tickets: Pick<TicketStore, 'waiting' | 'getMany' | 'removeEntry'>;
  readonly matches: Pick<SingleMatchStore, 'getMany'>;
  readonly ranges: Pick<RangeStore, 'reports' | 'arrivals'>;
  readonly clock: Pick<Clock, 'now'>;
  /** Caches the checks of earlier ticks. @default every ticket is checked */
  readonly checked?: CheckedTickets | undefined;
}

/** The data that earlier ticks have stored for this one. */
export interface TicksBefore {
  /** The report of the last tick of the range. */
  readonly report: TickReport | undefined;
  /** What the release policy has learned about the range. */
  readonly memory: TickMemory | undefined;
  /** The arrivals of the whole queue, if it has several ranges. */
  readonly arrivals: TickMemory | undefined;
}

export async function readBefore(deps: ReadDeps, tick: DueTick): Promise<TicksBefore> {
  const { record, layout, range } = tick;
  const queue = record.definition.name;
  const name = rangeName(range);
  const isPart = isOneOfSeveral(tick);
  const [reports, arrivals] = await Promise.all([
    deps.ranges.reports(queue, [name]),
    layout.version > 1 || isPart ? deps.ranges.arrivals(queue) : undefined,
  ]);
  const report = reports.get(name);
  if (isPart) return { report, memory: report?.memory, arrivals };
  // After the buckets are merged, the range continues with their merged memory.
  return { report, memory: report === undefined ? arrivals : report.memory, arrivals: undefined };
}

/** The waiting tickets of a range. */
export interface RangeRead {
  /** The tickets of the part that this tick searches, in order, and when they were read; milliseconds since the epoch. */
  readonly stored: readonly StoredTicket[];
  readonly readAtMs: number;
  /** Those of `stored` that may be matched, and the work of preparing them, in the units of `Preparation`. */
  readonly tickets: readonly Ticket[];
  readonly work: number;
  /** The tickets that were read from entries, by id. */
  readonly entries: ReadonlyMap<string, StoredTicket>;
  /**
   * The checked tickets that end without a search: they cannot be read, no longer fit the queue's definition, or are past their
   * time-out.
   */
  readonly ending: readonly EndingTicket[];
  /** Tickets that this version of Muster cannot parse. */
  readonly unreadable: readonly string[];
  /** The number of tickets that were read under each pool key. */
  readonly pools: ReadonlyMap<string, number>;
  /** The sort key where the next tick continues; absent when this one reached the end of the range. */
  readonly next: string | undefined;
  /** Whether the range is read in parts. */
  readonly isPart: boolean;
}

/**
 * The time limit for checking tickets against the definition. Large parties with roles take milliseconds each, and nothing is
 * cached when the function starts or the definition has changed.
 */
const CHECK_MS = 1_000;

/**
 * Reads the waiting tickets of a range.
 *
 * If one tick cannot read, check or prepare all tickets of a range, the range is searched in parts, in order of skill. Successive
 * ticks take all parts in turn, so no ticket is skipped.
 * @param keepsLate the search decides about tickets past their time-out, because bots fill their games
 */
export async function readRange(
  deps: ReadDeps,
  tick: DueTick,
  { report }: TicksBefore,
  keepsLate: boolean,
): Promise<RangeRead> {
  const { record, range, startMs, limits } = tick;
  const { definition, layouts } = record;
  const hasTime = () => deps.clock.now() < startMs + TICK_STAGES.readMs;
  const linked = hasLinked(record, startMs);
  const read = (from: string | undefined) =>
    deps.tickets.waiting(
      definition.name,
      layouts,
      { ...range, ...(from !== undefined && { from }) },
      { limit: limits.readTickets, hasTime },
      linked,
    );
  const { tickets: found, unreadable, pools, next: unread } = await readInTurn(read, report?.next);
  const entries = new Map(found.flatMap((one) => (one.entry ? [[one.ticketId, one] as const] : [])));
  const isSkipped = entries.size > 0 ? await skippedTickets(deps, tick, report, entries) : undefined;
  const all = isSkipped ? found.filter(({ ticketId }) => !isSkipped(ticketId)) : found;
  const checkFromMs = deps.clock.now();
  const { tickets, work, ending, firstOfNext } = sortOut(all, definition, checkFromMs, keepsLate, {
    check: (deps.checked ?? new CheckedTickets()).of(definition, runningVariants(record, checkFromMs)),
    workMax: limits.prepareWork,
    hasTime: () => deps.clock.now() < checkFromMs + CHECK_MS,
  });
  const readAtMs = deps.clock.now();
  const stored = firstOfNext === undefined ? all : all.slice(0, all.indexOf(firstOfNext));
  const next = firstOfNext === undefined ? unread : poolOrder(firstOfNext.ticketId, firstOfNext.players);
  const isPart = next !== undefined || report?.next !== undefined;
  return {
    stored,
    readAtMs,
    tickets,
    work,
    entries,
    ending: [...unreadable.map(unreadableTicket), ...ending],
    unreadable,
    pools,
    next,
    isPart,
  };
}

/** Each entry is checked once in this time, so that an entry that a crash has left does not stay in the pool. Milliseconds. */
const CHECK_EVERY_MS = 60_000;

/**
 * Checks the entries whose turn it is, and removes stale ones. Entries of tickets that other ticks have claimed recently are
 * skipped.
 * @returns whether a ticket is not searched
 */
async function skippedTickets(
  deps: ReadDeps,
  { definition, slotMs, startMs }: DueTick,
  report: TickReport | undefined,
  entries: ReadonlyMap<string, StoredTicket>,
): Promise<(ticketId: string) => boolean> {
  const tickMs = 1_000 * definition.tickSeconds;
  const turns = Math.ceil(CHECK_EVERY_MS / tickMs);
  const turn = Math.floor(slotMs / tickMs) % turns;
  const due = [...entries.values()].filter(
    ({ ticketId }) => Math.floor(turns * shareOf(tieKey(ticketId))) === turn,
  );
  const over = await removeStale(deps, due, deps.clock.now());
  const skipped = new Map(report?.skipped);
  return (ticketId) =>
    over.has(ticketId) || (entries.has(ticketId) && (skipped.get(ticketId) ?? 0) > startMs);
}

/** Continues where the previous tick stopped, or at the start of the range when no ticket is left there. */
async function readInTurn(
  read: (from: string | undefined) => Promise<WaitingTickets>,
  from: string | undefined,
): Promise<WaitingTickets> {
  const part = await read(from);
  return from !== undefined && part.tickets.length + part.unreadable.length === 0 ? read(undefined) : part;
}

interface SortOptions {
  readonly check: (stored: StoredTicket) => CheckedTicket;
  /** The maximum work of preparing the tickets for the search. */
  readonly workMax: number;
  /** False when there is no time to check another ticket. */
  readonly hasTime: () => boolean;
}

interface SortedOut {
  readonly tickets: readonly Ticket[];
  readonly work: number;
  readonly ending: readonly EndingTicket[];
  /** The first ticket of the next part. */
  readonly firstOfNext: StoredTicket | undefined;
}

/** Separates the tickets to search from those that end now and from those of the next part. */
function sortOut(
  stored: readonly StoredTicket[],
  definition: QueueDefinition,
  nowMs: number,
  keepsLate: boolean,
  { check, workMax, hasTime }: SortOptions,
): SortedOut {
  const unfit: EndingTicket[] = [];
  const late: EndingTicket[] = [];
  const tickets: Ticket[] = [];
  const part = new PartOfPool(definition, workMax);
  let firstOfNext: StoredTicket | undefined;
  const lateBeforeMs = nowMs - definition.timeoutSeconds * 1_000;
  for (const one of stored) {
    if (!hasTime()) {
      firstOfNext ??= one;
      break;
    }
    const { ticket, misfit } = check(one);
    if (misfit !== undefined) unfit.push(misfitTicket(one, misfit));
    else if (!keepsLate && ticket.enqueuedAtMs <= lateBeforeMs)
      late.push(lateTicket(one.ticketId, definition));
    else if (firstOfNext === undefined) {
      if (part.takes(ticket)) tickets.push(ticket);
      else firstOfNext = one;
    }
  }
  return { tickets, work: part.work, ending: [...unfit, ...late], firstOfNext };
}

/**
 * A part has the players of at least this many matches, even if their preparation takes long. With fewer it may contain no match.
 */
const MATCHES_MIN = 2;

/**
 * The part of a pool that one tick searches: as many tickets as it can prepare in time. Unlike a search, preparation cannot be
 * cut short.
 */
export class PartOfPool {
  readonly #preparation: Preparation;
  readonly #workMax: number;
  readonly #playersMin: number;
  #players = 0;
  #work = 0;
  #isFull = false;

  /** @param workMax the maximum of work, in the units of `Preparation` */
  constructor(definition: QueueDefinition, workMax: number) {
    this.#preparation = new Preparation(definition);
    this.#workMax = workMax;
    this.#playersMin = MATCHES_MIN * seatsOf(definition);
  }

  /** The work of preparing the tickets taken, in the units of `Preparation`. */
  get work(): number {
    return this.#work;
  }

  /** Whether the part takes the next ticket. After the first ticket that it rejects, it takes no further one. */
  takes(ticket: { readonly players: readonly RuledPlayer[] }): boolean {
    if (this.#isFull) return false;
    const work = this.#preparation.add(ticket);
    this.#isFull = work > this.#workMax && this.#players >= this.#playersMin;
    if (this.#isFull) return false;
    this.#players += ticket.players.length;
    this.#work = work;
    return true;
  }
}
