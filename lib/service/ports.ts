import type { Assignment, MatchStatus, StoredMatch } from '../contract/match.ts';
import type { EventType, QueueDefinition } from '../contract/queue-definition.ts';
import type { StoredTicket } from '../contract/ticket.ts';
import type { TickMemory } from '../policies/plan.ts';
import type { BucketPlan, KeyRange } from './ticks/buckets.ts';

/**
 * What the use cases need of the outside. Outcomes that can happen are values; a store that stays
 * busy after its retries throws `StoreBusy`.
 */

/** The store was throttled, or lost every race against other writers, until the retries ran out. */
export class StoreBusy extends Error {
  override readonly name = 'StoreBusy';
}

/** A queue as it is stored: its definition, and what belongs to it for as long as it lives. */
export interface QueueRecord {
  readonly definition: QueueDefinition;
  /** Grows by one with every change of the definition. */
  readonly version: number;
  /** Bucket plans in force or still holding tickets, oldest first. */
  readonly plans: readonly BucketPlan[];
  /** Ticks are scheduled up to and including this slot; 0 before the first. */
  readonly awakeUntilMs: number;
  /** Up to here they are known to be sent; less than promised while somebody sends them, or has crashed. */
  readonly sentUntilMs: number;
  /** Set when the queue was deleted: no new tickets; who waits is still served. */
  readonly deletedAt?: string;
}

/** What a tick leaves behind for the statistics and for the next tick's release policy. */
export interface TickReport {
  readonly slotMs: number;
  readonly durationMs: number;
  readonly waiting: number;
  readonly oldestWaitMs: number;
  readonly matches: number;
  /** The last matches of this range, newest last. */
  readonly recent: readonly RecentMatch[];
  /** What the release policy has learned of the range. */
  readonly memory?: TickMemory | undefined;
}
export interface RecentMatch {
  readonly imbalance: number;
  readonly waitsMs: readonly number[];
}

export interface QueueStore {
  get(queue: string): Promise<QueueRecord | undefined>;
  list(): Promise<QueueRecord[]>;
  /** Stores a record whose version is one above the stored one's. False: somebody else was faster. */
  put(record: QueueRecord): Promise<boolean>;
  /** Moves `awakeUntilMs` forward, if it and the version still are what the record says. */
  extendAwake(record: QueueRecord, untilMs: number): Promise<boolean>;
  /** Notes that the ticks up to here are sent, if `sentUntilMs` still is what the record says. */
  confirmSent(record: QueueRecord, untilMs: number): Promise<void>;
  /** Removes plans that no ticket is in any more, if the version is still the record's. */
  dropPlans(record: QueueRecord, keep: readonly BucketPlan[]): Promise<boolean>;
  /** Removes a deleted queue for good, if the version is still the record's. */
  remove(record: QueueRecord): Promise<boolean>;

  /**
   * Leases all cells or none, for one slot, until a time. `held`: another tick has one of them.
   * `done`: this slot, or a later one, has been searched there already.
   */
  lease(queue: string, cells: readonly string[], lease: Lease): Promise<LeaseOutcome>;
  /** Gives the cells back, if all of them are still the caller's. */
  release(queue: string, cells: readonly string[], lease: Lease): Promise<void>;
  /** Keeps the report of a range, unless there is one of a later slot; it is forgotten after a day. */
  putReport(queue: string, range: string, report: TickReport, nowMs: number): Promise<void>;
  /** The last reports of these ranges, by the range's name. */
  reports(queue: string, ranges: readonly string[]): Promise<ReadonlyMap<string, TickReport>>;
}
export type LeaseOutcome = 'leased' | 'held' | 'done';
export interface Lease {
  readonly owner: string;
  readonly slotMs: number;
  readonly nowMs: number;
  readonly untilMs: number;
}

export interface TicketStore {
  /** Stores a ticket as QUEUED in its pool. A ticket that has this id is answered, and nothing changes. */
  create(
    ticket: StoredTicket,
    plan: BucketPlan,
  ): Promise<{ created: true } | { created: false; existing: StoredTicket }>;
  get(ticketId: string): Promise<StoredTicket | undefined>;
  /** All QUEUED tickets of a range, in order of skill; may lag behind writes by moments. */
  waiting(queue: string, plans: readonly BucketPlan[], range: KeyRange): Promise<StoredTicket[]>;
  /** The QUEUED tickets nearest in skill to one of them, at most `limit` on each side, itself included. */
  neighbours(ticket: StoredTicket, plans: readonly BucketPlan[], limit: number): Promise<StoredTicket[]>;
  /** How many wait under a plan. */
  count(queue: string, plan: BucketPlan): Promise<number>;
  hasWaiting(queue: string, plan: BucketPlan): Promise<boolean>;
  /** Ends a ticket if it is QUEUED; answers the ticket as it is then, undefined when there is none. */
  end(
    ticketId: string,
    status: 'CANCELLED' | 'TIMED_OUT',
    reason: string,
    nowMs: number,
  ): Promise<{ ended: boolean; ticket: StoredTicket } | undefined>;
}

