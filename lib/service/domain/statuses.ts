import type { BackfillStatus } from '../../contract/backfill.ts';
import type { EventType } from '../../contract/event-type.ts';
import type { MatchStatus } from '../../contract/match.ts';
import type { TicketStatus } from '../../contract/ticket.ts';

/** There is no item. */
export const NONE = 'none';

/** A write that moves an item from one status to another, or changes it within its status. */
export interface Transition<Status extends string> {
  /** The statuses in which the write takes effect. In every other status it changes nothing. */
  readonly from: readonly (Status | typeof NONE)[];
  /** The statuses afterwards, of which the write chooses one. A status that is in `from` too is kept. */
  readonly to: readonly Status[];
  /** Further conditions of the write. */
  readonly if?: string;
  /** The attributes besides the status that it always changes, among those that identify transitions. @default none */
  readonly changes?: readonly string[];
  /** The attributes that it changes in some cases. @default none */
  readonly mayChange?: readonly string[];
  /** The function or use case that writes it. */
  readonly by: string;
  /** The event that is published for it, if any. */
  readonly event?: EventType;
  /** What remains when the writer stops right after the write, and who continues. */
  readonly crash: string;
}

/** The statuses of one kind of items, and every write that moves them. */
export interface StatusMachine<Status extends string, Name extends string> {
  readonly statuses: readonly Status[];
  readonly transitions: Readonly<Record<Name, Transition<Status>>>;
}

/** The statuses of stored matches. ABANDONED is internal: every reader treats such a match as missing. */
export type StoredMatchStatus = MatchStatus | 'ABANDONED';

/** The matches. */
export const MATCH = machine<StoredMatchStatus>()({
  statuses: ['REQUIRES_ACCEPTANCE', 'PLACING', 'COMPLETED', 'FAILED', 'ABANDONED'],
  transitions: {
    create: {
      from: [NONE],
      to: ['REQUIRES_ACCEPTANCE', 'PLACING', 'COMPLETED'],
      by: '`tick`',
      event: 'MatchFound',
      crash: 'nothing is missing: its tickets are claimed before it',
    },
    abandon: {
      from: [NONE, 'ABANDONED'],
      to: ['ABANDONED'],
      by: '`tick`, `dispatch`, a cancel',
      crash: 'tickets stay in it; it is overdue 30 s later, and `deadline` returns them',
    },
    advance: {
      from: ['REQUIRES_ACCEPTANCE'],
      to: ['PLACING', 'COMPLETED'],
      if: 'all have accepted: its answers say so before',
      by: 'the last who accepts, or `deadline`',
      event: 'MatchAccepted',
      crash: 'nothing is missing',
    },
    dissolve: {
      from: ['REQUIRES_ACCEPTANCE'],
      to: ['FAILED'],
      if: 'its answers are DECLINED or EXPIRED before, or all have accepted and a player has left',
      changes: ['cancelled'],
      by: 'who declines, who finds that a player has left, or `deadline`',
      event: 'MatchFailed',
      crash:
        'tickets stay in it; it keeps a deadline, and `deadline` returns or cancels them, and notes who gets a cooldown',
    },
    dissolvePlacing: {
      from: ['PLACING'],
      to: ['FAILED'],
      if: 'a player has left, in a queue with `presence`',
      changes: ['cancelled', 'requeued'],
      by: '`provision`',
      event: 'MatchFailed',
      crash:
        'as after `fail`; tickets stay in it; it keeps a deadline, and `deadline` returns or cancels them',
    },
    assign: {
      from: ['PLACING', 'COMPLETED'],
      to: ['COMPLETED'],
      if: 'it has no assignment',
      changes: ['assignment'],
      by: '`provision`, or the studio',
      event: 'MatchAssigned',
      crash: 'nothing is missing',
    },
    fail: {
      from: ['PLACING'],
      to: ['FAILED'],
      if: 'its queue does not requeue',
      by: '`provision`, or `deadline`',
      event: 'MatchFailed',
      crash: 'a server that was requested is given back when the message is delivered again',
    },
    requeue: {
      from: ['PLACING'],
      to: ['FAILED'],
      if: 'its queue has `onFailure: "requeue"`',
      changes: ['requeued'],
      by: '`provision`, or `deadline`',
      event: 'MatchFailed',
      crash: 'as after `fail`; tickets stay in it; it keeps a deadline, and `deadline` returns them',
    },
    ticketsReturned: {
      from: ['FAILED', 'ABANDONED'],
      to: ['FAILED', 'ABANDONED'],
      by: 'who has returned its tickets',
      crash: 'nothing is missing',
    },
    askForPlayers: {
      from: ['PLACING', 'COMPLETED'],
      to: ['PLACING', 'COMPLETED'],
      if: 'it has the roster that the request is about, and has not ended',
      by: 'the studio, in one transaction with the backfill',
      crash: 'nothing is missing',
    },
    backfill: {
      from: ['PLACING', 'COMPLETED'],
      to: ['PLACING', 'COMPLETED'],
      if: 'it names this backfill, has the roster that was read, and has not ended',
      changes: ['roster'],
      by: '`tick`, in one transaction with the backfill and its tickets',
      event: 'MatchBackfilled',
      crash: 'nothing is missing',
    },
    result: {
      from: ['COMPLETED'],
      to: ['COMPLETED'],
      if: 'it has no result, and the players that were read',
      changes: ['result'],
      // It also ends the match, unless the match has ended.
      mayChange: ['endedAt'],
      by: 'the studio',
      event: 'MatchEnded',
      crash:
        'the cooldowns of leavers, until the studio repeats its request; `rate` rates it when the event arrives',
    },
    rate: {
      from: ['COMPLETED'],
      to: ['COMPLETED'],
      if: 'it has no ratings, and its players and each rating are as they were read',
      changes: ['rated'],
      by: '`rate`, in one transaction with the ratings of its players',
      event: 'MatchRated',
      crash: 'nothing is missing but the result in the figures of the odds',
    },
    end: {
      from: ['COMPLETED'],
      to: ['COMPLETED'],
      if: 'it has not ended',
      changes: ['endedAt'],
      by: 'the studio',
      event: 'MatchEnded',
      crash: 'the cooldowns of leavers, until the studio repeats its request',
    },
  },
});