/** What can be done with a match that is there; needs the matches alone. */
export interface SingleMatchStore {
  get(matchId: string): Promise<StoredMatch | undefined>;
  /** Notes that a ticket accepts. Answers the match as it is then; unchanged when no longer REQUIRES_ACCEPTANCE. */
  accept(matchId: string, ticketId: string): Promise<StoredMatch | undefined>;
  /** Moves a match on, if it still is in status `from`. */
  advance(
    matchId: string,
    from: MatchStatus,
    to: MatchStatus,
    change: { deadline?: string; reason?: string },
  ): Promise<boolean>;
  /** Gives a match its assignment and completes it. `conflict`: it has another, or it takes none. */
  assign(
    matchId: string,
    assignment: Assignment,
  ): Promise<{ outcome: 'assigned' | 'conflict'; match: StoredMatch } | undefined>;
}

/** What changes matches and tickets together. */
export interface MatchStore extends SingleMatchStore {
  /**
   * Stores a match and takes all of its tickets out of the pool in one transaction, if every one of
   * them is still QUEUED. `lost-race`: at least one is not, and nothing changed. `busy`: the store did not
   * take it; the next tick finds the tickets as they are then.
   */
  commit(match: StoredMatch, nowMs: number): Promise<'committed' | 'lost-race' | 'busy'>;
  /**
   * Fails a match that REQUIRES_ACCEPTANCE and gives its tickets back in one transaction: `requeue` to the
   * pool with the time they were first enqueued, `cancel` to CANCELLED. `lost-race`: nothing changed.
   * @param plan where the pool is; needed when there is a ticket to requeue
   */
  dissolve(
    match: StoredMatch,
    tickets: { requeue: readonly StoredTicket[]; cancel: readonly StoredTicket[] },
    plan: BucketPlan | undefined,
    reason: string,
    nowMs: number,
  ): Promise<'dissolved' | 'lost-race'>;
}

/** One tick of one range, as it travels. */
export interface TickMessage {
  readonly queue: string;
  /** When it is due, milliseconds since the epoch, a multiple of tickSeconds. */
  readonly slotMs: number;
  /** The plan whose ranges are meant. */
  readonly plan: number;
  /** Index of the range in `tickRanges` of that plan and slot. */
  readonly range: number;
}
export interface TickSender {
  /** Sends messages, each to arrive when it is due. */
  send(messages: readonly TickMessage[], nowMs: number): Promise<void>;
}

/** An event as the bus and webhooks carry it. */
export interface MusterEvent {
  readonly type: EventType;
  /** The same for every delivery of the same event. */
  readonly eventId: string;
  readonly time: string;
  readonly queue: string;
  readonly ticket?: unknown;
  readonly match?: unknown;
}
export interface EventBus {
  /** Publishes events; answers the indexes of those the bus refused. `marks` route an event inside Muster. */
  publish(events: readonly { event: MusterEvent; marks: readonly string[] }[]): Promise<number[]>;
}

/** What an endpoint of the studio answered. */
export type OutboundResult =
  | { outcome: 'answered'; status: number; body: string }
  | { outcome: 'unreachable'; error: string }
  | { outcome: 'forbidden'; error: string };
export interface Outbound {
  /** POSTs JSON; follows no redirects. `forbidden`: the address is not one this service may call. */
  post(
    url: string,
    body: string,
    headers: Record<string, string>,
    timeoutMs: number,
  ): Promise<OutboundResult>;
}

export interface Secrets {
  /** @throws when there is no such secret */
  get(name: string): Promise<string>;
}

/** The measures of a tick, for dashboards. */
export interface TickMetrics {
  readonly queue: string;
  readonly waiting: number;
  /** The matches committed. */
  readonly recent: readonly RecentMatch[];
  readonly timedOut: number;
  /** Matches that were planned and not committed: somebody was faster, or the store was busy. */
  readonly lostRaces: number;
  readonly busy: number;
  readonly durationMs: number;
  readonly ageMs: number;
}