/** The statuses of the answers to a match that requires acceptance. */
export type AnswersStatus = 'OPEN' | 'DECLINED' | 'EXPIRED';

/**
 * The answers to a match, a separate item. Exactly one of three things happens: all accept, one declines, or the time is up. The
 * match follows by the first process that finds the answers decided: the request that decides them, a repeated request, or
 * `deadline`.
 */
export const ANSWERS = machine<AnswersStatus>()({
  statuses: ['OPEN', 'DECLINED', 'EXPIRED'],
  transitions: {
    accept: {
      from: [NONE, 'OPEN'],
      to: ['OPEN'],
      by: 'a player, or a party',
      crash: 'if it was the last one, a repeated request or `deadline` advances the match',
    },
    decline: {
      from: [NONE, 'OPEN'],
      to: ['DECLINED'],
      if: 'not all have accepted',
      by: 'a player, or a party',
      crash: 'the next answer, a repeated request or `deadline` dissolves the match',
    },
    expire: {
      from: [NONE, 'OPEN'],
      to: ['EXPIRED'],
      if: 'not all have accepted',
      by: '`deadline`',
      crash: '`deadline` dissolves the match, when its message is received again',
    },
  },
});

/**
 * The statuses of stored tickets. MATCHED is internal: the ticket has left the pool for a match, and clients see the status
 * of the match; see {@link SEEN_IN_MATCH}.
 */
export type StoredTicketStatus = 'QUEUED' | 'MATCHED' | 'CANCELLED' | 'TIMED_OUT' | 'FAILED';

/** The tickets. Every way out of the pool starts at QUEUED, and every way back ends there. */
export const TICKET = machine<StoredTicketStatus>()({
  statuses: ['QUEUED', 'MATCHED', 'CANCELLED', 'TIMED_OUT', 'FAILED'],
  transitions: {
    create: {
      from: [NONE],
      to: ['QUEUED'],
      by: '`enqueue`, after the entries of a linked ticket',
      event: 'TicketQueued',
      crash: 'the next `dispatch` finds it waiting and wakes its queues',
    },
    claim: {
      from: ['QUEUED'],
      to: ['MATCHED'],
      if: 'this match has not released it before; by an entry, it has the digest and the returns of the entry',
      changes: ['matchId'],
      by: '`tick`',
      crash: 'its match does not exist; the next tick or `dispatch` abandons it and returns the ticket',
    },
    join: {
      from: ['QUEUED'],
      to: ['MATCHED'],
      if: 'by an entry, as for a claim',
      changes: ['matchId'],
      by: '`tick`, in one transaction with the backfill of a running match',
      crash: 'nothing is missing',
    },
    release: {
      from: ['MATCHED'],
      to: ['QUEUED'],
      if: 'it is still in this match',
      changes: ['matchId', 'returns', 'releasedFrom'],
      by: 'who dissolves the match, after the next entries of a linked ticket',
      event: 'TicketQueued',
      crash: 'the other tickets of the match: see `dissolve`',
    },
    requeue: {
      from: ['MATCHED'],
      to: ['QUEUED'],
      if: 'it is still in this match, and fewer than three of its matches have failed',
      changes: ['matchId', 'returns', 'failures', 'releasedFrom'],
      by: '`deadline`, after the next entries of a linked ticket',
      event: 'TicketQueued',
      crash: 'the other tickets of the match: see `requeue` of matches',
    },
    unclaim: {
      from: ['MATCHED'],
      to: ['QUEUED'],
      if: 'it is still in this match',
      changes: ['matchId', 'releasedFrom'],
      by: 'who abandons the match. For clients it has been QUEUED all the time',
      crash: 'the other tickets of the match: see `abandon`',
    },
    cancel: {
      from: ['QUEUED'],
      to: ['CANCELLED'],
      by: 'a cancel; `tick` for a ticket that no longer fits, or of which a player has left; `enqueue`, in one transaction with the ticket that replaces it',
      event: 'TicketCancelled',
      crash: 'nothing is missing',
    },
    cancelFreed: {
      from: ['QUEUED', 'MATCHED'],
      to: ['CANCELLED'],
      if: 'it is QUEUED, or still in a match that was abandoned, dissolved or requeued',
      // For a QUEUED ticket it changes the same attributes as `cancel`.
      changes: ['matchId'],
      by: 'a cancel; `enqueue`, in one transaction with the ticket that replaces it',
      event: 'TicketCancelled',
      crash: 'nothing is missing',
    },
    cancelWithMatch: {
      from: ['MATCHED'],
      to: ['CANCELLED'],
      if: 'it is still in this match',
      by: 'who dissolves the match',
      event: 'TicketCancelled',
      crash: 'the other tickets of the match: see `dissolve`',
    },
    failWithMatch: {
      from: ['MATCHED'],
      to: ['FAILED'],
      if: 'it is still in this match, the third of its matches that failed',
      by: '`deadline`',
      event: 'TicketFailed',
      crash: 'the other tickets of the match: see `requeue` of matches',
    },
    timeOut: {
      from: ['QUEUED'],
      to: ['TIMED_OUT'],
      by: '`tick`',
      event: 'TicketTimedOut',
      crash: 'nothing is missing',
    },
  },
});

/** The statuses of backfills. A QUEUED backfill whose match has ended or names a newer one is seen as CANCELLED. */
export const BACKFILL = machine<BackfillStatus>()({
  statuses: ['QUEUED', 'COMPLETED', 'CANCELLED', 'TIMED_OUT'],
  transitions: {
    create: {
      from: [NONE],
      to: ['QUEUED'],
      if: 'its match is PLACING or COMPLETED and has not ended',
      by: 'the studio',
      crash: 'nothing is missing: it is found by the next tick',
    },
    fill: {
      from: ['QUEUED'],
      to: ['COMPLETED'],
      if: 'its match still names it',
      by: '`tick`',
      crash: 'nothing is missing',
    },
    cancel: {
      from: ['QUEUED'],
      to: ['CANCELLED'],
      by: 'the studio, or `tick`',
      crash: 'nothing is missing',
    },
    timeOut: {
      from: ['QUEUED'],
      to: ['TIMED_OUT'],
      by: '`tick`',
      crash: 'nothing is missing',
    },
  },
});

/** The statuses of the connections of players who watch tickets. */
export type ConnectionStatus = 'CONNECTED';

/**
 * The statuses of connections. A connection that has ended is removed by `$disconnect` or by the next message to it, and records
 * expire.
 */
export const CONNECTION = machine<ConnectionStatus>()({
  statuses: ['CONNECTED'],
  transitions: {
    connect: {
      from: [NONE],
      to: ['CONNECTED'],
      by: '`sockets`',
      crash: 'the client is not connected and tries again; the item is removed by the next message to it',
    },
  },
});

/** The status of a MATCHED ticket that clients see, by the status of its match. For a dissolved match see `ticket-status.ts`. */
export const SEEN_IN_MATCH: Readonly<Record<StoredMatchStatus | typeof NONE, TicketStatus>> = {
  none: 'QUEUED',
  ABANDONED: 'QUEUED',
  REQUIRES_ACCEPTANCE: 'REQUIRES_ACCEPTANCE',
  PLACING: 'PLACING',
  COMPLETED: 'COMPLETED',
  FAILED: 'FAILED',
};

/** Whether a write takes effect on an item with this status. */
export function isPossible<Status extends string>(
  { from }: Transition<Status>,
  status: NoInfer<Status> | typeof NONE,
): boolean {
  return from.includes(status);
}

/** The event of a write, from the item before it and after it. */
export function eventOf<Status extends string>(
  machine: StatusMachine<Status, string>,
  before: (object & { readonly status: Status }) | undefined,
  after: object & { readonly status: Status },
): EventType | undefined {
  const change: StatusChange<Status> = {
    from: before?.status ?? NONE,
    to: after.status,
    // For a new item, the status identifies the transition.
    changed: before === undefined ? [] : changedIn(machine, before, after),
  };
  return Object.values<Transition<Status>>(machine.transitions).find(
    (one) => one.event !== undefined && isChangeOf(one, change),
  )?.event;
}

/** The change of an item: its status, and the attributes that identify transitions of its machine. */
export interface StatusChange<Status extends string> {
  readonly from: Status | typeof NONE;
  readonly to: Status;
  readonly changed: readonly string[];
}

/**
 * Whether a change is that of a transition: the status moves as the transition says, and exactly the attributes change that it
 * names. So two transitions with different events can never match one change, in any order of declaration. A transition that
 * changes neither matches no change, and has no event.
 */
export function isChangeOf<Status extends string>(
  transition: Transition<Status>,
  { from, to, changed }: StatusChange<NoInfer<Status>>,
): boolean {
  const { changes = [], mayChange = [] } = transition;
  return (
    isPossible(transition, from) &&
    transition.to.includes(to) &&
    (from !== to || changes.length > 0) &&
    changes.every((name) => changed.includes(name)) &&
    changed.every((name) => changes.includes(name) || mayChange.includes(name))
  );
}

/** The attributes that identify the transitions of a machine. */
export function identifyingAttributes({ transitions }: StatusMachine<string, string>): readonly string[] {
  return [...new Set(Object.values(transitions).flatMap(({ changes = [] }) => changes))];
}

function changedIn(machine: StatusMachine<string, string>, before: object, after: object): readonly string[] {
  return identifyingAttributes(machine).filter((name) =>
    isChanged(attributeOf(before, name), attributeOf(after, name)),
  );
}

const attributeOf = (item: object, name: string): unknown => (item as Record<string, unknown>)[name];

/** Whether an attribute was added or removed, if it is an object: the erasure of a player changes its content only. */
function isChanged(before: unknown, after: unknown): boolean {
  return typeof before === 'object' && typeof after === 'object' ? false : before !== after;
}

/** Checks the names of the statuses, and keeps the literal names of the transitions. */
function machine<Status extends string>() {
  return <const Name extends string>(one: StatusMachine<Status, Name>): StatusMachine<Status, Name> => one;
}
